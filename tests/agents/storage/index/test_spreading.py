"""Captures are recorded by as many nodes as there should be, also when some do not answer."""

from collections.abc import Mapping
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock

from agents.capture import structure_key
from agents.storage.errors import NoStorage
from agents.storage.index.posting import Share
from agents.storage.index.spreading import Spreading
from agents.storage.index.view import ClusterView
from agents.storage.status import Cluster, NodeState, NodeStatus

URL = "http://a.example/"
KEY = structure_key(URL)


class Nodes:
    """Takes what nodes are asked to record, in the place of `Posting`."""

    def __init__(self, view: ClusterView, silent: str) -> None:
        self.view, self.silent = view, silent
        self.rounds: list[set[str]] = []
        self.sources: dict[str, dict[str, str]] = {}

    async def post_all(self, shares: Mapping[str, Share]) -> set[str]:
        """Suspect those that are silent, as `Posting` does."""
        self.rounds.append(set(shares))
        self.sources |= {name: share.sources for name, share in shares.items()}
        for name in shares:
            if name in self.silent:
                self.view.suspect(name)
        return {name for name in shares if name not in self.silent}


def _spreading(names: str, silent: str = "", suspects: str = "") -> tuple[Spreading, Nodes]:
    view = ClusterView(Clock(), "index-1", grace=0)
    states = [
        NodeState(NodeStatus(name, f"http://{name}", free=1 << 40), up=True) for name in "abc"
    ]
    view.update(Cluster(nodes=[state for state in states if state.name in names]))
    for name in suspects:
        view.suspect(name)
    nodes = Nodes(view, silent)
    return Spreading(view, nodes), nodes  # type: ignore[arg-type]


@pytest.fixture
def files(make_capture) -> Any:
    """Give a structure file to be, of three captures."""
    return {KEY: [make_capture(URL, day=day) for day in (1, 2, 3)]}


@ensureDeferred
async def test_another_node_stands_in_for_one_that_is_suspected(files) -> None:
    """What is acknowledged is on two nodes though one of the holders is silent for the moment."""
    spreading, nodes = _spreading("abc", silent="b", suspects="b")
    spread = await spreading.record(files, {KEY: {"a", "b"}})
    assert spread.took[KEY] == {"a", "c"} and nodes.rounds == [{"a", "c"}]
    assert nodes.sources == {"a": {}, "c": {KEY: "http://a"}}
    assert (spread.lost, spread.short) == (0, 0)


@ensureDeferred
async def test_another_node_stands_in_for_one_that_fails(files) -> None:
    """It is asked for what the first did not take, before anything is acknowledged."""
    spreading, nodes = _spreading("abc", silent="b")
    spread = await spreading.record(files, {KEY: {"a", "b"}})
    assert spread.took[KEY] == {"a", "c"} and nodes.rounds == [{"a", "b"}, {"c"}]
    assert (spread.lost, spread.short) == (0, 0)


@ensureDeferred
async def test_one_node_does_only_when_all_others_were_asked(files) -> None:
    """Also those that were silent a moment ago; the shortfall is counted."""
    spreading, nodes = _spreading("abc", suspects="bc")
    spread = await spreading.record(files, {KEY: {"a", "b"}})
    assert spread.took[KEY] == {"a", "b"} and spread.short == 0
    spreading, nodes = _spreading("abc", silent="bc", suspects="bc")
    spread = await spreading.record(files, {KEY: {"a", "b"}})
    assert spread.took[KEY] == {"a"} and set.union(*nodes.rounds) == {"a", "b", "c"}
    assert (spread.lost, spread.short) == (0, 3)
    spreading, nodes = _spreading("a")
    spread = await spreading.record(files, {KEY: {"a", "b"}})
    assert spread.took[KEY] == {"a"} and nodes.rounds == [{"a"}]


@ensureDeferred
async def test_what_no_node_takes_is_lost(files) -> None:
    """Each node was asked once; without any nobody is."""
    spreading, nodes = _spreading("abc", silent="abc")
    spread = await spreading.record(files, {KEY: set()})
    assert spread.lost == 3 and sorted("".join(sorted(each)) for each in nodes.rounds)
    assert sum(map(len, nodes.rounds)) == 3
    spreading, nodes = _spreading("")
    with pytest.raises(NoStorage):
        await spreading.record(files, {KEY: set()})
