"""Compressed documents, such as `sitemap.xml.gz`: read as what is within."""

import zlib
from collections.abc import Iterator

from agents.parsers.delegating import DelegatingParser
from agents.parsers.link import Found
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.registry import BEGINNING, registry

INFLATED_LIMIT = 128 * 1024 * 1024  # bytes of the document within, lest it be a bomb
PIECE = 32 * 1024  # bytes that are inflated at once


class GzipParser(DelegatingParser):
    """Inflates a document as it comes, for the parser that knows its name or first bytes.

    What no parser knows, such as an archive of many files, is not inflated any further.
    """

    format = Format(
        "gzip",
        ("application/gzip", "application/x-gzip", "application/x-gunzip"),
        (".gz", ".svgz"),
        (b"\x1f\x8b\x08",),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._left = INFLATED_LIMIT
        self._cut = False
        self._beginning: bytes | None = b""  # None once it is known whether there is a parser

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._cut or super().truncated

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield what is in the next bytes."""
        for piece in self._pieces(chunk):
            yield None
            yield from self._read(piece)

    def close(self) -> Iterator[Found]:
        """Yield the last findings."""
        if self._beginning:
            yield from self._begin(self._beginning)
        if self.inner is not None:
            yield from self.inner.close()

    def _pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for, as far as they make sense."""
        while chunk and self._left > 0 and not self._is_unknown:
            before = self._inflate.copy()
            try:
                piece = self._inflate.decompress(chunk, min(PIECE, self._left))
            except zlib.error:
                if len(chunk) == 1:
                    self._left = 0
                    return
                # The error drops what the bytes before the fault stand for: take them singly.
                self._inflate = before
                for place in range(len(chunk)):
                    yield from self._pieces(chunk[place : place + 1])
                return
            self._left -= len(piece)
            self._cut = self._left <= 0
            chunk = self._inflate.unconsumed_tail
            yield piece

    @property
    def _is_unknown(self) -> bool:
        return self._beginning is None and self.inner is None

    def _read(self, piece: bytes) -> Iterator[Found]:
        if self.inner is not None:
            yield from self.inner.feed(piece)
        elif self._beginning is not None:
            self._beginning += piece
            if len(self._beginning) >= BEGINNING:
                yield from self._begin(self._beginning)

    def _begin(self, beginning: bytes) -> Iterator[Found]:
        """Choose the parser, and let it read the beginning."""
        self._beginning = None
        name = self._source.url.partition("?")[0].removesuffix(".gz").removesuffix("z")
        chosen = registry().choose("", name, beginning[:BEGINNING])
        if chosen is not None and chosen.format is not self.format and not chosen.format.heavy:
            self.inner = chosen(self._source)
            yield from self.inner.feed(beginning)
