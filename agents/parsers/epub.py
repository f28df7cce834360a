"""Links out of books in EPUB, and their text: a zip file of XHTML."""

import re
from collections.abc import Iterator

from agents.parsers.html import XmlParser
from agents.parsers.link import PAGE, Found, Link
from agents.parsers.parser import Format, Source
from agents.parsers.whole import WholeParser
from agents.parsers.zip_members import ZipMembers

_CHAPTER = re.compile(r".*\.x?html?", re.IGNORECASE | re.DOTALL)
_ABSOLUTE = re.compile(r"\s*(?:[a-z][a-z0-9+.\-]*+:)?//", re.IGNORECASE)


class EpubParser(WholeParser):
    """Parses a book (see `agents.parsers.Parser`).

    What is relative lies within the book. All links are pages: nothing is missing in a book that
    is not online.
    """

    format = Format(
        "epub",
        ("application/epub+zip",),
        (".epub",),
        extracts=XmlParser.format.extracts,
        chunked=False,
        heavy=True,
    )
    limit = 32 * 1024 * 1024

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield what each chapter holds."""
        members = ZipMembers(body)
        for name in filter(_CHAPTER.fullmatch, members.names):
            yield from self._chapter(members.read(name))
        self.truncated = self.truncated or members.truncated

    def _chapter(self, pieces: Iterator[bytes]) -> Iterator[Found]:
        parser = XmlParser(Source(text=self.source.text))
        for piece in pieces:
            yield from filter(_leads_out, parser.feed(piece))
        yield from filter(_leads_out, parser.close())
        self.truncated = self.truncated or parser.truncated


def _leads_out(found: Found) -> bool:
    if isinstance(found, Link):
        return found.kind == PAGE and _ABSOLUTE.match(found.url) is not None
    return True
