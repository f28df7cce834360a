"""News feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF) and Atom, with the media of podcasts.

What an entry leads to is a page, and so are enclosures, which a person plays; the pictures that a
reader shows with the feed are components. Descriptions in HTML are given to the HTML parser.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from agents.parsers.html_rules import is_feed
from agents.parsers.link import Embedded, Found, Link, component, page
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.xml_document import XmlDocument

HELD_LIMIT = 100  # links of an entry that wait for its title
WRITTEN_LIMIT = 1024 * 1024  # characters of the XHTML within an entry

_ENTRIES = frozenset(["item", "entry", "atom:entry"])
_PAGES = frozenset(["link", "comments", "docs", "wfw:commentRss", "itunes:new-feed-url", "uri"])
_PICTURES = frozenset(["url", "logo", "icon", "atom:logo", "atom:icon"])
_HTML = frozenset(
    ["description", "content:encoded", "summary", "content", "title", "subtitle", "tagline",
     "atom:summary", "atom:content", "itunes:summary", "media:description", "info", "copyright"]
)  # fmt: skip
# Attributes that link, and whether to what a reader shows by itself.
_LINKING: Final[Mapping[tuple[str, str], bool]] = {
    ("enclosure", "url"): False,
    ("media:content", "url"): False,
    ("media:player", "url"): False,
    ("media:peerLink", "href"): False,
    ("media:thumbnail", "url"): True,
    ("itunes:image", "href"): True,
    ("podcast:transcript", "url"): False,
    ("podcast:chapters", "url"): False,
    ("content", "src"): True,
    ("image", "rdf:resource"): True,
    ("li", "rdf:resource"): False,
    ("rdf:li", "rdf:resource"): False,
    ("item", "rdf:about"): False,
    ("cc:license", "rdf:resource"): False,
    ("source", "url"): False,
}
# Relations to what is for programs that write, and not part of the feed.
_UNREAD = frozenset(["edit", "edit-media", "hub", "pingback", "service"])
_PAGED = frozenset(
    ["self", "next", "previous", "prev", "first", "last", "current", "prev-archive", "next-archive"]
)


class FeedParser(XmlDocument):
    """Parses a feed of any of the forms."""

    format = Format(
        "feed",
        ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/rss+xml",
         "application/x-rss+xml", "text/x-opml", "text/x-opml+xml", "application/opml+xml"),
        (".rss", ".atom", ".rdf", ".opml"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
    )  # fmt: skip
    roots = frozenset(["rss", "RDF", "feed", "channel", "opml"])

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._title = ""  # of the entry
        self._held: list[Link] = []  # links of the entry, until its title is known
        self._written = _Written()

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterator[Found]:
        """Yield what the attributes of an element link to."""
        if self._written.start(name, attributes, self.depth):
            return
        if name in _ENTRIES:
            yield from self._release()  # the links of the feed itself, under its title
            self._title = ""
        if name in ("link", "atom:link"):
            yield from self._hold(self._relation(attributes))
        elif name == "outline":  # of OPML, a list of feeds
            yield from self._outline(attributes)
        elif name in ("li", "rdf:li"):  # named once more, with its title, as an item
            yield from self._linking(name, attributes)
        else:
            yield from self._hold(self._linking(name, attributes))

    def end(self, name: str, text: str) -> Iterator[Found]:
        """Yield what the text of an element links to, or is."""
        if self._written.depth:
            yield from self._embedded(self._written.end(name, text, self.depth))
            return
        if name == "title":
            self._title = self._title or text.strip()
        if name in _ENTRIES:
            yield from self._release()
        elif name in _PAGES or (name in ("guid", "id") and text.strip()[:4] == "http"):
            yield from self._hold(page(self.resolved(text)))
        elif name in _PICTURES:
            yield from component(self.resolved(text))
        elif name in _HTML and "<" in text:
            yield from self._embedded(text)
        elif self.source.text and text.strip():
            yield text.strip() + "\n"

    def finish(self) -> Iterable[Found]:
        """Return what is held."""
        return self._release()

    def _linking(self, name: str, attributes: Mapping[str, str]) -> Iterator[Link]:
        picture = name == "media:content" and attributes.get("medium") == "image"
        for attribute, value in attributes.items():
            shown = _LINKING.get((name, attribute))
            if shown is not None:
                url = self.resolved(value)
                yield from component(url) if shown or picture else page(url)

    def _relation(self, attributes: Mapping[str, str]) -> Iterable[Link]:
        """Read the `link` of Atom."""
        relation, url = attributes.get("rel", ""), self.resolved(attributes.get("href", ""))
        if relation in _UNREAD or "schemas.google.com" in relation:
            return ()
        if relation in ("icon", "shortcut icon"):
            return component(url)
        feed = relation in _PAGED or is_feed(relation, attributes.get("type", ""))
        return page(url, feed, self._words(attributes.get("title", "")))

    def _outline(self, attributes: Mapping[str, str]) -> Iterator[Link]:
        words = self._words(attributes.get("title") or attributes.get("text", ""))
        yield from page(self.resolved(attributes.get("xmlUrl", "")), True, words)
        for name in ("htmlUrl", "url"):
            yield from page(self.resolved(attributes.get(name, "")), text=words)

    def _words(self, text: str) -> str:
        return text if self.source.text else ""

    def _embedded(self, text: str) -> Iterator[Found]:
        if text:
            base = self.inherited
            yield Embedded("text/html", (f'<base href="{escape(base)}">' if base else "") + text)

    def _hold(self, links: Iterable[Link]) -> Iterator[Found]:
        """Keep links for the title of their entry, if the text of links is wanted."""
        if not self.source.text:
            yield from links
            return
        self._held += links
        if len(self._held) > HELD_LIMIT:
            yield from self._release()

    def _release(self) -> Iterator[Found]:
        held, self._held = self._held, []
        for link in held:
            yield link if link.text or not self.source.text else link._replace(text=self._title)


class _Written:
    """Puts together again what Atom has in XHTML, as HTML."""

    def __init__(self) -> None:
        self.depth = 0  # of the element that holds it, or 0 when none is open
        self._pieces: list[str] = []
        self._size = 0

    def start(self, name: str, attributes: Mapping[str, str], depth: int) -> bool:
        """Take the start of an element; tell whether it is part of such a text."""
        if not self.depth:
            self.depth = depth if attributes.get("type") == "xhtml" else 0
            return False
        written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
        self._add(f"<{name.rpartition(':')[2]}{written}>")
        return True

    def end(self, name: str, text: str, depth: int) -> str:
        """Take the end of an element; return the whole text when it is that of the holder."""
        self._add(escape(text))
        if depth > self.depth:
            self._add(f"</{name.rpartition(':')[2]}>")
            return ""
        whole, self._pieces, self._size, self.depth = "".join(self._pieces), [], 0, 0
        return whole

    def _add(self, piece: str) -> None:
        self._size += len(piece)
        if self._size <= WRITTEN_LIMIT:
            self._pieces.append(piece)
