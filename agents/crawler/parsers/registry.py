"""Which parser reads a document: by its media type, or by its first bytes when it names none."""

import re
from collections.abc import Callable

from agents.crawler.parsers.css import CssParser
from agents.crawler.parsers.html import HtmlParser
from agents.crawler.parsers.link import Parser

SNIFF = 512  # first bytes looked at when a document has no media type
_HTML = re.compile(
    rb"\s*<(?:!doctype html|!--|\?xml|(?:html|head|script|iframe|h1|div|font|table|a|style|title"
    rb"|b|body|br|p|svg|meta|link)[\s>])",
    re.IGNORECASE,
)
_BY_TYPE: dict[str, Callable[[str | None], Parser]] = {
    "text/html": HtmlParser,
    "application/xhtml+xml": HtmlParser,
    "application/xml": HtmlParser,  # XHTML often; links in other XML are not attributes it knows
    "text/xml": HtmlParser,
    "image/svg+xml": HtmlParser,
    "text/css": CssParser,
}
_UNTOLD = frozenset(["", "unknown/unknown", "application/unknown", "*/*"])


def media_type(content_type: str) -> tuple[str, str | None]:
    """Split a Content-Type header into the media type, in lower case, and its charset."""
    kind, _, parameters = content_type.partition(";")
    found = re.search(r"""charset\s*=\s*["']?([\w.:\-]+)""", parameters, re.IGNORECASE)
    return kind.strip().lower(), found[1].lower() if found else None


def parser_for(content_type: str, prefix: bytes) -> Parser | None:
    """Return a new parser for a document, or None when no parser knows its format.

    Args:
        content_type: the header as received, empty if there is none.
        prefix: the first bytes of the document, `SNIFF` of them when it has so many; they are
            looked at only, and are still to be fed.
    """
    kind, charset = media_type(content_type)
    if kind in _UNTOLD and _HTML.match(prefix[:SNIFF]):
        kind = "text/html"
    make = _BY_TYPE.get(kind)
    return None if make is None else make(charset)
