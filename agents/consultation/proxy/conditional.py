"""Whether a client has already what it asks for (RFC 9110 §13), by what the web said of it. Pure.

The validators are those of the capture, and the SHA-256 of its content as an entity tag.
"""

import re
from email.utils import parsedate_to_datetime

from anet.http.message import Headers

_TAG = re.compile(rb'(W/)?("[^"]*")')


def is_known(request: Headers, capture: Headers, content: str) -> bool:
    """Tell whether the client's conditions make the answer 304.

    `If-Modified-Since` counts for the very date of the capture only: a date that is later is that
    of a newer page, which the client must not take for the one of its date.
    """
    none_match = request.get(b"if-none-match")
    if none_match is not None:
        if none_match.strip() == b"*":
            return True
        tags = {found[2] for found in _TAG.finditer(none_match)}
        return not tags.isdisjoint(_opaque(_own_tags(capture, content)))
    since = request.get(b"if-modified-since")
    return since is not None and _is_date_of(since, capture)


def may_give_range(request: Headers, capture: Headers, content: str) -> bool:
    """Tell whether what `If-Range` names is what the archive has; without it, it is."""
    condition = request.get(b"if-range")
    if condition is None:
        return True
    condition = condition.strip()
    if condition.startswith((b'"', b"W/")):
        return condition[:1] == b'"' and condition in _own_tags(capture, content)
    return _is_date_of(condition, capture)


def _own_tags(capture: Headers, content: str) -> list[bytes]:
    return [tag.strip() for tag in capture.get_all(b"etag")] + [b'"%s"' % content.encode()]


def _opaque(tags: list[bytes]) -> list[bytes]:
    """Return tags without the mark of weak ones (RFC 9110 §8.8.3.2)."""
    return [tag.removeprefix(b"W/") for tag in tags]


def _is_date_of(text: bytes, capture: Headers) -> bool:
    modified = capture.get(b"last-modified")
    if modified is None:
        return False
    if text.strip() == modified.strip():
        return True
    try:
        return parsedate_to_datetime(text.decode("latin-1")) == parsedate_to_datetime(
            modified.decode("latin-1")
        )
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
