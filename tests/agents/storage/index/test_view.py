"""The cluster as an index node sees it."""

from twisted.internet.task import Clock

from agents.storage.index.readings import Disk
from agents.storage.index.sharing import groups_of
from agents.storage.index.view import SUSPECT_FOR, ClusterView
from agents.storage.status import Change, Cluster, IndexStatus, NodeState, NodeStatus

ONE, TWO = IndexStatus("index-1", "a:1"), IndexStatus("index-2", "b:1")


def test_an_index_node_that_is_away_keeps_its_share_for_a_time() -> None:
    """It is waited for; then the others take its groups, until it is back."""
    clock = Clock()
    view = ClusterView(clock, "index-1", grace=10)
    assert view.share is None and set(view.owners) == {None}
    view.update(Cluster(index_nodes=[ONE, TWO]))
    both = groups_of("index-1", ["index-1", "index-2"])
    assert view.share == both and view.siblings == [TWO]
    view.update(Cluster(index_nodes=[ONE]))
    clock.advance(9)
    view.update(Cluster(index_nodes=[ONE]))
    assert view.share == both and view.siblings == [TWO]
    clock.advance(2)
    view.update(Cluster(index_nodes=[ONE]))
    assert view.share == bytes(range(256)) and view.siblings == []
    view.update(Cluster(index_nodes=[ONE, TWO]))
    assert view.share == both


def test_one_that_has_just_come_is_not_known_to_all_yet() -> None:
    """Twice as long as one is waited for that knows nothing of it, those before it count too."""
    clock = Clock()
    view = ClusterView(clock, "index-1", grace=10)
    assert set(view.former_owners) == {None}
    view.update(Cluster(index_nodes=[ONE]))
    clock.advance(100)
    view.update(Cluster(index_nodes=[ONE, TWO]))
    assert set(view.owners) == {"index-1", "index-2"} and set(view.former_owners) == {"index-1"}
    clock.advance(20)
    assert view.former_owners == view.owners


def test_an_index_node_counts_itself() -> None:
    """Also when the master does not name it yet, so that it never lets all go."""
    view = ClusterView(Clock(), "index-1", grace=0)
    view.update(Cluster(index_nodes=[TWO]))
    assert view.share == groups_of("index-1", ["index-1", "index-2"])


def test_nodes_of_the_former_run_are_up_until_the_master_says() -> None:
    """With the disks that they had, so that none is forgotten; one that is silent is down."""
    clock = Clock()
    view = ClusterView(clock, "index-1", grace=0)
    view.assume([Disk(1, "a", "one", "http://a"), Disk(2, "a", "two", "http://a")])
    [node] = view.up
    assert [disk.name for disk in node.status.disks] == ["one", "two"]
    assert view.names(["http://a/", "a", "b"]) == ["a", "a"]
    view.suspect("a")
    assert view.up == []
    clock.advance(SUSPECT_FOR)
    assert view.up == [node]
    view.update(Cluster(nodes=[NodeState(NodeStatus("b", "http://b"), up=True)]))
    view.assume([Disk(1, "a", "one", "http://a")])
    assert [each.name for each in view.up] == ["b"]


def test_a_master_that_has_just_started_takes_no_node_away() -> None:
    """What was up stays so until that master has seen it, or has waited for it long enough."""
    view = ClusterView(Clock(), "index-1", grace=0)
    up = [NodeState(NodeStatus(name, f"http://{name}", free=9), up=True) for name in "abc"]
    view.change(Change(nodes=[*up, NodeState(NodeStatus("d", "http://d"), up=False)], whole=True))
    away = [NodeState(NodeStatus(name, f"http://{name}"), up=False) for name in "abd"]
    for _ in range(2):
        view.change(Change(nodes=away, whole=True, young=True))  # it has never heard of the third
        assert view.up == up
    seen = NodeState(NodeStatus("a", "http://a", free=8), up=True)
    view.change(Change(nodes=[seen], young=True))
    assert sorted(view.up, key=str) == sorted([seen, *up[1:]], key=str)
    view.change(Change(nodes=away[:1], young=True))
    assert view.up == up[1:], "one that has been seen may go"
    view.change(Change())
    assert view.up == []
