"""A capture as records of a WARC file (ISO 28500): what their fields say, and which head they have.

Whoever writes a capture as WARC does it from here: the export, the CDX server, the benchmarks. So a
capture has the same identifier and the same head wherever it is written. Pure.

Contents lie in the archive without their chunks, and heads as they were received, in HTTP/2 as
`HTTP/2 200`. Readers of WARC would take the first for a body in chunks, and some refuse the
second. So two things are written otherwise in a record's head, and `Dlweb-Head` tells what stood
there (docs/decisions/0052-exporting.md).
"""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha1
from uuid import NAMESPACE_URL

import msgspec

from agents.capture import Capture
from agents.origin import fields
from agents.urls import split_port
from anet.formats.record import Fields
from anet.formats.warc_writing import REQUEST_TYPE, RESPONSE_TYPE, digest_field

ORIGIN_FIELD = "Dlweb-Origin"
URL_FIELD = "Dlweb-Url"
METADATA_FIELD = "Dlweb-Metadata"
HEAD_FIELD = "Dlweb-Head"
STATUS_FIELD = "Dlweb-Status"

_CHUNKED = b"\ntransfer-encoding"
_COLON = re.compile(rb"[ \t]*:")
_HIDDEN = b"X-Orig-"
_VERSION = re.compile(rb"(?:HTTP/[23](?:\.0)?|ICY|RTSP/\d\.\d) ")
_READ_VERSION = b"HTTP/1.1 "
_NO_HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
_STATUS = re.compile(rb"\S+[ \t]+(\d{3})(?!\d)")
_SPACE = NAMESPACE_URL.bytes
_METHOD = re.compile(r"[?&]__wb_method=")


def readable_head(head: bytes) -> tuple[bytes, str]:
    """Return a head for readers of WARC, and what `received_head` needs to give it back.

    `Transfer-Encoding` becomes `X-Orig-Transfer-Encoding`, and HTTP/2 and 3 become HTTP/1.1 in the
    status line. What has no head gets one, or its content would be taken for that. Where nothing
    has to change, the second is empty.
    """
    parts: list[bytes] = []
    edits: list[tuple[int, int, str]] = []
    at = written = 0
    for start, end, instead in _changes(head):
        parts += [head[at:start], instead]
        written += start - at
        edits.append((written, len(instead), head[start:end].decode("latin-1")))
        at, written = end, written + len(instead)
    if not edits:
        return head, ""
    return b"".join((*parts, head[at:])), msgspec.json.encode(edits).decode()


