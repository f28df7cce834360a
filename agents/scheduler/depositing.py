"""Has finished crawls deposited, and folders that nobody needs any more removed."""

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall

from agents.deposit import DepositFigures
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Crawl, Database
from agents.scheduler.life import CrawlState
from agents.scheduler.means import Means
from agents.scheduler.pool import Peer
from anet.backoff import Backoff
from hip import HipError, RemoteError, convert

# What a connectivity agent refuses with when repeating is of no use.
IMPOSSIBLE = frozenset({"no-crawl", "bad-crawl"})
FORBIDDEN = "forbidden"

_LOOKED_AT = 200  # crawls, and folders, looked at in one turn
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds before a deposit is tried again


@define
class _Running:
    """A deposit under way, or waiting to be tried again."""

    site: str
    peer: Peer | None = None
    backoff: Backoff = field(factory=lambda: Backoff(_FIRST_WAIT, _LONGEST_WAIT))
    timer: IDelayedCall | None = None


class Depositing:
    """The crawls that are collected and not yet durable in storage."""

    def __init__(self, means: Means, alarm: Alarm) -> None:
        """Look for work whenever `alarm` rings."""
        self._means, self._alarm = means, alarm
        self._peers: dict[str, Peer] = {}
        self._running: dict[str, _Running] = {}

    def join(self, peer: Peer) -> None:
        """Take a connectivity agent whose link is up."""
        self._peers[peer.name] = peer
        self._alarm.ring()

    def leave(self, peer: Peer) -> None:
        """Let a connectivity agent go; what it was asked for fails by itself."""
        if self._peers.get(peer.name) is peer:
            del self._peers[peer.name]

    def stop(self) -> None:
        """Let go of timers."""
        for running in self._running.values():
            if running.timer is not None and running.timer.active():
                running.timer.cancel()

    async def run(self) -> None:
        """Have crawls deposited and folders removed, for ever."""
        while True:
            await self._alarm.wait()
            with self._means.journal.noting("deposits wait"):
                await self._deposit_all()
                await self._discard_all()

    # Deposits

    async def _deposit_all(self) -> None:
        if self._free_peer() is None:
            return
        store = self._means.store
        for crawl in await store.run(Database.in_state, CrawlState.COLLECTED, _LOOKED_AT):
            running = self._running.setdefault(crawl.crawl, _Running(crawl.site))
            peer = self._free_peer()
            if peer is None:
                return
            if self._at_work(crawl.site):
                continue  # what a site's crawls leave to the next is written by one at a time
            if running.peer is None and running.timer is None:
                running.peer = peer
                self._means.tasks.start(self._deposit(peer, crawl), f"deposit of {crawl.crawl}")

    def _at_work(self, site: str) -> bool:
        return any(one.site == site and one.peer is not None for one in self._running.values())

    def _free_peer(self) -> Peer | None:
        """Return the connectivity agent with the fewest deposits, unless all have enough."""
        load = dict.fromkeys(self._peers, 0)
        for running in self._running.values():
            if running.peer is not None and running.peer.name in load:
                load[running.peer.name] += 1
        name = min(load, key=lambda name: load[name], default=None)
        if name is None or load[name] >= self._means.config.deposits_at_once:
            return None
        return self._peers[name]

    async def _deposit(self, peer: Peer, crawl: Crawl) -> None:
        with self._means.journal.noting(f"the deposit of {crawl.crawl} is in doubt"):
            await self._deposit_once(peer, crawl)
        running = self._running.get(crawl.crawl)
        if running is not None:  # it has not ended
            self._try_again(running)

    async def _deposit_once(self, peer: Peer, crawl: Crawl) -> None:
        means = self._means
        means.live.begin(crawl.name or "")
        await means.store.run(Database.deposit_began, crawl.crawl, means.now())
        try:
            answer = await peer.call(
                "deposit",
                timeout=means.config.deposit_patience,
                crawl=crawl.name,
                site=crawl.site,
                directory=crawl.directory,
            )
            figures = convert(answer, DepositFigures)
        except RemoteError as error:
            if error.code in IMPOSSIBLE:
                await self._impossible(crawl, str(error))
            else:
                await self._broke(crawl, str(error))
        except (HipError, TypeError) as error:
            await self._broke(crawl, str(error))
        else:
            await means.store.run(Database.deposit_done, crawl.crawl, figures, means.now())
            means.journal.tell(f"{crawl.name} is deposited: {figures.captures_recorded} captures")
            self._end(crawl)

    async def _broke(self, crawl: Crawl, reason: str) -> None:
        means = self._means
        means.journal.add(f"the deposit of {crawl.crawl} is to be repeated: {reason}")
        await means.store.run(Database.deposit_broke, crawl.crawl, reason, means.now())

    def _try_again(self, running: _Running) -> None:
        """Try again after a while."""
        running.peer = None
        wait = running.backoff.next()
        running.timer = self._means.clock.callLater(wait, self._again, running)

    def _again(self, running: _Running) -> None:
        running.timer = None
        self._alarm.ring()

    async def _impossible(self, crawl: Crawl, reason: str) -> None:
        """Give up, and leave whatever is there for a person to look at."""
        means = self._means
        means.journal.add(f"{crawl.crawl} cannot be deposited from {crawl.directory}: {reason}")
        await means.store.run(Database.deposit_impossible, crawl.crawl, reason, means.now())
        self._end(crawl)

    def _end(self, crawl: Crawl) -> None:
        self._running.pop(crawl.crawl, None)
        self._means.live.end(crawl.name or "")
        self._alarm.ring()

    # Discards

    async def _discard_all(self) -> None:
        peer = next(iter(self._peers.values()), None)
        if peer is None:
            return
        for directory in await self._means.store.run(Database.discards, _LOOKED_AT):
            try:
                await peer.call("discard", directory=directory)
            except RemoteError as error:
                self._means.journal.add(f"{directory} is not removed: {error}")
                if error.code != FORBIDDEN:
                    continue
            except HipError:
                return  # the link is gone; another look follows
            await self._means.store.run(Database.discarded, directory)
