"""Going on with a download that broke off: when that is possible, and what fits (RFC 9110 §14).

Pure: heads go in, decisions come out.
"""

import re
from email.utils import parsedate_to_datetime

from anet.http import ResponseHead

_RANGE = re.compile(rb"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.IGNORECASE)
_STRONG_AFTER = 60  # seconds after which a date of change tells versions apart (§8.8.2.2)


def length_of(head: ResponseHead) -> int | None:
    """Return the length that a head gives to the content, if it gives one."""
    text = head.headers.text(b"content-length")
    framed = b"transfer-encoding" in head.headers
    return (
        int(text) if text.isascii() and text.isdigit() and len(text) < 19 and not framed else None
    )


def validator(head: ResponseHead) -> bytes | None:
    """Return what names the very version that an answer holds, if it can be gone on with.

    The server must offer ranges, and give a strong validator.
    """
    if head.status != 200 or head.headers.text(b"accept-ranges").lower() != "bytes":
        return None
    tag = head.headers.text(b"etag")
    if tag:
        return tag.encode("latin-1") if tag.startswith('"') else None
    changed = head.headers.text(b"last-modified")
    age = _seconds(head.headers.text(b"date")) - _seconds(changed)
    return changed.encode("latin-1") if age >= _STRONG_AFTER else None


def wanted(size: int, name: bytes) -> list[tuple[bytes, bytes]]:
    """Return the fields that ask for the rest of a version.

    Args:
        size: bytes that are here.
        name: of the version (see `validator`).
    """
    return [(b"Range", b"bytes=%d-" % size), (b"If-Range", name)]


def goes_on(first: ResponseHead, size: int, head: ResponseHead) -> bool:
    """Tell whether the body that follows a head goes on where another broke off.

    Args:
        first: head of the answer that broke off.
        size: bytes that are here.
        head: of the answer to what was wanted.
    """
    found = _RANGE.fullmatch(head.headers.text(b"content-range").encode("latin-1"))
    if head.status != 206 or found is None or int(found[1]) != size or int(found[2]) < size:
        return False
    length = length_of(first)
    same = found[3] == b"*" or length is None or int(found[3]) == length
    coding = b"content-encoding"
    return same and head.headers.get(coding) == first.headers.get(coding)


def _seconds(date: str) -> float:
    """Return a date of HTTP in seconds since the epoch; what is none makes no difference strong."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return float("nan")
