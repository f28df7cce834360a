"""Links and text of DOC, and links of XLS, PPT and whatever else is an OLE compound file.

A document of Word is read whole, as its text lies in pieces all over the file, in an order that a
table near the end tells. In all streams of any compound file, what the format calls a URL moniker
is a link: those of XLS, of pictures and of shapes. The latter is a search for 16 bytes, and a URL
found so may be one that the author has removed (*INA §1.4.3*: "may encounter false positives").
"""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO
from struct import unpack_from
from uuid import UUID

from agents.parsers.fields import Fields
from agents.parsers.link import Found, Link, page
from agents.parsers.ooxml import OoxmlParser
from agents.parsers.parser import Extracts, Format, Parser
from agents.parsers.registry import BEGINNING, registry
from agents.parsers.whole import WholeParser
from agents.parsers.word_text import word_text

# Loaded only where it is used, in worker processes; but without it there is no such parser.
if find_spec("olefile") is None:
    raise ModuleNotFoundError("DOC is read with olefile, of the extra dlweb[documents]")

STREAM_LIMIT = 10_000  # streams of a document that are read
URL_LIMIT = 4096  # characters
_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MONIKER = UUID("79eac9e0-baf9-11ce-8c82-00aa004ba90b").bytes_le
_WIDE_URL = re.compile(rb"(?:h\0t\0t\0p\0(?:s\0)?|f\0t\0p\0):\0/\0/\0(?:[!#-;=?-Z_a-~]\0)++", re.I)
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x12\x16-\x1f]++")
_MARKS = re.compile(r"([\x13-\x15])")  # of fields


class DocParser(WholeParser):
    """Parses a compound file (see `agents.parsers.Parser`)."""

    format = Format(
        "doc",
        (
            "application/msword",
            "application/vnd.ms-word",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
        ),
        (".doc", ".dot", ".xls", ".ppt", ".pps"),
        (_MARK,),
        Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
        chunked=False,
        heavy=True,
    )
    limit = 32 * 1024 * 1024

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield the text and links of Word, then all links of the streams."""
        if not body.startswith(_MARK):
            yield from self._other(body)
            return
        streams = self._streams(body)
        text = word_text(streams.get("WordDocument", b""), streams)
        if text is not None:
            yield from self._fields(text)
        # Of a document of Word that can be read, the text says what is a link and what is not.
        searches = (_monikers, _wide_urls) if text is None else (_monikers,)
        for stream in streams.values():
            yield None
            for search in searches:
                yield from search(stream)

    def _other(self, body: bytes) -> Iterator[Found]:
        """Read what says it is of Word and is not: DOCX, RTF and HTML open in it just as well."""
        chosen: type[Parser] | None = OoxmlParser
        if not body.startswith(b"PK"):
            chosen = registry().choose("", "", body[:BEGINNING])
        if chosen is not None:
            parser = chosen(self.source)
            yield from parser.feed(body)
            yield from parser.close()
            self.base, self.encoding = parser.base, parser.encoding
            self.truncated = self.truncated or parser.truncated

    def _streams(self, body: bytes) -> dict[str, bytes]:
        """Return all that can be read of the streams by their names; those without a folder win."""
        import olefile

        streams: dict[str, bytes] = {}
        left = len(body)  # a broken file may give the same bytes out as many streams
        try:
            with olefile.OleFileIO(BytesIO(body)) as file:
                for path in sorted(file.listdir(), key=len)[:STREAM_LIMIT]:
                    stream = file.openstream(path).read(left + 1)
                    left -= len(stream)
                    if left < 0:
                        raise ValueError
                    streams.setdefault(path[-1], stream)
        except Exception:  # the library lets out any error that bytes can make
            self.truncated = True
        return streams

    def _fields(self, text: str) -> Iterator[Found]:
        """Yield text and the links of its fields, whose parts \x13, \x14 and \x15 mark."""
        fields = Fields(self.source.text)
        for piece in _MARKS.split(text):
            yield None
            if piece == "\x13":
                fields.begin()
            elif piece == "\x14":
                fields.separate()
            elif piece == "\x15":
                yield from fields.end()
            else:
                fields.add(piece)
                if self.source.text and fields.printed:
                    yield _INVISIBLE.sub("", piece.translate(_BREAKS))
        yield from fields.close()


_BREAKS = str.maketrans("\x07\x0b\x0c\r", "\t\n\n\n")


def _monikers(stream: bytes) -> Iterator[Link]:
    """Yield the URLs of monikers: their class, a length in bytes, and UTF-16 ended by a zero."""
    start = stream.find(_MONIKER)
    while start >= 0:
        start += len(_MONIKER)
        if start + 4 <= len(stream):
            size = min(unpack_from("<I", stream, start)[0], 2 * URL_LIMIT)
            url = stream[start + 4 : start + 4 + size].decode("utf-16-le", "replace")
            yield from page(url.partition("\0")[0].strip())
        start = stream.find(_MONIKER, start)


def _wide_urls(stream: bytes) -> Iterator[Link]:
    """Yield what looks like a URL in UTF-16, as presentations keep them."""
    for found in _WIDE_URL.finditer(stream):
        yield from page(found[0][: 2 * URL_LIMIT].decode("utf-16-le"))
