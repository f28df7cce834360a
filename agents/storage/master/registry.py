"""The storage nodes and index nodes as the master sees them: which are up, which are waited for."""

from collections.abc import Iterable

from attrs import define, evolve
from twisted.internet.interfaces import IReactorTime

from agents.storage.master.telling import Telling
from agents.storage.replicas import Rules
from agents.storage.status import Cluster, IndexStatus, NodeState, NodeStatus
from hip import Peer


@define
class _Node:
    """A storage node: what it said last, its link while it is up, and since when it is away."""

    status: NodeStatus
    peer: Peer | None
    away_since: float = 0.0


class Registry:
    """Who is there.

    Args:
        clock: for how long a node is away.
        rules: told to the index nodes.
        grace: seconds that a node may be away before it counts as lost.

    Attributes:
        rules: how many replicas are wanted of what.
        changed: when a node last came or went.
        telling: tells the index nodes.
    """

    def __init__(self, clock: IReactorTime, rules: Rules, grace: float) -> None:
        self._clock, self.rules, self._grace = clock, rules, grace
        self._nodes: dict[str, _Node] = {}
        self._indexes: dict[str, tuple[IndexStatus, Peer]] = {}
        self._turn = 0
        self._drained: frozenset[str] = frozenset()
        self._started = self.changed = clock.seconds()
        self.telling = Telling(clock, lambda: self.cluster)

    @property
    def nodes(self) -> list[NodeState]:
        """All nodes ever known."""
        return [
            NodeState(self._with_drain(node.status), node.peer is not None)
            for node in self._nodes.values()
        ]

    def _with_drain(self, status: NodeStatus) -> NodeStatus:
        return evolve(status, draining=True) if status.name in self._drained else status

    @property
    def cluster(self) -> Cluster:
        """What index nodes are told."""
        young = self._clock.seconds() - self._started < self._grace
        return Cluster(self.rules, self.nodes, self.index_nodes, young)

    @property
    def up(self) -> set[str]:
        """Names of the nodes that are up."""
        return {name for name, node in self._nodes.items() if node.peer is not None}

    @property
    def waited_for(self) -> set[str]:
        """Names of the nodes that are away, but not for long."""
        oldest = self._clock.seconds() - self._grace
        return {
            name
            for name, node in self._nodes.items()
            if node.peer is None and node.away_since > oldest
        }

    @property
    def index_nodes(self) -> list[IndexStatus]:
        """The index nodes that are up."""
        return [status for status, _ in self._indexes.values()]

    def drain(self, names: Iterable[str]) -> None:
        """Take which nodes are to be emptied, besides those that say so themselves."""
        self._drained = frozenset(names)
        self.telling.soon()

    def forget(self, name: str) -> None:
        """Know a node no more."""
        self._nodes.pop(name, None)

    def remember(self, name: str, url: str) -> None:
        """Take note of a node of a former run, which is waited for."""
        away = _Node(NodeStatus(name, url), None, self._clock.seconds())
        self._nodes.setdefault(name, away)

    def node_joins(self, status: NodeStatus, peer: Peer) -> None:
        """Take a storage node as up."""
        self._nodes[status.name] = _Node(status, peer)
        self._change()

    def emptied(self, status: NodeStatus) -> set[str]:
        """Return the disks that hold nothing any more, by what their node said before and now."""
        node = self._nodes.get(status.name)
        before = node.status.disks if node is not None else []
        full = {disk.name for disk in before if disk.contents + disk.structures}
        return {disk.name for disk in status.disks if not disk.contents + disk.structures} & full

    def node_says(self, status: NodeStatus, peer: Peer) -> set[str]:
        """Take what a storage node says of itself; the index nodes are told soon enough.

        Returns:
            Names of the disks that it has no more.
        """
        node = self._nodes.get(status.name)
        if node is None or node.peer is not peer:
            return set()
        gone = {disk.name for disk in node.status.disks} - {disk.name for disk in status.disks}
        node.status = status
        return gone

    def index_joins(self, status: IndexStatus, peer: Peer) -> None:
        """Take an index node as up."""
        _, former = self._indexes.get(status.name, (status, peer))
        self.telling.leave(former)
        self._indexes[status.name] = (status, peer)
        self.telling.join(peer)

    def leaves(self, peer: Peer) -> str | None:
        """Take note that a link is gone; return the name of the storage node it was, if one."""
        for name, (_, index) in list(self._indexes.items()):
            if index is peer:
                del self._indexes[name]
                self.telling.leave(peer)
                self.telling.soon()  # for the index nodes share the keys
        for name, node in self._nodes.items():
            if node.peer is peer:
                node.peer, node.away_since = None, self._clock.seconds()
                self._change()
                return name
        return None

    def peer(self, name: str) -> Peer | None:
        """Return the link of a storage node, if it is up."""
        node = self._nodes.get(name)
        return node.peer if node is not None else None

    def url(self, name: str) -> str:
        """Return the base URL of a storage node."""
        return self._nodes[name].status.url

    def index_address(self) -> str | None:
        """Return where to send the next client, each index node in turn; None without one."""
        if not self._indexes:
            return None
        self._turn += 1
        names = sorted(self._indexes)
        return self._indexes[names[self._turn % len(names)]][0].address

    def _change(self) -> None:
        self.changed = self._clock.seconds()
        self.telling.soon()
