"""Slaves that are sent from master to master, over real sockets."""

from collections.abc import Callable
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as to_deferred

from anet.tasks import sleep
from hip import Agent, ConnectionLost, Link, Listener, Peer, exposed
from hip import link as link_module


class Net:
    """Masters and slaves that end with the test, and the redirections between them."""

    def __init__(self) -> None:
        self.agents: list[Agent] = []
        self.visits: list[str] = []  # names of masters, in the order in which slaves came

    def agent(self, name: str, *methods: object) -> Agent:
        """Return an agent that is not started yet."""
        agent = Agent(reactor, "tested", name, methods)
        self.agents.append(agent)
        return agent

    def master(self, name: str, *methods: object, to: str = "") -> Listener:
        """Start a master that sends every slave to another, if one is named."""
        agent = self.agent(name, *methods)
        listener = agent.listen("127.0.0.1:0")
        agent.startService()
        self.send_on(agent, to)
        return listener

    def send_on(self, agent: Agent, to: str) -> None:
        """Have a master send every slave that comes to another."""

        def join(peer: Peer) -> None:
            self.visits.append(agent.agent_name)
            if to:
                peer.redirect(to)

        agent.on_join = join

    def slave(self, address: str, name: str = "slave", *methods: object) -> Link:
        """Start a slave."""
        agent = self.agent(name, *methods)
        link = agent.connect(address)
        agent.startService()
        return link

    async def until(self, done: Callable[[], Any]) -> None:
        """Return once something is so; the test's own time limit ends what never is."""
        for _ in range(2000):
            if done():
                return
            await sleep(reactor, 0.01)
        raise AssertionError(f"it did not come to that; visits: {self.visits}")

    async def stop(self) -> None:
        """Stop every agent."""
        for agent in self.agents:
            stopping: Any = agent.stopService()
            await stopping


@pytest.fixture
def net():
    """Return a net whose agents stop with the test."""
    net = Net()
    yield net
    pytest_twisted.blockon(to_deferred(net.stop()))


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """Return the waits of links, which take a hundredth of their time here."""
    noted: list[float] = []

    async def wait(clock: Any, seconds: float) -> None:
        noted.append(seconds)
        await sleep(clock, seconds / 100)

    monkeypatch.setattr(link_module, "sleep", wait)
    return noted


@ensureDeferred
async def test_a_loop_is_left_and_waits_grow(net, waits):
    """A master that sends a slave back to where it comes from is left, after ever longer waits."""
    first, second = net.master("first"), net.master("second")
    net.send_on(net.agents[0], second.address)
    net.send_on(net.agents[1], first.address)
    link = net.slave(first.address)
    await net.until(lambda: len(waits) >= 5)
    assert net.visits[:6] == ["first", "second"] * 3
    assert "which we come from: the masters loop" in link.state
    assert waits[4] >= 4 * waits[0]


@ensureDeferred
async def test_a_master_that_sends_to_itself(net, waits):
    """A redirection to where the slave is already is a loop too."""
    only = net.master("only")
    net.send_on(net.agents[0], only.address)
    link = net.slave(only.address)
    await net.until(lambda: "the masters loop" in link.state)


@ensureDeferred
async def test_a_chain_of_six_is_too_long(net, waits):
    """Five redirections are followed, and the sixth leads back to the configured master."""
    last = net.master("7")
    for number in range(6, 0, -1):
        last = net.master(str(number), to=last.address)
    link = net.slave(last.address)
    await net.until(lambda: len(net.visits) >= 7)
    assert net.visits[:7] == ["1", "2", "3", "4", "5", "6", "1"]
    assert "7" not in net.visits
    assert waits
    await net.until(lambda: "after 5 redirections" in link.state)


@ensureDeferred
async def test_a_chain_of_five_is_followed(net, waits):
    """The fifth redirection is the last that is followed."""
    last = net.master("6")
    for number in range(5, 0, -1):
        last = net.master(str(number), to=last.address)
    link = net.slave(last.address)
    await net.until(lambda: link.peer is not None and link.peer.name == "6")
    assert waits == []


