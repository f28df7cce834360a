"""Which replicas are better elsewhere, and which are one too many: pure functions.

Nothing here is urgent, so it gives way to repairs. A move is a copy first and a removal last, and
every copy that stays is looked at by its node in between: there is never less than is wanted.
"""

from collections.abc import Collection, Sequence
from statistics import fmean

from attrs import frozen

from agents.storage.policy import Holding, counting, place, suffices, writable
from agents.storage.replicas import Wanted
from agents.storage.status import NodeState


@frozen
class Shift:
    """That a key belongs on some nodes, and no longer on others that have it.

    Attributes:
        keep: names of the nodes that hold it afterwards; those that do not yet take it first.
        drop: names of the nodes that have it removed, once all of `keep` have been seen to
            hold it.
    """

    keep: tuple[str, ...]
    drop: tuple[str, ...]


def shift(
    key: str,
    holdings: Sequence[Holding],
    nodes: Sequence[NodeState],
    wanted: Wanted,
    margin: float,
    aside: Collection[str] = (),
) -> Shift | None:
    """Return what to move or to remove of a key, or None.

    Nothing, where something is missing or copies differ: that must be mended first. Replicas on
    nodes that are down, failed, or being drained neither count nor are touched.

    Args:
        key: which.
        holdings: who holds it; at most one of each node.
        nodes: all nodes.
        wanted: what its replicas must come to.
        margin: by how much nodes must differ in how full they are before anything moves.
        aside: names of nodes that hold it on a disk that is being drained.
    """
    names = {holding.node for holding in holdings} - set(aside)
    sound = [node for node in counting(names, nodes) if node.up and not node.status.failed]
    if len({holding.mark for holding in holdings}) > 1 or not suffices(sound, wanted):
        return None
    size = max(holding.size for holding in holdings)
    free = [node for node in writable(nodes, size) if node.name not in names | set(aside)]
    best = place(key, [*sound, *free], wanted)
    added = [node for node in best if node.name not in names]
    if added:
        dropped = [node for node in sound if node not in best]
        if _gain(dropped, added) > margin:
            return _shift(best, dropped)
    kept = place(key, sound, wanted)
    dropped = [node for node in sound if node not in kept]
    return _shift(kept, dropped) if dropped else None


def _shift(keep: Sequence[NodeState], drop: Sequence[NodeState]) -> Shift:
    return Shift(tuple(node.name for node in keep), tuple(node.name for node in drop))


def fill(node: NodeState) -> float | None:
    """Return how full a node is, from 0 to 1; None when it has not said how large it is."""
    size = sum(disk.size for disk in node.status.disks)
    return 1 - min(node.status.free, size) / size if size else None


def is_uneven(nodes: Sequence[NodeState], margin: float) -> bool:
    """Tell whether two of the nodes that take part differ in how full they are."""
    known = [full for full in map(fill, writable(nodes)) if full is not None]
    return bool(known) and max(known) - min(known) > margin


def _gain(dropped: Sequence[NodeState], added: Sequence[NodeState]) -> float:
    """Return by how much fuller the nodes are that would give than those that would take."""
    givers = [full for full in map(fill, dropped) if full is not None]
    takers = [full for full in map(fill, added) if full is not None]
    return fmean(givers) - fmean(takers) if givers and takers else 0.0
