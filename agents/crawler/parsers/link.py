"""Links as a document writes them, and the interface that all parsers share."""

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

PAGE: Final = "page"
COMPONENT: Final = "component"


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
    """Takes a document chunk by chunk.

    It reads while its links are taken, so that whoever takes them can pause between any two of
    them; links are to be taken to the end before the next chunk is fed. None in place of a link
    stands for some work that found none.
    """

    @property
    def base(self) -> str:
        """What the links are relative to, itself relative to the document; empty for that."""

    @property
    def encoding(self) -> str:
        """Of the document; URLs of links depend on it (see `agents.urls.canonical`)."""

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because the document passes a limit."""

    def feed(self, chunk: bytes) -> Iterator[Link | None]:
        """Yield the links in the next bytes; any bytes are fine. One may come more than once."""

    def close(self) -> Iterator[Link | None]:
        """Take the end of the document; yield the last links."""


def page(url: str, feed: bool = False) -> tuple[Link, ...]:
    """Return the link that a person follows; none, if it leads to the document itself."""
    url = url.partition("#")[0]
    return (Link(url, PAGE, False, feed),) if url else ()


def component(url: str, requisite: bool = True) -> tuple[Link, ...]:
    """Return the link that a browser follows; none, if it holds itself what it refers to."""
    url = url.partition("#")[0]
    return (Link(url, COMPONENT, requisite),) if url and url[:5].lower() != "data:" else ()
