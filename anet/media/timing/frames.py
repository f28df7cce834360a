"""Formats that are frames, one behind another, each with a header and nothing around them."""

from collections.abc import Hashable

from anet.media.timing.tags import ID3_HEADER, SEEN, id3_length
from anet.media.timing.walk import Walk

IN_A_ROW = 3  # headers that must follow each other before they are believed


class Frames(Walk):
    """Counts the samples of frames.

    In step with them, one header leads to the next. Out of step, three in a row that agree are
    believed. ID3 tags between frames are read.
    """

    HEADER: int
    """Bytes of a header that must be seen."""

    def __init__(self) -> None:
        super().__init__()
        self._kind: Hashable = None  # of the frames that it is in step with
        self._before = 0.0  # seconds of other kinds
        self._samples, self._rate = 0, 1

    def _frame(self, data: bytes, at: int) -> tuple[Hashable, int] | None:
        """Return the kind of the frame whose header is here, and its length; None for none."""
        raise NotImplementedError

    def _run(self, data: bytes, at: int) -> tuple[int, int]:
        """Pass over whole frames of the kind that it is in step with, and count their samples.

        Returns:
            how many bytes they are, and how many the next one must have to be whole; 0 where
            there is none.
        """
        raise NotImplementedError

    def _step_into(self, kind: Hashable) -> None:
        """Be in step with frames of another kind."""
        raise NotImplementedError

    def _unit(self, data: bytes, at: int) -> int:
        if self._kind is not None:
            length, wanted = self._run(data, at)
            if length:
                self._arrive(at + length, self._before + self._samples / self._rate)
            if length or wanted:
                return length or -wanted
        there = len(data) - at
        if there < self.HEADER:
            return -self.HEADER
        if there < ID3_HEADER:
            return -ID3_HEADER
        return self._tag(data, at) or self._agreed(data, at) or self._search()

    def _search(self) -> int:
        self._kind = None
        return super()._search()

    def _count(self, rate: int) -> None:
        """Count samples of another rate from now on."""
        self._before += self._samples / self._rate
        self._samples, self._rate = 0, rate

    def _tag(self, data: bytes, at: int) -> int:
        """Read the tag that begins here; 0 where none does."""
        length = id3_length(data, at)
        seen = min(length, SEEN)
        if len(data) - at < seen:
            return -seen
        if length:
            self._tell(at, data[at : at + seen])
        return length

    def _agreed(self, data: bytes, at: int) -> int:
        """Step into the frames that begin here; 0 where there are none that agree."""
        first = self._frame(data, at)
        if first is None:
            return 0
        kind, length = first
        for _ in range(IN_A_ROW - 1):
            if len(data) - at < length + self.HEADER:
                return -(length + self.HEADER)
            other = self._frame(data, at + length)
            if other is None or other[0] != kind:
                return 0
            length += other[1]
        self._step_into(kind)
        return self._unit(data, at)
