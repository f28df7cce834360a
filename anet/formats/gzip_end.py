"""Where a gzip member ends that can be decompressed, and of which only the checksum is wrong.

What lies in it must not be searched for records: one that was archived as it is, such as a WARC
that somebody published, would be taken for a part of the file.
"""

from struct import unpack_from
from typing import cast

from isal import igzip_lib

from anet.formats.members import MAGIC
from anet.formats.plain import PlainFile
from anet.formats.source import Source

_INPUT = 16 * 1024
_OUTPUT = 128 * 1024
_HEAD, _TRAILER = 10, 8  # bytes (RFC 1952 §2.3)
_CHECK, _EXTRA, _TEXTS = 2, 4, (8, 16)  # flags: of two bytes, of a field, of name and comment
_MOST_TEXT = 4096
_ERROR = cast("type[Exception]", igzip_lib.IsalError)  # its stub says it is none


def gzip_end(source: Source | PlainFile, offset: int) -> int | None:
    """Return the byte after the member that begins at a byte; None if it cannot be told."""
    at = _after_head(source, offset)
    if at is None:
        return None
    inflate = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE)
    while not inflate.eof:
        data = source.read(at, _INPUT) if inflate.needs_input else b""
        if inflate.needs_input and not data:
            return None
        at += len(data)
        try:
            inflate.decompress(data, _OUTPUT)
        except _ERROR:
            return None
    end = at - len(inflate.unused_data) + _TRAILER
    return end if end <= source.size else None


def _after_head(source: Source | PlainFile, offset: int) -> int | None:
    """Return where the compressed data of a member begin; None if its head is none."""
    head = source.read(offset, _HEAD)
    if len(head) < _HEAD or not head.startswith(MAGIC):
        return None
    flags, at = head[3], offset + _HEAD
    if flags & _EXTRA:
        size = source.read(at, 2)
        at += 2 + (unpack_from("<H", size)[0] if len(size) == 2 else 0)
    for text in _TEXTS:
        if flags & text:
            length = source.read(at, _MOST_TEXT).find(b"\0") + 1
            if not length:
                return None
            at += length
    return at + (2 if flags & _CHECK else 0)
