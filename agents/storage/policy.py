"""Where replicas go, and what must be done to have enough of them: pure functions."""

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

from attrs import frozen

from agents.storage.disk.layout import Kind
from agents.storage.replicas import Wanted
from agents.storage.status import NodeState

GROUPS = 256  # multicast groups, by the first byte of a key (*INA §2.3.2*)
_MEMBERS = 16  # nodes of one group, about; clusters up to this size have all nodes in all groups
_LEAST_GROUPS = 16  # groups that a node of the largest clusters takes part in
_ROUNDING = 1e-9


@frozen
class Holding:
    """That a node holds something.

    Attributes:
        node: its name.
        size: bytes of a content, captures of a structure file.
        mark: which captures (see `disk.lines.mark`); empty for a content.
        disk: name of the disk it is on, where that is known.
    """

    node: str
    size: int
    mark: str = ""
    disk: str = ""


@frozen
class Repair:
    """One step of a repair: `target` takes from `source` what it lacks."""

    target: str
    source: str


def writable(nodes: Iterable[NodeState], size: int = 0) -> list[NodeState]:
    """Return the nodes that are up, sound, not draining, and have room for `size` bytes more."""
    return [
        node
        for node in nodes
        if node.up
        and not node.status.failed
        and not node.status.draining
        and node.status.free > max(size, 0)
    ]


# Where something belongs


def place(
    key: str, nodes: Sequence[NodeState], wanted: Wanted, having: Sequence[NodeState] = ()
) -> list[NodeState]:
    """Return the nodes where a key belongs beside those that have it, best first.

    The weighted rendezvous of key and node: each node draws a lot from the key and its own name,
    weighted by its free space in powers of two. So the same key goes to the same nodes for as
    long as they are up, nodes with more room get more, and one that comes or goes moves only its
    own share. Nodes in further places come first until there are enough places, and nodes that
    take part in the group of the key's first byte before all others.

    Args:
        key: which.
        nodes: those that may be chosen.
        wanted: until when nodes are chosen; all are, when they do not suffice.
        having: nodes that count already; they are not chosen again.
    """
    members = _members(key[:2], tuple(node.name for node in nodes))
    chosen = list(having)
    for inside in (True, False):
        if not suffices(chosen, wanted):
            candidates = [node for node in nodes if (node.name in members) is inside]
            candidates.sort(key=lambda node: _lot(key, node), reverse=True)
            _choose(chosen, candidates, wanted)
    return chosen[len(having) :]


def _choose(chosen: list[NodeState], candidates: list[NodeState], wanted: Wanted) -> None:
    """Move candidates to the chosen until they suffice."""
    taken = {node.name for node in chosen}
    candidates = [node for node in candidates if node.name not in taken]
    while candidates and not suffices(chosen, wanted):
        best = candidates[0]
        known = places(chosen, wanted.level)
        if len(known) < wanted.places:
            elsewhere = (node for node in candidates if _place(node, wanted.level) not in known)
            fresh = next(elsewhere, None)
            if fresh is None and worth(chosen) >= wanted.worth - _ROUNDING:
                return
            best = fresh or best
        candidates.remove(best)
        chosen.append(best)


