"""XML of any kind: the root element tells which parser reads it.

A parser that has `roots`, names of root elements in short, gets the documents that begin with one
of them. What no parser knows is read for the links that any XML may have.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from agents.parsers.charset import Text
from agents.parsers.delegating import DelegatingParser
from agents.parsers.link import Found, component, page
from agents.parsers.parser import Format, Parser, Source
from agents.parsers.registry import ParserClass, registry
from agents.parsers.xml_document import XmlDocument
from agents.parsers.xml_events import START, XmlEvents
from agents.parsers.xml_names import Names

LOOKS = (4096, 16_384, 65_536)  # bytes at which the root is looked for

_XHTML = ("html", "svg")  # read by the parser of `xhtml`
_FETCHED = frozenset(["xsl:import", "xsl:include", "xi:include", "import", "include"])


class XmlRootParser(DelegatingParser):
    """Finds the parser of a document, and is that parser from then on."""

    format = Format("xml", ("application/xml", "text/xml"), (".xml",), (b"<?xml",))

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._beginning = bytearray()
        self._look = 0  # which of the looks is next

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield what is in the next bytes."""
        if self.inner is not None:
            return self.inner.feed(chunk)
        self._beginning += chunk
        if len(self._beginning) < LOOKS[self._look]:
            return iter(())
        while self._look < len(LOOKS) and len(self._beginning) >= LOOKS[self._look]:
            self.inner = self.inner or self._found(LOOKS[self._look])
            self._look += 1
        if self.inner is None and self._look == len(LOOKS):
            self.inner = XmlParser(self._source)
        return iter(()) if self.inner is None else self.inner.feed(self._taken())

    def close(self) -> Iterator[Found]:
        """Yield the last findings."""
        if self.inner is None:
            self.inner = self._found(len(self._beginning)) or XmlParser(self._source)
            yield from self.inner.feed(self._taken())
        yield from self.inner.close()

    def _taken(self) -> bytes:
        beginning, self._beginning = bytes(self._beginning), bytearray()
        return beginning

    def _found(self, size: int) -> Parser | None:
        root = root_of(bytes(self._beginning[:size]), self._source.charset)
        return None if root is None else _by_root().get(root, XmlParser)(self._source)


class XmlParser(XmlDocument):
    """Reads XML of which nothing is known: XLink, XInclude, style sheets in XSLT, XHTML within."""

    format = XmlRootParser.format
    roots = frozenset()

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Return what an element links to."""
        if name in _FETCHED:
            return component(self.resolved(attributes.get("href", "")))
        if "xlink:href" in attributes:
            shown = attributes.get("xlink:show") == "embed"
            url = self.resolved(attributes["xlink:href"])
            return component(url) if shown else page(url)
        if name in ("a", "xhtml:a"):
            return page(self.resolved(attributes.get("href", "")))
        if name in ("img", "xhtml:img", "script", "xhtml:script"):
            return component(self.resolved(attributes.get("src", "")))
        return ()


def root_of(beginning: bytes, charset: str | None) -> str | None:
    """Return the short name of the root element; None if it has not begun yet."""
    text, events, names = Text(charset), XmlEvents(), Names()
    for event in events.feed(text.feed(beginning) + text.close(), final=True):
        if event is not None and event.kind == START:
            return names.opened(event.value, event.attributes)[0]
    return None


@cache
def _by_root() -> dict[str, ParserClass]:
    """Return the parsers that know a root, as the registry has them."""
    parsers = registry().by_name
    found = {root: parser for parser in parsers.values() for root in getattr(parser, "roots", ())}
    return found | dict.fromkeys(_XHTML, parsers["xhtml"])
