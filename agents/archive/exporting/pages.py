"""Which captures people go to, and what these are called: for the list of pages of a WACZ.

The archive does not say which URL a person opened. A page is an answer of HTML with status 200
that the browser asked for as a document of its own (`Sec-Fetch-Dest`), or, where the request is
not known or does not say, that has a title, which pieces of pages do not have.
"""

import html
import re
import zlib

from agents.archive.exporting.reading import Body
from agents.capture import Capture
from agents.origin import request_of

_LOOKED_AT = 64 * 1024  # bytes of a page, in which its title is looked for
_TITLE_LIMIT = 500  # characters
_HTML = re.compile(rb"^content-type[ \t]*:[ \t]*(?:text/html|application/xhtml\+xml)", re.I | re.M)
_ENCODING = re.compile(rb"^content-encoding[ \t]*:[ \t]*([^\r\n]*)", re.I | re.M)
_CHARSET = re.compile(rb"charset[ \t]*=[ \t\"']*([A-Za-z0-9_.:-]+)", re.I)
_DESTINATION = re.compile(rb"^sec-fetch-dest[ \t]*:[ \t]*([a-z]+)", re.I | re.M)
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title", re.I | re.S)
_SPACES = re.compile(r"\s+")


def title_of(capture: Capture, body: Body) -> str | None:
    """Return what a page is called, which may be nothing; None when it is none to go to."""
    if capture.status != 200 or not _HTML.search(capture.head):
        return None
    request = request_of(capture.origin)
    asked = _DESTINATION.search(request.head) if request is not None else None
    title = _title(capture.head, _beginning(capture.head, body))
    if asked is not None:
        return title if asked[1].lower() == b"document" else None
    return title or None


def _beginning(head: bytes, body: Body) -> bytes:
    """Return how a page begins, without its content coding; empty when that is not known."""
    if isinstance(body, bytes):
        begin = body[:_LOOKED_AT]
    else:
        body.seek(0)
        begin = body.read(_LOOKED_AT)
    found = _ENCODING.search(head)
    coding = found[1].strip().lower() if found else b""
    if coding in (b"", b"identity"):
        return begin
    if coding not in (b"gzip", b"x-gzip", b"deflate"):
        return b""
    try:
        return zlib.decompressobj(47).decompress(begin, _LOOKED_AT)
    except zlib.error:
        return b""


def _title(head: bytes, begin: bytes) -> str:
    charset = _CHARSET.search(head) or _CHARSET.search(begin[:1024])
    try:
        text = begin.decode(charset[1].decode() if charset else "utf-8", "replace")
    except (LookupError, ValueError):
        text = begin.decode("utf-8", "replace")
    found = _TITLE.search(text)
    return _SPACES.sub(" ", html.unescape(found[1])).strip()[:_TITLE_LIMIT] if found else ""
