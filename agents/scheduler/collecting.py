"""Crawls that wait for a crawler or have one: what crawlers say of them, and who is counted on."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from msgspec import json
from twisted.internet.defer import Deferred

from agents.order import CrawlFigures
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Crawl, Database
from agents.scheduler.ends import Ends, Told, lies_in
from agents.scheduler.giving import Giving
from agents.scheduler.life import CrawlState
from agents.scheduler.machines import Machines
from agents.scheduler.means import Means
from agents.scheduler.nurseries import Nurseries
from agents.scheduler.places import Places
from agents.scheduler.pool import Peer, Pool, Work
from anet.names import literal
from anet.shared import Shared

_LONGEST_SLEEP = 10.0  # seconds between looks for work, when nothing rings
_LOOK = 5.0  # seconds between looks for attempts that nobody works on
_LONGEST_ADDRESS = 60  # characters

_Result = TypeVar("_Result")


async def _nothing(_site: str) -> None:
    """Follow nothing up."""


class NotYours(Exception):
    """A crawler tells of an attempt that was given to another, or lies in another's folder."""


class Collecting:
    """The crawls that wait for a crawler or have one.

    Attributes:
        pool: the crawlers.
        nurseries: those who fork them.
        machines: where they run.
    """

    def __init__(
        self,
        means: Means,
        deposits_alarm: Alarm,
        serving: Callable[[str], list[str]] = lambda _: [],
        failed: Callable[[str], Coroutine[Any, Any, None]] = _nothing,
    ) -> None:
        """Ring `deposits_alarm` when something is collected.

        Args:
            means: the scheduler's.
            deposits_alarm: wakes whoever has crawls deposited.
            serving: gives the connectivity agents that reach the crawls of a machine.
            failed: called with the name of a site whose crawl has come to nothing.
        """
        self.pool = pool = Pool()
        self.nurseries = Nurseries(means.clock, means.tasks, means.journal)
        self.machines = Machines(means, pool, self.nurseries, serving, self.ring)
        self._means = means
        self._alarm = alarm = Alarm(means.clock, _LONGEST_SLEEP)
        self._places = Places()
        self._ends = Ends(means, pool, self._places, (alarm, deposits_alarm), failed)
        self._giving = Giving(
            means, pool, self._places, self._ends, self.machines, self.nurseries, alarm
        )
        self._orphans: dict[str, float] = {}  # attempts without a crawler, and since when
        self._next_look = 0.0  # for these

    def ring(self) -> None:
        """Look for work now."""
        self._alarm.ring()

    def expect(self, running: list[Crawl]) -> None:
        """Wait for the crawlers that were at work before the scheduler started."""
        patience = self._means.config.restart_absence
        for crawl in running:
            if crawl.name and crawl.crawler:
                work = Work(crawl.name, crawl.crawl, crawl.host, accepted=True, lane=crawl.lane)
                self.pool.expect(crawl.crawler, work, self._seconds(), crawl.machine)
                keys = {crawl.host, *json.decode(crawl.keys, type=list[str])}
                self._places.hold(crawl.name, crawl.site, crawl.lane, keys)
                self._ends.inherited.add(crawl.name)
                self._means.live.begin(crawl.name)
                reason = f"{crawl.crawler} did not come back after the scheduler's restart"
                self._ends.absences.begin(crawl.name, patience, reason)

    async def run(self) -> None:
        """Give work for ever."""
        await self.machines.load()
        while True:
            await self._alarm.wait()
            with self._means.journal.noting("work could not be given"):
                if self._seconds() >= self._next_look:
                    self._next_look = self._seconds() + _LOOK
                    await self._lose_orphans()
                await self._giving.give()

    def stop(self) -> None:
        """Let go of timers."""
        self._ends.absences.clear()

    async def join_nursery(self, peer: Peer) -> None:
        """Take a nursery whose link is up."""
        machine = await self.nurseries.join(peer)
        if machine is not None:
            await self.machines.meet(machine)
            self.ring()

    # What crawlers do

    def join(self, peer: Peer) -> None:
        """Take a crawler whose link is up."""
        self.pool.join(peer, self._seconds())
        self.nurseries.crawler_joined()

    def leave(self, peer: Peer, reason: str) -> None:
        """Wait a little for a crawler whose link closed, if it had work."""
        work = self.pool.leave(peer, self._seconds())
        if work is not None:
            why = f"{peer.name} went away: {reason}"
            self._ends.absences.begin(work.attempt, self._means.config.absence, why)
        self.ring()

    async def ready(self, peer: Peer, attempt: str | None, machine: str = "") -> bool:
        """Hear that a crawler is free, or works on an attempt; tell whether to go on.

        Args:
            peer: the crawler.
            attempt: what it works on, or none.
            machine: that it runs on; empty when it does not say.
        """
        crawler = self.pool.get(peer.name)
        if crawler is None:
            return False
        crawler.machine = machine or crawler.machine
        if not self.machines.knows(crawler.machine):
            await self._shielded(self.machines.meet(crawler.machine))
        if self.pool.get(peer.name) is not crawler or crawler.peer is not peer:
            return False  # it went meanwhile
        if attempt is not None:
            kept = self.pool.keep(peer.name, attempt, self._seconds())
            if kept:
                self._ends.absences.end(attempt)
            else:
                self._giving.trust_later(peer)
            return kept
        work = self.pool.ready(peer.name, self._seconds())
        if work is not None:
            reason = f"{peer.name} came back without it"
            await self._shielded(self._ends.lose(work.attempt, reason))
        self.ring()
        return True

    def progress(
        self, peer: Peer, attempt: str, figures: CrawlFigures, addresses: Sequence[str] = ()
    ) -> None:
        """Hear how far an attempt is, and which addresses it has met besides those told before."""
        if not self.pool.is_at_work(peer.name, attempt):
            return
        self._means.live.collected(attempt, figures, self._seconds())
        known = [found for one in addresses if (found := literal(one[:_LONGEST_ADDRESS]))]
        if shared := self._places.extend(attempt, known):
            self._means.journal.add(
                f"{attempt} has come to {', '.join(shared[:3])}, where another is at work"
            )

    async def finished(self, peer: Peer, attempt: str, told: Told) -> bool:
        """Hear that an attempt has ended; tell whether somebody wanted it.

        It may be told again and again, until it is heard.

        Raises:
            NotYours: it was given to another crawler, or lies in another's folder.
        """
        if not lies_in(attempt, told.directory):
            raise NotYours(f"{attempt[:200]} does not lie in {told.directory[:200]!r}")
        if not self.pool.is_at_work(peer.name, attempt):
            given = await self._means.store.run(Database.crawl_of_attempt, attempt)
            if given is not None and given.crawler != peer.name:
                raise NotYours(f"{attempt} was given to {given.crawler}, and not to {peer.name}")
        self._ends.absences.end(attempt)
        self.pool.finish(peer.name, attempt, self._seconds())
        self.ring()
        return await self._shielded(self._ends.take(attempt, told))

    async def _lose_orphans(self) -> None:
        """Give up attempts that no crawler is counted on for; an error may have lost track.

        Those that end just now are so for a moment too: it must last.
        """
        now, patience = self._seconds(), self._means.config.absence
        crawls = await self._means.store.run(Database.in_state, CrawlState.COLLECTING)
        names = [crawl.name for crawl in crawls if crawl.name]
        self._orphans = {
            name: self._orphans.get(name, now)
            for name in names
            if self.pool.working_on(name) is None
        }
        for name, since in list(self._orphans.items()):
            if now - since >= patience:
                await self._ends.lose(name, "no crawler is known to work on it")

    def _seconds(self) -> float:
        return self._means.clock.seconds()

    def _shielded(self, coroutine: Coroutine[Deferred[Any], Any, _Result]) -> Deferred[_Result]:
        """Let a coroutine come to its end although whoever called us has gone."""
        return Shared(self._means.tasks, coroutine, "what a crawler said").wait()
