"""What documents hold for a crawler: links, text, and pieces in another format (*INA §1.4.3*)."""

from typing import Final, NamedTuple, TypeAlias

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
        stream: whether it leads to live or streamed media, which is reported to the scheduler.
        text: what a person reads of the link: its printed text, its tool tip, a stream's title;
            empty unless the source asks for text.
    """

    url: str
    kind: str
    requisite: bool
    feed: bool = False
    stream: bool = False
    text: str = ""


class Embedded(NamedTuple):
    """A piece of a document that another parser reads, such as the script of a page.

    Attributes:
        media_type: its format.
        text: the piece.
    """

    media_type: str
    text: str


Found: TypeAlias = Link | Embedded | str | None
"""What a parser finds: a link, an embedded piece, some of the text, or nothing but some work."""


def page(url: str, feed: bool = False, text: str = "") -> tuple[Link, ...]:
    """Return the link that a person follows; none, if it leads to the document itself."""
    url = url.partition("#")[0]
    return (Link(url, PAGE, False, feed, False, text),) if url else ()


def component(url: str, requisite: bool = True) -> tuple[Link, ...]:
    """Return the link that a browser follows; none, if it holds itself what it refers to."""
    url = url.partition("#")[0]
    return (Link(url, COMPONENT, requisite),) if url and url[:5].lower() != "data:" else ()


def stream(url: str, text: str = "") -> tuple[Link, ...]:
    """Return the link to streamed media; none, if it is empty."""
    url = url.partition("#")[0].strip()
    return (Link(url, PAGE, False, False, True, text),) if url else ()
