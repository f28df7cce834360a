"""Having the texts of new contents analysed while a crawl goes on (*INA §1.4.5*).

The crawl only notes which contents are new. A worker process opens them where they lie, a few at a
time; what it tells is written to the file `analysis` of the crawl, and summed up for the report.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from attrs import frozen
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger

from agents.analysis.analyse import Analysis
from agents.analysis.terms import key_of
from agents.analysis.worker import analyse_contents
from agents.crawler.errors import BadFormer
from agents.crawler.former_texts import FormerTexts, Line
from agents.crawler.text_summary import Summary
from agents.parsers import Extracts, registry
from anet.errors import AnetError
from anet.processes import Processes

BATCH = 16  # contents that a worker analyses at once
WAITING_LIMIT = 2000  # contents that may wait; beyond, the crawl waits for them
TIME = 60.0  # seconds that one batch may take

_log = Logger()


@frozen
class Text:
    """A content whose text is to be analysed.

    Attributes:
        digest: its SHA-256.
        path: of the file that it lies in.
        begin: the byte of that file at which it begins.
        size: bytes of it.
        url: that it was received from.
        depth: level of that URL.
        parser: name of its format.
        charset: of its Content-Type header, if any.
        coding: its Content-Encoding, or empty.
    """

    digest: bytes
    path: Path
    begin: int
    size: int
    url: str
    depth: int
    parser: str
    charset: str | None
    coding: str


class Analysing:
    """Analyses the texts of one crawl.

    Args:
        processes: the workers.
        path: the file for what they tell.
        former: the texts of the former crawl.
        terms: special keywords to look for.

    Attributes:
        summary: of what has been analysed so far.
        failures: contents whose analysis failed.
    """

    def __init__(
        self, processes: Processes, path: Path, former: FormerTexts, terms: Sequence[str]
    ) -> None:
        self.summary = Summary()
        self.failures = 0
        self._processes = processes
        self._former = former
        self._terms, self._looked_for = list(terms), key_of(terms)
        self._file = path.open("wb", buffering=256 * 1024)
        self._waiting: deque[Text] = deque()
        self._running: Deferred[None] | None = None
        self._error: OSError | None = None
        self._encode = msgspec.json.Encoder().encode

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether so many contents wait that the crawl should, too."""
        return len(self._waiting) >= WAITING_LIMIT or self._error is not None

    def known(self, digest: bytes, url: str, depth: int) -> None:
        """Take a content that the former crawl had: its text is not analysed again.

        Raises:
            OSError: what is known of it can't be written.
        """
        if (line := self._line(digest)) is not None:
            self._tell(Line(line.content, url, depth, line.text))

    def outdated(self, digest: bytes) -> bool:
        """Tell whether other special keywords were looked for in a content by the former crawl."""
        if self._former.looked_for <= {self._looked_for}:
            return False
        line = self._line(digest)
        return line is not None and line.text.looked_for != self._looked_for

    def add(self, text: Text) -> None:
        """Have a content analysed, in its turn."""
        self._waiting.append(text)
        if self._running is None and len(self._waiting) >= BATCH:
            self._start()

    async def room(self) -> None:
        """Wait while too many contents wait.

        Raises:
            OSError: what they tell can't be written.
        """
        while self.full and self._running is not None:
            await self._end()
        self._check()

    async def finish(self) -> None:
        """Analyse what still waits, and close the file.

        Raises:
            OSError: it can't be written.
        """
        while self._waiting or self._running is not None:
            if self._running is None:
                self._start()
            await self._end()
        self._check()
        self._file.flush()
        self.close()

    def close(self) -> None:
        """Stop at once, and let go of the files."""
        self._waiting.clear()
        if self._running is not None:
            self._running.addErrback(lambda failure: failure.trap(CancelledError)).cancel()
        self._former.close()
        with suppress(OSError):  # what was not written yet may find the disk full
            self._file.close()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _start(self) -> None:
        self._running = Deferred.fromCoroutine(self._run())

    def _end(self) -> Deferred[None]:
        """Return what fires when the batches under way are done; it may be given to many."""
        ended: Deferred[None] = Deferred()
        assert self._running is not None

        def tell(result: Any) -> Any:
            ended.callback(result)
            return result

        self._running.addBoth(tell)
        return ended

    async def _run(self) -> None:
        try:
            while self._waiting:
                size = min(BATCH, len(self._waiting))
                await self._analyse([self._waiting.popleft() for _ in range(size)])
        except OSError as error:
            self._error = error
            self._waiting.clear()
        finally:
            self._running = None

    async def _analyse(self, texts: list[Text]) -> None:
        """Analyse some contents at once; if that fails, one by one, to find out which it was."""
        try:
            told = await self._processes.run(
                analyse_contents, [_told(text) for text in texts], self._terms, time=TIME
            )
        except AnetError as error:
            if len(texts) > 1:
                for text in texts:
                    await self._analyse([text])
                return
            told = [{"failure": str(error)}]
        for text, one in zip(texts, told, strict=True):
            self._take(text, one)

    def _line(self, digest: bytes) -> Line | None:
        try:
            return self._former.line(digest)
        except BadFormer as error:
            _log.warn("{error}", error=error)
            return None

    def _take(self, text: Text, told: dict[str, Any]) -> None:
        if "failure" in told:
            self.failures += 1
            _log.info("{url} is not analysed: {why}", url=text.url, why=told["failure"])
            return
        analysis = msgspec.convert(told, Analysis)
        self._tell(Line(text.digest.hex(), text.url, text.depth, analysis))

    def _tell(self, line: Line) -> None:
        self._file.write(self._encode(line) + b"\n")
        self.summary.add(line, self._former)


def reader_of_text(kind: str, url: str) -> str | None:
    """Return the name of the parser that finds text in documents of a media type, if any does."""
    chosen = registry().choose(kind, url, b"")
    if chosen is None or Extracts.TEXT not in chosen.format.extracts:
        return None
    return chosen.format.name


def _told(text: Text) -> list[Any]:
    where = [str(text.path), text.begin, text.size]
    return [*where, text.parser, text.url, text.charset, text.coding]
