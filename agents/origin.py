"""The origin of a capture: lines `name: value` that say how it came to the archive. Pure.

All that writes origins, and all that reads them, does it here, so that no value can pass for a
line. The names are those of docs/reference/crawl-directory.md.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from attrs import frozen

VALUE_LIMIT = 16 * 1024  # characters of a value that others wrote
REQUEST_LIMIT = 64 * 1024  # bytes of a request's head; a longer one is not kept
BODY_LIMIT = 4096  # bytes of what a request sends; of more, the head alone is kept

CREDENTIALS = frozenset((b"authorization", b"proxy-authorization"))
"""Fields of a request that never are kept."""
IMPERSONAL = frozenset(
    (
        b"accept",
        b"accept-encoding",
        b"cache-control",
        b"content-encoding",
        b"content-length",
        b"content-type",
        b"host",
        b"pragma",
        b"range",
        b"sec-fetch-dest",
        b"sec-fetch-mode",
        b"sec-fetch-site",
        b"transfer-encoding",
        b"via",
    )
)
"""Fields that do not tell one reader from another: all that is kept of what a reader asked."""
READER = "reader"
"""What `request-without` says where all but `IMPERSONAL` fields are left out."""

_END_OF_HEAD = b"\r\n\r\n"
_ENDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SENDS = re.compile(rb"\n(?:content-length:[ \t]*0*[1-9]|transfer-encoding:)", re.IGNORECASE)


@frozen
class SentRequest:
    """What was sent for a capture.

    Attributes:
        head: as it was sent, from the request line to the empty line, but for what is left out.
        body: what was sent after it; None where that is not kept.
        without: the names of fields that are left out, separated by commas, or `READER`.
    """

    head: bytes
    body: bytes | None = b""
    without: str = ""


@frozen
class Revisit:
    """That a capture repeats another one.

    Attributes:
        profile: `not-modified` (the server answered 304) or `identical-payload`.
        date: of the other, 20 digits.
        url: of the other; empty for the same.
    """

    profile: str
    date: str
    url: str = ""


def composed(fields: Iterable[tuple[str, str]]) -> str:
    """Return an origin; fields without a value are left out.

    What would end a line becomes U+FFFD, and what is beyond `VALUE_LIMIT` is cut off.
    """
    return "".join([f"{name}: {_in_a_line(told)}\n" for name, told in fields if told])


def fields(origin: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an origin, in their order; what is no field is passed over."""
    for line in origin.split("\n"):
        name, colon, told = line.partition(": ")
        if colon:
            yield name, told


def value(origin: str, name: str) -> str:
    """Return the first value of a name; empty if there is none."""
    return next((told for each, told in fields(origin) if each == name), "")


def request_lines(head: bytes, secrets: Collection[bytes]) -> str:
    """Return the lines that keep a request without a body; none when it passes `REQUEST_LIMIT`.

    Args:
        head: as it was sent, in lines that end in CR LF.
        secrets: the fields to leave out, in small letters.
    """
    kept, left_out = _parted(head, lambda name: name in secrets)
    told = _request(kept)
    if told and left_out:
        told += composed([("request-without", ", ".join(left_out))])
    return told


def lines_of_reader(head: bytes, body: bytes | None) -> str:
    """Return the lines that keep a request of a reader, without what tells who they are.

    Args:
        head: as for `request_lines`.
        body: what was sent after it; None, or beyond `BODY_LIMIT`, it is not kept.
    """
    kept, left_out = _parted(head, lambda name: name not in IMPERSONAL)
    told = _request(kept)
    if told and left_out:
        told += composed([("request-without", READER)])  # even the names may tell
    if told and body and len(body) <= BODY_LIMIT:
        told += f"request-body: {_quoted(body)}\n"
    return told


def request_of(origin: str) -> SentRequest | None:
    """Return what was sent for a capture; None where that is not kept."""
    head = _unquoted(value(origin, "request"))
    if not head or head.find(_END_OF_HEAD) != len(head) - len(_END_OF_HEAD):
        return None
    body = _unquoted(value(origin, "request-body"))
    if body is None and not _SENDS.search(head):
        body = b""
    return SentRequest(head, body, value(origin, "request-without"))


def revisit_of(origin: str) -> Revisit | None:
    """Return which capture this one repeats; None where it is one of its own."""
    profile, _, rest = value(origin, "revisit").partition(" ")
    date, _, url = rest.partition(" ")
    return Revisit(profile, date, url) if profile else None


def _parted(head: bytes, leaves_out: Callable[[bytes], bool]) -> tuple[bytes, list[str]]:
    """Return a head without some fields, and their names."""
    begin, *lines = head.split(b"\r\n")
    kept, left_out = [begin], []
    for line in lines:
        name = line.partition(b":")[0]
        if name and leaves_out(name.lower()):
            left_out.append(name.decode("latin-1"))
        else:
            kept.append(line)
    return b"\r\n".join(kept), left_out


def _request(head: bytes) -> str:
    is_kept = 0 < len(head) <= REQUEST_LIMIT
    return f"request: {_quoted(head)}\n" if is_kept else ""


def _in_a_line(told: str) -> str:
    return _ENDS.sub("\ufffd", told[:VALUE_LIMIT])


def _quoted(data: bytes) -> str:
    """Return bytes as a JSON string, in ASCII, of the characters with the same numbers."""
    return json.dumps(data.decode("latin-1"))


def _unquoted(text: str) -> bytes | None:
    try:
        found = json.loads(text)
        return found.encode("latin-1") if isinstance(found, str) else None
    except (ValueError, RecursionError):
        return None
