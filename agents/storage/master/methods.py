"""What the storage master answers over HIP: to storage nodes, index nodes, and anybody."""

from collections.abc import Callable, Collection
from typing import NoReturn

from agents.capture import Capture, is_key
from agents.deposit import ContentSize
from agents.storage.belonging import Belonging
from agents.storage.catalogue import Catalogue
from agents.storage.disk.additions import Entry
from agents.storage.disk.layout import Kind
from agents.storage.master.mending import Mending
from agents.storage.master.orders import Orders
from agents.storage.master.registry import Registry
from agents.storage.master.unread import Unread
from agents.storage.status import Added, Followed, IndexStatus, NodeStatus
from hip import CallRefused, Peer, exposed

_COUNTS_LIMIT = 10_000
_REFERENCES_LIMIT = 1 << 40  # more do not count


class NodeMethods:
    """What storage nodes and index nodes call; see the docstring of each.

    Attributes:
        added_entries: how many were taken in.
    """

    def __init__(
        self,
        registry: Registry,
        catalogue: Catalogue,
        orders: Orders,
        mending: Mending,
        unread: Unread,
        belonging: Belonging,
        on_index: Callable[[], None],
    ) -> None:
        self._registry, self._catalogue = registry, catalogue
        self._orders, self._mending, self._unread = orders, mending, unread
        self._belonging, self._on_index = belonging, on_index
        self.added_entries = 0

    @exposed(roles=("storage-node",))
    async def register(self, peer: Peer, status: NodeStatus, mark: str = "") -> dict[str, Followed]:
        """Be a storage node, up from now on; returns how far the log of each disk is followed.

        `mark` is what the archive's secret says of itself; refuses "another-secret".
        """
        if peer.kind != "storage-node" or status.name != peer.name:
            raise CallRefused("not-a-storage-node", "only a storage node registers, as itself")
        self._belonging.check(status.name, mark)
        disks = [disk.name for disk in status.disks]
        known = (await self._catalogue.disks()).get(status.name, [])
        followed = await self._catalogue.register(status.name, status.url, disks)
        if set(known) - set(disks):
            self._mending.forget_disks()
        if self._unread.registers(status.name, status.disks, followed):
            self._mending.doubt()
        self._registry.node_joins(status, peer)
        peer.notify("rest", disks=sorted(self._orders.disks(status.name)))
        self._mending.sweep_in(self._mending.settle)
        return followed

    @exposed(roles=("storage-node",))
    async def added(self, peer: Peer, added: Added) -> Followed:
        """Take a part of the log of a disk of the caller; returns how far it has been followed."""
        followed = await self._catalogue.add(peer.name, added)
        self._mending.look_at(added.entries)
        if self._unread.took(peer.name, added.disk, followed):
            self._mending.doubt()
        elif added.entries and self._orders.drained(peer.name, added.disk):
            self._mending.doubt_drains()
        self.added_entries += len(added.entries)
        return followed

    @exposed(roles=("storage-node",))
    async def alive(self, peer: Peer, status: NodeStatus) -> None:
        """Say how the calling storage node is; what a disk held that is gone is made up for."""
        if self._registry.emptied(status) & self._orders.disks(status.name):
            self._mending.sweep_in(self._mending.settle)
        gone = self._registry.node_says(status, peer)
        if self._registry.peer(status.name) is peer and self._unread.says(
            status.name, status.disks
        ):
            self._mending.doubt()
        for disk in gone:
            await self._catalogue.forget_disk(status.name, disk)
            self._mending.forget_disks()
            self._mending.sweep_in(self._mending.settle)

    @exposed(roles=("index-node",))
    def register_index(self, peer: Peer, status: IndexStatus, mark: str = "") -> None:
        """Be an index node, to which clients are redirected from now on; as `register`."""
        if peer.kind != "index-node" or status.name != peer.name:
            raise CallRefused("not-an-index-node", "only an index node registers, as itself")
        self._belonging.check(status.name, mark)
        self._registry.index_joins(status, peer)
        self._on_index()

    @exposed(roles=("index-node",))
    async def referred(self, counts: dict[str, int]) -> None:
        """Say how many captures are known to refer to contents, at least; rules may ask for more.

        Refuses "not-a-key" and "too-many".
        """
        if len(counts) > _COUNTS_LIMIT:
            raise CallRefused("too-many", f"at most {_COUNTS_LIMIT} in one call")
        _check(counts)
        counts = {key: min(max(count, 0), _REFERENCES_LIMIT) for key, count in counts.items()}
        await self._orders.refer(counts)
        self._mending.look_at(Entry("contents", key, 0) for key in counts)


class RefusingMethods:
    """What clients call that came while no index node was up; they are redirected once one is."""

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


def _check(keys: Collection[str]) -> None:
    if not all(map(is_key, keys)):
        raise CallRefused("not-a-key", "a key is a SHA-256 in 64 hexadecimal digits")


def _refuse() -> NoReturn:
    raise CallRefused(
        "no-index", "no index node is up; keep the link, and be redirected once one is"
    )
