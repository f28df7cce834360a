"""Storage nodes and index nodes as an index node sees them: as the master says, as they answer."""

from collections.abc import Iterable, Sequence

from attrs import evolve
from twisted.internet.interfaces import IReactorTime

from agents.storage.index.readings import Disk
from agents.storage.index.sharing import GROUPS, groups_of, owners
from agents.storage.replicas import Rules
from agents.storage.status import Change, Cluster, DiskStatus, IndexStatus, NodeState, NodeStatus

SUSPECT_FOR = 5.0  # seconds that a node which did not answer is taken for down
UNKNOWN_FREE = 1 << 40  # bytes assumed of a node that the master has not described yet


class ClusterView:
    """Which nodes are up, and which index nodes share the keys.

    Until the master has said, the nodes of the former run are taken for up, and the groups of
    the former run are kept: an index node works while the master is away. One that has just
    started does not know yet who is up: nodes that were stay so until it has seen them, or has
    waited for them.

    Args:
        clock: for how long somebody is away.
        name: of this index node.
        grace: seconds that an index node may be away before the others take its share.

    Attributes:
        name: of this index node.
    """

    def __init__(self, clock: IReactorTime, name: str, grace: float) -> None:
        self._clock, self.name, self._grace = clock, name, grace
        self._cluster = Cluster()
        self._told: dict[str, NodeState] = {}
        self._before: dict[str, NodeState] = {}  # nodes that were up, and may not have linked yet
        self._suspects: dict[str, float] = {}
        self._sharers: dict[str, IndexStatus] = {}
        self._away: dict[str, float] = {}
        self._since: dict[str, float] = {}

    @property
    def rules(self) -> Rules:
        """How many replicas are wanted of what."""
        return self._cluster.rules

    @property
    def nodes(self) -> list[NodeState]:
        """All nodes; those that do not answer are down."""
        suspects = self.suspects
        return [evolve(node, up=False) if node.name in suspects else node for node in self.told]

    @property
    def told(self) -> list[NodeState]:
        """All nodes as the master says; some that are up may not have answered just now."""
        return self._cluster.nodes

    @property
    def suspects(self) -> set[str]:
        """The names of nodes that did not answer just now."""
        now = self._clock.seconds()
        return {name for name, until in self._suspects.items() if until > now}

    @property
    def up(self) -> list[NodeState]:
        """The nodes that are up."""
        return [node for node in self.nodes if node.up]

    @property
    def siblings(self) -> list[IndexStatus]:
        """The other index nodes that have a share, up or away for a short time."""
        return [each for each in self.index_nodes if each.name != self.name]

    @property
    def index_nodes(self) -> list[IndexStatus]:
        """All index nodes that have a share."""
        return [self._sharers[name] for name in sorted(self._sharers)]

    @property
    def share(self) -> bytes | None:
        """The groups of this index node; None as long as the master has not said."""
        return groups_of(self.name, self._sharing) if self._sharers else None

    @property
    def owners(self) -> Sequence[str | None]:
        """The name of the index node that has each group; None as `share`."""
        return owners(self._sharing) if self._sharers else (None,) * GROUPS

    @property
    def former_owners(self) -> Sequence[str | None]:
        """As `owners`, without those who have just come: others may not know of them yet.

        One that the master does not reach never will, and is among the siblings for `grace`.
        """
        recent = self._clock.seconds() - 2 * self._grace
        new = {name for name, since in self._since.items() if since > recent}
        return owners(self._sharing - new | {self.name}) if self._sharers else self.owners

    @property
    def _sharing(self) -> frozenset[str]:
        return frozenset({*self._sharers, self.name})

    def assume(self, disks: Iterable[Disk]) -> None:
        """Take the nodes of some disks for up as long as the master says nothing."""
        if self._cluster.nodes:
            return
        nodes: dict[str, NodeStatus] = {}
        for disk in disks:
            status = nodes.setdefault(disk.node, NodeStatus(disk.node, disk.url, free=UNKNOWN_FREE))
            status.disks.extend([DiskStatus(disk.name, folder="")] if disk.name else [])
        up = [NodeState(status, up=True) for status in nodes.values()]
        self._cluster = evolve(self._cluster, nodes=up)

    def change(self, change: Change) -> None:
        """Take a part of what the master says; it counts with the last part."""
        if change.whole:
            self._told.clear()
            self._before = {node.name: node for node in self.told if node.up}
        for name in change.gone:
            self._told.pop(name, None)
            self._before.pop(name, None)
        self._told.update({node.name: node for node in change.nodes})
        for node in change.nodes:
            if node.up:
                self._before.pop(node.name, None)
        if not change.more:
            if not change.young:
                self._before.clear()
            nodes = {**self._told, **self._before}
            self.update(Cluster(change.rules, list(nodes.values()), change.index_nodes))

    def update(self, cluster: Cluster) -> None:
        """Take what there is, as the master says it every few seconds."""
        self._cluster = cluster
        for node in cluster.nodes:
            if not node.up:
                self._suspects.pop(node.name, None)
        self._update_sharers({each.name: each for each in cluster.index_nodes})

    def _update_sharers(self, present: dict[str, IndexStatus]) -> None:
        """Take who is there; who is not keeps the share for a time, and may come back for it."""
        now = self._clock.seconds()
        self._away = {
            name: self._away.get(name, now) for name in self._sharers if name not in present
        }
        waited_for = {
            name: self._sharers[name]
            for name, since in self._away.items()
            if now - since < self._grace
        }
        self._sharers = {**waited_for, **present}
        self._since = {name: self._since.get(name, now) for name in self._sharers}

    def suspect(self, name: str) -> None:
        """Take a node for down for some seconds, because it did not answer."""
        self._suspects[name] = self._clock.seconds() + SUSPECT_FOR

    def names(self, said: Iterable[str]) -> list[str]:
        """Return the names of nodes that somebody named, by name or by base URL."""
        by_url = {node.status.url.rstrip("/"): node.name for node in self._cluster.nodes}
        known = {node.name for node in self._cluster.nodes}
        names = (each if each in known else by_url.get(each.rstrip("/")) for each in said)
        return [name for name in names if name is not None]
