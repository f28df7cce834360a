"""Lines of a CDXJ index: where each capture lies in the files that were written.

`org,example)/path 20261122031500 {"url": …}`: the URL turned round so that a site's lines stand
together, the date, and a JSON object; as cdxj-indexer 1.5 writes them for the same files.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from json import dumps
from typing import BinaryIO

from isal import isal_zlib

from anet.formats.record import Fields
from anet.formats.serial import Written

INDEXED = frozenset(("response", "revisit", "resource", "metadata"))
BLOCK_LINES = 1024  # that are compressed together, as the field's tools do

_FIELDS_TYPE = "application/warc-fields"
_TYPE_END = re.compile(r"[;\s]")
_FOLDED = re.compile(r"\r?\n[ \t]+")
_CONTENT_TYPE = re.compile(rb"\n[ \t]*content-type[ \t]*:((?:[^\n]|\n[ \t])*)", re.IGNORECASE)
_NOT_DIGITS = re.compile(r"\D")
_SECONDS = 14  # digits of a date to the second


def cdxj_line(
    urlkey: str,
    kind: str,
    fields: Fields,
    http_head: bytes,
    place: Written,
    posted: tuple[str, str] | None = None,
) -> str | None:
    """Return the line of a record, or None for one that no index names.

    Args:
        urlkey: of its URL; of `posted_url` for what was asked for with a body.
        kind: WARC-Type.
        fields: of the record, with its WARC-Payload-Digest.
        http_head: of the answer it holds; empty if it holds none.
        place: where it was written.
        posted: method and query of the request, when it had a body.
    """
    said = {name.lower(): value for name, value in reversed(fields)}
    url, date = said.get("warc-target-uri"), said.get("warc-date")
    in_fields = kind in ("resource", "metadata") and said.get("content-type") == _FIELDS_TYPE
    if kind not in INDEXED or in_fields or not url or not date:
        return None
    status, media_type = _http(http_head)
    values = {
        "url": url,
        "mime": _media_type(kind, media_type, said),
        "status": status if kind in ("response", "revisit") else None,
        "digest": said.get("warc-payload-digest"),
        "length": str(place.length),
        "offset": str(place.offset),
        "filename": place.file,
    }
    if posted:
        values |= {"requestBody": posted[1], "method": posted[0]}
    text = dumps({name: value for name, value in values.items() if value is not None})
    return f"{urlkey} {_NOT_DIGITS.sub('', date)[:_SECONDS]} {text}\n"


def write_blocks(lines: Iterable[bytes], data: BinaryIO, index: BinaryIO, name: str) -> None:
    """Write sorted lines in compressed blocks, and where each block lies (ZipNum).

    Args:
        lines: each with its line end.
        data: the blocks.
        index: a line for each: how it begins, and where it lies.
        name: of the file of blocks.
    """
    said = dumps({"format": "cdxj-gzip-1.0", "filename": name})
    index.write(f"!meta 0 {said}\n".encode())
    offset = 0
    for block in _blocks(iter(lines)):
        member = isal_zlib.compress(b"".join(block), 3, 31)
        data.write(member)
        place = {"offset": offset, "length": len(member), "digest": _digest(member)}
        begin = block[0].partition(b"{")[0].strip()
        index.write(begin + f" {dumps(place)}\n".encode())
        offset += len(member)


def _media_type(kind: str, http_type: str | None, said: dict[str, str]) -> str | None:
    if kind == "revisit":
        return "warc/revisit"
    value = http_type if kind == "response" else said.get("content-type")
    return _TYPE_END.split(value, maxsplit=1)[0] if value else value


def _http(head: bytes) -> tuple[str | None, str | None]:
    """Return the status of an answer and what type it says to be of."""
    if not head:
        return None, None
    words = head.partition(b"\n")[0].split()
    status = words[1].decode("utf-8", "replace") if len(words) > 1 else ""
    named = _CONTENT_TYPE.search(head)
    if named is None:
        return status, None
    return status, _FOLDED.sub(" ", named[1].decode("utf-8", "replace")).strip()


def _blocks(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    while block := list(islice(lines, BLOCK_LINES)):
        yield block


def _digest(member: bytes) -> str:
    return f"sha256:{sha256(member).hexdigest()}"