def _changes(head: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield what is written otherwise: from where, to where, and what stands there instead."""
    if not head:
        yield 0, 0, _NO_HEAD
    if (version := _VERSION.match(head)) is not None:
        yield 0, version.end(), _READ_VERSION
    low = head.lower()
    at = low.find(_CHUNKED)  # quicker than an expression that has to ignore case
    while at >= 0:
        if _COLON.match(head, at + len(_CHUNKED)):
            yield at + 1, at + 1, _HIDDEN
        at = low.find(_CHUNKED, at + 1)


def received_head(readable: bytes, edits: str) -> bytes:
    """Return the head that `readable_head` was given.

    Args:
        readable: the head of the record.
        edits: what `Dlweb-Head` says: a list of places, from the first on, each a byte of the
            readable head, how many bytes from there were changed, and what stood there.

    Raises:
        ValueError: the edits are none, or not of this head.
    """
    parts: list[bytes] = []
    at = 0
    for start, length, former in _edits(edits):
        if not at <= start <= start + length <= len(readable):
            raise ValueError(f"no places of a head of {len(readable)} bytes: {edits[:100]}")
        parts += [readable[at:start], former.encode("latin-1")]
        at = start + length
    return b"".join((*parts, readable[at:]))


def status_of(head: bytes) -> int:
    """Return the status that a head begins with; 0 when it does not say."""
    found = _STATUS.match(head, 0, 100)
    return int(found[1]) if found else 0


def record_id(date: str, content: str, url: str, kind: str = "") -> str:
    """Return the identifier of a capture's record, the same each time; `kind` of one beside it."""
    identity = f"{kind} {date} {content} {url}" if kind else f"{date} {content} {url}"
    # A UUID of version 5, by hand: `uuid` takes five times as long, and here for every capture.
    text = sha1(_SPACE + identity.encode("utf-8", "surrogatepass")).hexdigest()  # noqa: S324
    variant = "89ab"[int(text[16], 16) & 3]
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-5{text[13:16]}-{variant}{text[17:20]}-{text[20:32]}>"


def moment(date: str) -> str:
    """Return a date as WARC 1.1 writes it, to the microsecond."""
    day, time = f"{date[:4]}-{date[4:6]}-{date[6:8]}", f"{date[8:10]}:{date[10:12]}:{date[12:14]}"
    return f"{day}T{time}.{date[14:]}Z"


def response_fields(capture: Capture, known: Mapping[str, str], edits: str = "") -> Fields:
    """Return what the record of a capture says, besides its type, block digest and length.

    Args:
        capture: with its head and origin.
        known: the fields of its origin.
        edits: what `readable_head` says of its head.
    """
    target = asked_url(capture.url, known.get("method", "GET"))
    said = [
        ("WARC-Record-ID", record_id(capture.date, capture.content, capture.url)),
        ("WARC-Date", moment(capture.date)),
        ("WARC-Target-URI", target),
        *_network(known, capture.head),
        ("WARC-Payload-Digest", digest_field(capture.content)),
        ("Content-Type", RESPONSE_TYPE),
        (ORIGIN_FIELD, json.dumps(capture.origin)),
    ]
    if "truncated" in known:
        said.append(("WARC-Truncated", known["truncated"]))
    if edits:
        said.append((HEAD_FIELD, edits))
    if capture.status != status_of(capture.head or _NO_HEAD):
        said.append((STATUS_FIELD, str(capture.status)))
    if target != capture.url:
        said.append((URL_FIELD, capture.url))
    if capture.metadata:
        said.append((METADATA_FIELD, capture.metadata))
    return tuple(said)


def request_fields(capture: Capture, known: Mapping[str, str], *, whole: bool) -> Fields:
    """Return what the record of a capture's request says.

    Args:
        capture: with its origin.
        known: the fields of its origin.
        whole: whether all that was sent is in the block.
    """
    said = [
        ("WARC-Record-ID", record_id(capture.date, capture.content, capture.url, "request")),
        ("WARC-Date", moment(capture.date)),
        ("WARC-Target-URI", asked_url(capture.url, known.get("method", "GET"))),
        ("WARC-Concurrent-To", record_id(capture.date, capture.content, capture.url)),
        ("Content-Type", REQUEST_TYPE),
        (ORIGIN_FIELD, '""'),
    ]
    if not whole:
        said.append(("WARC-Truncated", "unspecified"))
    return tuple(said)


def asked_url(url: str, method: str) -> str:
    """Return the URL that was asked for: the archive's name of a posted one says more."""
    found = None if method == "GET" else _METHOD.search(url)
    return url if found is None else url[: found.start()]


def posted(url: str, method: str) -> tuple[str, str] | None:
    """Return method and query of the request, if the archive's name of a capture holds them."""
    found = None if method == "GET" else _METHOD.search(url)
    return None if found is None else (method, url[found.start() + 1 :])


def known_of(origin: str) -> Mapping[str, str]:
    """Return the fields of an origin by their names, of those with one name the first."""
    return dict(reversed(list(fields(origin))))


def _network(known: Mapping[str, str], head: bytes) -> list[tuple[str, str]]:
    """Return what the origin tells of server and protocols."""
    said = []
    if known.get("address") and "proxy" not in known:  # else it is the proxy's
        said.append(("WARC-IP-Address", split_port(known["address"])[0].strip("[]")))
    protocol = known.get("protocol") or head[:8].decode("latin-1").lower()
    if protocol in ("h2", "h3", "http/1.0", "http/1.1"):
        said.append(("WARC-Protocol", protocol))
    if known.get("tls", "").count(" ") == 2:
        version, suite, _ = known["tls"].split(" ")
        said += [
            ("WARC-Protocol", version.lower().replace("tlsv", "tls/")),
            ("WARC-Cipher-Suite", suite),
        ]
    return said


def _edits(text: str) -> list[tuple[int, int, str]]:
    try:
        found = msgspec.json.decode(text, type=list[tuple[int, int, str]])
    except (msgspec.MsgspecError, RecursionError):
        found = [(-1, 0, "")]
    if any(start < 0 or length < 0 for start, length, _ in found):
        raise ValueError(f"no changes of a head: {text[:100]}")
    return found
