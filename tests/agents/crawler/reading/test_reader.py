"""Reading that lets others have their turn."""

from collections.abc import Iterator

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.crawler.reading.reader import TURN, Reading


class Slow:
    """A reader of which each step takes some time of the clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.read = b""

    def feed(self, chunk: bytes) -> Iterator[None]:
        for byte in chunk:
            self.clock.rightNow += TURN / 10
            self.read += bytes([byte])
            yield

    def close(self) -> Iterator[None]:
        return self.feed(b"!" * 50)


def test_short_work_is_done_at_once() -> None:
    """Nothing is put off that fits into one turn."""
    reader = Slow(Clock())
    assert Reading(reader.clock, reader).feed(b"12345") is None
    assert reader.read == b"12345"


def test_long_work_is_done_in_turns() -> None:
    """After each turn the reactor has its own, and the reader goes on where it was."""
    clock = Clock()
    reader = Slow(clock)
    reading = Reading(clock, reader)
    waiting = reading.feed(b"x" * 100)
    assert waiting is not None and not waiting.called
    seen = []
    while not waiting.called:
        seen.append(len(reader.read))
        clock.callLater(0, lambda: seen.append(len(reader.read)))
        clock.advance(0)
    assert any(0 < read < 100 for read in seen[1:])
    assert reader.read == b"x" * 100
    rest = reading.close()
    assert isinstance(rest, Deferred)
    clock.pump([0] * 10)
    assert rest.called and reader.read.endswith(b"!" * 50)


def test_stopped() -> None:
    """What is stopped reads no further."""
    clock = Clock()
    reader = Slow(clock)
    reading = Reading(clock, reader)
    waiting = reading.feed(b"x" * 100)
    assert waiting is not None
    failures: list[object] = []
    waiting.addErrback(failures.append)
    reading.stop()
    assert failures and not clock.getDelayedCalls()
    assert reading.feed(b"y") is None and b"y" not in reader.read
