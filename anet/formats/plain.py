"""Bytes of a file at any place, and blocks of records that lie there as they are."""

import os
from pathlib import Path

from attrs import define

from anet.formats.record import DamagedRecord

_WINDOW = 64 * 1024


class PlainFile:
    """A file of which bytes are read where they are wanted; reading on nearby costs nothing.

    Attributes:
        size: bytes, when it was opened.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._descriptor).st_size
        self._begin, self._window = 0, b""

    def close(self) -> None:
        """Close the file; can be done again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def read(self, offset: int, size: int) -> bytes:
        """Return the bytes at a place; fewer at the end of the file."""
        if size > _WINDOW:
            return os.pread(self._descriptor, size, offset)
        place = offset - self._begin
        if place < 0 or place + size > len(self._window):
            self._begin, self._window = offset, os.pread(self._descriptor, _WINDOW, offset)
            place = 0
        return self._window[place : place + size]


@define
class PlainBlock:
    """An `IBlock` whose bytes lie in a file as they are.

    Attributes:
        file: holds them.
        place: of the next byte.
        end: of those that can be read.
        wrong: why they are not the whole block; empty if they are.
    """

    file: PlainFile
    place: int
    end: int
    wrong: str = ""

    def peek(self, size: int) -> bytes:
        """Return the next bytes without taking them; fewer only at the end."""
        return self.file.read(self.place, min(size, self.end - self.place))

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end.

        Raises:
            DamagedRecord: the block ends before it should, or somebody has cut the file meanwhile.
        """
        data = self.peek(size)
        if len(data) < min(size, self.end - self.place):
            raise DamagedRecord("the file was cut while it was read")
        if not data and size and self.wrong:
            raise DamagedRecord(self.wrong)
        self.place += len(data)
        return data
