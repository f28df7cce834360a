"""Links and text of PDF.

Links are the annotations and bookmarks that lead to a URI, to another file, or launch one; and what
the text shows as a URL though nothing makes it a link. PDFium does the reading (see `pdf_pages`,
and `docs/decisions/0015-documents-in-workers.md` for why).
"""

from collections.abc import Iterator
from importlib.util import find_spec

from agents.parsers.link import Found
from agents.parsers.parser import Extracts, Format
from agents.parsers.whole import WholeParser

# Loaded only where it is used, in worker processes; but without it there is no such parser.
if find_spec("pypdfium2") is None:
    raise ModuleNotFoundError("PDF is read with pypdfium2, of the extra dlweb[documents]")


class PdfParser(WholeParser):
    """Parses a PDF document (see `agents.parsers.Parser`)."""

    format = Format(
        "pdf",
        ("application/pdf", "application/x-pdf"),
        (".pdf",),
        (b"%PDF-",),
        Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
        chunked=False,
        heavy=True,
    )
    limit = 32 * 1024 * 1024
    partial = True  # PDFium mends what has no end

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield text and links, page by page."""
        from agents.parsers.pdf_pages import PdfPages

        pages = PdfPages(self.source.text)
        yield from pages.read(body)
        self.truncated = self.truncated or pages.truncated
