"""What the holdings of a key mean, with the nodes as they are at one moment: pure.

short   too few replicas count, or copies of a structure file differ: mend it; of what is held
        where a drain is, only replicas on nodes that are up count
moving  only what is on a disk that is drained has to go, and its node moves that by itself
lost    nobody who is up holds it, and nobody who does is waited for: out of reach
ample   there are more than are wanted
astray  it would be better elsewhere, because nodes differ in how full they are
fine    nothing needs to be done
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, TypeAlias

from attrs import evolve, frozen

from agents.storage import tidying
from agents.storage.disk.layout import Kind
from agents.storage.master.orders import Drain
from agents.storage.policy import Holding, Repair, counting, places, repairs, suffices
from agents.storage.replicas import Rules, Wanted
from agents.storage.status import NodeState
from agents.storage.tidying import Shift

_KNOWN_LIMIT = 20_000  # verdicts remembered; past it they are worked out again

Verdict: TypeAlias = Literal["short", "moving", "lost", "ample", "astray", "fine"]


@frozen
class Stored:
    """Something that is stored.

    Attributes:
        kind: contents or structures.
        key: which.
        holdings: on which disks.
        references: captures known to refer to a content.
    """

    kind: Kind
    key: str
    holdings: list[Holding]
    references: int = 0


@frozen
class Plan:
    """How something is mended.

    Attributes:
        stored: what.
        steps: in order.
        whole: whether it is what is wanted afterwards.
    """

    stored: Stored
    steps: list[Repair]
    whole: bool


class Judge:
    """Judges by the nodes as they are now; make another when they have changed.

    Args:
        nodes: all that are known.
        expected: names of those that are down, and are waited for.
        rules: how many replicas are wanted of what.
        drains: what is being emptied.
        margin: by how much nodes must differ in how full they are before anything moves.

    Attributes:
        drains: the same.
    """

    def __init__(
        self,
        nodes: Sequence[NodeState],
        expected: Collection[str],
        rules: Rules,
        drains: Iterable[Drain] = (),
        margin: float = 1.0,
    ) -> None:
        self._nodes, self._expected, self._rules, self._margin = nodes, expected, rules, margin
        self._by_name = {node.name: node for node in nodes}
        self.drains = frozenset(drains)
        there = counting(self._by_name, nodes, expected)
        self._places = max(1, len(places(there, rules.level)))
        self._uneven = tidying.is_uneven(nodes, margin)
        self._known: dict[object, Verdict] = {}

    def verdict(self, stored: Stored) -> Verdict:
        """Return what the holdings mean."""
        found = self.count(stored)
        if found == "fine" and self._uneven and self.shift(stored) is not None:
            return "astray"
        return found

    def count(self, stored: Stored) -> Verdict:
        """Return what the holdings mean, wherever they would be better."""
        held, aside = self._gather(stored)
        wanted = self._wanted(stored)
        differ = self._differ(held)
        names = frozenset(holding.node for holding in held)
        moving = self._moving(stored, aside)
        case = (wanted, differ, aside, moving, names)
        if case not in self._known:  # most keys are held in one of a few ways
            if len(self._known) >= _KNOWN_LIMIT:
                self._known.clear()
            self._known[case] = self._judge(wanted, differ, aside - moving, moving, names)
        return self._known[case]

    def plan(self, stored: Stored, unable: Collection[str] = ()) -> Plan:
        """Return how something is mended, as far as it can be.

        Args:
            stored: what.
            unable: names of nodes that have just failed to take it.
        """
        held, aside = self._gather(stored)
        aside -= self._moving(stored, aside)
        wanted = self._wanted(stored)
        without = self._full(_room(stored)).union(unable)
        nodes = [_failing(node) if node.name in without else node for node in self._nodes]
        steps = repairs(stored.kind, stored.key, held, nodes, wanted, self._expected, aside)
        names = {holding.node for holding in held}
        after = self._counted(names | {step.target for step in steps}, aside)
        return Plan(stored, steps, suffices(after, wanted))

    def shift(self, stored: Stored) -> Shift | None:
        """Return what to move or to remove, or None.

        Nothing of what has copies that differ on the disks of one node: one of them may have
        captures that are nowhere else.
        """
        if len({each.mark for each in stored.holdings}) > 1:
            return None
        held, aside = self._gather(stored)
        wanted = self._wanted(stored)
        return tidying.shift(stored.key, held, self._nodes, wanted, self._margin, aside)

    @property
    def is_draining(self) -> bool:
        """Whether anything is to be emptied."""
        return bool(self.drains)

    def is_last(self, stored: Stored) -> bool:
        """Tell whether no more than one node that is up holds something."""
        return len({each.node for each in stored.holdings if self._is_up(each.node)}) <= 1

    def drained(self, stored: Stored) -> frozenset[Drain]:
        """Return the drains that something is held on."""
        return self.drains & {
            drain
            for each in stored.holdings
            for drain in (Drain(each.node), Drain(each.node, each.disk))
        }

    def _wanted(self, stored: Stored) -> Wanted:
        """Return what is wanted, in as many places as there are."""
        size = max((holding.size for holding in stored.holdings), default=0)
        wanted = self._rules.wanted_of(stored.kind, size, stored.references)
        if wanted.places <= self._places:
            return wanted
        return evolve(wanted, places=self._places)

    def _gather(self, stored: Stored) -> tuple[list[Holding], frozenset[str]]:
        """Return one holding of each node, and the nodes with none but on drained disks."""
        held: dict[str, tuple[bool, Holding]] = {}
        for each in stored.holdings:
            counts = Drain(each.node, each.disk) not in self.drains
            known = held.get(each.node)
            if known is None or (counts, each.size) > (known[0], known[1].size):
                held[each.node] = counts, each
        aside = frozenset(name for name, (counts, _) in held.items() if not counts)
        return [holding for _, holding in held.values()], aside

    def _moving(self, stored: Stored, aside: frozenset[str]) -> frozenset[str]:
        """Return the nodes that move something from a drained disk to another of their own."""
        return frozenset(name for name in aside if self._has_other_room(name, _room(stored)))

    def _full(self, room: int) -> frozenset[str]:
        """Return the nodes that have room on disks only that are being drained."""
        draining = {drain.node for drain in self.drains if drain.disk}
        return frozenset(name for name in draining if not self._has_other_room(name, room))

    def _has_other_room(self, name: str, size: int) -> bool:
        node = self._by_name.get(name)
        return (
            node is not None
            and node.up
            and not node.status.draining
            and any(
                disk.free > size and not disk.failed and Drain(name, disk.name) not in self.drains
                for disk in node.status.disks
            )
        )

    def _differ(self, held: Iterable[Holding]) -> bool:
        return len({each.mark for each in held if self._is_up(each.node)}) > 1

    def _is_up(self, name: str) -> bool:
        node = self._by_name.get(name)
        return node is not None and node.up

    def _judge(
        self,
        wanted: Wanted,
        differ: bool,
        aside: frozenset[str],
        moving: frozenset[str],
        names: frozenset[str],
    ) -> Verdict:
        if not any(map(self._is_up, names)) and not names & set(self._expected):
            return "lost"
        counted = self._counted(names, aside)
        if differ or not suffices(counted, wanted):
            return "short"
        if moving:
            return "moving"
        sound = [node for node in counted if node.up and not node.status.failed]
        for spare in sound:
            if suffices([node for node in sound if node is not spare], wanted):
                return "ample"
        return "fine"

    def _counted(self, names: Collection[str], aside: frozenset[str]) -> list[NodeState]:
        """Return the holders whose replicas count.

        Whoever is told that a drain has ended takes the node away: what it holds must be where
        it can be read now, and not on a node of which nobody knows whether it comes back.
        """
        counted = counting(set(names) - aside, self._nodes, self._expected)
        if aside or any(self._is_drained(name) for name in names):
            return [node for node in counted if node.up]
        return counted

    def _is_drained(self, name: str) -> bool:
        node = self._by_name.get(name)
        return node is not None and node.status.draining


def _room(stored: Stored) -> int:
    """Return the bytes that a copy takes, as far as that is known."""
    if stored.kind == "structures":
        return 0
    return max((each.size for each in stored.holdings), default=0)


def _failing(node: NodeState) -> NodeState:
    """Return a node that is given nothing new."""
    return evolve(node, status=evolve(node.status, failed="it could not copy"))
