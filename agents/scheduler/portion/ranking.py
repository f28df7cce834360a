"""Ranks of all sites, worked out in the background when enough has changed (*INA §1.5.1*)."""

from collections.abc import AsyncIterator

from agents.scheduler.database import Database, Queries
from agents.scheduler.expansion.graph import LinkRow, SiteRow, weight
from agents.scheduler.expansion.ranking import changed_ranks
from agents.scheduler.means import Means
from anet.clock import wall
from anet.tasks import sleep

_LOOK = 60.0  # seconds between looks whether it is time
_STRETCH = 1000  # rows read at once
_CANDIDATES = 200  # whose priority is worked out by one transaction
_OF_SITE, _OF_LINK, _OF_ALL = 250, 40, 128 * 2**20  # bytes of a worker
_LINKS, _DATE = "links ranked", "seconds ranked"  # what is remembered of the last time


class Ranking:
    """Works ranks out, and then who of the candidates comes first."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def run(self) -> None:
        """Work out ranks for ever, whenever it is time."""
        if not self._means.config.expansion.enabled:
            return
        while True:
            await sleep(self._means.clock, _LOOK)
            with self._means.journal.noting("ranks are not worked out"):
                await self._look()

    async def _look(self) -> None:
        store, config = self._means.store, self._means.config.expansion
        learned = await store.look(Queries.links_learned)
        before = await store.look(Queries.remembered, _LINKS) or 0.0
        date = await store.look(Queries.remembered, _DATE) or 0.0
        now = wall(self._means.clock)
        if learned - before >= config.ranks_after or (
            learned > before and now - date >= config.ranks_every
        ):
            await self.rank()
            await store.run(Database.remember, _LINKS, float(learned))
            await store.run(Database.remember, _DATE, now)

    async def rank(self) -> None:
        """Work out the ranks of all sites, and the priorities of all candidates.

        Raises:
            AnetError: the worker process failed.
            OSError: the disk is full.
        """
        means = self._means
        extent = await means.store.look(Queries.extent)
        links = await means.store.look(Queries.links)
        worker = means.processes(_OF_ALL + _OF_SITE * extent.last + _OF_LINK * links)
        worker.startService()
        try:
            folder = means.directory / "scheduler" / "ranks"
            async for ranks in changed_ranks(
                worker, means.files, folder, self._sites(), self._links()
            ):
                await means.store.run(Database.ranked, ranks)
        finally:
            await worker.stopService()
        await self._renew()

    async def _renew(self) -> None:
        """Work out the priorities of all candidates."""
        after, store = 0, self._means.store
        while numbers := await store.look(Queries.candidates_after, after, _CANDIDATES):
            await store.run(Database.renew_priorities, numbers)
            after = numbers[-1]

    async def _sites(self) -> AsyncIterator[list[SiteRow]]:
        after = 0
        while rows := await self._means.store.look(Queries.ranked_after, after, _STRETCH):
            yield rows
            after = rows[-1][0]

    async def _links(self) -> AsyncIterator[list[LinkRow]]:
        after = 0, 0
        while rows := await self._means.store.look(Queries.links_after, *after, _STRETCH):
            yield [(source, target, weight(count)) for source, target, count in rows]
            after = rows[-1][0], rows[-1][1]
