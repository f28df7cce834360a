"""Sitemaps and their indexes (sitemaps.org): each URL is a page, its pictures and films too.

A sitemap shows nothing, so that it has no components; but the parts of an index belong to it, and
are read at once. One in plain text is read as such, one that is a feed as a feed, a compressed one
by way of `gzip`.
"""

from collections.abc import Iterable, Mapping

from agents.parsers.link import Found, component, page
from agents.parsers.parser import Extracts, Format
from agents.parsers.xml_document import XmlDocument

_LOCATIONS = frozenset(
    ["loc", "image:loc", "image:license", "video:thumbnail_loc", "video:content_loc",
     "video:player_loc", "video:gallery_loc"]
)  # fmt: skip
_TEXTS = frozenset(
    ["image:title", "image:caption", "video:title", "video:description", "news:title", "news:name"]
)


class SitemapParser(XmlDocument):
    """Parses a sitemap or an index of sitemaps."""

    format = Format(
        "sitemap",
        ("application/sitemap+xml",),
        extracts=Extracts.LINKS | Extracts.TEXT,
    )
    roots = frozenset(["urlset", "sitemapindex"])
    _index = False  # whether it names sitemaps and not pages

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Return the page in another language, or for another device."""
        self._index = self._index or name == "sitemapindex"
        if name in ("xhtml:link", "link"):
            return page(self.resolved(attributes.get("href", "")))
        return ()

    def end(self, name: str, text: str) -> Iterable[Found]:
        """Return the page of an element."""
        if name == "loc" and self._index:
            return component(self.resolved(text), requisite=False)
        if name in _LOCATIONS:
            return page(self.resolved(text))
        return (text.strip() + "\n",) if self.source.text and name in _TEXTS else ()
