"""Reading a document for its links, each judged as soon as it is found."""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve, frozen
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from agents.crawler.reading.heavy import BODY_LIMIT, Extract, HeavyParsers
from agents.crawler.strategy.frontier import Task
from agents.crawler.strategy.judge import Document, Judge
from agents.parsers import (
    BEGINNING,
    COMPONENT,
    Basis,
    Embedded,
    Found,
    Link,
    Parser,
    Source,
    format_of,
    is_vague,
    registry,
)
from agents.parsers.javascript import may_link
from anet.errors import AnetError

FEEDS = frozenset(["feed", "json-feed"])  # formats of feeds
SCRIPT_LIMIT = 1024 * 1024  # characters of the scripts within a page that are run

_JAVASCRIPT = "text/javascript"
_IMPORT_MAP = "application/importmap+json"
_log = Logger()


@frozen
class _Within:
    """What the links of a piece within a document depend on (see `agents.parsers.Basis`).

    Attributes:
        inner: parses the piece.
        outer: of the document, whose base is the piece's if it names none.
    """

    inner: Parser
    outer: Basis

    @property
    def base(self) -> str:
        return self.inner.base or self.outer.base

    @property
    def encoding(self) -> str:
        return self.inner.encoding

    @property
    def truncated(self) -> bool:
        return self.inner.truncated


class LinkReader:
    """Finds the parser of a document, and gives the links to a judge (see `reader.Reader`).

    Args:
        judge: judges the links.
        task: what led to the document.
        kind: its media type, empty if there is none.
        source: what else is known of it.
        heavy: runs heavy parsers; without it, their documents are not read.
        scripts: whether JavaScript is run.
        components_only: whether page links are left aside.
        left_aside: names of formats of which page links are left aside.
        html: name of the format by whose parser HTML is read.
    """

    def __init__(
        self,
        judge: Judge,
        task: Task,
        kind: str,
        source: Source,
        heavy: HeavyParsers | None = None,
        *,
        scripts: bool = True,
        components_only: bool = False,
        left_aside: frozenset[str] = frozenset(),
        html: str = "html",
    ) -> None:
        self._judge = judge
        self._task = task
        self._kind = kind
        self._source = source
        self._heavy = heavy
        self._run_scripts = scripts and heavy is not None
        self._left_aside = left_aside
        # Whether page links are followed; None as long as the format may still turn out.
        self._pages = False if components_only else None if left_aside else True
        self._html = html
        self._beginning: bytearray | None = bytearray()  # None once the format is known
        self._parser: Parser | None = None
        self._document: Document | None = None
        self._scripts: list[str] = []
        self._script_size = 0
        self._inner = False
        self._remote = ""  # name of a heavy format
        self._body = bytearray()

    def feed(self, chunk: bytes) -> Iterator[object]:
        """Take the next bytes; each step is one link."""
        if self._beginning is not None:
            self._beginning += chunk
            if is_vague(self._kind) and len(self._beginning) < BEGINNING:
                return
            chunk = self._begin(self._beginning)
        if self._parser is not None:
            yield from self._take(self._parser.feed(chunk))
        elif self._remote and len(self._body) <= BODY_LIMIT:
            self._body += chunk

    def close(self) -> Iterator[object]:
        """Take the end; a step that is a Deferred is to be waited for."""
        if self._beginning is not None:
            yield from self.feed(b"") if not is_vague(self._kind) else self._late()
        if self._parser is not None:
            yield from self._take(self._parser.close())
            if self._scripts:
                assert self._heavy is not None
                yield from self._await(self._heavy.run_scripts(self._source.url, self._scripts))
        elif self._remote:
            yield from self._read_remotely()
        if self._parser is not None and format_of(self._parser).name in FEEDS:
            self._judge.feed(self._source.url, self._task)
        if self._document is not None:
            self._document.end()

    def _late(self) -> Iterator[object]:
        """Read a document that is shorter than what tells formats apart."""
        assert self._beginning is not None
        chunk = self._begin(self._beginning)
        yield from self.feed(chunk)

    def _begin(self, beginning: bytearray) -> bytes:
        """Choose the parser; return the bytes that it has to read first."""
        self._beginning = None
        chosen = registry().choose(self._kind, self._source.url, bytes(beginning[:BEGINNING]))
        if chosen is None:
            return b""
        name = chosen.format.name
        if name == "html" and self._html != "html":
            chosen = registry().named(self._html)
        if not chosen.format.heavy:
            self._parser = chosen(self._source)
            if self._pages is None and not hasattr(self._parser, "inner"):
                self._pages = name not in self._left_aside
            self._document = self._judge.document(self._task, self._source.url, self._parser)
        elif self._heavy is not None and (self._run_scripts or name != "javascript"):
            self._remote = name
        return bytes(beginning)

    def _take(
        self, findings: Iterable[Found], document: Document | None = None
    ) -> Iterator[object]:
        document = document or self._document
        assert document is not None
        document.begin()
        take = document.take
        pages = self._pages
        for found in findings:
            if isinstance(found, Link):
                if pages or found.kind == COMPONENT or self._follows_pages():
                    take(found)
            elif isinstance(found, Embedded):
                yield from self._embedded(found)
            yield None

    def _follows_pages(self) -> bool:
        """Tell whether page links are followed; the format may turn out in the middle."""
        if self._pages is not None or self._parser is None:
            return self._pages is not False
        return format_of(self._parser).name not in self._left_aside

    def _embedded(self, piece: Embedded) -> Iterator[object]:
        """Read a piece in another format; scripts wait for the end of the page."""
        if piece.media_type == _JAVASCRIPT:
            self._keep(piece.text)
            return
        if piece.media_type == _IMPORT_MAP:
            self._keep(piece.text)  # scripts name their modules by it
        chosen = registry().choose(piece.media_type, "", b"")
        if chosen is None or chosen.format.heavy or self._inner:
            return
        self._inner = True  # pieces within pieces are left aside
        parser = chosen(evolve(self._source, charset="utf-8"))
        assert self._document is not None
        basis = _Within(parser, self._document.basis)
        document = self._judge.document(self._task, self._source.url, basis)
        yield from self._take(parser.feed(piece.text.encode("utf-8", "replace")), document)
        yield from self._take(parser.close(), document)
        document.end()
        self._inner = False

    def _keep(self, script: str) -> None:
        if not self._run_scripts or not may_link(script):
            return
        self._script_size += len(script)
        if self._script_size <= SCRIPT_LIMIT:
            self._scripts.append(script)
        else:
            self._judge.truncated(self._source.url)

    def _read_remotely(self) -> Iterator[object]:
        assert self._heavy is not None
        if len(self._body) > BODY_LIMIT:
            self._judge.truncated(self._source.url)
            return
        yield from self._await(self._heavy.parse(self._remote, self._source, bytes(self._body)))

    def _await(self, call: Any) -> Iterator[object]:
        """Wait for a worker, and judge what it found."""
        answers: list[Extract] = []
        yield Deferred.fromCoroutine(call).addCallbacks(answers.append, self._lost)
        for extract in answers:
            if self._document is None:
                self._document = self._judge.document(self._task, self._source.url, extract)
            yield from self._take(extract.links)

    def _lost(self, failure: Any) -> None:
        failure.trap(AnetError)
        _log.info("{url}: {error}", url=self._source.url, error=failure.value)
        self._judge.lost(self._source.url, str(failure.value))
