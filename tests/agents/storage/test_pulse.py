"""A page tells how quickly totals grow, and what went wrong."""

from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock
from twisted.logger import Logger

from agents.page import Curve, Log
from agents.storage.figures import Figure
from agents.storage.pulse import SAMPLE_EVERY, TROUBLES_KEPT, Pulse


@ensureDeferred
async def test_totals_become_rates_and_warnings_are_kept() -> None:
    """Growth between two samples is shown a second; the newest troubles are kept, bounded."""
    clock, total = Clock(), [0.0]
    shown = Figure("taken", "contents taken", lambda: total[0], total=True, rate="/s")
    pulse = Pulse(clock, [shown, Figure("other", "other", lambda: 1.0)])
    pulse.startService()
    for amount in (10, 0, 4):
        total[0] += amount
        clock.advance(SAMPLE_EVERY)
    log = Logger()
    log.info("all is well")
    for number in range(TROUBLES_KEPT + 5):
        log.warn("trouble {number}\nwith details", number=number)
    curve, troubles = pulse.sections()
    assert isinstance(curve, Curve) and isinstance(troubles, Log)
    assert [rate for _, rate in curve.series] == [5.0, 0.0, 2.0]
    assert (curve.title, curve.unit) == ("Contents taken", "/s")
    assert len(troubles.lines) == TROUBLES_KEPT
    assert troubles.lines[0].endswith(f"trouble {TROUBLES_KEPT + 4}")
    await pulse.stopService()
    log.warn("too late")
    assert not any("too late" in line for line in pulse.troubles)
