"""Where replicas go, and what is mended: pure policy."""

from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from agents.storage.policy import (
    Holding,
    Repair,
    groups,
    keepers,
    place,
    places,
    repairs,
    suffices,
    worth,
    writable,
)
from agents.storage.replicas import Wanted
from agents.storage.status import NodeState, NodeStatus

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(3000)]
ONE, TWO = Wanted(1), Wanted(2)


def _node(
    name: str,
    free: int = 1 << 40,
    up: bool = True,
    failed: str = "",
    place: str = "",
    safety: float = 1.0,
    draining: bool = False,
) -> NodeState:
    status = NodeStatus(
        name,
        f"http://{name}",
        free,
        failed=failed,
        place=place,
        safety=safety,
        draining=draining,
    )
    return NodeState(status, up)


NODES = [_node(f"storage-{number}") for number in range(1, 6)]
CLUSTER = [_node(f"storage-{number}") for number in range(1, 101)]
several_nodes = st.lists(
    st.builds(
        _node,
        name=st.integers(0, 40).map(str),
        place=st.sampled_from(["", "paris/1", "paris/2", "lyon/1", "metz"]),
        safety=st.sampled_from([0.5, 1.0, 1.5, 2.0]),
    ),
    unique_by=lambda node: node.name,
    max_size=25,
)
wants = st.builds(Wanted, worth=st.floats(1, 8), places=st.integers(1, 5), level=st.integers(1, 3))


def test_a_key_goes_to_different_nodes_always_the_same() -> None:
    """Placement depends on key and nodes only, not on their order."""
    for key in KEYS[:50]:
        chosen = [node.name for node in place(key, NODES, TWO)]
        assert len(set(chosen)) == 2
        assert chosen == [node.name for node in place(key, NODES[::-1], TWO)]


def test_nodes_get_their_share() -> None:
    """Equal nodes get equal shares; one with four times the room gets about four times as much."""
    count = Counter(place(key, NODES, ONE)[0].name for key in KEYS)
    assert all(500 < count[node.name] < 700 for node in NODES)
    unequal = [_node("small", 1 << 40), _node("large", 1 << 42)]
    count = Counter(place(key, unequal, ONE)[0].name for key in KEYS)
    assert 3.5 < count["large"] / count["small"] < 4.5


def test_a_node_that_goes_moves_its_own_share_only() -> None:
    """Keys that were not on the node stay where they were."""
    for key in KEYS[:200]:
        before = place(key, NODES, ONE)[0]
        after = place(key, NODES[1:], ONE)[0]
        assert before == after or before == NODES[0]


def test_few_replicas_move_when_a_large_cluster_changes() -> None:
    """Of a hundred nodes one goes: little more than its own hundredth has another place."""
    moved = sum(
        len({node.name for node in place(key, CLUSTER[:-1], TWO)}
            - {node.name for node in place(key, CLUSTER, TWO)})
        for key in KEYS
    )  # fmt: skip
    assert moved / (2 * len(KEYS)) < 0.03


def test_a_large_cluster_shares_the_groups() -> None:
    """Each node takes part in few groups, each group has several nodes, and keys go to those."""
    shares = {node.name: groups(node.name, len(CLUSTER)) for node in CLUSTER}
    assert {len(share) for share in shares.values()} == {40}
    members = Counter(group for share in shares.values() for group in share)
    assert len(members) == 256 and min(members.values()) >= 4
    for key in KEYS:
        assert all(int(key[:2], 16) in shares[node.name] for node in place(key, CLUSTER, TWO))
    count = Counter(node.name for key in KEYS for node in place(key, CLUSTER, TWO))
    assert max(count.values()) < 2 * sum(count.values()) / len(CLUSTER)


def test_a_small_cluster_has_all_groups_everywhere() -> None:
    """Up to 16 nodes, every node takes part in every group."""
    assert len(groups("storage-1", 16)) == 256 > len(groups("storage-1", 17))


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_a_cluster_that_grows_gives_a_node_no_new_group(nodes: int, more: int) -> None:
    """So no node has to take what others hold because a cluster grew; 16 groups always stay."""
    grown = groups("storage-1", nodes + more)
    assert len(grown) >= 16 and grown <= groups("storage-1", nodes)


@given(st.sampled_from(KEYS), several_nodes, wants)
def test_what_is_wanted_is_placed_if_it_can_be(
    key: str, nodes: list[NodeState], wanted: Wanted
) -> None:
    """The chosen suffice whenever all nodes would; as many places as there are; none too many."""
    chosen = place(key, nodes, wanted)
    assert len({node.name for node in chosen}) == len(chosen)
    assert suffices(chosen, wanted) or not suffices(nodes, wanted)
    assert worth(chosen) >= min(wanted.worth, worth(nodes)) - 1e-6
    reached = min(wanted.places, len(places(nodes, wanted.level)))
    assert len(places(chosen, wanted.level)) >= reached
    assert not chosen or not suffices(chosen[:-1], wanted)


