"""Analysing stored contents in a worker process (`anet.processes`), off the crawl's main path."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from agents.analysis.analyse import TEXT_LIMIT, analyse
from agents.analysis.terms import Terms
from agents.decoding import Decoding
from agents.parsers.charset import Text
from agents.parsers.html import HtmlParser
from agents.parsers.link import Embedded, Found
from agents.parsers.page_text import page_text
from agents.parsers.parser import Source
from agents.parsers.registry import registry

BODY_LIMIT = 32 * 1024 * 1024  # bytes of a document, decoded, in which text is looked for
PAGE_LIMIT = 4 * 1024 * 1024  # bytes of a page that is read at once; longer ones chunk by chunk
_PIECE = 64 * 1024


class UnknownCoding(Exception):
    """A content is encoded in a way that is not known here."""


def analyse_contents(documents: list[list[Any]], terms: list[str]) -> list[dict[str, Any]]:
    """Extract the texts of stored contents and analyse them.

    Args:
        documents: of each: the path of the file that its content is in, the byte at which it
            begins there, its size in bytes, the name of its parser, its URL, the charset of its
            Content-Type header or None, and its Content-Encoding or an empty string.
        terms: special keywords, at most `TERMS_LIMIT`.

    Returns:
        of each document the fields of an `Analysis`, or only `failure`, which says in words why
        there is none: one bad document does no harm to the others.
    """
    wanted = _terms(tuple(terms))
    told: list[dict[str, Any]] = []
    for path, begin, size, name, url, charset, coding in documents:
        try:
            content = _read(Path(path), begin, size)
            text = extract(content, name, Source(url, charset, None, True), coding)
            told.append(msgspec.to_builtins(analyse(text, wanted)))
        except Exception as error:  # a parser's fault: all that comes from the web is hostile
            told.append({"failure": f"{type(error).__name__}: {ascii(str(error))}"[:500]})
    return told


def extract(content: Iterable[bytes], name: str, source: Source, coding: str = "") -> str:
    """Return the text of a stored content, at most `TEXT_LIMIT` characters.

    Args:
        content: of the document, in pieces.
        name: of its parser.
        source: what is known of it; it has to ask for text.
        coding: its Content-Encoding.

    Raises:
        OSError: it can't be read.
        UnknownCoding: it can't be decoded.
    """
    pieces = _decoded(content, coding.strip().lower())
    if name == HtmlParser.format.name:
        body = _beginning(pieces)
        text = page_text(_characters(body, source)) if len(body) <= PAGE_LIMIT else None
        if text is not None:
            return text[:TEXT_LIMIT]
        pieces = chain([body], pieces)
    parser = registry().named(name)(source)

    def findings() -> Iterator[Found]:
        for piece in pieces:
            yield from parser.feed(piece)
        yield from parser.close()

    return _text(findings())


def _beginning(pieces: Iterator[bytes]) -> bytes:
    """Return a whole document, or more than `PAGE_LIMIT` bytes of a longer one."""
    body = bytearray()
    while len(body) <= PAGE_LIMIT and (piece := next(pieces, None)) is not None:
        body += piece
    return bytes(body)


def _characters(body: bytes, source: Source) -> str:
    text = Text(source.charset, source.environment, source.url)
    return text.feed(body) + text.close()


def _text(findings: Iterable[Found]) -> str:
    pieces, size = [], 0
    for found in findings:
        if isinstance(found, str) and not isinstance(found, Embedded):
            pieces.append(found)
            size += len(found)
            if size >= TEXT_LIMIT:
                break
    return "".join(pieces)[:TEXT_LIMIT]


def _read(path: Path, begin: int, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(begin)
        while piece := file.read(min(_PIECE, size)):
            size -= len(piece)
            yield piece


def _decoded(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Yield what an encoded content stands for, at most `BODY_LIMIT` bytes.

    Raises:
        UnknownCoding: the coding is not known.
    """
    decoding = Decoding.of(coding)
    if decoding is not None:
        undo = decoding.pieces
        pieces = (plain for piece in pieces for plain in undo(piece))
    elif coding not in ("", "identity"):
        raise UnknownCoding(coding)
    left = BODY_LIMIT
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


@lru_cache(4)
def _terms(terms: tuple[str, ...]) -> Terms:
    return Terms(terms)
