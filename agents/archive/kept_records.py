"""Records of imported files, kept whole beside the captures that were made of them.

A capture knows what a reader of the web needs. A file of a web archive says more: requests,
metadata, conversions, digests, identifiers. So that an import can be exported again without loss,
all records of a slice of a file are kept as one content, which is a capture of the name
`warc:FILE` (docs/reference/kept-records.md): JSON lines, compressed with gzip, the first a `Slice`,
the others a `KeptRecord` each, in the order of the file. Blocks that are contents of the archive
are named, and not repeated.
"""

from collections.abc import Iterable
from io import BytesIO
from typing import cast
from urllib.parse import quote

import msgspec
from isal import igzip, igzip_lib

SCHEME = "warc:"
MEDIA_TYPE = "application/x-dlweb-records"
_ISAL_ERROR = cast("type[Exception]", igzip_lib.IsalError)  # its stub says it is none
_MOST = 256 << 20  # bytes of records; a slice is made of some 16 MiB of blocks, with 4 of fields
_LEVEL = 2  # of ISA-L: ten times as quick as zlib, and a tenth larger


class Inline(msgspec.Struct, tag="inline", tag_field="part"):
    """Bytes of a block that are nowhere else."""

    data: bytes


class Stored(msgspec.Struct, tag="stored", tag_field="part"):
    """Bytes of a block that are a content of the archive.

    Attributes:
        content: its key.
        size: its bytes.
        chunks: sizes of the chunks in which it lay in the file (RFC 9112 §7.1), each as often in a
            row as it says, without the last, empty one; none when it lay there in one piece.
    """

    content: str
    size: int
    chunks: list[tuple[int, int]] = msgspec.field(default_factory=list)


class KeptRecord(msgspec.Struct, omit_defaults=True):
    """A record (`anet.formats.Record`), its block in parts that follow one another."""

    version: str
    kind: str
    fields: list[tuple[str, str]]
    offset: int
    size: int
    block: list[Inline | Stored] = msgspec.field(default_factory=list)


class Slice(msgspec.Struct, omit_defaults=True):
    """What the records of a content are of.

    Attributes:
        file: the name of the file, without its folder.
        identity: SHA-256 of the first 4096 bytes of the file, so that files of one name are told
            apart.
        begin: the first byte of the slice in the file.
        end: the byte after it.
        damage: offset, end and cause of what could not be read.
    """

    file: str
    identity: str
    begin: int
    end: int
    damage: list[tuple[int, int, str]] = msgspec.field(default_factory=list)


class BadRecords(Exception):
    """A content is none that `encoded` gave; the message says why."""


def name_of(file: str, identity: str) -> str:
    """Return the URL under which the records of a file are kept."""
    return f"{SCHEME}{quote(file, safe='')}?{identity[:16]}"


def encoded(part: Slice, records: Iterable[KeptRecord]) -> bytes:
    """Return the content that keeps the records of a slice; the same for the same records."""
    lines = [msgspec.json.encode(each) for each in (part, *records)]
    return igzip.compress(b"\n".join(lines) + b"\n", compresslevel=_LEVEL, mtime=0)


def decoded(content: bytes) -> tuple[Slice, list[KeptRecord]]:
    """Return what a content keeps.

    Raises:
        BadRecords: it is none.
    """
    try:
        with igzip.open(BytesIO(content)) as file:
            text = file.read(_MOST + 1)
        if len(text) > _MOST:
            raise BadRecords(f"no kept records: more than {_MOST} bytes")
        first, *others = text.splitlines()
        records = [_record(line) for line in others]
        return msgspec.json.decode(first, type=Slice), records
    except (OSError, EOFError, ValueError, _ISAL_ERROR, msgspec.MsgspecError) as error:
        raise BadRecords(f"no kept records: {error}") from None


_record = msgspec.json.Decoder(KeptRecord).decode
