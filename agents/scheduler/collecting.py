"""Gives crawls to crawlers, and sees to it that each comes to an end."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

from agents.order import CrawlFigures
from agents.scheduler.absences import Absences
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Crawl, Database
from agents.scheduler.life import CrawlerState, CrawlState, NoSuchTransition
from agents.scheduler.means import Means
from agents.scheduler.nurseries import Nurseries
from agents.scheduler.orders import CRAWLS, formers_of, order_of
from agents.scheduler.policy import Due, plan
from agents.scheduler.pool import Peer, Pool, Work
from anet.errors import AnetError
from anet.shared import Shared
from anet.tasks import sleep
from hip import ConnectionLost, HipError, NotConnected, RemoteError

_LONGEST_SLEEP = 10.0  # seconds between looks for work, when nothing rings
_LOOK = 5.0  # seconds between looks for attempts that nobody works on
_AT_ONCE = 200  # crawls begun in one transaction
_DISTRUST = 5.0  # seconds before a crawler that refused is asked again, if it says nothing
_ORDER_PATIENCE = 30.0  # seconds for a crawler to take an order
_BUSY = "busy"  # a crawler's refusal

_Result = TypeVar("_Result")


class Collecting:
    """The crawls that wait for a crawler or have one.

    Attributes:
        pool: the crawlers.
    """

    def __init__(self, means: Means, nurseries: Nurseries, deposits_alarm: Alarm) -> None:
        self.pool = Pool()
        self._means, self._nurseries, self._deposits_alarm = means, nurseries, deposits_alarm
        self._alarm = Alarm(means.clock, _LONGEST_SLEEP)
        self._absences = Absences(means.clock, self._give_up)
        self._orphans: dict[str, float] = {}  # attempts without a crawler, and since when
        self._next_look = 0.0  # for these
        self._inherited: set[str] = set()  # attempts that ran before the scheduler was started

    def ring(self) -> None:
        """Look for work now."""
        self._alarm.ring()

    def expect(self, running: list[Crawl]) -> None:
        """Wait for the crawlers that were at work before the scheduler started."""
        patience = self._means.config.restart_absence
        for crawl in running:
            if crawl.name and crawl.crawler:
                work = Work(crawl.name, crawl.crawl, crawl.host, accepted=True)
                self.pool.expect(crawl.crawler, work, self._seconds())
                self._inherited.add(crawl.name)
                self._means.live.begin(crawl.name)
                reason = f"{crawl.crawler} did not come back after the scheduler's restart"
                self._absences.begin(crawl.name, patience, reason)

    async def run(self) -> None:
        """Give work for ever."""
        while True:
            await self._alarm.wait()
            with self._means.journal.noting("work could not be given"):
                if self._seconds() >= self._next_look:
                    self._next_look = self._seconds() + _LOOK
                    await self._lose_orphans()
                await self._give_work()

    def stop(self) -> None:
        """Let go of timers."""
        self._absences.clear()

    # What crawlers do

    def join(self, peer: Peer) -> None:
        """Take a crawler whose link is up."""
        self.pool.join(peer, self._seconds())
        self._nurseries.crawler_joined()

    def leave(self, peer: Peer, reason: str) -> None:
        """Wait a little for a crawler whose link closed, if it had work."""
        work = self.pool.leave(peer, self._seconds())
        if work is not None:
            why = f"{peer.name} went away: {reason}"
            self._absences.begin(work.attempt, self._means.config.absence, why)
        self.ring()

    async def ready(self, peer: Peer, attempt: str | None) -> bool:
        """Hear that a crawler is free, or works on an attempt; tell whether to go on."""
        if self.pool.get(peer.name) is None:
            return False
        if attempt is not None:
            kept = self.pool.keep(peer.name, attempt, self._seconds())
            if kept:
                self._absences.end(attempt)
            else:
                self._trust_later(peer)
            return kept
        work = self.pool.ready(peer.name, self._seconds())
        if work is not None:
            await self._shielded(self._lose(work.attempt, f"{peer.name} came back without it"))
        self.ring()
        return True

    async def finished(
        self,
        peer: Peer,
        attempt: str,
        directory: str,
        figures: CrawlFigures,
        error: str | None,
        again: bool = False,
    ) -> bool:
        """Hear that an attempt has ended; tell whether somebody wanted it.

        It may be told again and again, until it is heard.
        """
        self._absences.end(attempt)
        self.pool.finish(peer.name, attempt, self._seconds())
        self.ring()
        return await self._shielded(self._take(attempt, directory, figures, error, again))

    # Giving work

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
                await self._lose(name, "no crawler is known to work on it")

    async def _give_work(self) -> None:
        config, pool = self._means.config, self.pool
        crawlers = len(pool) + self._nurseries.expected
        room = len(pool.free()) + max(0, config.maximum_crawlers - crawlers)
        if not room:
            return
        store, now = self._means.store, self._means.now()
        due = await store.run(Database.next_due, min(room, _AT_ONCE), now)
        decided = plan(due, pool.free(), crawlers, config.maximum_crawlers)
        # A crawler may have gone in the meantime.
        assigned = [pair for pair in decided.assignments if pool.is_free(pair[1])]
        if assigned:
            await self._start(assigned)
        if room > _AT_ONCE and assigned:
            self.ring()
        self._nurseries.ask(decided.forks)

    async def _start(self, assigned: list[tuple[Due, str]]) -> None:
        """Begin attempts, and ask crawlers for them."""
        means, seconds = self._means, self._seconds()
        peers = {
            due.attempt: self.pool.assign(crawler, Work(due.attempt, due.crawl, due.host), seconds)
            for due, crawler in assigned
        }
        pairs = [(due.crawl, crawler) for due, crawler in assigned]
        begun: list[Crawl] = []
        try:
            begun = await means.store.run(Database.start_all, pairs, means.now())
        finally:
            for attempt in peers.keys() - {crawl.name for crawl in begun}:
                self.pool.finish(peers[attempt].name, attempt, self._seconds())
        sites = [crawl.site for crawl in begun]
        formers = means.files.run(formers_of, means.directory, sites)
        looked_up = Shared(means.tasks, _result(formers), "looking for former crawls")
        for crawl in begun:
            attempt = crawl.name or ""
            means.live.begin(attempt)
            collect = self._collect(peers[attempt], attempt, crawl, looked_up)
            means.tasks.start(collect, f"ordering {attempt}")

    async def _collect(
        self, peer: Peer, attempt: str, crawl: Crawl, formers: Shared[dict[str, Path]]
    ) -> None:
        means = self._means
        try:
            former = (await formers.wait()).get(crawl.site)
            order = order_of(crawl, means.config, former)
            await peer.call("collect", timeout=_ORDER_PATIENCE, order=order)
        except RemoteError as error:
            if error.code == _BUSY:
                await self._refused(peer, attempt, str(error))
            else:
                self.pool.finish(peer.name, attempt, self._seconds())
                await self._take(attempt, self._directory_of(attempt), CrawlFigures(), str(error))
        except (ConnectionLost, NotConnected):
            pass  # `leave` hears of it, and waits: the crawler may have taken the order
        except (HipError, AnetError, OSError) as error:
            self._distrust(peer)
            await self._lose(attempt, str(error))
        else:
            self.pool.accept(attempt)
            means.journal.tell(f"{peer.name} collects {crawl.start_url} as {attempt}")

    async def _refused(self, peer: Peer, attempt: str, reason: str) -> None:
        """Give the crawl to another, and this crawler nothing for a while."""
        means = self._means
        self._distrust(peer)
        self.pool.forget(attempt)
        await means.store.run(Database.refused, attempt, reason, means.now())
        self.ring()

    def _distrust(self, peer: Peer) -> None:
        self.pool.distrust(peer.name, self._seconds())
        self._trust_later(peer)

    def _trust_later(self, peer: Peer) -> None:
        self._means.tasks.start(self._trust_again(peer), f"waiting for {peer.name}")

    async def _trust_again(self, peer: Peer) -> None:
        """Try a crawler again that did not say that it is ready; it may refuse again."""
        await sleep(self._means.clock, _DISTRUST)
        crawler = self.pool.get(peer.name)
        if crawler and crawler.peer is peer and crawler.state is CrawlerState.STOPPING:
            self.pool.ready(peer.name, self._seconds())
            self.ring()

    # Ends

    def _give_up(self, attempt: str, reason: str) -> None:
        self._means.tasks.start(self._lose(attempt, reason), f"giving up {attempt}")

    async def _lose(self, attempt: str, reason: str) -> None:
        """Give up an attempt whose crawler is gone; another will be made, up to a limit.

        What is lost over the scheduler's own restart does not count: most often somebody stopped
        the whole archive.
        """
        means = self._means
        change = Database.put_off if attempt in self._inherited else Database.lost
        self._inherited.discard(attempt)
        self._absences.end(attempt)
        self.pool.forget(attempt)
        means.live.end(attempt)
        directory = self._directory_of(attempt)
        try:
            crawl = await means.store.run(change, attempt, reason, directory, means.now())
        except NoSuchTransition:
            return  # it came to another end before
        means.journal.add(f"{attempt} is lost: {reason}")
        if crawl.state is CrawlState.FAILED:
            means.journal.add(f"{crawl.crawl} is given up after {crawl.attempt} attempts")
        self.ring()
        self._deposits_alarm.ring()

    async def _take(
        self,
        attempt: str,
        directory: str,
        figures: CrawlFigures,
        error: str | None,
        again: bool = False,
    ) -> bool:
        """Note the end of an attempt; what nobody wants is discarded."""
        means, now = self._means, self._means.now()
        try:
            if error and again:
                means.journal.add(f"{attempt} is to be made again: {error}")
                await means.store.run(Database.put_off, attempt, error, directory, now)
                means.live.end(attempt)
            elif error:
                means.journal.add(f"{attempt} failed: {error}")
                await means.store.run(Database.erred, attempt, figures, error, directory, now)
                means.live.end(attempt)
            else:
                await means.store.run(Database.finished, attempt, directory, figures, now)
                means.journal.tell(f"{attempt} is collected: {figures.captures} captures")
            return True
        except NoSuchTransition:
            return await self._told_before(attempt, directory)
        finally:
            self.ring()
            self._deposits_alarm.ring()

    async def _told_before(self, attempt: str, directory: str) -> bool:
        crawl = await self._means.store.run(Database.crawl_of_attempt, attempt)
        if crawl is not None and crawl.directory == directory:
            return True
        await self._means.store.run(Database.discard, directory, self._means.now())
        return False

    def _directory_of(self, attempt: str) -> str:
        return str(self._means.directory / CRAWLS / attempt)

    def _seconds(self) -> float:
        return self._means.clock.seconds()

    def _shielded(self, coroutine: Coroutine[Deferred[Any], Any, _Result]) -> Deferred[_Result]:
        """Let a coroutine come to its end although whoever called us has gone."""
        return Shared(self._means.tasks, coroutine, "what a crawler said").wait()


async def _result(deferred: Deferred[_Result]) -> _Result:
    return await deferred
