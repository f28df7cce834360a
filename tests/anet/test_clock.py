"""Timers go by a clock that nobody sets, dates by the one that somebody does."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clocks import FAKETIME, WrongClock
from twisted.internet.selectreactor import SelectReactor
from twisted.internet.task import Clock

from agents import dates
from anet.clock import keep_steady, steady, wall

HOUR = 3600.0

STEPPED = """
import sys, time
from pathlib import Path
from twisted.internet import reactor
from twisted.internet.task import LoopingCall
from clocks import WrongClock
from anet.clock import keep_steady, wall

clock, began, told = WrongClock(Path(sys.argv[1])), time.time(), []
reactor.callLater(1800, told.append, "too early")
keep_steady(reactor)
reactor.callLater(1800, told.append, "too early")
LoopingCall(told.append, "rings").start(0.01)

def expect(hours, then):
    "Wait until the time of day is so much later, and some timers have rung since."
    passed = time.time() - began
    if abs(passed - 3600 * hours) < 600:
        assert abs(wall(reactor) - time.time()) < 60
        told.clear()
        later(lambda: len(told) > 3, then)
    else:
        reactor.callLater(0.01, expect, hours, then)

def later(condition, then):
    reactor.callLater(0.01, *((then,) if condition() else (later, condition, then)))

def back():
    clock.set("-1h")
    reactor.callLater(0, expect, -1, forward)

def forward():
    clock.set("+1h")
    reactor.callLater(0, expect, 1, end)

def end():
    print(*sorted(set(told)))
    reactor.stop()

reactor.callWhenRunning(back)
reactor.run()
"""


@pytest.mark.skipif(FAKETIME is None, reason="Debian's faketime is not there")
def test_timers_of_a_process_go_on_when_its_clock_is_set(tmp_path: Path) -> None:
    """They ring as before after a step of an hour back and two forward, and none too early."""
    environment = {
        **os.environ,
        **WrongClock(tmp_path / "clock").environment,
        "FAKETIME_NO_CACHE": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    told = subprocess.run(
        [sys.executable, "-c", STEPPED, str(tmp_path / "clock")],
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert told.stdout.decode() == "rings\n", told.stderr.decode()


def test_the_wall_is_asked_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates follow what somebody sets, and those of moments before do too."""
    reactor = SelectReactor()
    keep_steady(reactor)
    before = reactor.seconds()
    set_to = time.time() - HOUR
    monkeypatch.setattr(time, "time", lambda: set_to)
    assert wall(reactor) == set_to
    assert wall(reactor, before) == pytest.approx(set_to, abs=60)
    assert wall(reactor, before - 100) - wall(reactor, before) == pytest.approx(-100, abs=60)
    assert dates.now(reactor) == dates.from_timestamp(set_to)
    assert steady() - before < 60
    reactor.disconnectAll()


def test_a_clock_of_a_test_is_both_clocks() -> None:
    """Tests advance one clock, for timers and for dates."""
    clock = Clock()
    clock.advance(100.0)
    assert (wall(clock), wall(clock, 40.0)) == (100.0, 40.0)
    assert dates.now(clock).startswith("19700101000140")
