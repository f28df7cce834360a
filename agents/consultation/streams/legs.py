"""Which bytes of a stream came between which dates. Pure."""

from collections.abc import Iterable, Iterator

from attrs import evolve, frozen

from agents import dates
from agents.consultation.lookup.structures import CaptureLine
from agents.stream_offset import StreamOffset, offset_of
from agents.stream_time import StreamEntry, goes_on


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

    def rest(self, moment: float) -> "Leg":
        """Return what came of it from a moment on."""
        first = self.offset_of(self.byte_at(moment))
        return evolve(self, date=dates.from_timestamp(moment), begin=moment, first=first)

    def _part(self, byte: int) -> float:
        if self.stop == self.start:
            return 0.0
        return min(1.0, max(0.0, (byte - self.start) / (self.stop - self.start)))


def in_order(found: Iterable[Leg]) -> Iterator[Leg]:
    """Yield what came, one leg behind the other; nothing where nothing came.

    Of two agents that received at once, the first is followed for as long as it did.
    """
    waiting, reached, content = list(found), 0.0, ""
    while waiting:
        leg = min(waiting, key=lambda each: (max(each.begin, reached), each.content != content))
        yield leg if leg.begin >= reached else leg.rest(reached)
        reached, content = leg.end, leg.content
        waiting = [each for each in waiting if each.end > reached]


def all_legs(lines: Iterable[CaptureLine]) -> list[Leg]:
    """Return what lies between entries that follow on each other in a content, by its beginning."""
    found = []
    last: dict[str, StreamEntry] = {}
    for line in lines:
        offset, before = offset_of(line.metadata), last.get(line.content)
        if offset is None:
            continue
        last[line.content] = entry = StreamEntry(line.date, line.content, offset)
        if before is not None and goes_on(before, entry) and offset.byte <= line.size:
            found.append(_leg(before, entry, line.size))
    return sorted(found, key=lambda leg: leg.begin)


def _leg(before: StreamEntry, after: StreamEntry, size: int) -> Leg:
    begin, end = seconds(before.date), seconds(after.date)
    return Leg(before.date, begin, end, before.content, size, before.offset, after.offset)


def entries(lines: Iterable[CaptureLine]) -> list[StreamEntry]:
    """Return captures as entries; those that are none are left out."""
    found = ((line, offset_of(line.metadata)) for line in lines)
    return [StreamEntry(line.date, line.content, offset) for line, offset in found if offset]


def seconds(date: str) -> float:
    """Return a date of 20 digits in seconds since the epoch."""
    return dates.to_datetime(date).timestamp()
