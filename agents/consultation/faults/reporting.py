"""Holes on their way to the disk, and to the scheduler (*INA §2.4.2*)."""

from typing import Any

from twisted.application.service import Service
from twisted.logger import Logger

from agents.consultation.faults.missing import Hole, Missing
from agents.consultation.faults.missing_log import MissingLog
from agents.missed import AT_ONCE, URL_LIMIT, MissedLink
from agents.urls import canonical
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import HipError, Link

EVERY = 2.0  # seconds between two rounds

_log = Logger()


class Reporting(Service):
    """Writes changes down, and tells the scheduler of links that were missed.

    What the scheduler did not take is told again, also after a restart. Told twice, it has no
    effect there.

    Args:
        reactor: which reactor.
        missing: the holes.
        log: where they are kept; None where they are not.
        scheduler: who is told.
        workers: one thread, which begins and ends with this.

    Attributes:
        problem: why the scheduler does not take them, or the disk; empty when all is well.
    """

    def __init__(
        self,
        reactor: Any,
        missing: Missing,
        log: MissingLog | None,
        scheduler: Link,
        workers: Workers,
    ) -> None:
        self.problem = ""
        self._reactor, self._missing, self._log = reactor, missing, log
        self._scheduler, self._workers = scheduler, workers
        self._tasks = Tasks()

    def startService(self) -> None:
        """Recall what a former run had noted, then write and tell."""
        super().startService()
        self._workers.startService()
        self._tasks = Tasks()
        self._tasks.start(self._run(), "reporting what is missing")

    async def stopService(self) -> None:
        """Write what is not written yet."""
        super().stopService()
        await self._tasks.stop()
        await self._write()
        await self._workers.stopService()

    async def _run(self) -> None:
        if self._log is not None:
            try:
                self._missing.recall(await self._workers.run(self._log.read))
            except OSError as error:
                self._trouble(f"the log of what is missing cannot be read: {error}")
        await every(self._reactor, EVERY, self._round)

    async def _round(self) -> None:
        self.problem = ""
        await self._tell()
        await self._write()

    async def _tell(self) -> None:
        peer = self._scheduler.peer
        while peer is not None and (due := self._missing.due(AT_ONCE)):
            links = [link for hole in due if (link := _link_of(hole)) is not None]
            try:
                if links:
                    await peer.call("missed", links=links)
            except HipError as error:
                self._trouble(f"the scheduler does not take what is missing: {error}")
                return
            self._missing.told(due)

    async def _write(self) -> None:
        changed = self._missing.changed
        if self._log is None or not changed:
            changed.clear()
            return
        self._missing.changed = {}
        try:
            if await self._workers.run(self._log.add, list(changed.values())):
                everything = self._missing.newest(self._missing.limit)[::-1]
                await self._workers.run(self._log.renew, everything)
        except OSError as error:
            self._missing.unwritten(changed)
            self._trouble(f"the log of what is missing cannot be written: {error}")

    def _trouble(self, problem: str) -> None:
        self.problem = problem
        _log.warn("{problem}", problem=problem)


def _link_of(hole: Hole) -> MissedLink | None:
    """Return what the scheduler is told of a hole; none where it could not be collected."""
    if len(hole.url) > URL_LIMIT or canonical(hole.url) != hole.url:
        return None
    page = canonical(hole.page) or ""
    return MissedLink(hole.url, page if len(page) <= URL_LIMIT else "", hole.times, hole.date)
