"""Where replicas go, and what is mended: pure policy."""

from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from agents.storage.policy import Holding, Repair, keepers, place, repairs, writable
from agents.storage.status import NodeState, NodeStatus

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(3000)]


def _node(name: str, free: int = 1 << 40, up: bool = True, failed: str = "") -> NodeState:
    return NodeState(NodeStatus(name, f"http://{name}", free, failed=failed), up)


NODES = [_node(f"storage-{number}") for number in range(1, 6)]


def test_a_key_goes_to_different_nodes_always_the_same() -> None:
    """Placement depends on key and nodes only, not on their order."""
    for key in KEYS[:50]:
        chosen = [node.name for node in place(key, NODES, 2)]
        assert len(set(chosen)) == 2
        assert chosen == [node.name for node in place(key, NODES[::-1], 2)]


def test_nodes_get_their_share() -> None:
    """Equal nodes get equal shares; one with four times the room gets about four times as much."""
    count = Counter(place(key, NODES, 1)[0].name for key in KEYS)
    assert all(500 < count[node.name] < 700 for node in NODES)
    unequal = [_node("small", 1 << 40), _node("large", 1 << 42)]
    count = Counter(place(key, unequal, 1)[0].name for key in KEYS)
    assert 3.5 < count["large"] / count["small"] < 4.5


def test_a_node_that_goes_moves_its_own_share_only() -> None:
    """Keys that were not on the node stay where they were."""
    for key in KEYS[:200]:
        before = place(key, NODES, 1)[0]
        after = place(key, NODES[1:], 1)[0]
        assert before == after or before == NODES[0]


def test_only_sound_nodes_with_room_are_written_to() -> None:
    """Nodes that are down, failed or full are passed over."""
    nodes = [_node("a"), _node("b", up=False), _node("c", failed="broken"), _node("d", free=10)]
    assert [node.name for node in writable(nodes, 10)] == ["a"]
    assert [node.name for node in writable(nodes, 9)] == ["a", "d"]


def test_keepers_are_the_holders_that_are_up() -> None:
    """A structure file goes on where it is; a new one, or one that is out of reach, where due."""
    nodes = [_node("a"), _node("b", up=False), _node("c")]
    assert [node.name for node in keepers(KEYS[0], {"a", "b"}, nodes, 2)] == ["a"]
    assert {node.name for node in keepers(KEYS[0], {"b"}, nodes, 2)} == {"a", "c"}
    assert {node.name for node in keepers(KEYS[0], set(), nodes, 2)} == {"a", "c"}
    assert keepers(KEYS[0], set(), [], 2) == []


def test_a_content_on_one_node_is_copied_to_another() -> None:
    """What lacks a replica is copied from where it is to where it is not."""
    (step,) = repairs("contents", KEYS[0], [Holding("storage-1", 5)], NODES, 2)
    assert step.source == "storage-1" and step.target != "storage-1"


def test_a_node_that_is_waited_for_counts() -> None:
    """Nothing is copied while a node may come back; all is once it may not."""
    nodes = [_node("a"), _node("b", up=False), _node("c")]
    held = [Holding("a", 5), Holding("b", 5)]
    assert repairs("contents", KEYS[0], held, nodes, 2, {"b"}) == []
    assert repairs("contents", KEYS[0], held, nodes, 2) == [Repair("c", "a")]


def test_what_nobody_has_up_cannot_be_mended() -> None:
    """Without a source, or without a target, there is nothing to do."""
    down = [_node("a", up=False), _node("b")]
    assert repairs("contents", KEYS[0], [Holding("a", 5)], down, 2) == []
    assert repairs("contents", KEYS[0], [Holding("b", 5)], down, 2) == []


def test_structure_files_that_differ_are_merged_both_ways() -> None:
    """The fullest copy takes what the others have, and then the others take from it."""
    held = [Holding("storage-1", 3, "aa"), Holding("storage-2", 5, "bb")]
    assert repairs("structures", KEYS[0], held, NODES, 2) == [
        Repair("storage-2", "storage-1"),
        Repair("storage-1", "storage-2"),
    ]
    same = [Holding("storage-1", 3, "aa"), Holding("storage-2", 3, "aa")]
    assert repairs("structures", KEYS[0], same, NODES, 2) == []


@given(
    st.dictionaries(st.sampled_from(range(5)), st.sets(st.integers(0, 6)), max_size=5),
    st.sets(st.integers(0, 4)),
    st.integers(1, 4),
)
def test_repairs_lead_to_enough_equal_copies(
    copies: dict[int, set[int]], up: set[int], replicas: int
) -> None:
    """Whatever is held where, after the steps all live copies are the union, and enough."""
    nodes = [_node(str(number), up=number in up) for number in range(5)]
    held = {str(number): set(captures) for number, captures in copies.items()}
    holdings = [
        Holding(name, len(captures), "-".join(map(str, sorted(captures))))
        for name, captures in held.items()
    ]
    live = {name for name in held if int(name) in up}
    union = set().union(*(held[name] for name in live))
    for step in repairs("structures", KEYS[0], holdings, nodes, replicas):
        assert int(step.target) in up and int(step.source) in up
        held.setdefault(step.target, set()).update(held[step.source])
        live.add(step.target)
    assert all(held[name] == union for name in live)
    if live:
        assert len(live) >= min(replicas, len(up))
