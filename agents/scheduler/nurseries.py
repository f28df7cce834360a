"""Asks nurseries for more crawlers (*INA §1.5*)."""

from twisted.internet.interfaces import IReactorTime

from agents.scheduler.journal import Journal
from agents.scheduler.pool import Peer
from anet.tasks import Tasks
from hip import HipError

_PATIENCE = 30.0  # seconds for a crawler that was asked for to join


class Nurseries:
    """The nurseries linked to the scheduler, and the crawlers asked of them."""

    def __init__(self, clock: IReactorTime, tasks: Tasks, journal: Journal) -> None:
        self._clock, self._tasks, self._journal = clock, tasks, journal
        self._peers: dict[str, Peer] = {}
        self._asked: list[float] = []

    def join(self, peer: Peer) -> None:
        """Take a nursery whose link is up."""
        self._peers[peer.name] = peer

    def leave(self, peer: Peer) -> None:
        """Let a nursery go whose link closed."""
        if self._peers.get(peer.name) is peer:
            del self._peers[peer.name]

    @property
    def expected(self) -> int:
        """How many crawlers were asked for and have not joined yet."""
        oldest = self._clock.seconds() - _PATIENCE
        self._asked = [asked for asked in self._asked if asked > oldest]
        return len(self._asked)

    def crawler_joined(self) -> None:
        """Take note that one more crawler is there."""
        if self._asked:
            self._asked.pop(0)

    def ask(self, count: int) -> None:
        """Ask a nursery for `count` more crawlers; without effect when there is none."""
        peer = next(iter(self._peers.values()), None)
        if peer is None or count <= 0:
            return
        self._asked += [self._clock.seconds()] * count
        self._tasks.start(self._fork(peer, count), f"asking {peer.name} for crawlers")

    async def _fork(self, peer: Peer, count: int) -> None:
        try:
            await peer.call("fork", count=count)
        except HipError as error:
            self._journal.add(f"{peer.name} forks no crawler: {error}")
