"""Has finished crawls deposited, and folders that nobody needs any more removed."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall

from agents.deposit import DepositFigures, HostedFolder
from agents.scheduler.alarm import Alarm
from agents.scheduler.database import Crawl, Database
from agents.scheduler.life import NoSuchTransition
from agents.scheduler.means import Means
from agents.scheduler.orders import policy_of
from agents.scheduler.pool import Peer
from anet.backoff import Backoff
from anet.together import together
from hip import HipError, RemoteError, convert

# What a connectivity agent refuses with when repeating is of no use.
IMPOSSIBLE = frozenset({"no-crawl", "bad-crawl"})
FORBIDDEN = "forbidden"

_LOOKED_AT = 200  # crawls, and folders, looked at in one turn
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds before a deposit is tried again


async def _nothing(_site: str) -> None:
    """Follow nothing up."""


@define
class _Running:
    """A deposit under way, or waiting to be tried again."""

    site: str
    peer: Peer | None = None
    backoff: Backoff = field(factory=lambda: Backoff(_FIRST_WAIT, _LONGEST_WAIT))
    timer: IDelayedCall | None = None


class Depositing:
    """The crawls that are collected and not yet durable in storage."""

    def __init__(
        self,
        means: Means,
        alarm: Alarm,
        ended: Callable[[str], Awaitable[None]] = _nothing,
    ) -> None:
        """Look for work whenever `alarm` rings.

        Args:
            means: the scheduler's.
            alarm: wakes it.
            ended: called with the name of a site whose crawl has come to its end.
        """
        self._means, self._alarm, self._ended = means, alarm, ended
        self._peers: dict[str, Peer] = {}
        self._serve: dict[str, HostedFolder] = {}
        self._running: dict[str, _Running] = {}
        self._sites: set[str] = set()  # of deposits under way
        self._load: Counter[str] = Counter()  # deposits under way, by agent
        self._discarding = False

    async def join(self, peer: Peer) -> None:
        """Take a connectivity agent whose link is up, once it has said what it serves."""
        try:
            serves = convert(await peer.call("serves"), HostedFolder)
        except (HipError, TypeError) as error:
            self._means.journal.add(f"{peer.name} does not say what it serves: {error}")
            return
        self._peers[peer.name], self._serve[peer.name] = peer, serves
        self._alarm.ring()

    def serving(self, machine: str) -> list[str]:
        """Return the names of those that reach the crawls of a machine."""
        return [name for name in self._peers if self._serve[name].machine == machine]

    def leave(self, peer: Peer) -> None:
        """Let a connectivity agent go; what it was asked for fails by itself."""
        if self._peers.get(peer.name) is peer:
            del self._peers[peer.name], self._serve[peer.name]

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
                if self._peers and not self._discarding:
                    self._means.tasks.start(self._discard(), "removing folders")
                await self._deposit_all()

    # Deposits

    async def _deposit_all(self) -> None:
        room = self._room()
        if not room:
            return
        store = self._means.store
        looked_at = min(room, _LOOKED_AT) + len(self._running) - len(self._sites)
        given = self._give(await store.run(Database.collected, looked_at, self._machines()))
        if not given:
            return
        crawls = [crawl for crawl, _ in given]
        begun: list[str] = []
        try:
            begun = await store.run(Database.deposits_began, crawls, self._means.now())
        finally:
            for crawl, peer in given:
                if crawl.crawl in begun:
                    deposit = self._deposit(peer, crawl)
                    self._means.tasks.start(deposit, f"deposit of {crawl.crawl}")
                else:
                    self._try_again(crawl.crawl)
        if len(begun) == min(room, _LOOKED_AT):
            self._alarm.ring()  # there may be more

    def _give(self, crawls: list[Crawl]) -> list[tuple[Crawl, Peer]]:
        """Give crawls to connectivity agents that have room; count on that."""
        given = []
        for crawl in crawls:
            peer = self._free_peer(crawl.machine)
            if peer is None:
                continue
            # What a site's crawls leave to the next is written by one at a time.
            running = self._running.get(crawl.crawl)
            if crawl.site in self._sites or (running and running.timer):
                continue
            if running is None:
                running = self._running[crawl.crawl] = _Running(crawl.site)
            self._begin(running, peer)
            given.append((crawl, peer))
        return given

    def _room(self) -> int:
        """Return how many deposits more may be under way."""
        most = self._means.config.deposits_at_once
        return sum(max(0, most - self._load[name]) for name in self._peers)

    def _machines(self) -> list[str]:
        """Return the machines whose crawls can be deposited now."""
        return sorted({serves.machine for serves in self._serve.values()})

    def _free_peer(self, machine: str) -> Peer | None:
        """Return the agent of a machine with the fewest deposits, unless all have enough.

        Any may do when nobody knows the machine.
        """
        names = self.serving(machine) if machine else self._peers
        name = min(names, key=lambda name: self._load[name], default=None)
        if name is None or self._load[name] >= self._means.config.deposits_at_once:
            return None
        return self._peers[name]

    def _begin(self, running: _Running, peer: Peer) -> None:
        running.peer = peer
        self._sites.add(running.site)
        self._load[peer.name] += 1

    def _leave_off(self, running: _Running) -> None:
        if running.peer is not None:
            self._load[running.peer.name] -= 1
            self._sites.discard(running.site)
            running.peer = None

    async def _deposit(self, peer: Peer, crawl: Crawl) -> None:
        doubt = f"the deposit of {crawl.crawl} is in doubt"
        with self._means.journal.noting(doubt):
            await self._deposit_once(peer, crawl)
        if crawl.crawl in self._running:
            with self._means.journal.noting(doubt), suppress(NoSuchTransition):
                await self._leave_waiting(crawl, "what became of it could not be noted")
        self._try_again(crawl.crawl)

    async def _deposit_once(self, peer: Peer, crawl: Crawl) -> None:
        means = self._means
        means.live.begin(crawl.name or "")
        try:
            answer = await peer.call(
                "deposit",
                timeout=means.config.deposit_patience,
                crawl=crawl.name,
                site=crawl.site,
                directory=crawl.directory,
                machine=crawl.machine or None,
                **policy_of(crawl, means.config),
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
            now = means.now()
            sequel = means.sequels.deposited(crawl, figures, now)
            await means.store.run(Database.deposit_done, crawl.crawl, figures, now, sequel)
            means.journal.tell(f"{crawl.name} is deposited: {figures.captures_recorded} captures")
            self._end(crawl)
            await self._ended(crawl.site)

    async def _broke(self, crawl: Crawl, reason: str) -> None:
        means = self._means
        means.journal.add(f"the deposit of {crawl.crawl} is to be repeated: {reason}")
        await self._leave_waiting(crawl, reason)

    async def _leave_waiting(self, crawl: Crawl, reason: str) -> None:
        now = self._means.now()
        await self._means.store.run(Database.deposit_broke, crawl.crawl, reason, now)

    def _try_again(self, crawl: str) -> None:
        """Try a deposit again after a while, if it has not come to its end."""
        running = self._running.get(crawl)
        if running is not None:
            self._leave_off(running)
            wait = running.backoff.next()
            running.timer = self._means.clock.callLater(wait, self._again, running)

    def _again(self, running: _Running) -> None:
        running.timer = None
        self._alarm.ring()

    async def _impossible(self, crawl: Crawl, reason: str) -> None:
        """Give up, and leave whatever is there for a person to look at."""
        means = self._means
        means.journal.add(f"{crawl.crawl} cannot be deposited from {crawl.directory}: {reason}")
        now = means.now()
        sequel = means.sequels.failed(reason, now)
        await means.store.run(Database.deposit_impossible, crawl.crawl, reason, now, sequel)
        self._end(crawl)
        await self._ended(crawl.site)

    def _end(self, crawl: Crawl) -> None:
        self._leave_off(self._running.pop(crawl.crawl))
        self._means.live.end(crawl.name or "")
        self._alarm.ring()

    # Discards

    async def _discard(self) -> None:
        """Have folders removed, and forget those that are gone, as long as some go."""
        self._discarding = True
        try:
            with self._means.journal.noting("folders are not removed"):
                while await self._discard_some():
                    pass
        finally:
            self._discarding = False

    async def _discard_some(self) -> bool:
        """Have some folders removed; tell whether any went."""
        gone = await together(map(self._discard_on, {*self._machines(), ""}))
        return any(yes is True for yes in gone)

    async def _discard_on(self, machine: str) -> bool:
        """Have some folders of a machine removed; tell whether any went."""
        store, names = self._means.store, self.serving(machine) if machine else [*self._peers]
        if not names:
            return False
        directories = await store.run(Database.discards, _LOOKED_AT, machine)
        tried = [self._discard_one(names[0], directory, machine) for directory in directories]
        gone = await together(tried)
        removed = [name for name, yes in zip(directories, gone, strict=True) if yes is True]
        if removed:
            await store.run(Database.discarded, removed)
        return bool(removed)

    async def _discard_one(self, name: str, directory: str, machine: str) -> bool:
        """Have a folder removed; tell whether to forget it."""
        peer, serves = self._peers.get(name), self._serve.get(name)
        if peer is None or serves is None:
            return False
        if machine:  # whose folders may have another place there than here
            directory = f"{serves.directory}/{Path(directory).name}"
        try:
            await peer.call("discard", directory=directory, machine=machine or None)
        except RemoteError as error:
            self._means.journal.add(f"{directory} is not removed: {error}")
            return error.code == FORBIDDEN
        except HipError:
            return False  # the link is gone; another look follows
        return True
