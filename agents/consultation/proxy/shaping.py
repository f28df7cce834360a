"""What a capture becomes for one request: its head, the fields added to it, and the bytes wanted.

Pure. The archive gives what the web gave, and the request may want less of it (HEAD, a range, or
nothing new), or not be able to read it as it is. Whatever is taken from the received head is named
in `Dlweb-Removed`; whatever is added comes after it, from `Dlweb-Date` on.
"""

from attrs import evolve, frozen

from agents.capture import Capture
from agents.consultation.proxy.codings import takes
from agents.consultation.proxy.conditional import is_known, may_give_range
from agents.consultation.proxy.cross_origin import (
    ALLOW_ORIGIN,
    asking_origin,
    missing_permission,
)
from agents.consultation.proxy.heads import forwardable, status_of, with_status, without
from agents.consultation.proxy.ranges import NOTHING, Span, Stored, wanted_span
from agents.decoding import Decoding
from anet.http import Request
from anet.http.message import Headers, parse_head

PINS = (
    b"alt-svc",
    b"clear-site-data",
    b"nel",
    b"public-key-pins",
    b"report-to",
    b"strict-transport-security",
)
"""Fields by which a browser keeps something about a host beyond the page: it would still follow
the archived word of years ago after its reader has gone back to the live web."""
FINAL = 200
"""Below this status a browser goes on waiting for the answer itself."""
_PIN_LINES = tuple((name, b"\n" + name) for name in PINS)


@frozen
class Shape:
    """An answer, but for its content.

    Attributes:
        status: of the answer.
        head: the received head as it goes out; None when the capture has none.
        fields: that are added to it.
        span: the bytes of the stored content that are wanted; None for all of them.
        bodiless: whether none are.
        coding: to be undone on the way; empty for none.
        length: bytes of the body, or None when its coding is undone.
    """

    status: int
    head: bytes | None
    fields: list[tuple[bytes, bytes]]
    span: Span | None = None
    bodiless: bool = False
    coding: str = ""
    length: int | None = None


def shape(
    request: Request, capture: Capture, fields: list[tuple[bytes, bytes]], for_browser: bool
) -> Shape:
    """Return what a capture becomes.

    Args:
        request: what is asked.
        capture: what was found.
        fields: what the archive says of it; they become the answer's.
        for_browser: whether a browser asks that shall keep nothing.
    """
    status, head = capture.status, forwardable(capture.head)
    if status < FINAL:
        status, head = 502, None
    elif head is not None and status_of(head) != status:
        head = with_status(head, status)
    shaped = Shape(status, head, fields, bodiless=request.method == "HEAD", length=capture.size)
    if head is None:
        fields.insert(0, (b"Content-Type", b"application/octet-stream"))
    else:
        shaped = _fitted(shaped, request, capture, head, for_browser)
    if for_browser:
        shaped.fields.append((b"Cache-Control", b"no-store"))
    return shaped


def archive_fields(capture: Capture, url: str) -> list[tuple[bytes, bytes]]:
    """Return what the archive says of a capture."""
    fields = [
        (b"Dlweb-Date", capture.date.encode()),
        (b"Dlweb-Content", capture.content.encode()),
    ]
    if capture.url != url:
        fields.append((b"Dlweb-Url", capture.url.encode("ascii", "replace")))
    return fields


def _fitted(
    shaped: Shape, request: Request, capture: Capture, head: bytes, for_browser: bool
) -> Shape:
    """Return the answer as this client needs it."""
    asked, small = request.headers, head.lower()
    unwanted = [name for name, line in _PIN_LINES if line in small] if for_browser else []
    origin = asking_origin(asked)
    coded = b"content-encoding" in small
    if not (origin or coded or _is_selective(asked) or unwanted):
        return shaped  # nearly every request
    received = parse_head(head).headers
    fields = shaped.fields
    if origin is not None:
        permission, clashes = missing_permission(origin, received)
        fields += permission
        unwanted += [ALLOW_ORIGIN] if clashes else []
    shaped = _selected(shaped, request, capture, received)
    coding = received.get(b"content-encoding") or b"" if coded else b""
    is_whole = shaped.status == capture.status != 206
    if is_whole and not takes(asked.get(b"accept-encoding"), coding):
        shaped = _decoded(shaped, coding.decode("latin-1"))
        unwanted += [b"content-encoding"] if shaped.coding else []
    return lacking(shaped, unwanted)


def _is_selective(asked: Headers) -> bool:
    names = asked.by_name
    return b"range" in names or b"if-none-match" in names or b"if-modified-since" in names


def _selected(shaped: Shape, request: Request, capture: Capture, received: Headers) -> Shape:
    """Return the part of an answer that is asked for."""
    asked = request.headers
    is_read = request.method in ("GET", "HEAD")
    if capture.status == 200 and is_read and is_known(asked, received, capture.content):
        return _of_status(shaped, 304, bodiless=True)
    wanted = asked.get(b"range")
    if wanted is None or request.method != "GET":
        return shaped
    stored = _stored(capture, received)
    if stored is None or not may_give_range(asked, received, capture.content):
        return shaped
    if not takes(asked.get(b"accept-encoding"), received.get(b"content-encoding") or b""):
        return shaped  # its decoded bytes are not counted, so the whole is given
    span = wanted_span(wanted, stored)
    if span is None or (capture.status == 206 and span == stored.span):
        return shaped
    return _ranged(shaped, stored, span)


def _stored(capture: Capture, received: Headers) -> Stored | None:
    if capture.status == 200:
        return Stored.whole(capture.size)
    if capture.status == 206:
        return Stored.part(received.get(b"content-range") or b"", capture.size)
    return None


def _ranged(shaped: Shape, stored: Stored, span: Span) -> Shape:
    fields = [*shaped.fields, (b"Content-Range", stored.content_range(span))]
    shaped = lacking(evolve(shaped, fields=fields), [b"content-range"])
    if span == NOTHING:
        return _of_status(evolve(shaped, length=0), 416, bodiless=True)
    start = span.start - stored.span.start
    wanted = Span(start, start + span.size)
    return evolve(_of_status(shaped, 206), span=wanted, length=span.size)


def _decoded(shaped: Shape, coding: str) -> Shape:
    if Decoding.of(coding) is None:
        return shaped  # nobody here knows it; maybe the client does
    return evolve(shaped, coding=coding, length=None)


def _of_status(shaped: Shape, status: int, bodiless: bool = False) -> Shape:
    head = with_status(shaped.head or b"", status)
    return evolve(shaped, status=status, head=head, bodiless=bodiless or shaped.bodiless)


def lacking(shaped: Shape, names: list[bytes]) -> Shape:
    """Return an answer without these received fields, and with the names of those it had."""
    if not names or shaped.head is None:
        return shaped
    head, removed = without(shaped.head, names)
    if not removed:
        return shaped
    said = (b"Dlweb-Removed", b", ".join(removed))
    return evolve(shaped, head=head, fields=[*shaped.fields, said])
