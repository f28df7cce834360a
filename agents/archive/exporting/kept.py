"""Records of imported files, given again: fields as they were, blocks put together from contents.

Of an export of some sites or dates, those records are given whose own target and date are wanted,
what names them (requests, metadata, conversions), and what tells of the whole file (warcinfo).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import SEEK_END, BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import BinaryIO, cast

from agents import dates
from agents.archive.exporting.made import Bodies
from agents.archive.exporting.order import Order, Sites
from agents.archive.exporting.pages import title_in
from agents.archive.exporting.reading import Body, Missing
from agents.archive.kept_records import Inline, KeptRecord
from agents.urls import canonical
from anet.formats.record import Fields
from anet.formats.warc_writing import VERSION, Part, record_id

_NAMES = frozenset(("warc-concurrent-to", "warc-refers-to"))
_BRACKETS = re.compile(r"<(.*)>")
_HEAD_LIMIT = 1 << 18  # bytes of a block in which the head of an answer is looked for
_PIECE = 1 << 20
_FOUND = re.compile(rb"HTTP/\S+[ \t]+200(?!\d)")
_HELD = 4 << 20  # bytes of a block that is joined in memory


class LostBlock(Exception):
    """A content of a block is missing; the message says which."""


def wanted(records: Sequence[KeptRecord], order: Order, sites: Sites) -> list[KeptRecord]:
    """Return the records of a slice that an order wants."""
    if order.is_whole:
        return list(records)
    chosen = {id(each) for each in records if _is_wanted(each, order, sites)}
    given = {field_of(each, "warc-record-id") for each in records if id(each) in chosen}
    return [
        each
        for each in records
        if each.kind == "warcinfo" or id(each) in chosen or _named(each) & given
    ]


def stored(record: KeptRecord) -> Iterator[tuple[str, int]]:
    """Yield keys and sizes of the contents that a block is made of."""
    for part in record.block:
        if not isinstance(part, Inline):
            yield part.content, part.size


def block(record: KeptRecord, bodies: Bodies, spool: Path) -> list[Part]:
    """Return the block of a record, in parts.

    Raises:
        LostBlock: a content of it cannot be had.
    """
    parts: list[Part] = []
    for part in record.block:
        if isinstance(part, Inline):
            parts.append(part.data)
            continue
        body = bodies[part.content]
        if isinstance(body, Missing):
            raise LostBlock(body.words)
        parts.append(_in_chunks(body, part.chunks, spool) if part.chunks else body)
    return parts


def as_warc(record: KeptRecord) -> tuple[Fields, str]:
    """Return fields and version with which a record is written into a WARC file.

    Those of a WARC are its own. What an ARC's record lacks is added.
    """
    fields = tuple((name, value) for name, value in record.fields)
    if record.version.startswith("WARC/"):
        return fields, record.version
    known = {name.lower() for name, _ in fields}
    target = field_of(record, "warc-target-uri")
    needed = (
        ("WARC-Type", record.kind),
        ("WARC-Record-ID", record_id(f"{record.version} {record.offset} {fields}")),
        ("Content-Type", "application/http;msgtype=response" if target else "text/plain"),
        ("Content-Length", str(record.size)),
    )
    return (*((name, told) for name, told in needed if name.lower() not in known), *fields), VERSION


def head_of(record: KeptRecord, parts: Sequence[Part]) -> bytes:
    """Return the head of an answer with which a block begins; empty if it holds none."""
    if record.kind not in ("response", "revisit") or not parts or not isinstance(parts[0], bytes):
        return b""
    begin = parts[0][:_HEAD_LIMIT]
    end = re.search(rb"\r?\n\r?\n", begin)
    return begin[: end.end()] if begin.startswith(b"HTTP/") and end else b""


def requests_of(records: Sequence[KeptRecord]) -> dict[str, bytes]:
    """Return the requests of a slice by the identifiers of records that belong to them."""
    found: dict[str, bytes] = {}
    for each in records:
        if each.kind == "request" and each.block and isinstance(each.block[0], Inline):
            names = {*_named(each), field_of(each, "warc-record-id")} - {""}
            found |= dict.fromkeys(names, each.block[0].data)
    return found


def page_of(
    record: KeptRecord, head: bytes, bodies: Bodies, requests: Mapping[str, bytes]
) -> str | None:
    """Return what a record is called as a page, see `pages`; None when it is none to go to.

    Args:
        record: of a dated answer, or none of all that.
        head: of the answer in it.
        bodies: contents, of which its block is made.
        requests: see `requests_of`.
    """
    if record.kind != "response" or not _FOUND.match(head) or not date_of(record):
        return None
    names = (field_of(record, "warc-record-id"), *_named(record))
    request = next((requests[name] for name in names if name in requests), b"")
    return title_in(head, _content(record, len(head), bodies), request)


def _content(record: KeptRecord, start: int, bodies: Bodies) -> Body:
    """Return the body of an answer, without chunks: a content, or what follows the head."""
    body = next((bodies[key] for key, _ in stored(record)), None)
    if body is not None and not isinstance(body, Missing):
        return body
    inline = [part.data for part in record.block if isinstance(part, Inline)]
    return b"".join(inline)[start:]


def joined(parts: Sequence[Part], start: int) -> Part:
    """Return the bytes of a block from a place in its first part on, as one part."""
    first, *others = parts or (b"",)
    rest = [first[start:], *others] if isinstance(first, bytes) else list(parts)
    if len(rest) > 1 and not rest[0]:
        del rest[0]
    if len(rest) == 1:
        return rest[0]
    file = SpooledTemporaryFile(_HELD)  # noqa: SIM115
    for part in rest:
        file.writelines([part] if isinstance(part, bytes) else _whole(part))
    return cast(BinaryIO, file)


def date_of(record: KeptRecord) -> str:
    """Return the date of a record, 20 digits; empty when it has none."""
    try:
        return dates.parse(field_of(record, "warc-date"))
    except dates.InvalidDate:
        return ""


def target_of(record: KeptRecord) -> str:
    """Return the URL of a record as its file has it, without the brackets of WARC 1.0."""
    target = field_of(record, "warc-target-uri")
    bare = _BRACKETS.fullmatch(target)
    return bare[1] if bare else target


def url_of(record: KeptRecord) -> str:
    """Return the URL of a record, canonical if it has such a form."""
    target = target_of(record)
    return canonical(target) or target


def identity_of(record: KeptRecord) -> str:
    """Return by what the capture of a record is known to be its own, see `items.row_of`."""
    return field_of(record, "warc-record-id") or f"{date_of(record)} {url_of(record)}"


def field_of(record: KeptRecord, name: str) -> str:
    """Return the first value of a field, its name in small letters."""
    return next((value for key, value in record.fields if key.lower() == name), "")


def _in_chunks(body: Body, sizes: Sequence[tuple[int, int]], spool: Path) -> BinaryIO:
    """Return a body in its chunks again, in a file of its own (RFC 9112 §7.1).

    Raises:
        LostBlock: the chunks are not of the body.
    """
    if any(each < 1 for chunk in sizes for each in chunk):
        raise LostBlock("its chunks have no sizes")
    file: BinaryIO = TemporaryFile(dir=spool)  # noqa: SIM115
    source = BytesIO(body) if isinstance(body, bytes) else body
    if source.seek(0, SEEK_END) != sum(size * times for size, times in sizes):
        raise LostBlock("its chunks are not as long as its content")
    source.seek(0)
    for size, times in (*sizes, (0, 1)):
        for _ in range(times):
            file.write(f"{size:x}\r\n".encode())
            for start in range(0, size, _PIECE):
                file.write(source.read(min(_PIECE, size - start)))
            file.write(b"\r\n")
    return file


def _is_wanted(record: KeptRecord, order: Order, sites: Sites) -> bool:
    date, url = date_of(record), url_of(record)
    return bool(date and url) and order.takes_date(date) and sites.take(url)


def _whole(part: BinaryIO) -> Iterator[bytes]:
    part.seek(0)
    return iter(partial(part.read, _PIECE), b"")


def _named(record: KeptRecord) -> set[str]:
    """Return the records that one is about."""
    return {value for name, value in record.fields if name.lower() in _NAMES}
