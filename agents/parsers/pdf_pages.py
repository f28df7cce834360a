"""The pages of a PDF document, by PDFium; what `pdf` loads in a worker process.

JavaScript of documents is never run: the library is built without an engine.
"""

import ctypes
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from agents.parsers.link import Found, Link, page

PAGE_LIMIT = 10_000  # pages of a document that are read
LINK_LIMIT = 10_000  # links of a page, and bookmarks of a document, likewise
TEXT_LIMIT = 1024 * 1024  # characters of a page
_SHOWN_LIMIT = 300  # links of a page whose text is looked for, which takes a look at all the page
_SHOWN_LENGTH = 256  # characters of it
_URL_LIMIT = 16 * 1024  # bytes
_FILES = frozenset([raw.PDFACTION_REMOTEGOTO, raw.PDFACTION_LAUNCH])


class PdfPages:
    """Reads the pages of a document.

    Args:
        text: whether text is wanted.

    Attributes:
        truncated: whether something can't be read, or not within the limits.
    """

    def __init__(self, text: bool) -> None:
        self.truncated = False
        self._text = text

    def read(self, body: bytes) -> Iterator[Found]:
        """Yield text and links, page by page."""
        try:
            document = pdfium.PdfDocument(body)
        except pdfium.PdfiumError:  # no PDF, or encrypted with a password
            self.truncated = True
            return
        with closing(document):
            pages = raw.FPDF_GetPageCount(document.raw)
            self.truncated = pages > PAGE_LIMIT
            for number in range(min(pages, PAGE_LIMIT)):
                yield from self._page(document.raw, number)
            for bookmark in islice(document.get_toc(), LINK_LIMIT):
                action = raw.FPDFBookmark_GetAction(bookmark.raw)
                yield from page(_target(document.raw, action), text=self._title(bookmark))

    def _title(self, bookmark: Any) -> str:
        return str(bookmark.get_title()) if self._text else ""

    def _page(self, document: Any, number: int) -> Iterator[Found]:
        yield None
        opened = raw.FPDF_LoadPage(document, number)
        if not opened:
            self.truncated = True
            return
        text = raw.FPDFText_LoadPage(opened)
        try:
            links = list(islice(self._annotated(document, opened, text), LINK_LIMIT))
            yield from links
            if text:
                yield from _written(text, links)
                yield from self._page_text(text)
        finally:
            raw.FPDFText_ClosePage(text)
            raw.FPDF_ClosePage(opened)

    def _annotated(self, document: Any, opened: Any, text: Any) -> Iterator[Link]:
        position, link = ctypes.c_int(0), raw.FPDF_LINK()
        left = _SHOWN_LIMIT if self._text and text else 0
        while raw.FPDFLink_Enumerate(opened, ctypes.byref(position), ctypes.byref(link)):
            url = _target(document, raw.FPDFLink_GetAction(link))
            if url:
                left -= 1
                yield from page(url, text=_shown(link, text) if left >= 0 else "")

    def _page_text(self, text: Any) -> Iterator[str]:
        if self._text:
            count = min(raw.FPDFText_CountChars(text), TEXT_LIMIT)
            yield _utf16(
                lambda buffer, size: raw.FPDFText_GetText(text, 0, size - 1, buffer), count
            )
            yield "\n"


def _target(document: Any, action: Any) -> str:
    """Return the URL that an action leads to; empty, if it leads to none."""
    kind = raw.FPDFAction_GetType(action) if action else raw.PDFACTION_UNSUPPORTED
    if kind == raw.PDFACTION_URI:
        return _bytes(lambda *to: raw.FPDFAction_GetURIPath(document, action, *to))
    return _bytes(lambda *to: raw.FPDFAction_GetFilePath(action, *to)) if kind in _FILES else ""


def _bytes(get: Callable[[Any, int], int]) -> str:
    size = get(None, 0)
    if not 1 < size <= _URL_LIMIT:
        return ""
    buffer = ctypes.create_string_buffer(size)
    get(buffer, size)
    return buffer.value.decode("utf-8", "replace").strip()


def _utf16(get: Callable[[Any, int], int], count: int) -> str:
    """Return text of at most `count` units of UTF-16, which the library ends with a zero."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = get(buffer, count + 1)
    return bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace").rstrip("\0")


def _shown(link: Any, text: Any) -> str:
    """Return the text within the rectangle of a link."""
    area = raw.FS_RECTF()
    if not raw.FPDFLink_GetAnnotRect(link, ctypes.byref(area)):
        return ""
    sides = (area.left, area.top, area.right, area.bottom)
    found = _utf16(
        lambda buffer, size: raw.FPDFText_GetBoundedText(text, *sides, buffer, size), _SHOWN_LENGTH
    )
    return " ".join(found.split())


def _written(text: Any, links: list[Link]) -> Iterator[Link]:
    """Yield the URLs in the text of a page that are no links.

    One that begins a link is left out: it is the first line of what the link shows.
    """
    web = raw.FPDFLink_LoadWebLinks(text)
    if not web:
        return
    targets = sorted(link.url for link in links)
    try:
        for number in range(min(raw.FPDFLink_CountWebLinks(web), LINK_LIMIT)):
            url = _utf16(partial(raw.FPDFLink_GetURL, web, number), _URL_LIMIT)
            following = bisect_left(targets, url)
            if following == len(targets) or not targets[following].startswith(url):
                yield from page(url)
    finally:
        raw.FPDFLink_CloseWebLinks(web)
