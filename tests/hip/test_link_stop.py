"""A link that stops while its first words are being said."""

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
