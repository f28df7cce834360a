"""Which captures people go to, and what these are called: for the list of pages of a WACZ.

The archive does not say which URL a person opened. A page is an answer of HTML with status 200
that the browser asked for as a document of its own (`Sec-Fetch-Dest`), or, where the request is
not known or does not say, that has a title, which pieces of pages do not have.
"""

import html
import re
from collections.abc import Iterator

import webencodings

from agents.archive.exporting.reading import Body
from agents.capture import Capture
from agents.decoding import Decoding
from agents.origin import request_of

_LOOKED_AT = 64 * 1024  # bytes of a page, in which its title is looked for
_TITLE_LIMIT = 500  # characters
_HTML = re.compile(rb"\ncontent-type[ \t]*:[ \t]*(?:text/html|application/xhtml\+xml)", re.I)
_CODING = re.compile(rb"\ncontent-encoding[ \t]*:([^\r\n]*)", re.I)
_CHARSET = re.compile(rb"charset[ \t]*=[ \t\"']*([A-Za-z0-9_.:-]+)", re.I)
_DESTINATION = re.compile(rb"\nsec-fetch-dest[ \t]*:[ \t]*([a-z]+)", re.I)
_TITLE = re.compile(rb"<title\b[^>]{0,200}>([^<]{1,4000})</title", re.I)


def title_of(capture: Capture, body: Body) -> str | None:
    """Return what a page is called, which may be nothing; None when it is none to go to."""
    if capture.status != 200 or not _HTML.search(capture.head):  # quicker than the request
        return None
    request = request_of(capture.origin)
    return title_in(capture.head, body, request.head if request is not None else b"")


def title_in(head: bytes, body: Body, request: bytes) -> str | None:
    """Return the same of an answer with status 200.

    Args:
        head: of the answer.
        body: its content, without chunks.
        request: the head of what was asked; empty where that is not known.
    """
    if not _HTML.search(head):
        return None
    asked = _DESTINATION.search(request)
    if asked is not None and asked[1].lower() != b"document":
        return None
    title = _title(head, b"".join(_beginning(head, body))[:_LOOKED_AT])
    return title or (None if asked is None else "")


def _beginning(head: bytes, body: Body) -> Iterator[bytes]:
    """Yield how a page begins, without its content coding."""
    if isinstance(body, bytes):
        begin = body[:_LOOKED_AT]
    else:
        body.seek(0)
        begin = body.read(_LOOKED_AT)
    coding = _CODING.search(head)
    decoding = Decoding.of(coding[1].decode("latin-1")) if coding else None
    size = 0
    for piece in [begin] if decoding is None else decoding.pieces(begin):
        yield piece
        size += len(piece)
        if size >= _LOOKED_AT:
            return


def _title(head: bytes, begin: bytes) -> str:
    found = _TITLE.search(begin)
    if found is None:
        return ""
    charset = _CHARSET.search(head) or _CHARSET.search(begin[:1024])
    named = webencodings.lookup(charset[1].decode("ascii")) if charset else None
    text = (named or webencodings.UTF8).codec_info.decode(found[1], "replace")[0]
    return " ".join(html.unescape(text).split())[:_TITLE_LIMIT]
