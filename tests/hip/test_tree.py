"""The tree below an agent, and ways to its descendants: in memory, and 2,000 slaves on sockets."""

import time
from typing import Any

import pytest
import pytest_twisted
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, DeferredList, ensureDeferred
from twisted.internet.task import Clock

from hip import Agent, CallTimedOut, Limits, RemoteError, convert, exposed
from hip.testing import connect_in_memory, settle
from hip.tree import AGENTS, Branch, _Room


class Status:
    """Methods to route to."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.working: Deferred[str] | None = None
        self.stopped = False

    @exposed
    def status(self) -> str:
        """Say whose status this is."""
        return self._name

    @exposed
    async def work(self) -> str:
        """Work until cancelled."""
        self.working = Deferred()
        try:
            return await self.working
        except CancelledError:
            self.stopped = True
            raise


class Forest:
    """Agents in memory, and a console linked to the root."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.agents: dict[str, Agent] = {}
        self.status: dict[str, Status] = {}
        self.links: dict[str, Any] = {}  # masters, as their slaves see them
        self.agent("root")
        console = Agent(self.clock, "console", "console-1")
        _, self.root = connect_in_memory(self.clock, self.agents["root"], console)

    def agent(self, name: str, below: str = "", kind: str = "node", key: str = "") -> None:
        """Add an agent below another; `key` tells agents of one name apart."""
        key = key or name
        self.status[key] = Status(key)
        self.agents[key] = Agent(self.clock, kind, name, [self.status[key]])
        if below:
            linked = connect_in_memory(self.clock, self.agents[below], self.agents[key])
            self.links[key] = linked[1]

    def silence(self, key: str) -> None:
        """Let an agent's words to its master be lost, as in a half-open connection."""
        self.links[key].transport.write = lambda data: None

    def call(self, called: str, /, seconds: float = 0.0, **arguments: Any) -> Any:
        """Call a method of the root and return its answer, or raise, after so many seconds."""
        calling = self.root.call(called, **arguments)
        return self.result(calling, seconds)

    def result(self, calling: "Deferred[Any]", seconds: float = 0.0) -> Any:
        """Return what a call gives within so many seconds."""
        said: list[Any] = []
        calling.addCallbacks(said.append, lambda failure: said.append(failure.value))
        settle(self.clock, 200)
        passed = 0.0
        while not said and passed < seconds:
            self.clock.advance(0.05)
            settle(self.clock, 20)
            passed += 0.05
        assert said, "there is no answer yet"
        if isinstance(said[0], Exception):
            raise said[0]
        return said[0]


@pytest.fixture
def forest() -> Forest:
    """Return a tree: root - nursery - crawler-1, crawler-2; root - storage - disk - head."""
    forest = Forest()
    forest.agent("nursery", "root")
    forest.agent("crawler-1", "nursery")
    forest.agent("crawler-2", "nursery")
    forest.agent("storage", "root")
    forest.agent("disk", "storage")
    forest.agent("head", "disk")
    return forest


