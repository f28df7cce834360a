"""Tells index nodes which nodes there are: what has changed, at most once a second, in portions.

Of a thousand nodes the whole is two megabytes; a word for each change would be two gigabytes while
they link to a master that has just started.
"""

from collections.abc import Callable

from attrs import evolve
from twisted.internet.interfaces import IReactorTime

from agents.storage.status import Change, Cluster, NodeState
from anet.deadline import Deadline
from hip import Peer

PAUSE = 1.0  # seconds between two words, at least
PORTION = 100  # nodes of one message, some 200 kB


class Telling:
    """Remembers what each index node was told over its link.

    Args:
        clock: for the pause.
        cluster: gives what there is to tell.
    """

    def __init__(self, clock: IReactorTime, cluster: Callable[[], Cluster]) -> None:
        self._clock, self._cluster = clock, cluster
        self._told: dict[Peer, dict[str, NodeState] | None] = {}
        self._earliest = clock.seconds()
        self._due = Deadline(clock, self._tell)

    def join(self, peer: Peer) -> None:
        """Tell an index node everything, and from then on what changes."""
        self._told[peer] = None
        self.soon()

    def leave(self, peer: Peer) -> None:
        """Tell an index node nothing more."""
        self._told.pop(peer, None)

    def soon(self) -> None:
        """Tell all as soon as the pause is over; also when nothing has changed."""
        self._due.set(max(0.0, self._earliest - self._clock.seconds()))

    def stop(self) -> None:
        """Tell nobody anything more."""
        self._due.stop()

    def _tell(self) -> None:
        self._earliest = self._clock.seconds() + PAUSE
        cluster = self._cluster()
        for peer, told in self._told.items():
            for change in changes(told, cluster):
                peer.notify("changed", change=change)
            self._told[peer] = {node.name: node for node in cluster.nodes}


def changes(told: dict[str, NodeState] | None, cluster: Cluster) -> list[Change]:
    """Return what to say to somebody who was told of some nodes, or of nothing so far: pure."""
    known = told or {}
    new = [node for node in cluster.nodes if known.get(node.name) != node]
    gone = sorted(known.keys() - {node.name for node in cluster.nodes})
    portions = [new[start : start + PORTION] for start in range(0, len(new), PORTION)] or [[]]
    said = [Change(nodes=portion, more=True) for portion in portions]
    said[0] = evolve(said[0], gone=gone, whole=told is None)
    last = evolve(
        said[-1],
        more=False,
        rules=cluster.rules,
        index_nodes=cluster.index_nodes,
        young=cluster.young,
    )
    return [*said[:-1], last]
