"""What holdings mean, and what progress is told of them: pure."""

from hashlib import sha256

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.storage.master.judging import Judge, Stored
from agents.storage.master.orders import Drain
from agents.storage.master.progress import Census, Progress
from agents.storage.policy import Holding
from agents.storage.replicas import Rule, Rules
from agents.storage.status import DiskStatus, NodeState, NodeStatus

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(50)]
NAMES = "abcdef"
RULES = Rules(rules=(Rule(replicas=3, kind="structures"), Rule(replicas=4, references=50)))
nodes = st.lists(
    st.builds(
        lambda name, up, place, draining, failed, free: NodeState(
            NodeStatus(
                name,
                f"http://{name}",
                free,
                disks=[DiskStatus("d1", "/", 1000, free)],
                place=place,
                draining=draining,
                failed=failed,
            ),
            up,
        ),
        name=st.sampled_from(NAMES),
        up=st.booleans(),
        place=st.sampled_from(["", "x", "y"]),
        draining=st.booleans(),
        failed=st.sampled_from(["", "", "broken"]),
        free=st.integers(0, 1000),
    ),
    unique_by=lambda node: node.name,
)
holdings = st.lists(
    st.builds(
        Holding,
        node=st.sampled_from(NAMES),
        size=st.just(5),
        disk=st.sampled_from(["d1", "d2"]),
        mark=st.sampled_from(["aa", "bb"]),
    ),
    unique_by=lambda holding: (holding.node, holding.disk),
)
drains = st.sets(st.builds(Drain, st.sampled_from(NAMES), st.sampled_from(["d1", "d2"])))


@given(
    nodes,
    st.sets(st.sampled_from(NAMES)),
    drains,
    holdings,
    st.sampled_from(["contents", "structures"]),
    st.sampled_from([0, 100]),
)
def test_what_a_plan_calls_whole_is_whole(
    nodes: list[NodeState],
    expected: set[str],
    drains: set[Drain],
    held: list[Holding],
    kind: str,
    references: int,
) -> None:
    """After its steps nothing is short any more; and what is short has steps, or no target."""
    if kind == "contents":
        held = [evolve(holding, mark="") for holding in held]
    up = {node.name for node in nodes if node.up}
    expected &= {node.name for node in nodes} - up
    judge = Judge(nodes, expected, RULES, drains, 0.1)
    stored = Stored(kind, KEYS[0], held, references)
    verdict, plan = judge.verdict(stored), judge.plan(stored)
    assert judge.verdict(stored) == verdict
    if verdict in ("ample", "astray", "fine"):
        assert not plan.steps
    assert (verdict == "lost") == (not _names(held) & (up | expected))
    if verdict == "short" and plan.whole:
        taken = [Holding(step.target, 5, "cc", "d1") for step in plan.steps]
        gone = {step.target for step in plan.steps}
        after = [evolve(h, mark="cc" if kind == "structures" else "") for h in held]
        after += [evolve(h, mark=after[0].mark) for h in taken if h.node not in _names(held)]
        assert gone <= up
        assert judge.verdict(evolve(stored, holdings=after)) != "short"


def _names(held: list[Holding]) -> set[str]:
    return {holding.node for holding in held}


def test_progress_goes_from_a_count_to_nothing_left() -> None:
    """Below target, time left and what a drain holds go down together; a new count ends a drain."""
    progress, drain = Progress(), Drain("a")
    assert progress.below is None and progress.drains([drain])[0].left is None
    short = [Stored("contents", key, [Holding("a", 5)]) for key in KEYS]
    census = Census()
    for stored in short:
        census.take(stored, "short", [drain])
    census.take(short[0], "lost", [])
    progress.counted(census, frozenset([drain]), 100.0)
    assert progress.below == 51 and progress.left(drain) == 50
    assert progress.seconds_left(100.0) is None and progress.repaired == 0
    for stored in short[:20]:
        progress.has_mended(stored, [drain])
    assert progress.below == 31 and progress.left(drain) == 30
    assert progress.seconds_left(110.0) == 15.0 and progress.repaired == 0.4
    for stored in short[20:]:
        progress.has_mended(stored, [drain])
    assert progress.below == 1 and progress.left(drain) is None and progress.is_draining
    progress.counted(Census(), frozenset([drain]), 120.0)
    assert progress.below == 0 and progress.left(drain) == 0 and not progress.is_draining


def test_copies_that_differ_on_the_disks_of_one_node_are_left_alone() -> None:
    """What a disk brought from elsewhere is not removed as one of its node's."""
    up = [NodeState(NodeStatus(name, f"http://{name}", 1000), True) for name in "abc"]
    same = [Holding(node.name, 3, "aa", "d1") for node in up]
    judge = Judge(up, (), Rules())
    assert judge.shift(Stored("structures", KEYS[0], same)) is not None
    split = [*same, *(Holding(node.name, 1, "bb", "d2") for node in up)]
    assert judge.shift(Stored("structures", KEYS[0], split)) is None


def test_what_a_drain_holds_is_safe_on_nodes_that_are_up_only() -> None:
    """One that is waited for counts for all else, so that a restart moves nothing."""
    rules, contents = Rules(replicas=1), [Holding("a", 5), Holding("b", 5)]
    here, away, leaving = (
        NodeState(NodeStatus("a", "http://a", 1000), True),
        NodeState(NodeStatus("b", "http://b", 1000), False),
        NodeState(NodeStatus("a", "http://a", 1000, draining=True), True),
    )
    stored = Stored("contents", KEYS[0], contents)
    assert Judge([here, away], ["b"], rules).count(stored) == "fine"
    judge = Judge([leaving, away], ["b"], rules, [Drain("a")])
    assert judge.count(stored) == "short" and not judge.plan(stored).whole
    gone = evolve(leaving, up=False)
    judge = Judge([gone, evolve(away, up=True)], ["a"], rules, [Drain("a")])
    assert judge.count(stored) == "fine"
    judge = Judge([gone], ["a"], rules, [Drain("a")])
    assert judge.count(evolve(stored, holdings=contents[:1])) == "short"
