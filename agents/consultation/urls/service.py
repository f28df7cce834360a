"""The index of URLs as a part of the agent: opened, followed and closed with it."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from attrs import asdict
from twisted.application.service import Service
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

from agents.consultation.access.rules import Rules
from agents.consultation.lookup.fuzzy import Fuzzy
from agents.consultation.lookup.structures import Nodes
from agents.consultation.lookup.url_rules import UrlRules
from agents.consultation.urls.following import Following, Heard
from agents.consultation.urls.index import UrlIndex
from agents.consultation.urls.tables import READERS, Tables
from agents.page import Badge, Figures, human_bytes
from anet.http import HttpClient
from anet.tasks import Tasks
from anet.workers import Workers

_log = Logger()


class Urls(Service):
    """Keeps the index of URLs, and follows the storage nodes for it.

    Attributes:
        index: the index.
    """

    def __init__(
        self,
        reactor: Any,
        folder: Path,
        url_rules: UrlRules,
        rules: Rules,
        nodes: Callable[[], Awaitable[Nodes]],
        client: HttpClient,
        period: float,
    ) -> None:
        """Keep it in `folder`, and look every `period` seconds at what `nodes` returns.

        `heard` may be set to be told of other records (see `Following`).
        """
        self.heard: Heard = lambda names: None
        path, mark = folder / "urls.mdb", mark_of(url_rules)
        self.index, self._workers = make_index(path, reactor, Fuzzy(url_rules), rules, mark)
        self._following = Following(
            reactor, self.index, nodes, client, period, lambda names: self.heard(names)
        )
        self._path = path
        self._tasks = Tasks()

    def startService(self) -> None:
        """Open the index, and begin to follow; without it the archive is read all the same."""
        super().startService()
        for workers in self._workers:
            workers.startService()
        self._tasks.start(self._begin(), "the index of URLs")

    async def _begin(self) -> None:
        try:
            await self.index.open()
        except OSError as error:
            _log.error("no index of URLs in {path}: {error}", path=self._path, error=error)
            return
        await self._following.start()

    async def stopService(self) -> None:
        """Follow no more, and close the index."""
        super().stopService()
        await self._tasks.stop()
        await self._following.stop()
        await self.index.close()
        for workers in self._workers:
            await workers.stopService()

    def figures(self) -> Figures:
        """Return what the agent's page shows of it."""
        index, behind = self.index, len(self._following.behind)
        state = Badge("complete", "good") if index.complete else Badge("being made", "warning")
        return Figures(
            "Index of URLs",
            {
                "URLs": index.count,
                "file": human_bytes(index.size),
                "state": state,
                "storage nodes behind": behind,
            },
        )

    def status(self) -> dict[str, Any]:
        """Return the same for programs."""
        return {
            "urls": self.index.count,
            "bytes": self.index.size,
            "complete": self.index.complete,
            "behind": sorted(self._following.behind),
            "failures": self._following.failures,
        }


def make_index(
    path: Path, reactor: IReactorFromThreads, fuzzy: Fuzzy, rules: Rules, mark: str
) -> tuple[UrlIndex, list[Workers]]:
    """Return an index, and the threads that it needs."""
    writer = Workers(reactor, 1, name="writer of the index of URLs")
    readers = Workers(reactor, READERS, name="readers of the index of URLs")
    return UrlIndex(Tables(path, fuzzy.form, mark), writer, readers, fuzzy, rules), [
        writer,
        readers,
    ]


def mark_of(rules: UrlRules) -> str:
    """Return a mark that tells these rules from others, by which an index must be made again."""
    return sha256(msgspec.json.encode(asdict(rules))).hexdigest()[:16]