@ensureDeferred
@pytest.mark.parametrize("nowhere", ["127.0.0.1:1", "127.0.0.1:0", "unix:/run/hip", "nonsense"])
async def test_a_dead_end_leads_home(net, waits, nowhere):
    """Where nobody listens, or where the slave may not go, it comes home after a wait."""
    home = net.master("home", to=nowhere)
    link = net.slave(home.address)
    await net.until(lambda: len(waits) >= 1)
    net.send_on(net.agents[0], "")
    await net.until(lambda: link.peer is not None and len(net.visits) >= 2)
    assert set(net.visits) == {"home"}


@ensureDeferred
async def test_a_redirected_master_that_dies_later(net, waits):
    """The slave comes home when the master that it was sent to has gone."""
    away = net.master("away")
    home = net.master("home", to=away.address)
    link = net.slave(home.address)
    await net.until(lambda: link.peer is not None and link.peer.name == "away")
    net.send_on(net.agents[1], "")
    stopping: Any = net.agents[0].stopService()
    await stopping
    await net.until(lambda: link.peer is not None and link.peer.name == "home")
    assert net.visits == ["home", "away", "home"]
    assert len(waits) == 1


class Slow:
    """A method that answers when the test says so."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.running: list[Deferred[str]] = []

    @exposed
    async def ask(self) -> str:
        """Wait, and say whose method this is."""
        self.running.append(Deferred())
        return await self.running[-1]


@ensureDeferred
async def test_calls_in_flight_when_a_slave_is_redirected(net, waits):
    """They fail at both ends, and their methods are stopped; `insist` asks the other master."""
    at_home, at_away, at_slave = Slow("home"), Slow("away"), Slow("slave")
    away = net.master("away", at_away)
    home = net.master("home", at_home)
    link = net.slave(home.address, "slave", at_slave)
    await link.connected()
    to_slave = net.agents[1].slaves["slave"].call("ask")
    to_home = to_deferred(link.call("ask"))
    insisting = to_deferred(link.insist("ask"))
    await net.until(lambda: len(at_home.running) == 2 and at_slave.running)
    net.agents[1].slaves["slave"].redirect(away.address)
    with pytest.raises(ConnectionLost, match="redirected"):
        await to_home
    with pytest.raises(ConnectionLost, match="redirected"):
        await to_slave
    await net.until(lambda: all(it.called for it in at_home.running + at_slave.running))
    await net.until(lambda: at_away.running)
    at_away.running[0].callback("from away")
    assert await insisting == "from away"


@ensureDeferred
async def test_a_slave_that_has_slaves_of_its_own_takes_them_along(net, waits):
    """Its own slaves stay linked to it, and are below the other master then."""
    away, home = net.master("away"), net.master("home")
    middle = net.agent("middle")
    at_middle = middle.listen("127.0.0.1:0")
    link = middle.connect(home.address)
    middle.startService()
    leaf = net.slave(at_middle.address, "leaf")
    before = await leaf.connected()
    await link.connected()
    net.agents[1].slaves["middle"].redirect(away.address)
    await net.until(lambda: link.peer is not None and link.peer.name == "away")
    assert leaf.peer is before
    path = {"path": ["middle", "leaf"], "method": "hip.info", "arguments": {}}
    watcher = net.slave(away.address, "watcher")
    assert (await watcher.call("hip.route", **path))["name"] == "leaf"


@ensureDeferred
async def test_two_slaves_of_one_name_wait_longer_each_time(net, waits, monkeypatch):
    """They take each other's place, but not in quick turns for ever; the reason is said."""
    monkeypatch.setattr(link_module, "STEADY", 0.0)  # however long each of them holds it
    home = net.master("home")
    links = [net.slave(home.address), net.slave(home.address)]
    await net.until(lambda: len(waits) >= 14)
    assert max(waits) >= 15
    assert any(link_module.REPLACED in link.state for link in links)
