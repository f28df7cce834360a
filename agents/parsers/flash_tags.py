"""Tags of a Flash movie, from its bytes as they come: first inflated, then cut.

Bombs end at a limit of bytes and at one of tags.
"""

import lzma
import zlib
from collections.abc import Callable, Container, Iterator
from functools import partial
from struct import unpack_from
from typing import TypeAlias

INFLATED_LIMIT = 64 * 1024 * 1024  # bytes of a movie that are read
DICTIONARY_LIMIT = 64 * 1024 * 1024  # bytes of memory that LZMA may take
TAG_LIMIT = 4 * 1024 * 1024  # bytes of a tag that are kept
KEPT_LIMIT = 8 * 1024 * 1024  # bytes of all tags that are kept
COUNT_LIMIT = 500_000  # tags
_PIECE = 32 * 1024
_BREATH = 200  # tags after which others get their turn
_SPRITE, _END = 39, 0
_LONG = 0x3F  # a length that stands for another one behind it

_Inflate: TypeAlias = Callable[[bytes], Iterator[bytes]]


class Inflater:
    """Gives the bytes of a movie behind its first eight.

    Attributes:
        version: of Flash.
        truncated: whether bytes are missing, as they are broken or too many.
    """

    def __init__(self) -> None:
        self.version = 0
        self.truncated = False
        self._head = b""
        self._left = INFLATED_LIMIT
        self._inflate: _Inflate | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield pieces, each of at most `_PIECE` bytes."""
        try:
            if self._inflate is None:
                chunk = self._begin(chunk)
            for start in range(0, len(chunk), _PIECE):
                yield from self._pieces(chunk[start : start + _PIECE])
        except (zlib.error, lzma.LZMAError, EOFError):
            self.truncated = True

    def _begin(self, chunk: bytes) -> bytes:
        """Read the head, once it is here; return what is behind it."""
        self._head += chunk
        size, prepare = _KINDS.get(self._head[:3], (8, _nothing))
        if len(self._head) < size:
            return b""
        head, rest, self._head = self._head[:size], self._head[size:], b""
        self.version, self._inflate = head[3], prepare(head)
        return rest

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        if self._inflate is None or self.truncated:
            return
        for piece in self._inflate(data):
            self._left -= len(piece)
            self.truncated = self._left < 0
            if self.truncated:
                return
            yield piece


def _plain(head: bytes) -> _Inflate:
    return lambda data: iter([data])


def _nothing(head: bytes) -> _Inflate:
    return lambda data: iter(())


def _zlib(head: bytes) -> _Inflate:
    decompressor = zlib.decompressobj()

    def inflate(data: bytes) -> Iterator[bytes]:
        nonlocal decompressor
        while not decompressor.eof:
            # An error takes with it what came before it in the same call: then go byte by byte.
            before = decompressor.copy() if len(data) > 1 else None
            try:
                piece = decompressor.decompress(data, _PIECE)
            except zlib.error:
                if before is None:
                    raise
                decompressor = before
                yield from _singly(inflate, data)
                return
            yield piece
            data = decompressor.unconsumed_tail
            if not data and len(piece) < _PIECE:
                return

    return inflate


def _lzma(head: bytes) -> _Inflate:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE, DICTIONARY_LIMIT)
    # The properties, and a length that stands for an unknown one, make the head of a usual file.
    decompressor.decompress(head[12:] + b"\xff" * 8)

    def inflate(data: bytes) -> Iterator[bytes]:
        while not decompressor.eof:
            yield decompressor.decompress(data, _PIECE)
            data = b""
            if decompressor.needs_input:
                return

    return partial(_singly, inflate)  # there is no way back from an error


def _singly(inflate: _Inflate, data: bytes) -> Iterator[bytes]:
    for start in range(len(data)):
        yield from filter(None, inflate(data[start : start + 1]))


_KINDS: dict[bytes, tuple[int, Callable[[bytes], _Inflate]]] = {
    b"FWS": (8, _plain),
    b"CWS": (8, _zlib),
    b"ZWS": (17, _lzma),  # with the compressed length and the properties of LZMA
}


class Tags:
    """Cuts the bytes of a movie into tags, those of sprites as those around them.

    Args:
        wanted: codes of the tags that are given.

    Attributes:
        truncated: whether a tag was too long, or there were too many.
    """

    def __init__(self, wanted: Container[int]) -> None:
        self.truncated = False
        self._wanted = wanted
        self._data = bytearray()
        self._needed = 1  # bytes without which there is no going on
        self._skipped = 0  # bytes to come that nobody wants
        self._begun = False  # whether the head of the movie has been read
        self._open = 1  # movies and sprites whose end has not come
        self._count = 0
        self._room = KEPT_LIMIT

    def feed(self, piece: bytes) -> Iterator[tuple[int, bytes] | None]:
        """Yield the tags that end in the next bytes; None stands for work without any."""
        self._data += piece
        while self._open and not self._pass_over() and len(self._data) >= self._needed:
            if not self._begun:
                self._head()
                continue
            self._count += 1
            if self._count > COUNT_LIMIT:
                self.truncated, self._open = True, 0
            if self._count % _BREATH == 0:
                yield None
            yield from self._tag()
        if not self._open:
            self._data.clear()

    def _pass_over(self) -> bool:
        """Drop what nobody wants; tell whether there is more of it to come."""
        dropped = min(self._skipped, len(self._data))
        del self._data[:dropped]
        self._skipped -= dropped
        return self._skipped > 0

    def _head(self) -> None:
        """Drop the size of the picture, four numbers of so many bits, and two numbers more."""
        self._skipped = (5 + 4 * (self._data[0] >> 3) + 7) // 8 + 4
        self._begun, self._needed = True, 2

    def _tag(self) -> Iterator[tuple[int, bytes]]:
        """Give a tag if it is here whole; otherwise say how much is needed."""
        (head,) = unpack_from("<H", self._data)
        code, length, start = head >> 6, head & _LONG, 2
        if length == _LONG:
            self._needed = start = 6
            if len(self._data) < start:
                return
            (length,) = unpack_from("<I", self._data, 2)
        kept = min(length, TAG_LIMIT, self._room) if code in self._wanted else 0
        self._needed = start + kept
        if len(self._data) < self._needed:
            return
        body = bytes(self._data[start : start + kept])
        del self._data[: start + kept]
        self._needed, self._skipped = 2, length - kept
        if code == _SPRITE:
            self._open, self._skipped = self._open + 1, 4  # its own tags begin behind two numbers
        elif code == _END:
            self._open -= 1
        elif code in self._wanted:
            self._room -= kept
            self.truncated = self.truncated or kept < length
            yield code, body
