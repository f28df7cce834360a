"""What a person, or `dlweb storage` for one, asks of the storage master over HIP."""

from attrs import field, frozen
from twisted.internet.interfaces import IReactorTime

from agents.capture import is_key
from agents.storage.catalogue import Catalogue
from agents.storage.disk.layout import Kind
from agents.storage.master.hands import Hands
from agents.storage.master.mending import Mending
from agents.storage.master.orders import Drain, Orders
from agents.storage.master.progress import DrainStatus
from agents.storage.master.registry import Registry
from agents.storage.status import IndexStatus, NodeState, NodeStatus
from anet.together import together
from hip import CallRefused, HipError, convert, exposed


@frozen
class MasterStatus:
    """How the replication layer is.

    Attributes:
        nodes: the storage nodes, with their disks.
        index_nodes: the index nodes that are up.
        replicas: what the replicas of everything must be worth together, at least.
        below: contents and structure files below target; none before they were counted.
        lost: those among them that nobody who is up holds.
        seconds_left: how long the repair takes at the pace it had; none when nobody can tell.
        ample: those with more replicas than are wanted, when they were counted.
        astray: those that would be better on other nodes, when they were counted.
        mended: what has been brought to its target since the master started.
        copied: copies and merges that nodes made.
        removed: replicas that nodes removed.
        failed: what nodes could not do, and is tried again.
        waiting: additions whose replicas have not been counted yet.
        sweeping: how much of a count of all replicas is done, from 0 to 1, or none.
        drains: what is being emptied.
        unread: names of nodes whose logs are being read, so that not all is known of them.
    """

    nodes: list[NodeState] = field(factory=list)
    index_nodes: list[IndexStatus] = field(factory=list)
    replicas: float = 2
    below: int | None = None
    lost: int = 0
    seconds_left: float | None = None
    ample: int = 0
    astray: int = 0
    mended: int = 0
    copied: int = 0
    removed: int = 0
    failed: int = 0
    waiting: int = 0
    sweeping: float | None = None
    drains: list[DrainStatus] = field(factory=list)
    unread: list[str] = field(factory=list)


class OperatorMethods:
    """The methods; see the docstring of each."""

    def __init__(
        self,
        clock: IReactorTime,
        registry: Registry,
        catalogue: Catalogue,
        orders: Orders,
        mending: Mending,
        hands: Hands,
    ) -> None:
        self._clock, self._registry, self._catalogue = clock, registry, catalogue
        self._orders, self._mending, self._hands = orders, mending, hands

    @exposed
    def status(self) -> MasterStatus:
        """Return the nodes, what is below target, and how repairs and drains stand."""
        progress, census = self._mending.progress, self._mending.progress.census
        return MasterStatus(
            nodes=self._registry.nodes,
            index_nodes=self._registry.index_nodes,
            replicas=self._registry.rules.replicas,
            below=progress.below,
            lost=census.lost if census else 0,
            seconds_left=progress.seconds_left(self._clock.seconds()),
            ample=census.ample if census else 0,
            astray=census.astray if census else 0,
            mended=progress.mended,
            copied=self._hands.copied,
            removed=self._hands.removed,
            failed=self._hands.failed,
            waiting=self._mending.waiting,
            sweeping=progress.counting,
            drains=progress.drains(self._orders.drains),
            unread=sorted(progress.unread()),
        )

    @exposed
    async def where(self, kind: Kind, key: str) -> list[str]:
        """Return the names of all nodes, up or not, that hold a content or a structure file."""
        if not is_key(key):
            raise CallRefused("not-a-key", "a key is a SHA-256 in 64 hexadecimal digits")
        return sorted(holding.node for holding in await self._catalogue.holders(kind, key))

    @exposed(roles=("operator",))
    def sweep(self) -> None:
        """Count all replicas now, and mend what is missing; `status` tells how far that is."""
        self._mending.sweep_in(0.0)

    @exposed(roles=("operator",))
    async def audit(self, node: str = "") -> list[NodeStatus]:
        """Have a node, or all that are up, hash again all it holds.

        Return the status, from before, of each that has begun.

        Refuses "no-such-node", and "node-down".
        """
        if node and self._registry.peer(self._known(node)) is None:
            raise CallRefused("node-down", f"{node} is not linked to the master")
        names = [node] if node else sorted(self._registry.up)
        outcomes = await together(self._audit(name) for name in names)
        begun = [outcome for outcome in outcomes if isinstance(outcome, NodeStatus)]
        if node and not begun:
            raise CallRefused("not-audited", f"{node} says: {outcomes[0]}")
        return begun

    async def _audit(self, name: str) -> NodeStatus:
        peer = self._registry.peer(name)
        if peer is None:
            raise HipError(f"{name} is gone")
        return convert(await peer.call("audit"), NodeStatus)

    @exposed(roles=("operator",))
    async def drain(self, node: str, disk: str = "") -> None:
        """Empty a node, or one disk of it: it takes nothing new, and all is copied elsewhere.

        Nothing is removed from it. It may go once `status` says that nothing is left. Kept over
        restarts. Refuses "no-such-node", and "no-such-disk".
        """
        await self._orders.drain(await self._drain(node, disk))
        self._ordered(node)

    @exposed(roles=("operator",))
    async def undrain(self, node: str, disk: str = "") -> None:
        """Take back a drain; refuses "no-such-drain"."""
        drain = Drain(node, disk)
        if drain not in self._orders.drains:
            raise CallRefused("no-such-drain", f"{node} {disk}".rstrip() + " is not being drained")
        await self._orders.undrain(drain)
        self._ordered(node)

    @exposed(roles=("operator",))
    async def forget(self, node: str) -> None:
        """Forget a node that is gone for good, with all that it held, and its drains.

        One that links to the master again is a new node. Refuses "no-such-node", and "node-up".
        """
        if self._registry.peer(self._known(node)) is not None:
            raise CallRefused("node-up", f"{node} is linked to the master; stop it first")
        self._registry.forget(node)  # first: one that links meanwhile stays
        for disk in (await self._catalogue.disks()).get(node, []):
            await self._catalogue.forget_disk(node, disk)
        for drain in [drain for drain in self._orders.drains if drain.node == node]:
            await self._orders.undrain(drain)
        self._mending.forget_disks()
        self._ordered(node)

    async def _drain(self, node: str, disk: str) -> Drain:
        known = (await self._catalogue.disks()).get(self._known(node), [])
        if disk and disk not in known:
            names = ", ".join(sorted(filter(None, known)))
            raise CallRefused("no-such-disk", f"{node} has no disk {disk!r}; it has {names}")
        return Drain(node, disk)

    def _known(self, node: str) -> str:
        names = sorted(state.name for state in self._registry.nodes)
        if node not in names:
            raise CallRefused("no-such-node", f"no node is called {node!r}; {', '.join(names)} are")
        return node

    def _ordered(self, node: str) -> None:
        """Tell the node, and the registry, which tells the index nodes; count what is left."""
        self._hands.rest(node, self._orders.disks(node))
        self._registry.drain(drain.node for drain in self._orders.drains if not drain.disk)
        self._mending.sweep_in(0.0)
