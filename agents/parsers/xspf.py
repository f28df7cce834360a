"""XSPF playlists: what they play, where it comes from, and its pictures."""

from collections.abc import Iterable, Iterator

from agents.parsers.link import Found, component, page
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.playlist import played
from agents.parsers.xml_document import XmlDocument

LOCATION_LIMIT = 100  # of one track, alternatives of each other; more are told without its title


class XspfParser(XmlDocument):
    """Parses a playlist; a track's title may come after its place."""

    format = Format(
        "xspf", ("application/xspf+xml",), (".xspf",), extracts=Extracts.LINKS | Extracts.LINK_TEXT
    )
    roots = frozenset(["playlist"])

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._locations: list[str] = []
        self._title = ""

    def end(self, name: str, text: str) -> Iterable[Found]:
        """Return what an element links to."""
        if name == "location" and len(self._locations) < LOCATION_LIMIT:
            self._locations.append(self.resolved(text))
        elif name == "location":
            return played(self.resolved(text))
        elif name == "title":
            self._title = text.strip() if self.source.text else ""
        elif name == "image":
            return component(self.resolved(text))
        elif name in ("info", "license"):
            return page(self.resolved(text))
        elif name == "track":
            return self._track()
        return ()

    def finish(self) -> Iterable[Found]:
        """Return what is left of a track that does not end."""
        return self._track()

    def _track(self) -> Iterator[Found]:
        locations, self._locations = self._locations, []
        title, self._title = self._title, ""
        for url in locations:
            yield from played(url, title)
