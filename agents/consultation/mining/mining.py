"""The graph at work: a file, a thread that uses it, and what is asked of it."""

from pathlib import Path
from typing import Any

import lmdb
from twisted.application.service import Service
from twisted.logger import Logger

from agents import dates
from agents.consultation.mining.asking import Refused
from agents.consultation.mining.extraction import Extracted
from agents.consultation.mining.graph import Graph
from agents.consultation.mining.records import Alike, Backlink, Position
from agents.consultation.mining.walking import Walk
from agents.page import Badge, Cell, Figures, human_bytes
from anet.tasks import Tasks, sleep
from anet.workers import Workers

FILE = "mining.lmdb"
PAUSE = 10.0  # seconds after which a file that cannot be opened is tried again

_log = Logger()


class Mining(Service):
    """Knows which archived documents link to a URL, and which resemble each other.

    Args:
        reactor: which reactor.
        folder: of the agent.
        walk: follows the archive.
    """

    def __init__(self, reactor: Any, folder: Path, walk: Walk) -> None:
        self._reactor = reactor
        self._graph = Graph(folder / FILE)
        self._workers = Workers(reactor, 1, name="mining")
        self._tasks = Tasks()
        self._walk = walk

    def startService(self) -> None:
        """Begin to follow the archive, where it was left."""
        super().startService()
        self._workers.startService()
        self._tasks.start(self._follow(), "mining")

    async def stopService(self) -> None:
        """Stop following; what was noted stays."""
        super().stopService()
        await self._tasks.stop()
        if self._workers.running:
            await self._workers.run(self._graph.close)
            await self._workers.stopService()

    async def _follow(self) -> None:
        while True:
            try:
                await self._workers.run(self._graph.open)
                break
            except (OSError, lmdb.Error) as error:
                _log.error("the file of what is mined cannot be opened: {error}", error=error)
                await sleep(self._reactor, PAUSE)
        await self._walk.run(self._graph, self._workers)

    def reach(self) -> dict[str, Any]:
        """Return how far the archive was followed, as every answer says it."""
        position = self._walk.position or Position()
        return {
            "complete": bool(position.whole),
            "up_to": position.whole,
            "documents": position.documents,
        }

    def figures(self) -> Figures:
        """Return what the agent's page shows of it."""
        position = self._walk.position or Position()
        state = Badge("complete", "good") if position.whole else Badge("being made", "warning")
        shown: dict[str, Cell] = {
            "documents read": position.documents,
            "state": state,
            "file": human_bytes(self._graph.size),
        }
        if position.whole:
            shown["all before (UTC) is known"] = dates.to_words(position.whole)
        return Figures("Mining", shown)

    def documents(self) -> int:
        """Return how many documents were read."""
        return (self._walk.position or Position()).documents

    async def backlinks(self, url: str, after: str, limit: int) -> tuple[list[Backlink], str]:
        """Return documents that link to a URL, and where to go on, or nothing (see `Graph`).

        Raises:
            Refused: `after` is not what an answer gave, or the file is not open yet.
        """
        self._check()
        try:
            return await self._workers.run(self._graph.backlinks, url, after, limit)
        except ValueError:
            raise Refused("after is not what the former answer gave; leave it out") from None

    async def similar(self, content: str, extracted: Extracted, limit: int) -> list[Alike]:
        """Return contents that have text in common with one, the most alike first.

        Raises:
            Refused: the file is not open yet.
        """
        self._check()
        told = (content, extracted.chunks, extracted.signatures, limit)
        return await self._workers.run(self._graph.similar, *told)

    def _check(self) -> None:
        if self._walk.position is None:
            raise Refused("the archive begins to be mined; try again in a moment", 503, "not-yet")
