"""A page as writers of old formats take it: what was asked, when, and what came."""

import io
import re
from collections.abc import Iterator

from attrs import field, frozen

from anet.formats.warc_writing import CannotWrite, Part

_PIECE = 1 << 20
_CONTROL = re.compile(r"[\0-\x1f\x7f]")
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_TYPE = re.compile(rb"^content-type:[ \t]*([^\s;,]+)", re.IGNORECASE | re.MULTILINE)


@frozen
class Page:
    """A capture of a page, or of anything else that has a URL.

    Attributes:
        url: where it was.
        date: when it came: digits, UTC, `YYYYMMDDhhmmss` and what may follow.
        head: of the answer, byte for byte, from the status line to the empty line and with it;
            empty if there is none.
        body: what follows it: bytes, or a file that can be read again, all of it.
        address: of the server; empty if it is not known.
        media_type: for formats that have a field for it; that of the head when empty.
        origin: the URL that redirected here; empty if none did.
    """

    url: str
    date: str
    head: bytes
    body: Part = field(repr=False)
    address: str = ""
    media_type: str = ""
    origin: str = ""

    @property
    def size(self) -> int:
        """Return the bytes of head and body."""
        whole = self.body
        body = len(whole) if isinstance(whole, bytes) else whole.seek(0, io.SEEK_END)
        return len(self.head) + body

    @property
    def type_named(self) -> str:
        """Return the media type, without parameters and spaces; empty if none is named."""
        if self.media_type:
            return self.media_type.partition(";")[0].strip()
        found = _TYPE.search(self.head)
        return found[1].decode("latin-1") if found else ""

    def pieces(self) -> Iterator[bytes]:
        """Yield head and body, what the server sent, in pieces that are always the same."""
        yield self.head
        body = io.BytesIO(self.body) if isinstance(self.body, bytes) else self.body
        body.seek(0)
        while piece := body.read(_PIECE):
            yield piece


def split_head(block: bytes) -> tuple[bytes, bytes]:
    """Return the head of what a server sent, with its empty line, and the body."""
    end = _EMPTY_LINE.search(block) if block[:5].upper() == b"HTTP/" else None
    return (block[: end.end()], block[end.end() :]) if end else (b"", block)


def one_line(name: str, text: str) -> str:
    """Return a text that stays in its line.

    Raises:
        CannotWrite: there is a control character in it.
    """
    if _CONTROL.search(text):
        raise CannotWrite(f"the {name} has a control character in it: {text[:200]!r}")
    return text
