"""Which bytes of a stream came between which dates. Pure."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from attrs import frozen

from agents import dates
from agents.consultation.lookup.structures import CaptureLine
from agents.stream_offset import StreamOffset, offset_of
from agents.stream_time import StreamEntry


@frozen
class Leg:
    """What came between two entries of one content, evenly enough.

    Attributes:
        date: of the first entry, 20 digits.
        begin: the same in seconds since the epoch.
        end: date of the second, likewise.
        content: SHA-256 of the content.
        size: its bytes.
        first: where in the content the first entry is.
        last: where the second is; its byte is the first that had not come.
    """

    date: str
    begin: float
    end: float
    content: str
    size: int
    first: StreamOffset
    last: StreamOffset

    @property
    def start(self) -> int:
        """The first byte that came."""
        return self.first.byte

    @property
    def stop(self) -> int:
        """The first byte that did not."""
        return self.last.byte

    def byte_at(self, moment: float) -> int:
        """Return the first byte that had not come at a moment."""
        if moment >= self.end:
            return self.stop
        part = max(0.0, moment - self.begin) / (self.end - self.begin)
        return self.start + int((self.stop - self.start) * part)

    def moment_of(self, byte: int) -> float:
        """Return when a byte came."""
        return self.begin + (self.end - self.begin) * self._part(byte)

    def offset_of(self, byte: int) -> StreamOffset:
        """Return where in the content a byte is."""
        span = self.last.milliseconds - self.first.milliseconds
        return StreamOffset(self.first.milliseconds + int(span * self._part(byte)), byte)

    def _part(self, byte: int) -> float:
        if self.stop == self.start:
            return 0.0
        return min(1.0, max(0.0, (byte - self.start) / (self.stop - self.start)))


def legs(lines: Iterable[CaptureLine]) -> Iterator[Leg]:
    """Yield what lies between entries that follow on each other; nothing where a content ended."""
    for before, after in pairwise(lines):
        first, last = offset_of(before.metadata), offset_of(after.metadata)
        if first is not None and last is not None and goes_on(before, first, after, last):
            yield Leg(
                before.date, seconds(before.date), seconds(after.date),
                before.content, before.size, first, last,
            )  # fmt: skip


def goes_on(
    before: CaptureLine, first: StreamOffset, after: CaptureLine, last: StreamOffset
) -> bool:
    """Tell whether an entry goes on in the content of the one before, and does not begin anew."""
    return (
        before.content == after.content
        and before.date < after.date
        and first.byte <= last.byte <= before.size
        and first.milliseconds <= last.milliseconds
    )


def entries(lines: Iterable[CaptureLine]) -> list[StreamEntry]:
    """Return captures as entries; those that are none are left out."""
    found = ((line, offset_of(line.metadata)) for line in lines)
    return [StreamEntry(line.date, line.content, offset) for line, offset in found if offset]


def seconds(date: str) -> float:
    """Return a date of 20 digits in seconds since the epoch."""
    return dates.to_datetime(date).timestamp()
