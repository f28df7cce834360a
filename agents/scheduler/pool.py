"""The pool of site crawlers: who is free, who is busy with what, who is expected back."""

from collections.abc import Iterator
from typing import Any, Protocol

from attrs import define, field

from agents.scheduler.life import CrawlerEvent, CrawlerState, NoSuchTransition, crawler_after


class Peer(Protocol):
    """What the scheduler uses of `hip.Peer`."""

    @property
    def name(self) -> str:
        """Its name, unique among those linked."""

    @property
    def kind(self) -> str:
        """What it is."""

    def call(self, method: str, /, *, timeout: float = ..., **arguments: Any) -> Any:
        """Call a method of it."""

    def notify(self, method: str, /, **arguments: Any) -> None:
        """Tell it something."""


@define
class Work:
    """What a crawler was given.

    Attributes:
        attempt: the name by which the crawler knows it.
        crawl: the crawl it is an attempt at.
        host: the host collected from.
        accepted: whether the crawler has said that it will.
        lane: that it is collected in; no other site of that is meanwhile.
    """

    attempt: str
    crawl: str
    host: str
    accepted: bool = False
    lane: str = ""


@define
class Crawler:
    """A crawler of the pool.

    Attributes:
        name: its name.
        peer: its link, or none while it is away.
        state: where it is; `life` says what may follow.
        since: when it came to that state, by the clock in seconds.
        work: what it was given and has not given back.
        machine: that it runs on; empty before it has said so.
    """

    name: str
    since: float
    peer: Peer | None = None
    state: CrawlerState = CrawlerState.UNKNOWN
    work: Work | None = None
    machine: str = ""

    def happen(self, event: CrawlerEvent, now: float) -> None:
        """Move to the state after `event`.

        Raises:
            NoSuchTransition: it cannot happen now.
        """
        self.state, self.since = crawler_after(self.state, event), now