@given(st.sampled_from(KEYS), several_nodes, wants, st.integers(0, 5))
def test_what_is_there_already_counts(
    key: str, nodes: list[NodeState], wanted: Wanted, count: int
) -> None:
    """Nodes that have it are not chosen again, and fewer are chosen beside them."""
    having = nodes[:count]
    chosen = place(key, nodes, wanted, having)
    assert not {node.name for node in having} & {node.name for node in chosen}
    assert suffices([*having, *chosen], wanted) or not suffices(nodes, wanted)


def test_replicas_go_to_different_places_first() -> None:
    """Two of them are never in one place while another is there, and are when none is."""
    nodes = [_node(f"p{n}", place="paris/1") for n in range(5)] + [_node("l", place="lyon/1")]
    for key in KEYS[:100]:
        assert "l" in {node.name for node in place(key, nodes, Wanted(2, 2))}
        assert len(place(key, nodes[:5], Wanted(2, 2))) == 2


def test_safer_hardware_needs_fewer_replicas() -> None:
    """What is wanted is a sum: two nodes that are worth 1.5 each make three."""
    nodes = [_node(str(number), safety=1.5) for number in range(5)]
    assert len(place(KEYS[0], nodes, Wanted(3))) == 2
    assert len(place(KEYS[0], NODES, Wanted(3))) == 3


def test_only_sound_nodes_with_room_are_written_to() -> None:
    """Nodes that are down, failed, full or being drained are passed over."""
    nodes = [_node("a"), _node("b", up=False), _node("c", failed="broken"), _node("d", free=10)]
    nodes.append(_node("e", draining=True))
    assert [node.name for node in writable(nodes, 10)] == ["a"]
    assert [node.name for node in writable(nodes, 9)] == ["a", "d"]


def test_keepers_are_the_holders_that_are_up() -> None:
    """A structure file goes on where it is; a new one, or one that is out of reach, where due."""
    nodes = [_node("a"), _node("b"), _node("c"), _node("d", up=False)]
    assert {node.name for node in keepers(KEYS[0], {"a", "b"}, nodes, TWO)} == {"a", "b"}
    assert {node.name for node in keepers(KEYS[0], {"a", "b", "c"}, nodes, TWO)} == set("abc")
    assert keepers(KEYS[0], set(), nodes, TWO) == keepers(KEYS[0], {"d"}, nodes, TWO)
    assert len(keepers(KEYS[0], set(), nodes, TWO)) == 2
    assert keepers(KEYS[0], set(), [], TWO) == []


def test_others_stand_in_for_keepers_that_are_down() -> None:
    """What is recorded is on as many nodes as is wanted, if there are as many."""
    nodes = [_node("a"), _node("b", up=False), _node("c")]
    assert [node.name for node in keepers(KEYS[0], {"a", "b"}, nodes, TWO)] == ["a", "c"]
    assert {node.name for node in keepers(KEYS[0], {"b"}, nodes, TWO)} == {"a", "c"}
    assert [node.name for node in keepers(KEYS[0], {"a", "b"}, nodes[:2], TWO)] == ["a"]


def test_who_did_not_answer_is_asked_only_where_the_others_are_too_few() -> None:
    """A node that is sure stands in for one that is not; of these, one that has the file comes."""
    nodes = [_node("a"), _node("b"), _node("c")]

    def chosen(holders: str, doubtful: str) -> str:
        found = keepers(KEYS[0], set(holders), nodes, TWO, set(doubtful))
        return "".join(node.name for node in found)

    assert chosen("ab", "b") == "ac"
    assert chosen("ab", "bc") == "ab"
    assert chosen("ac", "bc") == "ac"
    assert sorted(chosen("ab", "abc")) == ["a", "b"]


@given(st.sets(st.sampled_from("abcde")), st.sets(st.sampled_from("abcde")))
def test_captures_have_as_many_keepers_as_can_be(holders: set[str], doubtful: set[str]) -> None:
    """Whoever holds the file, and whoever is in doubt: two keepers, or all that are up."""
    nodes = [_node("a"), _node("b"), _node("c"), _node("d", up=False), _node("e", draining=True)]
    found = [node.name for node in keepers(KEYS[0], holders, nodes, TWO, doubtful)]
    assert len(found) == len(set(found)) and "d" not in found
    assert len({"a", "b", "c"}.intersection(found)) >= 2
    assert {"a", "b", "c"} & holders - doubtful <= set(found)


