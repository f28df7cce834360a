"""Links as a document writes them, and the interface that all parsers share."""

from typing import Final, NamedTuple, Protocol

PAGE: Final = "page"
COMPONENT: Final = "component"
LINK_LIMIT = 100_000  # links kept from one document


class Link(NamedTuple):
    """A link of a document (*INA §1.4.2*).

    Attributes:
        url: as written, without its fragment; to be resolved against the base of the document.
        kind: `PAGE`, followed by a person's act, or `COMPONENT`, followed by the browser itself.
        requisite: whether the document can't be shown without it, so that it is collected
            whatever the delimitation of the site says.
        feed: whether the document says that it is a feed (RSS, Atom).
    """

    url: str
    kind: str
    requisite: bool
    feed: bool = False


class Parser(Protocol):
    """Takes a document chunk by chunk."""

    @property
    def links(self) -> list[Link]:
        """What has been found so far, in the order of the document, each once."""

    @property
    def base(self) -> str:
        """What the links are relative to, itself relative to the document; empty for that."""

    @property
    def encoding(self) -> str:
        """Of the document; URLs of links depend on it (see `agents.urls.canonical`)."""

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because the document passes a limit."""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the document; any bytes are fine."""

    def close(self) -> None:
        """Take the end of the document."""


class Links:
    """Collects the links of one document, each once."""

    def __init__(self) -> None:
        self.found: list[Link] = []
        self.truncated = False
        self._pages: set[str] = set()
        self._components: set[str] = set()

    def page(self, url: str, feed: bool = False) -> None:
        """Take a link that a person follows."""
        url = url.partition("#")[0]
        if url and url not in self._pages:
            self._pages.add(url)
            self._take(Link(url, PAGE, False, feed))

    def component(self, url: str, requisite: bool = True) -> None:
        """Take a link that a browser follows on its own."""
        url = url.partition("#")[0]
        if url and url not in self._components and url[:5].lower() != "data:":
            self._components.add(url)
            self._take(Link(url, COMPONENT, requisite))

    def _take(self, link: Link) -> None:
        if len(self.found) < LINK_LIMIT:
            self.found.append(link)
        else:
            self.truncated = True
