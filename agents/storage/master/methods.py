"""What the storage master answers over HIP: to storage nodes, index nodes, and anybody."""

from collections.abc import Callable
from typing import NoReturn

from attrs import field, frozen

from agents.capture import Capture, is_key
from agents.deposit import ContentSize
from agents.storage.catalogue import Catalogue
from agents.storage.disk.layout import Kind
from agents.storage.master.mending import Mending
from agents.storage.master.registry import Registry
from agents.storage.status import Added, Followed, IndexStatus, NodeState, NodeStatus
from hip import CallRefused, Peer, exposed


@frozen
class MasterStatus:
    """How the replication layer is.

    Attributes:
        nodes: the storage nodes.
        index_nodes: the index nodes that are up.
        replicas: what the replicas of everything must be worth together, at least.
        mended: repairs done since the master started.
        failed: repairs that failed, and are tried again.
        waiting: additions whose replicas have not been counted yet.
        sweeping: how much of a count of all replicas is done, from 0 to 1, or none.
    """

    nodes: list[NodeState] = field(factory=list)
    index_nodes: list[IndexStatus] = field(factory=list)
    replicas: float = 2
    mended: int = 0
    failed: int = 0
    waiting: int = 0
    sweeping: float | None = None


class StorageMasterMethods:
    """The methods; see the docstring of each."""

    def __init__(
        self,
        registry: Registry,
        catalogue: Catalogue,
        mending: Mending,
        on_index: Callable[[], None],
    ) -> None:
        self._registry, self._catalogue, self._mending = registry, catalogue, mending
        self._on_index = on_index
        self.added_entries = 0

    # Storage nodes

    @exposed(roles=("storage-node",))
    async def register(self, peer: Peer, status: NodeStatus) -> dict[str, Followed]:
        """Be a storage node, up from now on; returns how far the log of each disk is followed."""
        if peer.kind != "storage-node" or status.name != peer.name:
            raise CallRefused("not-a-storage-node", "only a storage node registers, as itself")
        disks = [disk.name for disk in status.disks]
        followed = await self._catalogue.register(status.name, status.url, disks)
        self._registry.node_joins(status, peer)
        self._mending.sweep_in(self._mending.settle)
        return followed

    @exposed(roles=("storage-node",))
    async def added(self, peer: Peer, added: Added) -> Followed:
        """Take a part of the log of a disk of the caller; returns how far it has been followed."""
        followed = await self._catalogue.add(peer.name, added)
        self._mending.look_at(added.entries)
        self.added_entries += len(added.entries)
        return followed

    @exposed(roles=("storage-node",))
    def alive(self, peer: Peer, status: NodeStatus) -> None:
        """Say how the calling storage node is."""
        self._registry.node_says(status, peer)

    # Index nodes

    @exposed(roles=("index-node",))
    def register_index(self, peer: Peer, status: IndexStatus) -> None:
        """Be an index node, to which clients are redirected from now on."""
        if peer.kind != "index-node" or status.name != peer.name:
            raise CallRefused("not-an-index-node", "only an index node registers, as itself")
        self._registry.index_joins(status, peer)
        self._on_index()

    # Anybody

    @exposed
    def status(self) -> MasterStatus:
        """Return the nodes, and how repairs stand."""
        mending = self._mending
        return MasterStatus(
            nodes=self._registry.nodes,
            index_nodes=self._registry.index_nodes,
            replicas=self._registry.rules.replicas,
            mended=mending.mended,
            failed=mending.failed,
            waiting=mending.waiting,
            sweeping=mending.sweeping,
        )

    @exposed
    async def where(self, kind: Kind, key: str) -> list[str]:
        """Return the names of all nodes, up or not, that hold a content or a structure file."""
        if not is_key(key):
            raise CallRefused("not-a-key", "a key is a SHA-256 in 64 hexadecimal digits")
        held = await self._catalogue.holders([(kind, key)])
        return sorted(holding.node for holding in held[key])

    # Clients that came while no index node was up; they are redirected once one is

    @exposed
    def place(self, contents: list[ContentSize]) -> None:
        """Refuse "no-index": the master places nothing itself."""
        _refuse()

    @exposed
    def record(self, captures: list[Capture], stored: dict[str, list[str]]) -> None:
        """Refuse "no-index": the master records nothing itself."""
        _refuse()

    @exposed
    def find(self, kind: Kind, key: str) -> None:
        """Refuse "no-index": the master finds nothing itself."""
        _refuse()


def _refuse() -> NoReturn:
    raise CallRefused(
        "no-index", "no index node is up; keep the link, and be redirected once one is"
    )
