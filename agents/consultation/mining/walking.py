"""Following the archive: every URL in the order of its key, round after round, at a bounded rate.

WALKING --no URL is left--> RESTING --after a pause, a new round--> WALKING
WALKING --the archive does not answer, or the disk is full--> WAITING
WAITING --it may again--> WALKING, at the same place

What was found is noted together with the place it was found at, so a process that is killed goes
on there and does nothing twice that would change the result.
"""

from collections.abc import Iterator
from typing import Any

import lmdb
from msgspec.structs import replace
from twisted.logger import Logger

from agents import dates
from agents.capture import Capture
from agents.consultation.errors import ConsultationError, Faulted, LookupFailed, NodesFailed
from agents.consultation.harbor.listing import Listed, Listings
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.extraction import Extracted
from agents.consultation.mining.graph import Graph
from agents.consultation.mining.records import Position, Seen
from agents.parsers import Extracts, media_type, registry
from anet.backoff import Backoff
from anet.errors import AnetError, TaskFailed, WorkersUnavailable
from anet.http import parse_head
from anet.tasks import sleep
from anet.workers import Workers

PAUSE = 60.0  # seconds between two rounds, when nothing new is found for long
_SHORT_PAUSE = 2.0  # seconds, after something was
SIZE_LIMIT = 8 * 2**20  # bytes of a document that is read
_URLS = 1000  # asked for at once
_NOTED = 50  # URLs after which what was found is noted
_LOOKS = 20  # URLs looked at in the time of one document that is read
_CONTENTS = 50  # contents of one URL that are read in one round

KEPT_BACK = 451  # status of what the rules keep back

_log = Logger()


class Walk:
    """Follows the archive.

    Args:
        reactor: tells the time, and waits.
        listings: lists URLs.
        retrieval: finds captures.
        extracting: reads documents.
        rate: documents read in a second at most.
        pause: seconds between two rounds at most.

    Attributes:
        position: how far the archive was followed; None before that is known.
    """

    def __init__(
        self,
        reactor: Any,
        listings: Listings,
        retrieval: Retrieval,
        extracting: Extracting,
        rate: float,
        pause: float = PAUSE,
    ) -> None:
        self.position: Position | None = None
        self._reactor = reactor
        self._listings = listings
        self._retrieval = retrieval
        self._extracting = extracting
        self._rate = rate
        self._pause = pause

    async def run(self, graph: Graph, workers: Workers) -> None:
        """Follow the archive for ever, and note in a graph what is found."""
        position = self.position = await workers.run(graph.position)
        short = min(_SHORT_PAUSE, self._pause)
        waits, rests = Backoff(short, self._pause), Backoff(short, self._pause)
        while True:
            read = position.documents
            try:
                position = await self._step(position, graph, workers)
            except (LookupFailed, NodesFailed, AnetError, lmdb.Error) as error:
                _log.info("mining waits: {error}", error=error)
                position = self.position  # some of the step may have been noted
                await sleep(self._reactor, waits.next())
                continue
            self.position = position
            waits.reset()
            if position.documents > read:
                rests.reset()
            if not position.after:
                await sleep(self._reactor, rests.next())

    async def _step(self, position: Position, graph: Graph, workers: Workers) -> Position:
        """Follow some URLs, and note them; return how far that goes."""
        if not position.after:
            position = replace(position, begun=dates.now(self._reactor), silent=False)
        listing = await self._listings.by_key("", position.after, _URLS)
        silent = position.silent or listing.silent > 0 or listing.nodes == 0
        for batch in _batches(listing.urls):
            seen: list[Seen] = []
            for listed in batch:
                silent = not await self._look(listed.url, seen, graph, workers) or silent
                await sleep(self._reactor, 1 / (self._rate * _LOOKS))
            read = position.documents + sum(one.extracted is not None for one in seen)
            position = replace(position, after=batch[-1].key, silent=silent, documents=read)
            await workers.run(graph.note, seen, position)
            self.position = position
        if listing.after is None:
            whole = position.whole if silent else position.begun
            position = replace(position, after="", silent=silent, whole=whole)
            await workers.run(graph.note, [], position)
        elif listing.after != position.after:  # nothing beyond is of the web, as far as it was read
            position = replace(position, after=listing.after, silent=silent)
            await workers.run(graph.note, [], position)
        return position

    async def _look(self, url: str, seen: list[Seen], graph: Graph, workers: Workers) -> bool:
        """Look at one URL; tell whether all that is there could be seen."""
        try:
            lines = await self._retrieval.captures(url)
        except ConsultationError:
            return False
        documents = _documents(lines)
        known = await workers.run(graph.known, list(documents))
        whole, count = True, 0
        for (_, content), captures in documents.items():
            extracted = None
            if (url, content) not in known:
                count += 1
                if count > _CONTENTS:
                    return False
                try:
                    extracted = await self._read(captures[0])
                except ConsultationError as error:
                    # What nobody may see is not known here either, and nothing lacks without it.
                    hidden = isinstance(error, Faulted) and error.fault.status == KEPT_BACK
                    whole = whole and hidden
                    continue
            seen.append(Seen(url, captures[0].date, content, extracted))
            if len(captures) > 1:
                seen.append(Seen(url, captures[-1].date, content))
        return whole

    async def _read(self, line: CaptureLine) -> Extracted | None:
        """Return what a capture's document holds; None if it holds neither links nor text."""
        if not 200 <= line.status < 400 or line.size > SIZE_LIMIT:
            return None
        capture = (await self._retrieval.find(line.url, line.date)).capture
        if capture.content != line.content or not _is_document(capture):
            return None
        content = await self._retrieval.open(capture)
        assert content is not None  # it was not only the head that was asked for
        await sleep(self._reactor, 1 / self._rate)
        try:
            return await self._extracting.extract(capture, content)
        except WorkersUnavailable:
            raise  # the machine is short of something, and the document as good as any
        except TaskFailed as error:  # and would fail again
            _log.info("{url} is not mined: {why}", url=line.url, why=error)
            return None


def _batches(listed: list[Listed]) -> Iterator[list[Listed]]:
    for start in range(0, len(listed), _NOTED):
        yield listed[start : start + _NOTED]


def _documents(lines: list[CaptureLine]) -> dict[tuple[str, str], list[CaptureLine]]:
    """Return the captures of each content of a URL, oldest first."""
    found: dict[tuple[str, str], list[CaptureLine]] = {}
    for line in lines:
        found.setdefault((line.url, line.content), []).append(line)
    return found


def _is_document(capture: Capture) -> bool:
    """Tell whether a capture may hold links or text that count."""
    if capture.status >= 300:
        return True  # its head leads on
    try:
        kind = media_type(parse_head(capture.head).headers.text(b"content-type"))[0]
    except ValueError:
        return False
    chosen = registry().choose(kind, capture.url, b"")
    return chosen is not None and bool(chosen.format.extracts & Extracts.TEXT)
