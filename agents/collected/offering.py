"""Giving the scheduler the directories of captures that are whole, until it takes each."""

import shutil
from pathlib import Path
from typing import Any

from twisted.application.service import Service
from twisted.logger import Logger

from agents.collected.captures import Captures
from agents.collected.exchange import Collected
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import HipError, Link

EVERY = 5.0  # seconds between two rounds
_LEAVE_BE = 10_000  # directories that wait; those beyond are found at the next start

_log = Logger()


class Offering(Service):
    """Offers the directories of an agent.

    Args:
        reactor: which reactor.
        scheduler: who is to have them deposited.
        captures: whose directories they are.
        workers: remove those that are not wanted.

    Attributes:
        waiting: those that the scheduler has not taken yet.
    """

    def __init__(self, reactor: Any, scheduler: Link, captures: Captures, workers: Workers) -> None:
        self.waiting: list[Collected] = []
        self._reactor = reactor
        self._scheduler = scheduler
        self._captures = captures
        self._workers = workers
        self._tasks = Tasks()
        captures.on_whole = self._add

    def startService(self) -> None:
        """Begin with those that are there already."""
        super().startService()
        self._tasks = Tasks()
        self._tasks.start(self._run(), "offering captures")

    async def stopService(self) -> None:
        """Offer no more."""
        super().stopService()
        await self._tasks.stop()

    async def _run(self) -> None:
        try:
            found = await self._captures.recover()
            waiting = {each.crawl for each in self.waiting}  # finished since the start
            for collected in found:
                if collected.crawl not in waiting:
                    self._add(collected)
        except OSError as error:
            _log.error("what was collected before cannot be read: {error}", error=error)
        await every(self._reactor, EVERY, self._offer)

    def _add(self, collected: Collected) -> None:
        if len(self.waiting) < _LEAVE_BE:
            self.waiting.append(collected)

    async def _offer(self) -> None:
        """Offer each; one that is not wanted, or deposited already, is removed."""
        while self.waiting and self._scheduler.peer is not None:
            first = self.waiting[0]
            try:
                wanted = await self._scheduler.peer.call("collected", collected=first)
            except HipError as error:
                _log.info("{crawl} is not taken: {error}", crawl=first.crawl, error=error)
                return
            if not wanted:
                await self._workers.run(shutil.rmtree, Path(first.directory), True)
            self.waiting.pop(0)
