"""Whether peers are alive: they greet in time, and are never silent, nor deaf, for long.

greeting due --greeted--> watched --silent or deaf--> given up

All links of an agent are watched together: two thousand timers would cost more than what they
watch. A tenth of the links is looked at each tenth of the time between heartbeats, so that the
work is spread.
"""

from typing import Any, Protocol

from twisted.internet.interfaces import IReactorTime

from hip.limits import Limits

SHARES = 10


class Watched(Protocol):
    """What is watched of a link.

    Attributes:
        begun: when it was made.
        heard: when the last byte came.
        spoke: when the last byte went.
        deaf_since: since when the peer does not read; None while it does.
        is_greeted: whether the peer has said who it is.
    """

    begun: float
    heard: float
    spoke: float
    deaf_since: float | None

    @property
    def is_greeted(self) -> bool:
        """Whether the peer has said who it is."""

    def beat(self) -> None:
        """Send a heartbeat."""

    def give_up(self, reason: str) -> None:
        """Take the peer for dead."""


class Liveness:
    """Watches links from their beginning to their end.

    Args:
        clock: tells the time.
        limits: how long is too long.
    """

    def __init__(self, clock: IReactorTime, limits: Limits) -> None:
        self._clock = clock
        self._limits = limits
        self._strangers: set[Watched] = set()  # who have not greeted; all looked at each time
        self._shares: list[set[Watched]] = [set() for _ in range(SHARES)]
        self._turn = 0
        self._timer: Any = None

    def watch(self, link: Watched) -> None:
        """Begin to watch a link."""
        self._strangers.add(link)
        if self._timer is None:
            self._timer = self._clock.callLater(self._limits.heartbeat / SHARES, self._look)

    def forget(self, link: Watched) -> None:
        """Watch a link no more."""
        for links in (self._strangers, *self._shares):
            links.discard(link)
        if self._timer is not None and not self._strangers and not any(self._shares):
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = self._clock.callLater(self._limits.heartbeat / SHARES, self._look)
        self._turn = (self._turn + 1) % SHARES
        now = self._clock.seconds()
        for link in list(self._strangers):
            if link.is_greeted:
                self._strangers.discard(link)
                min(self._shares, key=len).add(link)
            elif now - link.begun > self._limits.greeting_time:
                link.give_up(f"no greeting in {self._limits.greeting_time:g} seconds")
        for link in list(self._shares[self._turn]):
            reason = self._fault(link, now)
            if reason:
                link.give_up(reason)
            elif now - link.spoke >= self._limits.heartbeat / 2:
                link.beat()

    def _fault(self, link: Watched, now: float) -> str:
        """Return why a peer is taken for dead, or nothing when it is alive."""
        longest = self._limits.silence
        if link.deaf_since is not None:
            return f"did not read for {longest:g} s" if now - link.deaf_since > longest else ""
        return f"silent for {longest:g} seconds" if now - link.heard > longest else ""
