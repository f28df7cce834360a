"""Records of WARC 1.1 (ISO 28500:2017), written.

A record is a head of named fields, a block, and two empty lines. Its block comes in parts: bytes,
or files for what is large, which are read twice, once for the digest and once to be written.
Digests are SHA-256 in hexadecimal, as contents are named by; docs/decisions/0050-writing-warc.md
says why. Nothing here makes up anything: the same arguments give the same bytes.
"""

import io
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import BinaryIO
from uuid import NAMESPACE_URL, uuid5

from anet.formats.compressing import GZIP, Encoding
from anet.formats.record import Fields

VERSION = "WARC/1.1"
FIELDS_TYPE = "application/warc-fields"
REQUEST_TYPE = "application/http;msgtype=request"
RESPONSE_TYPE = "application/http;msgtype=response"
IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
CONFORMS_TO = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"

Part = bytes | BinaryIO
"""Bytes, or a file that can be read again; all of it, wherever it stands."""

_PIECE = 1 << 20  # bytes that are read of a file at once
_END = b"\r\n\r\n"


class CannotWrite(ValueError):
    """A record cannot be written as it is; the message says why."""


def new_record(
    kind: str, fields: Fields, parts: Sequence[Part], encoding: Encoding = GZIP
) -> Iterator[bytes]:
    """Yield the bytes of a record that is made new.

    Args:
        kind: WARC-Type, such as "response".
        fields: all others but the digest of the block and its length; with WARC-Record-ID and
            WARC-Date, and the digest of the payload where it has one (`digest_field`).
        parts: of its block.
        encoding: how the file's records are compressed.

    Raises:
        CannotWrite: see `record`.
    """
    size = sum(map(_size, parts))
    made = (
        ("WARC-Type", kind),
        *fields,
        ("WARC-Block-Digest", digest_field(_hash(parts))),
        ("Content-Length", str(size)),
    )
    return _written(_head(made, VERSION), parts, size, encoding)


def record(
    fields: Fields, parts: Sequence[Part], encoding: Encoding = GZIP, version: str = VERSION
) -> Iterator[bytes]:
    """Yield the bytes of a record with exactly these fields, such as one that was read.

    Args:
        fields: all of them, in their order, Content-Length among them.
        parts: of its block.
        encoding: how the file's records are compressed.
        version: as its first line says.

    Raises:
        CannotWrite: a field would break out of its line, or Content-Length is not the block's. What
            was yielded before, when a file shrinks or grows meanwhile, is no record.
    """
    head = _head(fields, version)
    size = sum(map(_size, parts))
    if _length(fields) != size:
        raise CannotWrite(f"Content-Length is {_length(fields)}, but the block has {size} bytes")
    return _written(head, parts, size, encoding)


def warcinfo(
    name: str, date: str, details: Fields, encoding: Encoding = GZIP, more: Fields = ()
) -> Iterator[bytes]:
    """Yield the record that a file begins with.

    Args:
        name: of the file.
        date: when it was begun, as WARC-Date has it.
        details: what it says of itself: software, operator, hostname, isPartOf, description; what
            it conforms to is added.
        encoding: how the file's records are compressed.
        more: fields of the record besides those that each has.
    """
    said = (*details, ("format", "WARC File Format 1.1"), ("conformsTo", CONFORMS_TO))
    _head(said, VERSION)  # refuses what would break out of its line
    block = "".join(f"{key}: {value}\r\n" for key, value in said).encode()
    fields = (
        ("WARC-Record-ID", record_id(f"{name} {date}")),
        ("WARC-Date", date),
        ("WARC-Filename", name),
        ("Content-Type", FIELDS_TYPE),
        *more,
    )
    return new_record("warcinfo", fields, [block], encoding)


def record_id(identity: str) -> str:
    """Return the WARC-Record-ID of what is told from all else by a text; always the same."""
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, identity)}>"


def digest_field(key: str) -> str:
    """Return what a digest's field says of a SHA-256 in hexadecimal, such as a content's key."""
    return f"sha256:{key}"


def _head(fields: Fields, version: str) -> bytes:
    lines = [version, *(f"{name}: {value}" for name, value in fields), "", ""]
    try:
        head = "\r\n".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise CannotWrite(f"a field is no text: {error}") from None
    if not head.count(b"\n") == head.count(b"\r") == len(fields) + 2:
        raise CannotWrite("a field would break out of its line")
    return head


def _length(fields: Fields) -> int | None:
    lengths = {value for name, value in fields if name.lower() == "content-length"}
    said = lengths.pop() if len(lengths) == 1 else ""
    return int(said) if said.isascii() and said.isdecimal() else None


def _written(head: bytes, parts: Sequence[Part], size: int, encoding: Encoding) -> Iterator[bytes]:
    whole = len(head) + size + len(_END)
    if all(isinstance(part, bytes) for part in parts):
        return encoding.compressed((head, *parts, _END), whole)  # type: ignore[arg-type]
    return encoding.compressed(_counted(head, parts, whole), whole)


def _counted(head: bytes, parts: Sequence[Part], whole: int) -> Iterator[bytes]:
    yield head
    written = len(head) + len(_END)
    for piece in _pieces(parts):
        written += len(piece)
        if written > whole:
            break
        yield piece
    if written != whole:
        raise CannotWrite("a file of the block was changed while it was written")
    yield _END


def _hash(parts: Sequence[Part]) -> str:
    digest = sha256()
    for piece in _pieces(parts):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(parts: Sequence[Part]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, bytes):
            yield part
            continue
        part.seek(0)
        while piece := part.read(_PIECE):
            yield piece


def _size(part: Part) -> int:
    return len(part) if isinstance(part, bytes) else part.seek(0, io.SEEK_END)
