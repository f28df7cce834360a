"""Which parser reads a document: by its media type, or by its first bytes when it names none."""

import re
from collections.abc import Callable, Iterator

from agents.crawler.parsers.css import CssParser
from agents.crawler.parsers.html import HtmlParser, XmlParser
from agents.crawler.parsers.link import Link, Parser

SNIFF = 512  # first bytes looked at when a document has no media type
_HTML = re.compile(
    rb"\s*<(?:!doctype html|!--|\?xml|(?:html|head|script|iframe|h1|div|font|table|a|style|title"
    rb"|b|body|br|p|svg|meta|link)[\s>])",
    re.IGNORECASE,
)
_BY_TYPE: dict[str, Callable[[str | None], Parser]] = {
    "text/html": HtmlParser,
    "application/xhtml+xml": XmlParser,
    "application/xml": XmlParser,  # XHTML often; links in other XML are not attributes it knows
    "text/xml": XmlParser,
    "image/svg+xml": XmlParser,
    "text/css": CssParser,
}
_UNTOLD = frozenset(["", "unknown/unknown", "application/unknown", "*/*"])


def media_type(content_type: str) -> tuple[str, str | None]:
    """Split a Content-Type header into the media type, in lower case, and its charset."""
    kind, _, parameters = content_type.partition(";")
    found = re.search(r"""charset\s*=\s*["']?([\w.:\-]+)""", parameters, re.IGNORECASE)
    return kind.strip().lower(), found[1].lower() if found else None


def parser_for(content_type: str) -> Parser | None:
    """Return a new parser for a document, or None when no parser knows its format.

    Args:
        content_type: the header as received, empty if there is none.
    """
    kind, charset = media_type(content_type)
    if kind in _UNTOLD:
        return SniffingParser(charset)
    make = _BY_TYPE.get(kind)
    return None if make is None else make(charset)


class SniffingParser:
    """Parses a document that names no format, once its first bytes show that it is HTML.

    Args:
        charset: of the Content-Type header, if any.
    """

    def __init__(self, charset: str | None = None) -> None:
        self._parser = HtmlParser(charset)
        self._prefix = b""
        self._html: bool | None = None  # not known yet

    @property
    def base(self) -> str:
        """What the first `base` element says."""
        return self._parser.base

    @property
    def encoding(self) -> str:
        """The encoding of the document."""
        return self._parser.encoding

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._parser.truncated

    def feed(self, chunk: bytes) -> Iterator[Link | None]:
        """Yield the links in the next bytes."""
        if self._html is None:
            self._prefix += chunk
            if len(self._prefix) < SNIFF:
                return iter(())
            chunk = self._decide()
        return self._parser.feed(chunk) if self._html else iter(())

    def close(self) -> Iterator[Link | None]:
        """Yield the last links."""
        if self._html is None:
            yield from self._parser.feed(self._decide())
        if self._html:
            yield from self._parser.close()

    def _decide(self) -> bytes:
        prefix, self._prefix = self._prefix, b""
        self._html = _HTML.match(prefix[:SNIFF]) is not None
        return prefix if self._html else b""