@define
class Pool:
    """All crawlers by name; every change is told at its time, in seconds of the clock."""

    _crawlers: dict[str, Crawler] = field(factory=dict)
    _working: dict[str, Crawler] = field(factory=dict)  # by attempt

    def __len__(self) -> int:
        return len(self._crawlers)

    def __iter__(self) -> Iterator[Crawler]:
        return iter(sorted(self._crawlers.values(), key=lambda crawler: crawler.name))

    def get(self, name: str) -> Crawler | None:
        """Return a crawler, or none of that name."""
        return self._crawlers.get(name)

    def free(self) -> list[Crawler]:
        """Return the free crawlers, the one free for longest first."""
        free = [one for one in self._crawlers.values() if one.state is CrawlerState.FREE]
        return sorted(free, key=lambda one: (one.since, one.name))

    def crawlers(self) -> list[Crawler]:
        """Return all crawlers."""
        return list(self._crawlers.values())

    def on(self, machine: str) -> list[Crawler]:
        """Return the crawlers of a machine."""
        return [one for one in self if one.machine == machine]

    def busy_hosts(self) -> set[str]:
        """Return the hosts that a crawler may be fetching from."""
        return {one.work.host for one in self._crawlers.values() if one.work is not None}

    def busy_lanes(self) -> set[str]:
        """Return the lanes in which a site may be being collected."""
        return {one.work.lane for one in self._crawlers.values() if one.work is not None}

    def working_on(self, attempt: str) -> Crawler | None:
        """Return the crawler that was given an attempt, or none."""
        return self._working.get(attempt)

    def is_free(self, name: str) -> bool:
        """Tell whether a crawler may be given something now."""
        crawler = self._crawlers.get(name)
        return crawler is not None and crawler.state is CrawlerState.FREE

    def expect(self, name: str, work: Work, now: float, machine: str = "") -> None:
        """Take note of a crawler that worked before the scheduler started."""
        former = self._crawlers.get(name)
        if former is not None and former.work is not None:
            del self._working[former.work.attempt]
        crawler = self._crawlers[name] = self._working[work.attempt] = Crawler(
            name, now, work=work, machine=machine
        )
        crawler.happen(CrawlerEvent.EXPECTED, now)

    def is_at_work(self, name: str, attempt: str) -> bool:
        """Tell whether an attempt was given to that crawler, and not taken from it."""
        crawler = self._working.get(attempt)
        return crawler is not None and crawler.name == name

    def join(self, peer: Peer, now: float) -> None:
        """Take a crawler whose link is up; it says next whether it is free."""
        crawler = self._crawlers.setdefault(peer.name, Crawler(peer.name, now))
        if crawler.peer is not None:  # it came again before its old link was known to be dead
            crawler.happen(CrawlerEvent.LEFT, now)
        crawler.peer = peer
        crawler.happen(CrawlerEvent.JOINED, now)

    def leave(self, peer: Peer, now: float) -> Work | None:
        """Take note that a link closed; return the work that is in doubt now, if any.

        A crawler without work is forgotten.
        """
        crawler = self._crawlers.get(peer.name)
        if crawler is None or crawler.peer is not peer:
            return None
        crawler.peer = None
        crawler.happen(CrawlerEvent.LEFT, now)
        if crawler.work is None:
            del self._crawlers[peer.name]
        return crawler.work

    def ready(self, name: str, now: float) -> Work | None:
        """Take note that a crawler is free; return the work it had and no longer does, if any.

        What it says before it answers to its last order was said before it knew of that, and
        means nothing.
        """
        crawler = self._crawlers[name]
        if crawler.state is CrawlerState.BUSY and crawler.work and not crawler.work.accepted:
            return None
        crawler.happen(CrawlerEvent.READY, now)
        work, crawler.work = crawler.work, None
        if work is not None:
            del self._working[work.attempt]
        return work

    def assign(self, name: str, work: Work, now: float) -> Peer:
        """Give work to a free crawler; return its link.

        Raises:
            NoSuchTransition: it is not free.
        """
        crawler = self._crawlers[name]
        if crawler.peer is None:
            raise NoSuchTransition(f"{name} is away")
        crawler.happen(CrawlerEvent.ASSIGNED, now)
        crawler.work = work
        self._working[work.attempt] = crawler
        return crawler.peer

    def accept(self, attempt: str) -> None:
        """Take note that a crawler has begun what it was given."""
        crawler = self.working_on(attempt)
        if crawler is not None and crawler.work is not None:
            crawler.work.accepted = True

    def keep(self, name: str, attempt: str, now: float) -> bool:
        """Tell whether we count on a crawler for the attempt that it says it works on.

        If not, nothing is given to it until it says that it is ready.
        """
        crawler = self._crawlers[name]
        if crawler.work is None or crawler.work.attempt != attempt:
            crawler.happen(CrawlerEvent.STALE, now)
            return False
        crawler.happen(CrawlerEvent.CONTINUES, now)
        crawler.work.accepted = True
        return True

    def finish(self, name: str, attempt: str, now: float) -> None:
        """Take note that a crawler is done with an attempt, and free."""
        self.forget(attempt)
        crawler = self._crawlers.get(name)
        if crawler is not None and crawler.peer is not None and crawler.work is None:
            crawler.happen(CrawlerEvent.READY, now)

    def distrust(self, name: str, now: float) -> None:
        """Wait for a crawler to say that it is ready before anything is given to it."""
        crawler = self._crawlers.get(name)
        if crawler is not None and crawler.peer is not None:
            crawler.happen(CrawlerEvent.STALE, now)

    def forget(self, attempt: str) -> None:
        """Take work from whoever has it; one that is away with it is not expected any more."""
        crawler = self._working.pop(attempt, None)
        if crawler is None:
            return
        crawler.work = None
        if crawler.peer is None:
            del self._crawlers[crawler.name]
