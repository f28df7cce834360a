"""What is moved and what is removed: pure policy."""

from hashlib import sha256

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.storage.policy import Holding, places, suffices
from agents.storage.replicas import Wanted
from agents.storage.status import DiskStatus, NodeState, NodeStatus
from agents.storage.tidying import Shift, fill, is_uneven, shift

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(400)]
SIZE = 1000
TWO = Wanted(2)


def _node(
    name: str,
    free: int = SIZE,
    up: bool = True,
    place: str = "",
    safety: float = 1.0,
    draining: bool = False,
    failed: str = "",
) -> NodeState:
    disks = [DiskStatus("00000000", "/", SIZE, free)]
    status = NodeStatus(name, f"http://{name}", free, disks=disks)
    return NodeState(
        evolve(status, place=place, safety=safety, draining=draining, failed=failed), up
    )


def _held(*names: str) -> list[Holding]:
    return [Holding(name, 5) for name in names]


def test_one_too_many_is_removed() -> None:
    """Of three where two are wanted, two are kept, always the same two."""
    nodes = [_node(name) for name in "abc"]
    found = shift(KEYS[0], _held("a", "b", "c"), nodes, TWO, 0.1)
    assert found is not None and {*found.keep, *found.drop} == {"a", "b", "c"}
    assert len(found.drop) == 1
    assert shift(KEYS[0], _held("c", "b", "a"), nodes[::-1], TWO, 0.1) == found
    assert shift(KEYS[0], _held(*found.keep), nodes, TWO, 0.1) is None


def test_nothing_is_removed_while_something_is_missing() -> None:
    """Copies on nodes that are down, failed or drained do not stand in for those that go."""
    for other in (_node("c", up=False), _node("c", failed="x"), _node("c", draining=True)):
        nodes = [_node("a"), _node("b"), other]
        assert shift(KEYS[0], _held("a", "b", "c"), nodes, TWO, 0.1) is None
    nodes = [_node(name) for name in "abc"]
    assert shift(KEYS[0], _held("a", "b", "c"), nodes, TWO, 0.1, aside={"c"}) is None


def test_copies_that_differ_are_left_alone() -> None:
    """A structure file with captures of its own is never the one too many."""
    nodes = [_node(name) for name in "abc"]
    held = [Holding("a", 3, "aa"), Holding("b", 3, "aa"), Holding("c", 1, "bb")]
    assert shift(KEYS[0], held, nodes, TWO, 0.1) is None


def test_only_what_gains_is_moved() -> None:
    """An empty node takes its share of what a full one has, and not of one as empty as itself."""
    full, empty = [_node("a", 100), _node("b", 100)], [_node("a", 950), _node("b", 950)]
    new = _node("c", 1000)
    moved = [shift(key, _held("a", "b"), [*full, new], TWO, 0.1) for key in KEYS]
    assert any(moved)
    assert all(found is None or ("c" in found.keep and len(found.drop) == 1) for found in moved)
    assert not any(shift(key, _held("a", "b"), [*empty, new], TWO, 0.1) for key in KEYS)
    assert is_uneven([*full, new], 0.1) and not is_uneven([*empty, new], 0.1)


def test_a_node_that_does_not_say_its_size_takes_no_part_in_balance() -> None:
    """Nothing is moved because of it."""
    unknown = NodeState(NodeStatus("c", "http://c", 1000), True)
    assert fill(unknown) is None
    nodes = [_node("a", 10), _node("b", 10), unknown]
    assert not any(shift(key, _held("a", "b"), nodes, TWO, 0.1) for key in KEYS)


def test_moving_comes_to_an_end() -> None:
    """Moves fill a new node until the margin is reached, and then there are none."""
    held = dict.fromkeys(KEYS, ("a", "b"))
    for _ in range(10):
        moves = 0
        for key in KEYS:
            found = shift(key, _held(*held[key]), _filled(held), TWO, 0.1)
            if found is not None:
                held[key] = found.keep
                moves += 1
        if not moves:
            break
    assert moves == 0
    fills = [fill(node) or 0.0 for node in _filled(held)]
    assert max(fills) - min(fills) < 0.5


def _filled(held: dict[str, tuple[str, ...]]) -> list[NodeState]:
    counts = {name: sum(name in names for names in held.values()) for name in "abc"}
    return [_node(name, SIZE - 2 * counts[name]) for name in "abc"]


@given(
    st.sampled_from(KEYS),
    st.lists(
        st.builds(
            _node,
            name=st.integers(0, 12).map(str),
            free=st.integers(0, SIZE),
            up=st.booleans(),
            place=st.sampled_from(["", "x", "y"]),
            safety=st.sampled_from([0.5, 1.0, 1.5]),
            draining=st.booleans(),
            failed=st.sampled_from(["", "broken"]),
        ),
        unique_by=lambda node: node.name,
        min_size=1,
        max_size=8,
    ),
    st.sets(st.integers(0, 12).map(str), min_size=1),
    st.sets(st.integers(0, 12).map(str)),
    st.builds(Wanted, worth=st.floats(1, 5), places=st.integers(1, 3)),
)
def test_what_stays_is_what_is_wanted(
    key: str, nodes: list[NodeState], holders: set[str], aside: set[str], wanted: Wanted
) -> None:
    """Only nodes that are up and sound keep or lose anything, and those that keep suffice."""
    by_name = {node.name: node for node in nodes}
    found = shift(key, _held(*sorted(holders)), nodes, wanted, 0.1, aside)
    if found is None:
        return
    assert isinstance(found, Shift) and found.drop
    assert not set(found.keep) & set(found.drop)
    assert set(found.drop) <= holders - aside and not set(found.keep) & aside
    for name in (*found.keep, *found.drop):
        node = by_name[name]
        assert node.up and not node.status.failed and not node.status.draining
    kept = [by_name[name] for name in found.keep]
    assert suffices(kept, wanted)
    assert len(places(kept, wanted.level)) >= wanted.places