def groups(name: str, nodes: int) -> frozenset[int]:
    """Return the groups, by first byte, that a node of a cluster of so many takes part in.

    Up to 16 nodes that is all of them. Beyond, each node takes part in so few that about 16 nodes
    have each group, but at least in 16 groups: then a node listens to few multicast groups, a
    question reaches few nodes, and every node's share is the same. A cluster that grows takes
    groups from a node, one after the other, and gives it none.
    """
    count = max(_LEAST_GROUPS, min(GROUPS, GROUPS * _MEMBERS // max(1, nodes)))
    return frozenset(_preference(name)[:count])


@lru_cache(maxsize=4096)
def _preference(name: str) -> tuple[int, ...]:
    """Return all groups in the order in which a node would have them."""

    def lot(group: int) -> bytes:
        return blake2b(f"{group} {name}".encode(), digest_size=8).digest()

    return tuple(sorted(range(GROUPS), key=lot))


@lru_cache(maxsize=4 * GROUPS)
def _members(first: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the nodes that take part in the group of a first byte, in hexadecimal."""
    if len(names) <= _MEMBERS:
        return frozenset(names)
    group = int(first, 16)
    return frozenset(name for name in names if group in groups(name, len(names)))


def _lot(key: str, node: NodeState) -> float:
    draw = blake2b(f"{key} {node.name}".encode(), digest_size=8).digest()
    fraction = (int.from_bytes(draw, "big") + 1) / (2**64 + 2)
    weight = max(2, node.status.free).bit_length() - 1
    return 2.0 ** (weight - 40) / -math.log(fraction)


# How replicas count


def worth(nodes: Iterable[NodeState]) -> float:
    """Return what replicas on these nodes are worth together."""
    return sum(node.status.safety for node in nodes)


def places(nodes: Iterable[NodeState], level: int) -> set[str]:
    """Return the places that nodes are in, as far as a level tells them apart."""
    return {_place(node, level) for node in nodes}


def _place(node: NodeState, level: int) -> str:
    return "/".join(node.status.place.split("/")[:level])


def suffices(nodes: Collection[NodeState], wanted: Wanted) -> bool:
    """Tell whether replicas on these nodes are what is wanted."""
    return (
        worth(nodes) >= wanted.worth - _ROUNDING
        and len(places(nodes, wanted.level)) >= wanted.places
    )


# What to do


def keepers(
    key: str,
    holders: Collection[str],
    nodes: Sequence[NodeState],
    wanted: Wanted,
    doubtful: Collection[str] = (),
) -> list[NodeState]:
    """Return the nodes that must record captures of a structure file.

    They are the ones that hold it and are up. Where these are too few, others stand in, so that
    what is acknowledged survives the loss of a disk. They take the file from another holder; if
    they cannot, what they begin is merged by the master, as all copies are that differ.
    One that is being drained records them when no other holder can.

    Args:
        key: of the structure file.
        holders: names of the nodes that hold it.
        nodes: all nodes.
        wanted: what the copies must come to.
        doubtful: names of nodes that did not answer a moment ago, and may be up all the same;
            they are only asked where the others are too few.
    """
    usable = writable(nodes)
    sure = [node for node in usable if node.name not in doubtful]
    doubted = [node for node in usable if node.name in doubtful]
    chosen = [node for node in sure if node.name in holders]
    leaving = [] if chosen else _leaving(holders, nodes, doubtful)
    for candidates in (sure, [node for node in doubted if node.name in holders], doubted):
        if not suffices(chosen, wanted):
            chosen += place(key, candidates, wanted, chosen)
    return leaving + chosen


def _leaving(
    holders: Collection[str], nodes: Iterable[NodeState], doubtful: Collection[str]
) -> list[NodeState]:
    """Return the holders that are up and being drained."""
    here = [node for node in nodes if node.up and node.name in holders]
    return [
        node
        for node in here
        if node.status.draining and not node.status.failed and node.name not in doubtful
    ]


def repairs(
    kind: Kind,
    key: str,
    holdings: Sequence[Holding],
    nodes: Sequence[NodeState],
    wanted: Wanted,
    expected: Collection[str] = (),
    aside: Collection[str] = (),
) -> list[Repair]:
    """Return what to do, in order, so that what is wanted is held, and everywhere the same.

    Args:
        kind: contents or structures.
        key: which.
        holdings: who holds it, as far as the logs tell; at most one of each node.
        nodes: all nodes.
        wanted: what the replicas must come to.
        expected: names of nodes that are down, and are still waited for.
        aside: names of nodes that hold it on a disk that is being drained.
    """
    up = {node.name for node in nodes if node.up}
    live = sorted((each for each in holdings if each.node in up), key=_fullness, reverse=True)
    if not live:
        return []
    best = live[0].node
    steps = _merges(live) if kind == "structures" else []
    holders = {each.node for each in holdings}
    counted = counting(holders - set(aside), nodes, expected)
    size = live[0].size if kind == "contents" else 0
    others = [node for node in writable(nodes, size) if node.name not in holders]
    return steps + [Repair(node.name, best) for node in place(key, others, wanted, counted)]


def counting(
    holders: Collection[str], nodes: Iterable[NodeState], expected: Collection[str] = ()
) -> list[NodeState]:
    """Return the holders whose replicas count: up or waited for, and not being drained."""
    return [
        node
        for node in nodes
        if node.name in holders and (node.up or node.name in expected) and not node.status.draining
    ]


def _merges(live: Sequence[Holding]) -> list[Repair]:
    """Bring copies of a structure file together: all into the best, and then back."""
    best = live[0]
    others = [each for each in live[1:] if each.mark != best.mark]
    sources = {each.mark: each for each in others}.values()
    return [Repair(best.node, each.node) for each in sources] + [
        Repair(each.node, best.node) for each in live[1:] if others
    ]


def _fullness(holding: Holding) -> tuple[int, str, str]:
    return holding.size, holding.mark, holding.node
