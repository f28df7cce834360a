"""HTML that a script holds or writes, read by the parser of HTML."""

import re
from collections.abc import Iterator

from agents.parsers.html import HtmlParser
from agents.parsers.link import Embedded, Link
from agents.parsers.parser import Source

_UNKNOWN = re.compile("\ufffc|%EF%BF%BC", re.IGNORECASE)  # see `dom.js`
_UNFOLLOWED = re.compile(r"\s*+(?:javascript|about|blob|data|mailto|tel):", re.IGNORECASE)


def read_html(url: str, html: str) -> Iterator[Link | Embedded]:
    """Yield the links and scripts of HTML that a script of a page holds or writes.

    Args:
        url: of the page.
        html: the piece.
    """
    parser = HtmlParser(Source(url=url, charset="utf-8"))
    body = html.encode("utf-8", "replace")
    for found in (*parser.feed(body), *parser.close()):
        if isinstance(found, Link):
            yield from (found,) if is_followed(found.url) else ()
        elif isinstance(found, Embedded) and found.media_type == "text/javascript":
            yield found


def is_followed(url: str) -> bool:
    """Tell whether a URL is one to fetch, and none that hangs on what the script can't know."""
    return not _UNFOLLOWED.match(url) and not _UNKNOWN.search(url)
