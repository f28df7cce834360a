"""The log of a stream in segments."""

import pytest
from twisted.internet.task import Clock

from agents import dates
from agents.stream import OrderedStream
from agents.stream_log import Begun, ClockEntry, Ended, GapEntry, MarkEntry, TitleEntry
from agents.streaming.following.chronicle import Chronicle
from anet.media.hls import Media, pause
from anet.media.interface import Described, Said
from tests.agents.streaming.following.conftest import Logs

BEGAN = 1_795_330_800.0
DESCRIBED = Described("http://e/l", "hls", b"HTTP/1.1 200 OK\r\n\r\n", "application/x-mpegurl")


def chronicle(clock: Clock, logs: Logs, interval: float = 30.0) -> Chronicle:
    """Return a chronicle of a stream."""
    return Chronicle(clock, logs, OrderedStream("http://e/l", "site"), interval)


@pytest.mark.parametrize("ratio", [1.001, 1.0, 0.999])
def test_the_clock_of_a_source_is_told_by_its_segments(ratio: float) -> None:
    """Half a day of segments of six seconds: how fast the source goes, and how far it has come."""
    clock, logs = Clock(), Logs()
    clock.advance(BEGAN)
    told = chronicle(clock, logs)
    told.begin(DESCRIBED, "", "")
    listed, hours = 0, 12
    playlist = Media([], target=6.0)
    while clock.seconds() < BEGAN + hours * 3600:
        second = clock.seconds() - BEGAN
        ended = int((second * ratio + 30) / 6)  # segments that are whole, five of them before
        if ended > listed:
            told.advance(6.0 * (ended - listed))
        clock.advance(pause(playlist, ended > listed))
        listed = ended
    assert told.true_time.ratio == pytest.approx(ratio, abs=5e-5)
    assert told.true_time.skew == pytest.approx((ratio - 1) * hours * 3600, abs=1.0)
    assert told.signal == pytest.approx(ratio * told.real + 30, abs=12.0)
    assert len(logs.begun) == hours


def test_a_log_tells_what_happened_in_its_order() -> None:
    """Clock entries now and then, titles, marks and gaps, and how it ended."""
    clock, logs = Clock(), Logs()
    clock.advance(BEGAN)
    told = chronicle(clock, logs)
    told.begin(DESCRIBED, "20261122065900000000", "it was away")
    told.advance(12.0, BEGAN - 3)
    clock.advance(6.0)
    told.advance(6.0)
    told.say(Said("One"))
    told.say(Said("One"))
    told.mark("discontinuity in t")
    told.miss("20261122070001000000", dates.now(clock), "6.000 s of t: gone")
    clock.advance(30.0)
    told.advance(36.0, BEGAN + 33)
    told.end("break: it broke off")
    told.end("stopped")
    told.mark("nothing is logged after the end")
    (log,) = logs.begun
    assert log.beginning.gap is not None
    assert log.beginning.gap.why == "it was away"
    entry, title, mark, gap, last = logs.lines()
    assert isinstance(entry, ClockEntry)
    assert (entry.ms, entry.program) == (12000, "2026-11-22T06:59:57Z")
    assert isinstance(title, TitleEntry)
    assert (title.title, title.ms) == ("One", 18000)
    assert isinstance(mark, MarkEntry)
    assert isinstance(gap, GapEntry)
    assert gap.gap.since == "20261122070001000000"
    assert isinstance(last, ClockEntry)
    assert (last.ms, last.at[:14]) == (54000, "20261122070036")
    assert not any(isinstance(line, Begun | Ended) for line in logs.lines())
    assert told.gaps == 2
    assert told.titles == 1


def test_an_hour_is_a_log_of_its_own() -> None:
    """The next one counts from its own beginning, in the same session, without a gap."""
    clock, logs = Clock(), Logs()
    clock.advance(BEGAN)
    told = chronicle(clock, logs)
    told.begin(DESCRIBED, "", "")
    for _ in range(601):
        told.advance(6.0)
        clock.advance(6.0)
    told.advance(6.0)
    first, second = (log.beginning for log in logs.begun)
    assert (second.session, second.number, second.gap) == (first.session, 2, None)
    clock.advance(30.0)
    told.advance(30.0)
    entries = [line for line in logs.lines() if isinstance(line, ClockEntry)]
    assert entries[-1].ms < 60_000