def test_a_node_that_is_drained_records_only_what_no_other_holder_can() -> None:
    """A copy that is begun elsewhere meanwhile has the newest captures only."""
    nodes = [_node("a", draining=True), _node("b"), _node("c")]
    assert [node.name for node in keepers(KEYS[0], {"a", "b"}, nodes, TWO)] == ["b", "c"]
    assert {node.name for node in keepers(KEYS[0], {"a"}, nodes, TWO)} == {"a", "b", "c"}


def test_a_content_on_one_node_is_copied_to_another() -> None:
    """What lacks a replica is copied from where it is to where it is not."""
    (step,) = repairs("contents", KEYS[0], [Holding("storage-1", 5)], NODES, TWO)
    assert step.source == "storage-1" and step.target != "storage-1"


def test_a_node_that_is_waited_for_counts() -> None:
    """Nothing is copied while a node may come back; all is once it may not."""
    nodes = [_node("a"), _node("b", up=False), _node("c")]
    held = [Holding("a", 5), Holding("b", 5)]
    assert repairs("contents", KEYS[0], held, nodes, TWO, {"b"}) == []
    assert repairs("contents", KEYS[0], held, nodes, TWO) == [Repair("c", "a")]


def test_what_a_drained_node_holds_is_copied_from_it() -> None:
    """Its replicas do not count, and serve as sources."""
    nodes = [_node("a", draining=True), _node("b"), _node("c")]
    (step,) = repairs("contents", KEYS[0], [Holding("a", 5), Holding("b", 5)], nodes, TWO)
    assert step.target == "c"
    steps = repairs("contents", KEYS[0], [Holding("a", 5)], nodes, TWO)
    assert {(step.target, step.source) for step in steps} == {("b", "a"), ("c", "a")}


def test_replicas_in_one_place_get_another() -> None:
    """Enough of them in one place are not enough while there is a second place."""
    nodes = [_node("a", place="x"), _node("b", place="x"), _node("c", place="y")]
    held = [Holding("a", 5), Holding("b", 5)]
    (step,) = repairs("contents", KEYS[0], held, nodes, Wanted(2, 2))
    assert step.target == "c"
    assert repairs("contents", KEYS[0], held, nodes[:2], Wanted(2, 2)) == []


def test_what_nobody_has_up_cannot_be_mended() -> None:
    """Without a source, or without a target, there is nothing to do."""
    down = [_node("a", up=False), _node("b")]
    assert repairs("contents", KEYS[0], [Holding("a", 5)], down, TWO) == []
    assert repairs("contents", KEYS[0], [Holding("b", 5)], down, TWO) == []


def test_structure_files_that_differ_are_merged_both_ways() -> None:
    """The fullest copy takes what the others have, and then the others take from it."""
    held = [Holding("storage-1", 3, "aa"), Holding("storage-2", 5, "bb")]
    assert repairs("structures", KEYS[0], held, NODES, TWO) == [
        Repair("storage-2", "storage-1"),
        Repair("storage-1", "storage-2"),
    ]
    same = [Holding("storage-1", 3, "aa"), Holding("storage-2", 3, "aa")]
    assert repairs("structures", KEYS[0], same, NODES, TWO) == []


@given(
    st.dictionaries(st.sampled_from(range(5)), st.sets(st.integers(0, 6)), max_size=5),
    st.sets(st.integers(0, 4)),
    st.sets(st.integers(0, 4)),
    st.integers(1, 4),
)
def test_repairs_lead_to_enough_equal_copies(
    copies: dict[int, set[int]], up: set[int], draining: set[int], replicas: int
) -> None:
    """Whatever is held where, after the steps all live copies are the union, and enough."""
    nodes = [_node(str(n), up=n in up, draining=n in draining) for n in range(5)]
    held = {str(number): set(captures) for number, captures in copies.items()}
    holdings = [
        Holding(name, len(captures), "-".join(map(str, sorted(captures))))
        for name, captures in held.items()
    ]
    live = {name for name in held if int(name) in up}
    union = set().union(*(held[name] for name in live))
    for step in repairs("structures", KEYS[0], holdings, nodes, Wanted(replicas)):
        assert int(step.target) in up and int(step.source) in up
        held.setdefault(step.target, set()).update(held[step.source])
        live.add(step.target)
    assert all(held[name] == union for name in live)
    if live:
        assert len([name for name in live if int(name) not in draining]) >= min(
            replicas, len(up - draining)
        )
