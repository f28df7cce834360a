"""Sites collected again as they change, at a price that crawlers can bear (*INA §1.5.2*)."""

from collections.abc import Callable, Sequence

from agents.scheduler.database import Database, Queries
from agents.scheduler.means import Means
from agents.scheduler.temporal import adapted
from anet.clock import wall
from anet.tasks import sleep

_EVERY = 3600.0  # seconds between changes of the price
_STRETCH = 200  # sites planned by one transaction
_PRICE, _DATE = "price", "seconds priced"  # what is remembered


class KeepingInStep:
    """When sites fall due by themselves.

    Args:
        means: the scheduler's.
        due: called when sites may have fallen due.
    """

    def __init__(self, means: Means, due: Callable[[], None]) -> None:
        self._means, self._due = means, due

    async def run(self) -> None:
        """Plan what nobody has planned, then move the price for ever."""
        means = self._means
        with means.journal.noting("sites are not planned"):
            price = await means.store.look(Queries.remembered, _PRICE)
            means.sequels.price = price or means.sequels.price
            if means.config.temporal.enabled:
                await self._plan_all()
        while means.config.temporal.enabled:
            with means.journal.noting("the price is not worked out"):
                await self._adapt()
            await sleep(means.clock, _EVERY)

    async def replan(self, sites: Sequence[str]) -> None:
        """Plan sites anew, by what is settled for them now.

        Raises:
            NoSuchTransition: there is no such site.
        """
        means, now = self._means, self._means.now()
        await means.store.run(Database.replan, sites, means.sequels.planned(now), now)
        self._due()

    async def replan_campaign(self, campaign: str) -> None:
        """Plan all sites of a campaign anew."""
        after = ""
        while sites := await self._means.store.look(
            Queries.sites_of_campaign, campaign, after, _STRETCH
        ):
            await self.replan(sites)
            after = sites[-1]

    async def _plan_all(self) -> None:
        """Plan sites that are at rest without a plan, as when planning was switched on."""
        after, store = 0, self._means.store
        while rows := await store.look(Queries.unplanned_after, after, _STRETCH):
            await self.replan([site for _, site in rows])
            after = rows[-1][0]

    async def _adapt(self) -> None:
        """Move the price towards that at which crawlers can do what sites ask for."""
        means, now = self._means, wall(self._means.clock)
        store = means.store
        before = await store.look(Queries.remembered, _DATE)
        if before is not None:
            demanded = await store.look(Queries.demand)
            overdue = await store.look(Queries.overdue, means.now())
            capacity = means.config.temporal.requests_per_day
            elapsed = max(0.0, now - before)
            means.sequels.price = adapted(means.sequels.price, demanded, capacity, overdue, elapsed)
        await store.run(Database.remember, _PRICE, means.sequels.price)
        await store.run(Database.remember, _DATE, now)
