"""What zlib and gzip compressed, as streams: data of records, and members of gzip files."""

from collections.abc import Callable

from isal import isal_zlib

from anet.formats.plain import PlainBlock, PlainFile
from anet.formats.record import DamagedRecord

MAGIC = b"\x1f\x8b\x08"
ZLIB, GZIP = 15, 31
"""Wrappers (RFC 1950, RFC 1952), in the numbers that zlib has for them."""

_INPUT = 32 * 1024
_OUTPUT = 256 * 1024


class Inflated:
    """One compressed stream.

    Attributes:
        consumed: bytes of the input that belong to it, once all of it is read.
        failure: why no more of it can be read; empty as long as more can.

    Args:
        read: gives the next bytes of the input, at most so many; nothing at the end.
        wrapper: `ZLIB` or `GZIP`.
    """

    def __init__(self, read: Callable[[int], bytes], wrapper: int) -> None:
        self._read, self.consumed = read, 0
        self._inflate = isal_zlib.decompressobj(wbits=wrapper)
        self._input, self._held, self._place = b"", b"", 0
        self.failure = ""

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`; nothing at the end.

        Raises:
            DamagedRecord: it is damaged here, or the input ends in it.
        """
        if self._place == len(self._held):
            self._held, self._place = self._inflated(), 0
        data = self._held[self._place : self._place + size]
        self._place += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """Return the next bytes without taking them; fewer only at the end, or before damage.

        Raises:
            DamagedRecord: there is none before the damage.
        """
        while len(self._held) - self._place < size:
            try:
                more = self._inflated()
            except DamagedRecord:
                if self._place == len(self._held):
                    raise
                break
            if not more:
                break
            self._held, self._place = self._held[self._place :] + more, 0
        return self._held[self._place : self._place + size]

    def _inflated(self) -> bytes:
        """Return some more of it; nothing at the end."""
        data = b""
        while not (data or self._inflate.eof):
            if self.failure:
                raise DamagedRecord(self.failure)
            self._read_more()
            try:
                data = self._inflate.decompress(self._input, _OUTPUT)
            except isal_zlib.error as error:  # type: ignore[misc]
                self.failure = f"compressed data are damaged: {error}"
                continue
            if not (self._input or data or self._inflate.eof):
                self.failure = "compressed data end too early"
            self._input = self._inflate.unconsumed_tail
            if self._inflate.eof:
                self.consumed -= len(self._inflate.unused_data)
        return data

    def _read_more(self) -> None:
        if not self._input:
            self._input = self._read(_INPUT)
            self.consumed += len(self._input)


class Member(Inflated):
    """A gzip member of a file.

    Attributes:
        offset: its first byte in the file.

    Args:
        file: holds it.
        offset: where it begins.
        end: the byte of the file at which reading stops; its end if none is given.
    """

    def __init__(self, file: PlainFile, offset: int, end: int | None = None) -> None:
        block = PlainBlock(file, offset, file.size if end is None else min(end, file.size))
        super().__init__(block.read, GZIP)
        self.offset = offset

    @property
    def end(self) -> int:
        """Return the byte after it, once all of it is read."""
        return self.offset + self.consumed
