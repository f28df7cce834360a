"""Tianwang files, written: format 1.0 (*Web InfoMall §3.1*; docs/reference/tianwang.md)."""

from anet.formats.page import Page


def record_bytes(page: Page, *, compress: bool = True) -> bytes:
    """Return the record of a page: header, empty line, data, newline.

    Data are what the server sent, head and body. Records follow one another in a file with
    nothing between them.

    Args:
        page: what it is of.
        compress: whether data are compressed with zlib, as in the collections of Web InfoMall.

    Raises:
        CannotWrite: its URL, origin or address has a control character in it, or its date is none.
    """
    raise NotImplementedError
