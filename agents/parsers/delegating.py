"""Parsers that find out which other parser is to read a document."""

from agents.parsers.parser import Parser, Source


class DelegatingParser:
    """Base of such parsers: what a document is relative to is known by who reads it.

    Attributes:
        inner: the parser that reads the document, once it is known.
    """

    def __init__(self, source: Source) -> None:
        self.inner: Parser | None = None
        self._source = source

    @property
    def base(self) -> str:
        """What links are relative to."""
        return "" if self.inner is None else self.inner.base

    @property
    def encoding(self) -> str:
        """The encoding of the document; final once closed."""
        return "utf-8" if self.inner is None else self.inner.encoding

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self.inner is not None and self.inner.truncated
