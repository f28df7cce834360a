"""The storage nodes as an index node sees them: as the master says, and as they answer."""

from collections.abc import Iterable, Mapping

from attrs import evolve
from twisted.internet.interfaces import IReactorTime

from agents.storage.replicas import Rules
from agents.storage.status import Cluster, DiskStatus, NodeState, NodeStatus

SUSPECT_FOR = 5.0  # seconds that a node which did not answer is taken for down
UNKNOWN_FREE = 1 << 40  # bytes assumed of a node that the master has not described yet


class ClusterView:
    """Which nodes are up.

    Until the master has said, the nodes of the former run are taken for up: an index node
    works while the master is away.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._cluster = Cluster()
        self._suspects: dict[str, float] = {}

    @property
    def rules(self) -> Rules:
        """How many replicas are wanted of what."""
        return self._cluster.rules

    @property
    def nodes(self) -> list[NodeState]:
        """All nodes; those that do not answer are down."""
        now = self._clock.seconds()
        return [
            evolve(node, up=False) if self._suspects.get(node.name, 0.0) > now else node
            for node in self._cluster.nodes
        ]

    @property
    def up(self) -> list[NodeState]:
        """The nodes that are up."""
        return [node for node in self.nodes if node.up]

    def assume(self, urls: Mapping[str, str], disks: Mapping[str, Iterable[str]]) -> None:
        """Take nodes for up as long as the master says nothing.

        Args:
            urls: their names and base URLs.
            disks: the names of the disks of each.
        """
        if not self._cluster.nodes:
            nodes = [NodeState(_unknown(name, urls[name], disks[name]), up=True) for name in urls]
            self._cluster = evolve(self._cluster, nodes=nodes)

    def update(self, cluster: Cluster) -> None:
        """Take what the master says."""
        self._cluster = cluster
        for node in cluster.nodes:
            if not node.up:
                self._suspects.pop(node.name, None)

    def suspect(self, name: str) -> None:
        """Take a node for down for some seconds, because it did not answer."""
        self._suspects[name] = self._clock.seconds() + SUSPECT_FOR

    def names(self, said: Iterable[str]) -> list[str]:
        """Return the names of nodes that somebody named, by name or by base URL."""
        by_url = {node.status.url.rstrip("/"): node.name for node in self._cluster.nodes}
        known = {node.name for node in self._cluster.nodes}
        names = (each if each in known else by_url.get(each.rstrip("/")) for each in said)
        return [name for name in names if name is not None]


def _unknown(name: str, url: str, disks: Iterable[str]) -> NodeStatus:
    """Return what is assumed of a node that the master has not described yet."""
    return NodeStatus(
        name, url, free=UNKNOWN_FREE, disks=[DiskStatus(disk, folder="") for disk in disks if disk]
    )
