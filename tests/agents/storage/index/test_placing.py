"""What is answered when no index node is sure who holds something."""

from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from agents.deposit import ContentSize
from agents.storage.errors import HoldersDown, NotSure
from agents.storage.index.placing import Placing
from agents.storage.index.siblings import Known
from agents.storage.policy import Holding, groups
from agents.storage.replicas import Rules
from agents.storage.status import NodeState, NodeStatus

KEY = "ab" * 32
UP = NodeState(NodeStatus("a", "http://a", free=1 << 40), up=True)
DOWN = NodeState(NodeStatus("b", "http://b", free=1 << 40), up=False)


def _placing(known: Known, asked: Known, nodes: Sequence[NodeState] = (UP, DOWN)) -> Placing:
    class Holders:
        async def of(self, wanted: Any) -> dict[Any, Known]:
            return dict.fromkeys(wanted, known)

    class Asking:
        async def holders(self, kind: str, key: str) -> Known:
            return asked

    view = SimpleNamespace(nodes=nodes, up=[node for node in nodes if node.up], rules=Rules())
    return Placing(Holders(), Asking(), view)  # type: ignore[arg-type]


@ensureDeferred
async def test_the_nodes_are_asked_when_nothing_is_sure() -> None:
    """Their word counts, whatever it is; without all of them nothing is called unknown."""
    unsure = Known()
    on_a, on_b = Known([Holding("a", 1)]), Known([Holding("b", 1)])
    assert await _placing(unsure, on_a).find("contents", KEY) == ["http://a"]
    assert await _placing(on_b, on_a).find("contents", KEY) == ["http://a"]
    assert await _placing(unsure, Known(sure=True)).find("contents", KEY) == []
    with pytest.raises(NotSure, match="one may hold it"):
        await _placing(unsure, Known()).find("contents", KEY)
    with pytest.raises(HoldersDown, match="only b"):
        await _placing(on_b, Known()).find("contents", KEY)


@ensureDeferred
async def test_who_is_sure_is_not_doubted() -> None:
    """No node is asked about a structure file that nobody holds; about a content all are."""
    placing = _placing(Known(sure=True), Known([Holding("a", 1)]))
    assert await placing.find("structures", KEY) == []
    assert await placing.find("contents", KEY) == ["http://a"]
    with pytest.raises(NotSure, match="one may hold it"):
        await _placing(Known(sure=True), Known()).find("contents", KEY)


@ensureDeferred
async def test_what_is_not_known_is_placed_again() -> None:
    """A copy too many is better than one that is not there."""
    for known, is_known in ((Known(), False), (Known([Holding("a", 1)]), True)):
        [placement] = await _placing(known, Known()).place([ContentSize(KEY, 5)])
        assert placement.known is is_known and bool(placement.nodes) is not is_known


@ensureDeferred
async def test_others_stand_in_for_nodes_that_do_not_take_a_content() -> None:
    """What one node has is not known until another has it too, if there is one that could."""
    nodes = [NodeState(NodeStatus(each, f"http://{each}", free=1 << 40), True) for each in "abc"]
    wanted, on_a = [ContentSize(KEY, 5)], Known([Holding("a", 5)])
    for silent, other in (("b", "c"), ("c", "b")):
        placing = _placing(on_a, Known(), nodes)
        [placement] = await placing.place(wanted, [f"http://{silent}"])
        assert not placement.known
        assert placement.nodes == ["http://a", f"http://{other}"]
    both = Known([Holding("a", 5), Holding("c", 5)])
    [placement] = await _placing(both, Known(), nodes).place(wanted, ["http://b"])
    assert placement.known
    [placement] = await _placing(on_a, Known(), nodes[:2]).place(wanted, ["http://b"])
    assert placement.nodes == ["http://a", "http://b"]  # there is nobody else to ask


@ensureDeferred
async def test_contents_go_to_nodes_of_their_groups_that_have_room() -> None:
    """So a node of a large cluster holds, and joins, its own groups only."""
    full = {f"node-{number}" for number in range(0, 60, 6)}
    nodes = [
        NodeState(NodeStatus(name, name, free=0 if name in full else 1 << 40), up=True)
        for name in (f"node-{number}" for number in range(60))
    ]
    contents = [ContentSize(sha256(b"%d" % number).hexdigest(), 5) for number in range(1000)]
    joined = defaultdict(set)
    for placement in await _placing(Known(), Known(), nodes).place(contents):
        assert len(placement.nodes) == 2
        for name in placement.nodes:
            joined[name].add(int(placement.key[:2], 16))
    assert not joined.keys() & full
    usable = len(nodes) - len(full)
    assert all(firsts <= groups(name, usable) for name, firsts in joined.items())
    assert {len(groups(name, usable)) for name in joined} == {81}
