"""The interface that all parsers share, and what each says of itself (*INA §1.4.3*)."""

from collections.abc import Iterator
from enum import Flag, auto
from typing import ClassVar, Final, Protocol

from attrs import frozen

from agents.parsers.link import Found


class Extracts(Flag):
    """What a parser finds in its documents: the columns of the paper's table."""

    LINKS = auto()
    LINK_TEXT = auto()
    TEXT = auto()


EVERYTHING: Final = Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT


@frozen
class Format:
    """What a parser says of itself.

    Attributes:
        name: of the format, and of the entry point.
        media_types: that it reads, in lower case.
        extensions: ends of paths that tell the format when the media type does not, such as
            `.pls`.
        beginnings: first bytes that tell it likewise.
        extracts: what it finds.
        chunked: whether it reads a document as it comes, even one byte at a time; otherwise it
            keeps the document, up to a limit, and reads it at the end.
        heavy: whether it is too slow or too dangerous for the process that crawls, and runs in a
            worker process with limits.
    """

    name: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...] = ()
    beginnings: tuple[bytes, ...] = ()
    extracts: Extracts = Extracts.LINKS
    chunked: bool = True
    heavy: bool = False


@frozen
class Source:
    """What is known of a document before its first byte.

    Attributes:
        url: where it lies; canonical, or empty when not known.
        charset: of its Content-Type header, if any.
        environment: the encoding of the document that includes it, if any.
        text: whether text and the text of links are wanted beside the links.
        referrer: the document that includes it, as a page its script; empty when there is none.
    """

    url: str = ""
    charset: str | None = None
    environment: str | None = None
    text: bool = False
    referrer: str = ""


class Basis(Protocol):
    """What the links of a document depend on."""

    @property
    def base(self) -> str:
        """What the links are relative to, itself relative to the document; empty for that."""

    @property
    def encoding(self) -> str:
        """Of the document; URLs of links depend on it (see `agents.urls.canonical`)."""

    @property
    def truncated(self) -> bool:
        """Whether links may be missing, because the document passes a limit."""


class Parser(Basis, Protocol):
    """Takes a document chunk by chunk.

    It reads while what it finds is taken, so that whoever takes it can pause between any two
    findings; they are to be taken to the end before the next chunk is fed. None in place of a
    finding stands for some work that found nothing. It does no input or output.
    """

    format: ClassVar[Format]

    def __init__(self, source: Source) -> None: ...

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield what is in the next bytes; any bytes are fine. A link may come more than once."""

    def close(self) -> Iterator[Found]:
        """Take the end of the document; yield the last findings."""


def format_of(parser: Parser) -> Format:
    """Return the format that a parser reads.

    One that finds out which other parser is to read the document names it as `inner`.
    """
    inner: Parser | None = getattr(parser, "inner", None)
    return parser.format if inner is None else format_of(inner)
