"""Members of a gzip file (RFC 1952) and frames of a zstd file (RFC 8878), one after the other.

A WARC in zstd may begin with a frame that is skipped by others and holds the dictionary of all
frames, itself compressed or not (*Zstandard Compression for WARC Files 1.0*, IIPC).
"""

import re
import sys
from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Protocol, cast

from attrs import frozen
from isal import igzip_lib

from anet.formats.record import DamagedRecord
from anet.formats.source import Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_IN_VAIN = 4
"""Times the size of a file that members are read of which the end turns out to be damaged.

Each of a million members could lie in the one before, and go on to the end of the file.
"""

_INPUT = 16 * 1024  # what is left over of it is copied, so that a small one is the faster
_OUTPUT = 128 * 1024
_SEARCHED = 1024 * 1024
_NOTHING = memoryview(b"")
_NEAR = 144 * 1024  # more than the largest block of a zstd frame
_LONGEST = 16  # bytes that a pattern of a beginning matches
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_MOST_DICTIONARY = 16 * 1024 * 1024
_WINDOW_LOG = 27  # 128 MiB, which the format's own tools take without being asked
_ISAL_ERROR = cast("type[Exception]", igzip_lib.IsalError)  # its stub says it is none
_ERRORS = (_ISAL_ERROR, zstd.ZstdError, EOFError, ValueError)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: memoryview, max_length: int) -> bytes: ...


@frozen
class Compression:
    """A way in which the members of a file are compressed.

    Attributes:
        member: what they are called.
        magic: matches their beginning.
        near: bytes of one, at most about, that have to be read before there is any of its content.
        new: makes what decompresses one.
    """

    member: str
    magic: re.Pattern[bytes]
    near: int
    new: Callable[[], _Decompressor]


class Member:
    """A gzip member, or a zstd frame.

    Attributes:
        offset: its first byte in the file.
        end: the byte after what was read of it; after the member, once it ended.
        ended: whether all of it was read, and is what its checksum says.
        cut: whether the file ends within it.
    """

    __slots__ = (
        "_compression",
        "_decompressor",
        "_source",
        "_wrong",
        "cut",
        "end",
        "ended",
        "offset",
    )

    def __init__(self, source: Source, compression: Compression, offset: int) -> None:
        self._source, self.offset, self.end, self.ended = source, offset, offset, False
        self._compression, self._decompressor, self._wrong = compression, compression.new(), ""
        self.cut = False

    def taste(self) -> bytes:
        """Return the first bytes that it holds; nothing if it is empty.

        What only looks like a member may go on for ever with nothing in it.

        Raises:
            DamagedRecord: it is damaged here, or there are none near its beginning.
        """
        data = b""
        while not (data or self.ended):
            if self.end - self.offset >= self._compression.near:
                raise DamagedRecord(f"a {self._compression.member} begins with nothing")
            data = self._next(_INPUT)
        return data

    def beginning(self, enough: int) -> bytes:
        """Return what it holds, up to a little more than `enough`.

        Raises:
            DamagedRecord: it is damaged here.
        """
        data = self._next(_OUTPUT)
        while not self.ended and len(data) < enough:
            data += self._next(_OUTPUT)
        return data

    def skip(self) -> None:
        """Read it to its end.

        Raises:
            DamagedRecord: it is damaged.
        """
        while self.piece():
            pass

    def piece(self, most: int = _OUTPUT) -> bytes:
        """Return the next bytes that it holds; nothing at the end.

        Raises:
            DamagedRecord: it is damaged here, or the file ends in it.
        """
        data = b""
        while not (data or self.ended):
            data = self._next(most)
        return data

    def _next(self, most: int) -> bytes:
        if self._wrong:
            raise DamagedRecord(self._wrong)
        decompressor, given = self._decompressor, _NOTHING
        if decompressor.needs_input:
            given = self._source.view(self.end, _INPUT)
            self.end += len(given)
            if not given:
                self.cut = True
                self._wrong = f"the file ends within a {self._compression.member}"
                raise DamagedRecord(self._wrong)
        try:
            data = decompressor.decompress(given, most)
        except _ERRORS as error:
            self._wrong = f"a {self._compression.member} is damaged: {error}"
            raise DamagedRecord(self._wrong) from None
        if decompressor.eof:
            self.ended = True
            self.end -= len(decompressor.unused_data)
        return data


def compression_of(source: Source) -> Compression | None:
    """Return how a file is compressed, by its first bytes; None if in no way that is known."""
    beginning = source.read(0, 4)
    if beginning.startswith(_GZIP):
        return GZIP
    if beginning == _ZSTD or _SKIPPABLE.match(beginning):
        return zstd_of(source)
    return None


def beginnings(source: Source, magic: re.Pattern[bytes], offset: int) -> Iterator[int]:
    """Yield where something may begin, from a byte on."""
    last = -1
    while offset < source.size:
        piece = source.peek(offset, _SEARCHED)
        for match in magic.finditer(piece):
            if offset + match.start() > last:
                last = offset + match.start()
                yield last
        if len(piece) < _SEARCHED:  # the end, which is nearer when somebody cuts the file meanwhile
            return
        offset += len(piece) - _LONGEST


def after_skippable(source: Source, offset: int) -> int:
    """Return the byte after a frame that is to be skipped; `offset` itself if there is none."""
    head = source.read(offset, 8)
    if len(head) < 8 or not _SKIPPABLE.match(head):
        return offset
    return min(offset + 8 + int(unpack_from("<I", head, 4)[0]), source.size)


def zstd_of(source: Source) -> Compression:
    """Return the compression of a file of zstd frames, with the dictionary that it begins with."""
    dictionary = _dictionary(source)
    options = {int(zstd.DecompressionParameter.window_log_max): _WINDOW_LOG}
    return Compression(
        "zstd frame",
        re.compile(re.escape(_ZSTD)),
        _NEAR,
        lambda: zstd.ZstdDecompressor(zstd_dict=dictionary, options=options),
    )


def _dictionary(source: Source) -> "zstd.ZstdDict | None":
    """Return the dictionary of a file; None if it has none, or one that cannot be read."""
    end = after_skippable(source, 0)
    if source.read(0, 4) != _DICTIONARY or end > _MOST_DICTIONARY:
        return None
    data = source.peek(8, end - 8)
    try:
        if data.startswith(_ZSTD):
            data = zstd.ZstdDecompressor().decompress(data, _MOST_DICTIONARY)
        return zstd.ZstdDict(data)
    except _ERRORS:
        return None


def _new_gzip() -> _Decompressor:
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)


GZIP = Compression("gzip member", re.compile(rb"\x1f\x8b\x08[\x00-\x1f]"), _INPUT, _new_gzip)
