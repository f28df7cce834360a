"""Gives crawls that wait to crawlers that are free, and asks nurseries for more crawlers."""

from collections.abc import Mapping, Sequence

from attrs import evolve

from agents import dates
from agents.order import Order
from agents.scheduler.addresses import Addresses
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Assignment, Crawl, Database
from agents.scheduler.ends import Ends, Told
from agents.scheduler.life import CrawlerState
from agents.scheduler.machines import Machines
from agents.scheduler.means import Means
from agents.scheduler.nurseries import Nurseries
from agents.scheduler.orders import CRAWLS, order_of, surroundings_of
from agents.scheduler.places import Places, hosts_of, keys_of, lane_of
from agents.scheduler.policy import Due, Free, plan
from agents.scheduler.pool import Crawler, Peer, Pool, Work
from agents.scheduler.portion.opening import opens
from anet.errors import AnetError
from anet.tasks import sleep
from hip import ConnectionLost, HipError, NotConnected, RemoteError

_AT_ONCE = 200  # crawls begun in one transaction
_SPARE = 20  # crawls looked at besides those that there is room for; some have to wait
_DISTRUST = 5.0  # seconds before a crawler that refused is asked again, if it says nothing
_ELSEWHERE = 60.0  # seconds that a crawl waits for another crawler than failed it
_ORDER_PATIENCE = 30.0  # seconds for a crawler to take an order
_BUSY = "busy"  # a crawler's refusal


