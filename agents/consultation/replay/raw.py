"""A capture as it was received, for programs and for the replay engine. Pure.

The bytes are those of the web. Fields that tell what the bytes are stay; every other one would
speak to a browser of today in the name of the replay's own host (cookies, policies, certificates),
so its name is put behind `X-Archive-Orig-`, as web archives do. A redirection leads to the same
place in the archive, not to the live web.
"""

from collections.abc import Iterable, Iterator

from agents.consultation.replay.places import path
from agents.urls import canonical
from anet.http import HOP_BY_HOP, parse_head

Fields = list[tuple[bytes, bytes]]

_KEPT = frozenset(
    (
        b"accept-ranges",
        b"content-disposition",
        b"content-encoding",
        b"content-language",
        b"content-range",
        b"content-type",
        b"etag",
        b"last-modified",
    )
)
_FRAMING = HOP_BY_HOP | {b"content-length"}
_ORIGINAL = b"X-Archive-Orig-"
_PDF = b"application/pdf"
_ALONE = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Who opens a capture itself, and not its replay, sees what is in it: it runs no script, belongs
to no origin and asks nobody for anything."""


def raw_fields(head: bytes | None, url: str, date: str, modifier: str) -> Fields:
    """Return the fields of a capture as they go out.

    Args:
        head: of the answer: the received one, or what became of it for a range; None when the
            capture has none.
        url: of the capture.
        date: at which a redirection is followed.
        modifier: how it is followed.
    """
    headers = parse_head(head).headers if head else ()
    fields = [*_outgoing(headers, url, date, modifier)]
    names = {name.lower(): value for name, value in fields}
    if b"content-type" not in names:
        fields.append((b"Content-Type", b"application/octet-stream"))
    if not names.get(b"content-type", b"").lower().startswith(_PDF):  # no sandbox shows these
        fields.append((b"Content-Security-Policy", _ALONE))
    return fields


def _outgoing(
    headers: Iterable[tuple[bytes, bytes]], url: str, date: str, modifier: str
) -> Iterator[tuple[bytes, bytes]]:
    for name, value in headers:
        small = name.lower()
        if small in _FRAMING:
            continue
        if small in _KEPT:
            yield name, value
            continue
        if small == b"location":
            target = canonical(value.decode("latin-1"), url)
            if target is not None:
                yield b"Location", path(date, modifier, target).encode("ascii", "replace")
        yield _ORIGINAL + name, value
