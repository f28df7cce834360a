"""Where replicas go, and what must be done to have enough of them: pure functions."""

import math
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

from attrs import frozen

from agents.storage.disk.layout import Kind
from agents.storage.status import NodeState


@frozen
class Holding:
    """That a node holds something.

    Attributes:
        node: its name.
        size: bytes of a content, captures of a structure file.
        mark: which captures (see `disk.lines.mark`); empty for a content.
    """

    node: str
    size: int
    mark: str = ""


@frozen
class Repair:
    """One step of a repair: `target` takes from `source` what it lacks."""

    target: str
    source: str


def writable(nodes: Iterable[NodeState], size: int = 0) -> list[NodeState]:
    """Return the nodes that are up, sound, and have room for `size` bytes more."""
    return [
        node
        for node in nodes
        if node.up and not node.status.failed and node.status.free > max(size, 0)
    ]


def place(key: str, nodes: Sequence[NodeState], count: int) -> list[NodeState]:
    """Return the `count` nodes where a key belongs, best first.

    The weighted rendezvous of key and node: each node draws a lot from the key and its own
    name, weighted by its free space in powers of two. So the same key goes to the same nodes
    for as long as they are up, nodes with more room get more, and one that comes or goes moves
    only its own share.
    """
    return sorted(nodes, key=lambda node: _lot(key, node), reverse=True)[:count]


def _lot(key: str, node: NodeState) -> float:
    draw = blake2b(f"{key} {node.name}".encode(), digest_size=8).digest()
    fraction = (int.from_bytes(draw, "big") + 1) / (2**64 + 2)
    weight = max(2, node.status.free).bit_length() - 1
    return 2.0 ** (weight - 40) / -math.log(fraction)


def keepers(
    key: str, holders: Collection[str], nodes: Sequence[NodeState], replicas: int
) -> list[NodeState]:
    """Return the nodes that must record captures of a structure file.

    They are the ones that hold it and are up; a file that nobody who is up holds is begun where
    it belongs. Missing copies are made by a repair, which copies the whole file: a copy begun
    here would have the newest captures only.
    """
    usable = writable(nodes)
    present = [node for node in usable if node.name in holders]
    return present or place(key, usable, replicas)


def repairs(
    kind: Kind,
    key: str,
    holdings: Sequence[Holding],
    nodes: Sequence[NodeState],
    replicas: int,
    expected: Collection[str] = (),
) -> list[Repair]:
    """Return what to do, in order, so that `replicas` nodes hold the same.

    Args:
        kind: contents or structures.
        key: which.
        holdings: who holds it, as far as the logs tell.
        nodes: all nodes.
        replicas: how many shall hold it.
        expected: names of nodes that are down, and are still waited for.
    """
    up = {node.name for node in nodes if node.up}
    live = sorted((each for each in holdings if each.node in up), key=_worth, reverse=True)
    if not live:
        return []
    best = live[0].node
    steps = _merges(live) if kind == "structures" else []
    counted = len(live) + sum(each.node in expected for each in holdings if each.node not in up)
    holders = {each.node for each in holdings}
    others = [node for node in writable(nodes, live[0].size) if node.name not in holders]
    missing = max(0, replicas - counted)
    return steps + [Repair(node.name, best) for node in place(key, others, missing)]


def _merges(live: Sequence[Holding]) -> list[Repair]:
    """Bring copies of a structure file together: all into the best, and then back."""
    best = live[0]
    others = [each for each in live[1:] if each.mark != best.mark]
    sources = {each.mark: each for each in others}.values()
    return [Repair(best.node, each.node) for each in sources] + [
        Repair(each.node, best.node) for each in live[1:] if others
    ]


def _worth(holding: Holding) -> tuple[int, str, str]:
    return holding.size, holding.mark, holding.node
