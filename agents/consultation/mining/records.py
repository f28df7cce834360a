"""What the graph keeps and tells: plain values."""

import msgspec
from attrs import define, frozen

from agents.consultation.mining.extraction import Extracted


class Document(msgspec.Struct, frozen=True, array_like=True):
    """A URL with one content, for as long as it had it."""

    url: str
    content: bytes
    first: str
    last: str


class Text(msgspec.Struct, frozen=True, array_like=True):
    """The signatures of a content, and a capture of it."""

    content: bytes
    url: str
    date: str
    chunks: int
    signatures: bytes


class Position(msgspec.Struct, frozen=True):
    """How far the archive has been followed.

    Attributes:
        after: key of the structure file that was followed last in this round; empty at its begin.
        begun: date at which this round began.
        whole: date at which the last round began that came to its end with every node answering;
            all that was recorded before is known here. Empty before there was one.
        silent: whether a node did not answer in this round.
        documents: that were read so far.
    """

    after: str = ""
    begun: str = ""
    whole: str = ""
    silent: bool = False
    documents: int = 0


@frozen
class Backlink:
    """A document that links to a URL, from its first capture that does to its last."""

    url: str
    first: str
    last: str


@frozen
class Alike:
    """A document that has text in common with another.

    Attributes:
        url: where it was captured.
        date: when.
        content: its key.
        resemblance: the share of all chunks of both texts that both have, estimated.
    """

    url: str
    date: str
    content: str
    resemblance: float


@define
class Seen:
    """One capture of a document, as the archive was followed.

    Attributes:
        url: its URL.
        date: of the capture.
        content: its key.
        extracted: what it holds; None where this document, URL and content, is known already.
    """

    url: str
    date: str
    content: str
    extracted: Extracted | None = None
