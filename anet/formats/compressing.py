"""Records of a file, each compressed by itself, so that any of them can be read alone.

gzip by ISA-L, a member for each record (*WARC 1.1, annex D*); or Zstandard, a frame for each record
that says its size and its checksum, by a dictionary that lies at the beginning of the file if there
is one (*IIPC, Zstandard Compression for WARC Files 1.0*). The same record gives the same bytes,
whatever pieces it comes in.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from struct import pack

from attrs import frozen
from isal import isal_zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

AT_ONCE = 4 << 20  # bytes of a record that is compressed in one call, and held in memory
_PIECE = 1 << 20  # bytes that a larger one is compressed by
_GZIP_LEVEL = 3  # of ISA-L; docs/decisions/0050-writing-warc.md
_GZIP_WINDOW = 31  # the usual window, in a gzip member without a date
_ZSTD_LEVEL = 3
_DICTIONARY_FRAME = 0x184D2A5D

Compressed = Callable[[Iterable[bytes], int], Iterator[bytes]]
"""Takes the pieces of a record, and how many bytes they are; gives pieces of what is written."""


@frozen
class Encoding:
    """How the records of a file are written.

    Attributes:
        suffix: what the names of such files end with, after what they hold: `.gz`.
        compressed: one record.
        begin: what such a file begins with, before its first record.
    """

    suffix: str
    compressed: Compressed
    begin: bytes = b""


def zstd_encoding(dictionary: bytes = b"") -> Encoding:
    """Return how Zstandard writes records, each with the help of a dictionary if there is one.

    Args:
        dictionary: as `trained` gives it.
    """
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: _ZSTD_LEVEL,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    known = zstd.ZstdDict(dictionary).as_digested_dict if dictionary else None

    def compressed(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
        frame = zstd.ZstdCompressor(options=options, zstd_dict=known)
        frame.set_pledged_input_size(size)
        for piece in _recut(pieces, size):
            yield frame.compress(piece)
        yield frame.flush()

    return Encoding(".zst", compressed, _dictionary_frame(dictionary) if dictionary else b"")


def trained(samples: Sequence[bytes], size: int = 100_000) -> bytes:
    """Return a dictionary for records like those of a sample.

    Raises:
        ValueError: they are too few, or too much alike, to learn from.
    """
    try:
        return zstd.train_dict(samples, size).dict_content
    except zstd.ZstdError as error:
        raise ValueError(f"no dictionary can be learnt: {error}") from None


def _plain(pieces: Iterable[bytes], _size: int) -> Iterator[bytes]:
    return iter(pieces)


def _gzip(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    if size <= AT_ONCE:
        yield isal_zlib.compress(b"".join(pieces), _GZIP_LEVEL, _GZIP_WINDOW)
        return
    member = isal_zlib.compressobj(_GZIP_LEVEL, isal_zlib.DEFLATED, _GZIP_WINDOW)
    for piece in _recut(pieces, size):
        yield member.compress(piece)
    yield member.flush()


def _dictionary_frame(dictionary: bytes) -> bytes:
    return pack("<II", _DICTIONARY_FRAME, len(dictionary)) + dictionary


def _recut(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the same bytes in pieces that depend on nothing but how many there are."""
    if size <= AT_ONCE:
        yield b"".join(pieces)
        return
    waiting = bytearray()
    for piece in pieces:
        waiting += piece
        while len(waiting) >= _PIECE:
            yield bytes(waiting[:_PIECE])
            del waiting[:_PIECE]
    yield bytes(waiting)


PLAIN = Encoding("", _plain)
GZIP = Encoding(".gz", _gzip)
