"""Reading a document for its links, each judged as soon as it is found."""

from collections.abc import Iterator

from agents.crawler.judge import Document
from agents.crawler.parsers import COMPONENT, Link, Parser


class LinkReader:
    """Gives the links of a parser to a judge (see `agents.crawler.reader.Reader`).

    Args:
        parser: finds them.
        document: judges them.
        components_only: whether page links are left aside.
    """

    def __init__(self, parser: Parser, document: Document, components_only: bool = False) -> None:
        self._parser = parser
        self._document = document
        self._components_only = components_only

    def feed(self, chunk: bytes) -> Iterator[None]:
        """Take the next bytes; each step is one link."""
        return self._judge(self._parser.feed(chunk))

    def close(self) -> Iterator[None]:
        """Take the end."""
        yield from self._judge(self._parser.close())
        self._document.end()

    def _judge(self, links: Iterator[Link | None]) -> Iterator[None]:
        self._document.begin()
        take = self._document.take
        for link in links:
            if link and (link.kind is COMPONENT or not self._components_only):
                take(link)
            yield
