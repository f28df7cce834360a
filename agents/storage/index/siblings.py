"""The other index nodes: what they know of the groups that are theirs.

Of two index nodes the one whose name comes first links to the other, and both ask over that
link. What a sibling cannot answer is not known, and whoever asked goes to the storage nodes.
What one records is acknowledged only when the sibling that has its group has taken note of it; one
that does not take note loses its link, and an index node that is not linked to all others is sure
of nothing.

Where the master does not reach all of them, they differ in who has which group. So one that links
to us, and of which the master has not told us, is told of all that we record; and we are sure of
nothing.
"""

from collections.abc import Sequence

from attrs import field, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.storage.disk.layout import Kind
from agents.storage.index.view import ClusterView
from agents.storage.policy import Holding
from anet.tasks import Tasks, every
from hip import Agent, HipError, Link, Peer, convert

PORTION = 2000  # keys of one call
_TIMEOUT = 5.0  # seconds that a sibling may take
_LOOK_EVERY = 1.0
_log = Logger()

Place = tuple[Kind, str]


@frozen
class Known:
    """What is known of who holds a key.

    Attributes:
        holdings: the nodes, the fullest copy first.
        sure: whether all are known that are up.
    """

    holdings: list[Holding] = field(factory=list)
    sure: bool = False


class Siblings:
    """Links to the other index nodes."""

    def __init__(self, clock: IReactorTime, agent: Agent, view: ClusterView) -> None:
        self._clock, self._agent, self._view = clock, agent, view
        self._links: dict[str, tuple[str, Link]] = {}
        self._tasks = Tasks()

    def start(self) -> None:
        """Begin to link to them."""
        self._tasks.start(every(self._clock, _LOOK_EVERY, self.look), "linking to index nodes")

    async def stop(self) -> None:
        """Link to no more; the agent ends the links there are."""
        await self._tasks.stop()

    async def look(self) -> None:
        """Link to those that are new, and drop the links to those that are gone."""
        wanted = {
            each.name: each.address
            for each in self._view.siblings
            if each.name > self._agent.agent_name
        }
        for name, (address, link) in list(self._links.items()):
            if wanted.get(name) != address:
                del self._links[name]
                self._agent.links.remove(link)
                await link.disownServiceParent()
        for name in wanted.keys() - self._links.keys():
            self._links[name] = (wanted[name], self._agent.connect(wanted[name]))

    def peer(self, name: str) -> Peer | None:
        """Return the link to a sibling, if there is one now."""
        _, link = self._links.get(name, ("", None))
        peer = link.peer if link is not None else self._agent.slaves.get(name)
        is_sibling = peer is not None and (peer.name, peer.kind) == (name, "index-node")
        return peer if is_sibling else None

    @property
    def links(self) -> frozenset[Peer] | None:
        """The links to all siblings; None when one is missing, or the master has not told yet."""
        if self._view.share is None or self.strangers:
            return None
        peers = [self.peer(each.name) for each in self._view.siblings]
        return None if None in peers else frozenset(filter(None, peers))

    @property
    def strangers(self) -> list[str]:
        """Names of the index nodes that have linked to us, and of which the master has not told."""
        known = {each.name for each in self._view.siblings}
        linked = self._agent.slaves.items()
        return [name for name, peer in linked if peer.kind == "index-node" and name not in known]

    async def ask(self, name: str, places: Sequence[Place]) -> list[Known]:
        """Return what a sibling knows of keys; nothing, when it does not answer."""
        found: list[Known] = []
        for start in range(0, len(places), PORTION):
            found += await self._ask(name, places[start : start + PORTION])
        return found

    async def _ask(self, name: str, places: Sequence[Place]) -> list[Known]:
        unknown = [Known()] * len(places)
        peer = self.peer(name)
        if peer is None:
            return unknown
        try:
            answer = await peer.call("holdings", timeout=_TIMEOUT, wanted=list(places))
            found = convert(answer, list[Known])
        except (HipError, TypeError) as error:
            _log.warn("{name} does not say who holds what: {why}", name=name, why=error)
            return unknown
        return found if len(found) == len(places) else unknown

    async def tell(self, name: str, notes: Sequence[tuple[Kind, str, list[str]]]) -> None:
        """Have a sibling, if it is linked, take note of what was just stored in its groups.

        The link to one that does not is ended: it must read the logs before it denies anything.
        """
        peer = self.peer(name)
        try:
            for start in range(0, len(notes), PORTION):
                if peer is not None:
                    portion = list(notes[start : start + PORTION])
                    await peer.call("noted", timeout=_TIMEOUT, stored=portion)
        except HipError as error:
            _log.warn("{name} takes no note of what is stored: {why}", name=name, why=error)
            if peer is not None:
                peer.close("no note was taken of what was stored")