def branch(tree: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return the branch of a tree at the end of a path."""
    for name in path:
        (tree,) = [below for below in tree["slaves"] if below["name"] == name]
    return tree


def test_a_whole_tree(forest):
    """Every agent is there with its figures, and how long its master waited for it."""
    tree = forest.call("hip.tree")
    assert (tree["name"], tree["latency"]) == ("root", None)
    for path in [("nursery", "crawler-1"), ("nursery", "crawler-2"), ("storage", "disk", "head")]:
        for end in range(1, 1 + len(path)):
            found = branch(tree, *path[:end])
            assert found["pid"] and found["memory"] and found["version"]
            assert (found["error"], found["latency"], found["kind"]) == ("", 0.0, "node")
    assert len(convert(tree, Branch)) == 7


@pytest.mark.parametrize("patience", [60.0, 5.0, 1.0])
def test_a_silent_agent_deep_down_spoils_nothing_else(forest, patience):
    """The tree comes in time, with the silent agent marked and all others whole."""
    forest.silence("head")
    tree = forest.call("hip.tree", seconds=min(patience, 5.0) * 0.9, timeout=patience)
    assert "no answer to hip.info" in branch(tree, "storage", "disk", "head")["error"]
    assert branch(tree, "storage", "disk")["error"] == ""
    assert branch(tree, "nursery", "crawler-2")["pid"]


def test_silent_agents_on_every_level(forest):
    """Their times do not add up."""
    for name in ("crawler-1", "head", "nursery"):
        forest.silence(name)
    tree = forest.call("hip.tree", seconds=4.5)
    assert branch(tree, "nursery")["error"]
    assert branch(tree, "storage", "disk", "head")["error"]


def test_a_slave_that_knows_only_itself(forest, monkeypatch):
    """One whose tree cannot be had is shown with its own figures, and the reason."""
    table = forest.agents["nursery"].methods
    del table["hip.tree"]
    nursery = branch(forest.call("hip.tree"), "nursery")
    assert "unknown-method" in nursery["error"]
    assert nursery["pid"] and nursery["latency"] == 0.0


_ODD = {"kind": "a", "name": "b", "memory": 2**70}


@pytest.mark.parametrize("answer", [None, [], {"kind": 1, "name": 2}, {"slaves": "many"}, _ODD])
def test_nonsense_from_a_slave_is_marked(forest, answer):
    """What is no branch is not passed on."""

    @exposed(name="hip.info")
    def info() -> Any:
        """Answer nonsense."""
        return answer

    del forest.agents["nursery"].methods["hip.info"]
    forest.agents["nursery"].methods.add(info)
    assert branch(forest.call("hip.tree"), "nursery")["error"]


def test_a_tree_that_is_a_ring_ends(forest):
    """Two agents that are each other's masters are shown down to the deepest level."""
    connect_in_memory(forest.clock, forest.agents["head"], forest.agents["storage"])
    tree = convert(forest.call("hip.tree", seconds=5), Branch)
    assert 7 < len(tree) <= 32 * 7


def test_levels_and_agents_are_bounded(forest):
    """A tree too deep or too large is cut, and says by how much."""
    tree = forest.call("hip.tree", levels=2)
    assert [(it["name"], it["left_out"]) for it in tree["slaves"]] == [
        ("nursery", 2),
        ("storage", 1),
    ]
    tree = forest.call("hip.tree", agents=4)
    assert len(convert(tree, Branch)) == 4
    assert {it["name"] for it in tree["slaves"]} == {"nursery", "storage"}
    tree = forest.call("hip.tree", agents=2)
    assert (tree["left_out"], len(tree["slaves"])) == (1, 1)
    assert forest.call("hip.tree", agents=-5, levels=-5)["slaves"] == []


_BRANCHES = st.recursive(
    st.builds(Branch, st.just("node"), st.just("name")),
    lambda below: st.builds(
        lambda slaves: Branch("node", "name", slaves=slaves), st.lists(below, max_size=6)
    ),
    max_leaves=40,
)


@given(_BRANCHES, st.integers(-1, 50))
def test_pruning_keeps_as_many_as_there_is_room_for(tree, agents):
    """Never more, never fewer, and what is cut is counted."""
    pruned = _Room(agents).prune(tree)
    assert len(pruned) - 1 == min(max(0, agents), len(tree) - 1)
    assert (pruned == tree) == (len(pruned) == len(tree))


# Ways


def test_ways_to_an_agent(forest):
    """Every agent of a name is found, however deep."""
    forest.agent("disk", "nursery", key="other disk")
    assert forest.call("hip.find", name="disk") == [["nursery", "disk"], ["storage", "disk"]]
    assert forest.call("hip.find", name="head") == [["storage", "disk", "head"]]
    assert forest.call("hip.find", name="nobody") == []


def test_a_silent_agent_is_passed_over_in_a_search(forest):
    """What can be found is found in time."""
    forest.silence("disk")
    forest.agent("head", "nursery", key="other head")
    assert forest.call("hip.find", seconds=4.5, name="head") == [["nursery", "head"]]


@pytest.mark.parametrize(
    ("path", "reached"),
    [
        (["storage", "disk", "head"], "head"),
        (["head"], "head"),
        (["disk", "head"], "head"),
        (["root", "nursery", "crawler-1"], "crawler-1"),
        (["root", "crawler-1"], "crawler-1"),
        (["root"], "root"),
    ],
)
def test_a_descendant_by_its_way_or_by_its_name(forest, path, reached):
    """A way may begin at the root, or with a name that is the only one of its kind."""
    assert forest.call("hip.route", path=path, method="status", arguments={}) == reached


def test_a_name_that_several_have(forest):
    """The error lists the ways; a direct slave is meant before others of its name."""
    forest.agent("crawler-1", "storage", key="second")
    route = {"method": "status", "arguments": {}}
    with pytest.raises(RemoteError, match="nursery/crawler-1, storage/crawler-1") as caught:
        forest.call("hip.route", path=["crawler-1"], **route)
    assert caught.value.code == "ambiguous"
    forest.agent("crawler-1", "root", key="third")
    assert forest.call("hip.route", path=["crawler-1"], **route) == "third"


@pytest.mark.parametrize("path", [[], ["nobody"], ["nursery", "nobody"], ["root"] * 33])
def test_no_such_way(forest, path):
    """The error has a code, and is not one of the agent's own mistakes."""
    with pytest.raises(RemoteError) as caught:
        forest.call("hip.route", path=path, method="status", arguments={})
    assert caught.value.code == "unreachable"


def test_a_descendant_that_does_not_answer(forest):
    """The caller's patience goes down the whole way."""
    forest.silence("head")
    route = {"path": ["storage", "disk", "head"], "method": "status", "arguments": {}}
    with pytest.raises((RemoteError, CallTimedOut), match="no answer|timed-out"):
        forest.call("hip.route", seconds=2.5, timeout=2.0, **route)


def test_arguments_that_cannot_be_routed(forest):
    """They are refused, not a mistake of the router."""
    for arguments in ({"timeout": 5}, {"unknown": 1}):
        with pytest.raises(RemoteError) as caught:
            forest.call("hip.route", path=["nursery"], method="status", arguments=arguments)
        assert caught.value.code == "bad-arguments"


def test_cancelling_reaches_the_descendant(forest):
    """A routed call that is cancelled stops the method at the end of the way."""
    route = {"path": ["storage", "disk", "head"], "method": "work", "arguments": {}}
    calling = forest.root.call("hip.route", **route)
    settle(forest.clock)
    calling.addErrback(lambda _: None)
    calling.cancel()
    settle(forest.clock)
    assert forest.status["head"].stopped


def test_calls_are_counted_over_links_that_have_ended(forest):
    """Requests that slaves and masters made count until the agent ends."""
    before = forest.call("hip.info")["calls"]
    forest.result(forest.links["nursery"].call("status"))
    forest.links["nursery"].close("enough")
    settle(forest.clock)
    assert forest.call("hip.info")["calls"] == before + 2  # and the one that asks for it


# Two thousand


@pytest.mark.slow
@pytest_twisted.ensureDeferred
async def test_two_thousand_slaves():
    """A master of 2,000 slaves shows all of them in time, well within a frame."""
    master = Agent(reactor, "master", "master", limits=Limits(links=2100))
    listener = master.listen("127.0.0.1:0")
    all_here: Deferred[None] = Deferred()
    master.on_join = lambda _: all_here.callback(None) if len(master.slaves) == 2000 else None
    master.startService()
    slaves = [Agent(reactor, "slave", f"slave-{number}") for number in range(2000)]
    for slave in slaves:
        slave.connect(listener.address)
        slave.startService()
    await all_here
    console = Agent(reactor, "console", "console")
    link = console.connect(listener.address)
    console.startService()
    begun = time.process_time()  # of master and slaves; other programs do not matter
    tree = convert(await link.call("hip.tree", timeout=60.0), Branch)
    assert time.process_time() - begun < 5.0
    assert [below.error for below in tree.slaves] == [""] * 2000
    assert await link.call("hip.find", name="slave-1999") == [["slave-1999"]]
    assert AGENTS > 2001
    stopping = [ensureDeferred(it.stopService()) for it in (console, *slaves, master)]
    await DeferredList(stopping)
