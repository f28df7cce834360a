"""Links that stop at unlikely moments."""

from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from anet.tasks import sleep
from hip import Agent, Peer


@ensureDeferred
async def test_a_link_stops_although_its_first_words_never_end() -> None:
    """What an agent does on a new link does not hold its stop up."""
    master, slave = Agent(reactor, "master", "m"), Agent(reactor, "slave", "s")
    listener = master.listen("127.0.0.1:0")
    master.startService()
    link = slave.connect(listener.address)
    begun: Deferred[None] = Deferred()

    async def first_words(_: Peer) -> None:
        begun.callback(None)
        await Deferred()

    link.on_connect = first_words
    slave.startService()
    await begun
    await sleep(reactor, 0)  # so that the words are waiting, and not being said right now
    await slave.stopService()
    await master.stopService()


@ensureDeferred
async def test_a_link_is_stopped_by_who_waited_for_it() -> None:
    """It may be the link itself that goes on with its user, who then stops it."""
    master, slave = Agent(reactor, "master", "m"), Agent(reactor, "slave", "s")
    listener = master.listen("127.0.0.1:0")
    left: Deferred[str] = Deferred()
    master.on_leave = lambda _, reason: left.callback(reason)
    master.startService()
    link = slave.connect(listener.address)
    slave.startService()
    await link.connected()
    await slave.stopService()
    assert await left == "s said goodbye: stopping"
    await master.stopService()


@ensureDeferred
async def test_an_agent_that_was_stopped_starts_again() -> None:
    """Its links are made again, and it listens again."""
    master, slave = Agent(reactor, "master", "m"), Agent(reactor, "slave", "s")
    listener = master.listen("127.0.0.1:0")
    master.startService()
    link = slave.connect(listener.address)
    for _ in range(2):
        slave.startService()
        assert (await link.call("hip.info", timeout=5))["name"] == "m"
        await slave.stopService()
    await master.stopService()


@ensureDeferred
async def test_a_slave_whose_joining_fails_leaves_no_trace() -> None:
    """A mistake in `on_join` closes the link, and takes no place of the listener's for ever."""
    master, slave = Agent(reactor, "master", "m"), Agent(reactor, "slave", "s")
    listener = master.listen("127.0.0.1:0")
    left: Deferred[str] = Deferred()
    master.on_join = lambda peer: 1 / 0
    master.on_leave = lambda _, reason: left.callback(reason)
    master.startService()
    slave.connect(listener.address)
    slave.startService()
    assert "made a mistake" in await left
    assert (master.slaves, listener._peers) == ({}, set())
    await slave.stopService()
    await master.stopService()
