"""A slave's link over real sockets: made, lost, made again, redirected."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from anet.errors import AddressInUse
from anet.tasks import sleep
from hip import Agent, CallTimedOut, NotConnected, Overloaded, PlaintextRefused, exposed
from hip import link as link_module


class Name:
    """Says whose methods these are."""

    def __init__(self, name: str) -> None:
        self._name = name

    @exposed
    def name(self) -> str:
        """Say the name."""
        return self._name


def start_master(name: str, port: int = 0):
    """Start a master on loopback."""
    agent = Agent(reactor, "master", name, [Name(name)])
    listener = agent.listen(f"127.0.0.1:{port}")
    agent.startService()
    return agent, listener


def start_slave(address: str, name: str = "slave"):
    """Start a slave of the master at an address."""
    agent = Agent(reactor, "slave", name, [Name(name)])
    link = agent.connect(address)
    agent.startService()
    return agent, link


@ensureDeferred
async def test_calls_over_sockets_both_ways():
    """A slave and its master call each other over TCP."""
    master, listener = start_master("master")
    slave, link = start_slave(listener.address)
    assert await link.call("name") == "master"
    assert await master.slaves["slave"].call("name") == "slave"
    await slave.stopService()
    await master.stopService()
    assert master.slaves == {}


@ensureDeferred
async def test_a_link_is_made_again():
    """A slave comes back to a master that was started again, and first says its words."""
    master, listener = start_master("first")
    slave, link = start_slave(listener.address)
    met = []
    link.on_connect = lambda peer: met.append(peer.name)
    assert await link.call("name") == "first"
    await master.stopService()
    master, _ = start_master("second", listener.port)
    assert await link.insist("name") == "second"
    assert met == ["first", "second"]
    await slave.stopService()
    await master.stopService()


@ensureDeferred
async def test_a_slave_is_redirected_and_comes_home():
    """A redirected slave serves the other master, and comes home when that one is gone."""
    home, at_home = start_master("home")
    away, at_away = start_master("away")
    home.on_join = lambda peer: peer.redirect(at_away.address) if away.running else None
    slave, link = start_slave(at_home.address)
    while link.peer is None or link.peer.name != "away":
        await sleep(reactor, 0.01)
    assert await link.call("name") == "away"
    await away.stopService()
    while link.peer is None or link.peer.name != "home":
        await sleep(reactor, 0.01)
    assert await link.call("name") == "home"
    await slave.stopService()
    await home.stopService()


@ensureDeferred
async def test_masters_that_send_a_slave_round_and_round():
    """A loop of redirections is left, and does not keep the slave from stopping."""
    one, at_one = start_master("one")
    two, at_two = start_master("two")
    one.on_join = lambda peer: peer.redirect(at_two.address)
    two.on_join = lambda peer: peer.redirect(at_one.address)
    slave, link = start_slave(at_one.address)
    while "the masters loop" not in link.state:
        await sleep(reactor, 0.01)
    await slave.stopService()
    await one.stopService()
    await two.stopService()


@ensureDeferred
async def test_a_slave_that_is_sent_away_waits_longer_each_time(monkeypatch):
    """A link that ends at once is no success, lest a refused slave wear its master out."""
    waits, states = [], []

    async def note(clock, seconds):
        waits.append(seconds)
        states.append(link.state)
        await sleep(clock, 0)

    monkeypatch.setattr(link_module, "sleep", note)
    master, listener = start_master("master")
    master.on_join = lambda peer: peer.close("not you")
    slave, link = start_slave(listener.address)
    while len(waits) < 6:
        await sleep(reactor, 0.01)
    assert waits[5] >= 8 > 0.5 >= waits[0]
    assert "not you" in states[0]
    await slave.stopService()
    await master.stopService()


@ensureDeferred
async def test_no_master_is_an_error_in_time():
    """A call without a link ends when its time is over, and says why."""
    slave, link = start_slave("127.0.0.1:1")
    with pytest.raises(CallTimedOut, match="no link to 127.0.0.1:1"):
        await link.call("name", timeout=0.2)
    waiting = Deferred.fromCoroutine(link.call("name"))
    await slave.stopService()
    with pytest.raises(NotConnected):
        await waiting


@ensureDeferred
async def test_a_port_in_use_is_said():
    """Listening where somebody listens is an error that says what to do."""
    master, listener = start_master("master")
    other = Agent(reactor, "master", "other")
    other.listen(listener.address)
    with pytest.raises(AddressInUse, match="choose another port"):
        other.startService()
    await master.stopService()


def test_plaintext_beyond_loopback_is_refused():
    """An agent does not listen on the network without encryption unless told to."""
    agent = Agent(reactor, "master", "master")
    agent.listen("0.0.0.0:0")
    with pytest.raises(PlaintextRefused, match="insecure: true"):
        agent.startService()


@ensureDeferred
async def test_no_more_than_so_many_wait_for_a_master(monkeypatch):
    """Who calls and calls while there is no master is told so at once."""
    monkeypatch.setattr(link_module, "_LINE", 2)
    slave, link = start_slave("127.0.0.1:1")
    waiting = [link.connected(), link.connected()]
    with pytest.raises(Overloaded, match="2 wait for a master already"):
        await link.call("name")
    with pytest.raises(CallTimedOut, match="no time is left"):
        await link.call("name", timeout=0)
    for each in waiting:
        each.addErrback(lambda failure: failure.trap(NotConnected))
    await slave.stopService()