class Giving:
    """Work for the crawlers of a pool."""

    def __init__(
        self,
        means: Means,
        pool: Pool,
        places: Places,
        ends: Ends,
        machines: Machines,
        nurseries: Nurseries,
        alarm: Alarm,
    ) -> None:
        """Ring `alarm` when there may be more to give."""
        self._means, self._pool, self._places, self._ends = means, pool, places, ends
        self._machines, self._nurseries, self._alarm = machines, nurseries, alarm
        self._addresses = Addresses(means.clock, means.tasks, means.look_up, alarm.ring)

    async def give(self) -> None:
        """Give what can be given now."""
        means, most = self._means, self._means.config.maximum_crawlers
        self._machines.retire()
        crawlers = len(self._machines.working()) + self._nurseries.expected
        room = len(self._free()) + max(0, most - crawlers)
        if not room:
            return
        # Those whose addresses are being looked up are in nobody's way.
        wanted = min(room, _AT_ONCE) + self._addresses.asked + _SPARE
        due = await means.store.run(Database.next_due, wanted, means.now(), opens)
        possible, behind = self._possible(due, min(room, _AT_ONCE))
        try:
            moved = 0
            if behind:
                moved = await means.store.run(Database.wait_behind, behind)
            if moved:
                self._alarm.ring()  # others come first now
            # A crawler may have gone in the meantime.
            patient = dates.now(means.clock, means.clock.seconds() - _ELSEWHERE)
            free, busy = self._choice([*possible])
            decided = plan([*possible], free, crawlers, most, busy, patient)
            if decided.assignments:
                await self._start([(one, to, possible[one]) for one, to in decided.assignments])
                if room > _AT_ONCE:
                    self._alarm.ring()
        finally:
            for one in possible:
                if self._pool.working_on(one.attempt) is None:
                    self._places.release(one.attempt)
        self._nurseries.ask(decided.forks, self._machines.works)

    def distrust(self, peer: Peer) -> None:
        """Give nothing to a crawler for a while, unless it says that it is ready."""
        self._pool.distrust(peer.name, self._seconds())
        self.trust_later(peer)

    def trust_later(self, peer: Peer) -> None:
        """Try a crawler again that does not say that it is ready; it may refuse again."""
        self._means.tasks.start(self._trust_again(peer), f"waiting for {peer.name}")

    def _free(self) -> list[Crawler]:
        """Return the crawlers that may be given something, the one free for longest first."""
        return [one for one in self._pool.free() if self._machines.works(one.machine)]

    def _choice(self, due: Sequence[Due]) -> tuple[list[Free], list[Free]]:
        """Return the crawlers to choose from, free and busy, as far as there is a choice.

        There is none for crawls that nobody has failed: they go to whoever is free for longest.
        """
        free = self._free()
        if not any(one.crawlers for one in due):
            return [_as_free(one) for one in free[: len(due)]], []
        busy = [_as_free(one) for one in self._machines.working() if one.work is not None]
        return [_as_free(one) for one in free], busy

    def _possible(
        self, due: Sequence[Due], limit: int
    ) -> tuple[dict[Due, Assignment], list[tuple[str, str]]]:
        """Return the crawls that may begin beside all that run, with where they fetch from.

        They keep their places. The others are to wait in the lanes of those that are there
        already; these follow, with the lanes.
        """
        possible: dict[Due, Assignment] = {}
        behind = []
        for one in due:
            addresses = self._addresses.of(hosts_of(one))
            if addresses is None or len(possible) == limit:
                continue
            keys, lane = keys_of(one, addresses), lane_of(one, addresses)
            if holder := self._places.holder(keys, one.site):
                behind.append((one.crawl, holder.lane))
            else:
                self._places.hold(one.attempt, one.site, lane, keys)
                possible[one] = Assignment(one.crawl, "", "", lane, keys)
        return possible, behind

    async def _start(self, given: list[tuple[Due, Free, Assignment]]) -> None:
        """Begin attempts, and ask crawlers for them."""
        means, pool, seconds = self._means, self._pool, self._seconds()
        peers = {
            due.attempt: pool.assign(free.name, _work(due, assignment), seconds)
            for due, free, assignment in given
        }
        assigned = [
            evolve(assignment, crawler=free.name, machine=free.machine)
            for _, free, assignment in given
        ]
        begun: list[Crawl] = []
        try:
            begun = await means.store.run(Database.start_all, assigned, means.now())
        finally:
            for attempt in peers.keys() - {crawl.name for crawl in begun}:
                pool.finish(peers[attempt].name, attempt, self._seconds())
        for attempt in peers.keys() & {crawl.name for crawl in begun}:
            means.live.begin(attempt)
        means.tasks.start(self._tell(begun, peers), f"ordering {len(begun)} crawls")

    async def _tell(self, begun: Sequence[Crawl], peers: Mapping[str, Peer]) -> None:
        """Ask crawlers for what has begun, once it is known what is on the disk about it."""
        means = self._means
        try:
            around = await means.files.run(surroundings_of, means.directory, means.territory, begun)
        except (AnetError, OSError) as error:
            for crawl in begun:
                await self._unable(peers[crawl.name or ""], crawl.name or "", str(error))
            return
        for crawl in begun:
            attempt, order = crawl.name or "", order_of(crawl, means.config, around[crawl.site])
            collect = self._collect(peers[attempt], attempt, order)
            means.tasks.start(collect, f"ordering {attempt}")

    async def _collect(self, peer: Peer, attempt: str, order: Order) -> None:
        means = self._means
        try:
            await peer.call("collect", timeout=_ORDER_PATIENCE, order=order)
        except RemoteError as error:
            if error.code == _BUSY:
                await self._refused(peer, attempt, str(error))
            else:
                self._pool.finish(peer.name, attempt, self._seconds())
                directory = str(means.directory / CRAWLS / attempt)
                await self._ends.take(attempt, Told(directory, error=str(error)))
        except (ConnectionLost, NotConnected):
            pass  # `leave` hears of it, and waits: the crawler may have taken the order
        except (HipError, AnetError, OSError) as error:
            await self._unable(peer, attempt, str(error))
        else:
            self._pool.accept(attempt)
            means.journal.tell(f"{peer.name} collects {order.start_url} as {attempt}")

    async def _unable(self, peer: Peer, attempt: str, reason: str) -> None:
        """Give up an attempt that could not be asked for."""
        self.distrust(peer)
        await self._ends.lose(attempt, reason)

    async def _refused(self, peer: Peer, attempt: str, reason: str) -> None:
        """Give the crawl to another, and this crawler nothing for a while."""
        self.distrust(peer)
        try:
            await self._means.store.run(Database.refused, attempt, reason, self._means.now())
        finally:
            self._ends.forget(attempt)

    async def _trust_again(self, peer: Peer) -> None:
        await sleep(self._means.clock, _DISTRUST)
        crawler = self._pool.get(peer.name)
        if crawler and crawler.peer is peer and crawler.state is CrawlerState.STOPPING:
            self._pool.ready(peer.name, self._seconds())
            self._alarm.ring()

    def _seconds(self) -> float:
        return self._means.clock.seconds()


def _work(due: Due, assignment: Assignment) -> Work:
    return Work(due.attempt, due.crawl, due.host, lane=assignment.lane)


def _as_free(crawler: Crawler) -> Free:
    return Free(crawler.name, crawler.machine)
