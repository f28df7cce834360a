"""Index nodes are told what has changed, seldom, and end up with all of it."""

from types import SimpleNamespace
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from agents.storage.index.view import ClusterView
from agents.storage.master.registry import Registry
from agents.storage.master.telling import PAUSE, PORTION, Telling, changes
from agents.storage.replicas import Rules
from agents.storage.status import (
    Change,
    Cluster,
    DiskStatus,
    IndexStatus,
    NodeState,
    NodeStatus,
)

INDEX = IndexStatus("index-1", "a:1")


class _Peer:
    """Takes what an index node is told over a link."""

    def __init__(self) -> None:
        self.told: list[Change] = []

    def notify(self, method: str, change: Change) -> None:
        assert method == "changed"
        self.told.append(change)


def _states(free: dict[int, tuple[int, bool]]) -> list[NodeState]:
    return [
        NodeState(NodeStatus(f"n{number}", f"http://{number}", free=room), up)
        for number, (room, up) in free.items()
    ]


_clusters = st.dictionaries(
    st.integers(0, 3 * PORTION), st.tuples(st.integers(0, 3), st.booleans()), max_size=40
)


@given(st.lists(_clusters, min_size=1, max_size=5), st.integers(0, 5))
def test_the_changes_make_what_there_is(steps: list[dict[int, Any]], renewed: int) -> None:
    """Whatever comes, goes and changes, and when the link is another one in between."""
    view, told = ClusterView(Clock(), "index-1", 60), None
    for number, step in enumerate(steps):
        cluster = Cluster(Rules(3), _states(step), [INDEX])
        if number == renewed:
            told = None
        for change in changes(told, cluster):
            view.change(change)
        assert sorted(view.nodes, key=str) == sorted(cluster.nodes, key=str)
        assert view.index_nodes == [INDEX] and view.rules == Rules(3)
        told = {node.name: node for node in cluster.nodes}


def test_a_thousand_nodes_are_told_in_portions_and_then_what_changes() -> None:
    """No word is large, words are a second apart, and an index node never sees a half of them."""
    clock, states = Clock(), SimpleNamespace(nodes=_thousand())
    telling = Telling(clock, lambda: Cluster(Rules(), states.nodes, [INDEX]))
    peer, view = _Peer(), ClusterView(clock, "index-1", 60)
    telling.join(peer)  # type: ignore[arg-type]
    clock.advance(0)
    assert len(peer.told) == 1000 // PORTION
    assert max(len(msgspec.msgpack.encode(change)) for change in peer.told) < 400_000
    for change in peer.told:
        assert len(view.nodes) in (0, 1000)
        view.change(change)
    assert view.nodes == states.nodes
    peer.told.clear()
    for number in range(50):
        states.nodes[number] = NodeState(states.nodes[number].status, up=False)
        telling.soon()
        clock.advance(PAUSE / 100)
    assert peer.told == [], "the pause is not over"
    clock.advance(PAUSE)
    [change] = peer.told
    assert len(change.nodes) == 50 and not change.whole
    telling.soon()
    clock.advance(PAUSE)
    assert len(msgspec.msgpack.encode(peer.told[-1])) < 1000, "nothing has changed"
    telling.leave(peer)  # type: ignore[arg-type]
    telling.soon()
    clock.advance(PAUSE)
    assert len(peer.told) == 2


def test_a_master_that_has_just_started_says_so() -> None:
    """For as long as it waits for nodes, in the last portion of each word."""
    clock = Clock()
    registry = Registry(clock, Rules(), grace=10)
    for number in range(2 * PORTION):
        registry.remember(f"n{number}", f"http://{number}")
    assert [change.young for change in changes(None, registry.cluster)] == [False, True]
    clock.advance(10)
    assert [change.young for change in changes({}, registry.cluster)] == [False, False]


def _thousand() -> list[NodeState]:
    disks = [
        DiskStatus(f"{number:08x}", f"/srv/disk-{number}", log="0" * 32) for number in range(8)
    ]
    return [
        NodeState(
            NodeStatus(f"storage-{number}", f"http://10.0.0.1:{number}", 1 << 40, disks=disks), True
        )
        for number in range(1000)
    ]
