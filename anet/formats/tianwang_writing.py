"""Tianwang files, written: format 1.0 (*Web InfoMall §3.1*; docs/reference/tianwang.md).

    for page in pages:
        file.writelines(record(page))

Records follow one another with nothing between them.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime

from isal import isal_zlib

from anet.formats.members import ZLIB
from anet.formats.page import Page, one_line
from anet.formats.warc_writing import CannotWrite

_LEVEL = 3  # of ISA-L, as for WARC


def record(page: Page, *, compress: bool = True) -> Iterator[bytes]:
    """Yield the bytes of the record of a page: header, empty line, data, newline.

    Data are what the server sent, head and body. What is large is compressed twice, once for its
    length, which comes before it.

    Args:
        page: what it is of.
        compress: whether data are compressed with zlib, as those of Web InfoMall are.

    Raises:
        CannotWrite: the URL is empty, a field has a control character in it, or the date is none.
    """
    if not page.url:
        raise CannotWrite("the page has no URL")
    attributes = [("version", "1.0"), ("url", page.url)]
    if page.origin:
        attributes.append(("origin", page.origin))
    attributes.append(("date", rfc_date(page.date)))
    if page.address:
        attributes.append(("ip", page.address))
    size = length = page.size
    if compress:
        length = sum(map(len, _compressed(page)))
        attributes.append(("unzip-length", str(size)))
    attributes.append(("length", str(length)))
    lines = (f"{name}: {one_line(name, value)}\n" for name, value in attributes)
    yield "".join(lines).encode() + b"\n"
    yield from _compressed(page) if compress else page.pieces()
    yield b"\n"


def _compressed(page: Page) -> Iterator[bytes]:
    stream = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, ZLIB)
    for piece in page.pieces():
        yield stream.compress(piece)
    yield stream.flush()


def rfc_date(date: str) -> str:
    """Return a date of digits as RFC 822 says it, to the second.

    Raises:
        CannotWrite: it is none.
    """
    try:
        moment = datetime.fromisoformat(f"{date[:8]}T{date[8:14]}").replace(tzinfo=UTC)
    except ValueError:
        raise CannotWrite(f"no date of 14 digits or more: {date[:60]!r}") from None
    return format_datetime(moment, usegmt=True)
