"""What one archived document holds, found in a worker process (`anet.processes`).

Documents come from the web and are hostile: what reads them dies, or is killed, without harm. The
parsers are the crawler's own, so a miner sees the links that a crawl of the archive would follow.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

import msgspec
import webencodings
from attrs import evolve

from agents.analysis.analyse import analyse
from agents.analysis.terms import Terms
from agents.decoding import Decoding
from agents.parsers import BEGINNING, Embedded, Found, Link, Parser, Source, media_type, registry
from agents.parsers.header_links import header_links
from agents.parsers.javascript import may_link
from agents.parsers.javascript.worker import run
from agents.urls import canonical
from anet.http import Headers, ResponseHead, parse_head

BODY_LIMIT = 32 * 1024 * 1024  # bytes of a document, as stored and decoded
LINKS_LIMIT = 20_000  # different links of one document
TEXT_LIMIT = 1024 * 1024  # characters of its text
SCRIPT_LIMIT = 1024 * 1024  # characters of the scripts within a page that are run
_TITLE_WITHIN = 256 * 1024  # bytes in which the title is looked for
_TITLE_LIMIT = 500  # characters
_TITLE = re.compile(rb"<title(?:\s[^>]*+)?>([^<]*+)", re.IGNORECASE)
_JAVASCRIPT = "text/javascript"
_IMPORT_MAP = "application/importmap+json"


class FoundLink(msgspec.Struct, frozen=True):
    """A link of a document (see `agents.parsers.Link`).

    Attributes:
        url: canonical.
        kind: `page`, followed by a person's act, or `component`, fetched by the browser itself.
        text: what a person reads of it.
        feed: whether the document says that it is a feed.
        stream: whether it leads to live or streamed media.
    """

    url: str
    kind: str
    text: str = ""
    feed: bool = False
    stream: bool = False


class Extracted(msgspec.Struct, frozen=True):
    """What a document holds. It crosses pipes.

    Attributes:
        format: name of the parser that read it; empty if none knows its format.
        links: each URL once for each kind, in the order of the document.
        text: what a person reads of it.
        title: of a page.
        languages: of the text, the most used first, each with its share of it.
        keywords: of the text, each with its number, the foremost first.
        chunks: different chunks of the text.
        signatures: the smallest of the chunks' hashes (`agents.analysis.signatures`), written.
        truncated: whether something is missing, because the document passes a limit.
    """

    format: str = ""
    links: tuple[FoundLink, ...] = ()
    text: str = ""
    title: str = ""
    languages: tuple[tuple[str, float], ...] = ()
    keywords: tuple[tuple[str, int], ...] = ()
    chunks: int = 0
    signatures: str = ""
    truncated: bool = False


def extract(body: bytes, head: bytes, url: str) -> dict[str, Any]:
    """Return what a document holds: the fields of an `Extracted`.

    Args:
        body: as stored.
        head: of the answer that it came with.
        url: canonical, of the document.
    """
    answer = _answer(head)
    headers = Headers() if answer is None else answer.headers
    kind, charset = media_type(headers.text(b"content-type"))
    decoded, cut = _decoded(body, headers.text(b"content-encoding"))
    reading = _Reading(Source(url, charset, None, True))
    if answer is not None:
        reading.read_head(answer)
    chosen = registry().choose(kind, url, decoded[:BEGINNING])
    if chosen is None:
        return _told(Extracted(links=tuple(reading.links.values()), truncated=cut))
    parser = reading.read(chosen, decoded)
    told = analyse(reading.text, Terms(()))
    return _told(
        Extracted(
            format=chosen.format.name,
            links=tuple(reading.links.values()),
            text=reading.text,
            title=_title(decoded, parser.encoding) if "html" in chosen.format.name else "",
            languages=tuple((name, share) for name, share, _ in told.languages),
            keywords=tuple(told.keywords),
            chunks=told.chunks,
            signatures=told.signatures,
            truncated=cut or reading.truncated,
        )
    )


def _told(extracted: Extracted) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(extracted)
    return told


class _Reading:
    """Takes what the head, the document, and the pieces within it hold."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._size = self._script_size = 0
        self._scripts: list[str] = []
        self.links: dict[tuple[str, str], FoundLink] = {}
        self.truncated = False

    @property
    def text(self) -> str:
        return "".join(self._pieces)[:TEXT_LIMIT]

    def read_head(self, answer: ResponseHead) -> None:
        """Take the links of header fields."""
        fields = answer.headers
        found = header_links(
            fields.get(b"location") if 300 <= answer.status < 400 else None,
            fields.get(b"refresh"),
            fields.get_all(b"link"),
            [*fields.get_all(b"content-location"), *fields.get_all(b"sourcemap")],
        )
        for link in found:
            self._link(link, "", "utf-8")

    def read(self, chosen: type[Parser], body: bytes) -> Parser:
        """Read a document; return its parser, which knows its base and encoding."""
        parser = chosen(self._source)
        for found in _findings(parser, body):
            if isinstance(found, Link):
                self._link(found, parser.base, parser.encoding)
            elif isinstance(found, Embedded):
                self._embedded(found, parser)
            elif isinstance(found, str):
                self._say(found)
        if self._scripts:  # together, as a browser does
            told = run(self._source.url, self._scripts)
            for fields in told["links"]:
                self._link(Link(*fields), parser.base, parser.encoding)
            self.truncated |= told["truncated"]
        self.truncated |= parser.truncated
        return parser

    def _link(self, link: Link, base: str, encoding: str) -> None:
        base = (base and canonical(base, self._source.url)) or self._source.url
        url = canonical(link.url, base, encoding)
        if url is None or (url, link.kind) in self.links:
            return
        if len(self.links) >= LINKS_LIMIT:
            self.truncated = True
            return
        found = FoundLink(url, link.kind, link.text, link.feed, link.stream)
        self.links[url, link.kind] = found

    def _say(self, text: str) -> None:
        if self._size >= TEXT_LIMIT:
            self.truncated = True
            return
        self._pieces.append(text)
        self._size += len(text)
        self.truncated |= self._size > TEXT_LIMIT

    def _embedded(self, piece: Embedded, outer: Parser) -> None:
        if piece.media_type in (_JAVASCRIPT, _IMPORT_MAP):
            self._keep(piece.text)
            return
        chosen = registry().choose(piece.media_type, "", b"")
        if chosen is None or chosen.format.heavy:
            return
        inner = chosen(evolve(self._source, charset="utf-8"))
        for found in _findings(inner, piece.text.encode("utf-8", "replace")):
            if isinstance(found, Link):
                self._link(found, inner.base or outer.base, inner.encoding)

    def _keep(self, script: str) -> None:
        if not may_link(script):
            return
        self._script_size += len(script)
        if self._script_size <= SCRIPT_LIMIT:
            self._scripts.append(script)
        else:
            self.truncated = True


def _findings(parser: Parser, body: bytes) -> Iterator[Found]:
    yield from parser.feed(body)
    yield from parser.close()


def _answer(head: bytes) -> ResponseHead | None:
    try:
        return parse_head(head)
    except ValueError:
        return None


def _decoded(body: bytes, coding: str) -> tuple[bytes, bool]:
    """Return what a stored body stands for, and whether something is missing of it."""
    decoding = Decoding.of(coding.strip().lower())
    if decoding is None:
        return body[:BODY_LIMIT], len(body) > BODY_LIMIT
    whole = bytearray()
    for piece in _until(decoding.pieces(body), BODY_LIMIT):
        whole += piece
    return bytes(whole[:BODY_LIMIT]), decoding.cut or len(whole) > BODY_LIMIT


def _until(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        yield piece
        size += len(piece)
        if size > limit:
            return


def _title(body: bytes, encoding: str) -> str:
    found = _TITLE.search(body, 0, _TITLE_WITHIN)
    if found is None:
        return ""
    codec = webencodings.lookup(encoding) or webencodings.UTF8
    words: str = codec.codec_info.decode(found[1], "replace")[0]
    return " ".join(unescape(words).split())[:_TITLE_LIMIT]
