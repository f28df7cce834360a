"""The log of a stream while it comes in."""

from typing import Protocol

from attrs import define, field, frozen

from agents import dates
from agents.stream_log import (
    FIELD_LIMIT,
    FIELDS_LIMIT,
    RAW_LIMIT,
    ClockEntry,
    GapEntry,
    LogLine,
    MarkEntry,
    TitleEntry,
    encoded,
    told,
)
from agents.stream_offset import MILLISECONDS_LIMIT, StreamOffset
from agents.streaming.recording.beginning import Beginning, Gap, microseconds
from anet.media.interface import Said

LOG_LIMIT = 8 * 2**20  # bytes of a log; what comes after that is counted, and left out


@frozen
class Ending:
    """How a piece ends.

    Attributes:
        at: when its last byte came, in seconds since the epoch.
        offset: how long it is.
        why: in a word or a line.
        left_out: lines that its log had no room for.
    """

    at: float
    offset: StreamOffset
    why: str
    left_out: int = 0


@define
class Changes:
    """What came since the last flush, on its way to the thread.

    Attributes:
        data: bytes, in their order.
        lines: of the log.
        safe: byte up to which the piece will not be cut any more.
        ending: how it ends, once it does.
    """

    data: list[bytes] = field(factory=list)
    lines: list[bytes] = field(factory=list)
    safe: int = 0
    ending: Ending | None = None


class Room(Protocol):
    """Memory for what waits for the disk."""

    def take(self, size: int) -> bool:
        """Take memory, if there is enough."""


class StreamLog:
    """What all logs have in common: entries of the clock, and their end, do not go back.

    A date that does not come after the one before is put a microsecond after it. What is said in
    between has dates and places of its own.

    Attributes:
        beginning: what was known first.
        size: bytes of the content that the log is of, so far.
        ended: whether it has been ended.
    """

    def __init__(self, beginning: Beginning, room: Room) -> None:
        self.beginning = beginning
        self.size = 0
        self.ended = False
        self._room = room
        self._changes = Changes()
        self._logged = self._left_out = 0
        self._offset = StreamOffset(0, 0)
        self._microseconds = microseconds(beginning.at)

    def end(self, at: float, milliseconds: int, why: str) -> None:
        """End it as it is; it goes to the archive by itself. Ended again, nothing changes.

        Args:
            at: when its last byte came, in seconds since the epoch.
            milliseconds: of signal in all.
            why: "stopped", or "break: " and what happened.
        """
        if not self.ended:
            self._end(at, StreamOffset(_within(milliseconds), self.size), why)

    @property
    def milliseconds(self) -> int:
        """Of signal, up to the last place that was logged."""
        return self._offset.milliseconds

    def taken(self) -> Changes | None:
        """Return what came since this was called last; None if nothing did."""
        changes = self._changes
        if not (changes.data or changes.lines or changes.ending):
            return None
        self._changes = Changes(safe=changes.safe)
        return changes

    @property
    def _at(self) -> float:
        """The last date, in seconds since the epoch."""
        return self._microseconds / 1_000_000

    def _end(self, at: float, offset: StreamOffset, why: str) -> None:
        self.ended = True
        self._advance(at, offset)
        line = " ".join(told(why).split())
        self._changes.ending = Ending(self._at, self._offset, line, self._left_out)
        self._changes.safe = self._offset.byte

    def _advance(self, at: float, offset: StreamOffset) -> str:
        """Move on to a place: not back, and not beyond what is there; return its date."""
        self._microseconds = max(microseconds(at), self._microseconds + 1)
        self._offset = StreamOffset(
            max(offset.milliseconds, self._offset.milliseconds),
            min(max(offset.byte, self._offset.byte), self.size),
        )
        return dates.from_timestamp(self._at)

    def _place(self, at: float, offset: StreamOffset) -> tuple[str, int, int]:
        """Return date, milliseconds and byte of what was said, wherever the clock is."""
        date = dates.from_timestamp(microseconds(at) / 1_000_000)
        return date, offset.milliseconds, min(offset.byte, self.size)

    def _log(self, line: LogLine) -> None:
        """Have a line written; one for which there is no room is counted."""
        text = encoded(line)
        has_room = not self.ended and self._logged + len(text) <= LOG_LIMIT
        if has_room and self._room.take(len(text)):
            self._logged += len(text)
            self._changes.lines.append(text)
        else:
            self._left_out += 1


class OpenLog(StreamLog):
    """The log of a stream that is kept in segments: it has no content of its own."""

    def enter(
        self, at: float, milliseconds: int, ratio: float = 0.0, skew: float = 0.0, program: str = ""
    ) -> None:
        """Log real time and signal time together.

        Args:
            at: the real time, in seconds since the epoch.
            milliseconds: of signal since the log began.
            ratio: seconds of signal in a second of real time (*rapport*).
            skew: seconds by which they have come apart (*décalage*).
            program: the date that the stream itself gives, as it writes it.
        """
        date = self._advance(at, StreamOffset(_within(milliseconds), 0))
        ms = self._offset.milliseconds
        self._log(ClockEntry(date, ms, None, round(ratio, 9), round(skew, 6), told(program)))

    def title(self, at: float, milliseconds: int, said: Said) -> None:
        """Log what was said of what is on the air."""
        date, ms = self._moment(at, milliseconds)
        self._log(title_entry(said, date, ms))

    def gap(self, at: float, milliseconds: int, gap: Gap) -> None:
        """Log that something is missing there."""
        date, ms = self._moment(at, milliseconds)
        self._log(GapEntry(gap.logged, date, ms))

    def mark(self, at: float, milliseconds: int, what: str) -> None:
        """Log that something happened to the stream there, such as "discontinuity"."""
        date, ms = self._moment(at, milliseconds)
        self._log(MarkEntry(told(what), date, ms))

    def _moment(self, at: float, milliseconds: int) -> tuple[str, int]:
        date, ms, _ = self._place(at, StreamOffset(_within(milliseconds), 0))
        return date, ms


def title_entry(said: Said, date: str, milliseconds: int, byte: int | None = None) -> TitleEntry:
    """Return the line that keeps what was said, within limits."""
    fields = list(said.fields.items())[:FIELDS_LIMIT]
    return TitleEntry(
        title=told(said.title),
        at=date,
        ms=milliseconds,
        byte=byte,
        fields={told(name, FIELD_LIMIT): told(value, FIELD_LIMIT) for name, value in fields},
        raw=said.raw if len(said.raw) <= RAW_LIMIT else b"",
    )


def _within(milliseconds: int) -> int:
    return max(0, min(milliseconds, MILLISECONDS_LIMIT))
