"""A part of an endless stream while it comes in: its bytes, and the log of them."""

from collections.abc import Callable

from attrs import evolve

from agents.stream_log import ClockEntry
from agents.stream_offset import StreamOffset
from agents.streaming.recording.beginning import Beginning
from agents.streaming.recording.errors import DiskBehind
from agents.streaming.recording.log import Room, StreamLog, title_entry
from anet.media.interface import Said


class OpenPiece(StreamLog):
    """A part of an endless stream while it comes in.

    Of a piece that got no byte, nothing is kept.

    Attributes:
        size: bytes so far.
    """

    def __init__(
        self,
        beginning: Beginning,
        room: Room,
        following: "Callable[[OpenPiece, Beginning], OpenPiece]",
    ) -> None:
        super().__init__(beginning, room)
        self._following = following

    def write(self, data: bytes, safe: int | None = None) -> None:
        """Take bytes of the media; they are with the system after the next flush.

        Args:
            data: the bytes that follow those of the last call.
            safe: bytes of the piece, with these, up to which it may be cut, as the signal clock's
                `boundary` says; it is never cut before that again. None, after all of these.

        Raises:
            DiskBehind: the disk is full or too slow, and these bytes were not taken. End the
                piece, and begin the stream anew after a while, with a gap.
        """
        if self.ended:
            raise ValueError(f"the piece of {self.beginning.stream} has ended")
        if not self._room.take(len(data)):
            raise DiskBehind("the disk is full, or too slow for all that comes in")
        self._changes.data.append(data)
        self.size += len(data)
        allowed = self.size if safe is None else min(safe, self.size)
        self._changes.safe = max(allowed, self._changes.safe)

    def enter(self, at: float, offset: StreamOffset, ratio: float = 0.0, skew: float = 0.0) -> None:
        """Log real time and signal time together; that becomes a capture, too.

        Args:
            at: when the byte came, in seconds since the epoch.
            offset: the place in this piece.
            ratio: seconds of signal in a second of real time (*rapport*).
            skew: seconds by which they have come apart (*décalage*).
        """
        date = self._advance(at, offset)
        ms, byte = self._offset.milliseconds, self._offset.byte
        self._log(ClockEntry(date, ms, byte, round(ratio, 9), round(skew, 6)))

    def title(self, at: float, offset: StreamOffset, said: Said) -> None:
        """Log what was said of what is on the air at a place in this piece."""
        self._log(title_entry(said, *self._place(at, offset)))

    def turn(self, at: float, offset: StreamOffset, why: str, preamble: bytes = b"") -> "OpenPiece":
        """End it at a place where it may be cut; return the next one, which has what is behind.

        At any moment each byte is in one of the two, and in one only. The next one's first
        capture is dated a microsecond after the last of this one.

        Args:
            at: when the last byte before the place came, in seconds since the epoch.
            offset: the place in this piece; what `write` called safe is not cut off.
            why: "time" or "size".
            preamble: what a decoder must be given before the next one.
        """
        if self.ended:
            raise ValueError(f"the piece of {self.beginning.stream} has ended")
        byte = min(max(offset.byte, self._changes.safe), self.size)
        size, self.size = self.size, byte
        self._end(at, StreamOffset(offset.milliseconds, byte), why)
        beginning = evolve(
            self.beginning,
            at=(self._microseconds + 1) / 1_000_000,
            number=self.beginning.number + 1,
            session=self.beginning.session or self.beginning.date,
            preamble=preamble,
            gap=None,
        )
        following = self._following(self, beginning)
        following.size = size - self.size
        return following
