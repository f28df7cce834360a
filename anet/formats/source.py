"""Bytes of an open file at any place, through a window, and blocks and readers of records there."""

import io
from typing import BinaryIO, Self

from zope.interface import implementer

from anet.formats.record import DamagedRecord, IBlock

_WINDOW = 64 * 1024


class Source:
    """A file that is read wherever it is wanted; to read on nearby costs nothing.

    Attributes:
        size: bytes that it had when it was opened.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, io.SEEK_END)
        self._window = memoryview(bytearray(_WINDOW))
        self._begin = self._end = 0

    def read(self, offset: int, size: int) -> bytes:
        """Return the bytes at a place; fewer only at the end of the file.

        Raises:
            OSError: the disk.
        """
        if size > _WINDOW // 2:
            return self._apart(offset, size)
        return bytes(self.view(offset, size))

    def peek(self, offset: int, size: int) -> bytes:
        """Return the bytes at a place, and leave the window where it is."""
        if self._begin <= offset and offset + size <= self._end:
            return bytes(self.view(offset, size))
        return self._apart(offset, size)

    def view(self, offset: int, size: int) -> memoryview:
        """Return some bytes at a place, half a window at most, that are good until the next call.

        Raises:
            OSError: the disk.
        """
        if offset < self._begin or min(offset + size, self.size) > self._end:
            self._move(offset)
        place = offset - self._begin
        return self._window[place : min(place + size, self._end - self._begin)]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _move(self, offset: int) -> None:
        self._file.seek(offset)
        self._begin = self._end = offset
        while read := self._file.readinto(self._window[self._end - offset :]):  # type: ignore[attr-defined]
            self._end += read

    def _apart(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        while len(data) < size and (more := self._file.read(size - len(data))):
            data += more
        return data


class SourceReader:
    """What readers of the records in a source share: it is closed with them."""

    _source: Source

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()


@implementer(IBlock)
class SourceBlock:
    """A block that lies in a file as it is, and whole."""

    def __init__(self, source: Source, begin: int, end: int) -> None:
        self._source, self._at, self._end = source, begin, end

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end.

        Raises:
            DamagedRecord: somebody has cut the file meanwhile.
        """
        wanted = min(size, self._end - self._at)
        data = self._source.read(self._at, wanted)
        if len(data) < wanted:
            raise DamagedRecord("the file was cut while it was read")
        self._at += len(data)
        return data


@implementer(IBlock)
class HeldBlock:
    """A block in memory."""

    __slots__ = ("_at", "_data", "_end")

    def __init__(self, data: bytes, begin: int, end: int) -> None:
        self._data, self._at, self._end = data, begin, end

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end."""
        begin = self._at
        self._at = min(begin + size, self._end)
        return self._data[begin : self._at]
