"""What FileSender counts on in Twisted's transports, and how it meets their limits."""

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.interfaces import IPullProducer
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import StringTransport
from zope.interface import implementer

from anet.errors import ConnectionBroken
from anet.sendfile import FileSender, sends_files
from anet.tasks import sleep


class End(Protocol):
    """One end of a connection; keeps what it hears."""

    def __init__(self) -> None:
        self.heard = b""
        self.lost = False

    def dataReceived(self, data: bytes) -> None:
        self.heard += data

    def connectionLost(self, reason=None) -> None:
        self.lost = True


@pytest.fixture
def pair():
    """Both ends of a TCP connection."""
    served: Deferred[End] = Deferred()

    def accept() -> End:
        end = End()
        reactor.callLater(0, served.callback, end)
        return end

    port = reactor.listenTCP(0, Factory.forProtocol(accept), interface="127.0.0.1")
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port.getHost().port)
    ours = pytest_twisted.blockon(connectProtocol(endpoint, End()))
    theirs = pytest_twisted.blockon(served)
    yield ours, theirs
    for end in (ours, theirs):
        end.transport.abortConnection()

    async def both_lost() -> None:
        while not (ours.lost and theirs.lost):
            await sleep(reactor, 0.005)

    pytest_twisted.blockon(Deferred.fromCoroutine(both_lost()))
    pytest_twisted.blockon(port.stopListening())


@implementer(IPullProducer)
class Asked:
    """A pull producer that counts how often it was asked, and what had left by then."""

    def __init__(self) -> None:
        self.times = 0

    def resumeProducing(self) -> None:
        self.times += 1

    def stopProducing(self) -> None:
        pass


@ensureDeferred
async def test_twisted_asks_a_pull_producer_when_all_has_left(pair):
    """FileSender writes past the transport on the strength of this."""
    ours, theirs = pair
    asked = Asked()
    ours.transport.registerProducer(asked, False)
    assert asked.times == 1, "Twisted no longer asks a pull producer at once"
    theirs.transport.pauseProducing()
    ours.transport.write(b"x" * 30_000_000)
    await sleep(reactor, 0.1)
    assert asked.times == 1, "Twisted asks a pull producer while bytes wait; FileSender overtakes"
    theirs.transport.resumeProducing()
    while len(theirs.heard) < 30_000_000:
        await sleep(reactor, 0.005)
    assert asked.times == 2, "Twisted does not ask a pull producer once all has left"


@ensureDeferred
async def test_twisted_asks_a_pull_producer_when_writing_starts(pair):
    """FileSender waits for a socket that takes bytes by `startWriting`, with nothing to write."""
    ours, _ = pair
    asked = Asked()
    ours.transport.registerProducer(asked, False)
    ours.transport.startWriting()
    assert asked.times == 1, "Twisted asks within startWriting; FileSender expects a later turn"
    await sleep(reactor, 0.02)
    assert asked.times == 2, "Twisted no longer asks for more after startWriting; FileSender hangs"


@ensureDeferred
async def test_which_transports_send_files(pair):
    """Plain TCP only."""
    assert sends_files(pair[0].transport)
    assert not sends_files(StringTransport())


def full(pair):
    """Return a sender with ten million bytes that wait, and the end that does not read them."""
    ours, theirs = pair
    sender = FileSender(ours.transport, lambda: None)
    theirs.transport.pauseProducing()
    sender.write(b"x" * 10_000_000)
    return sender, theirs


@ensureDeferred
async def test_a_file_follows_what_was_written_before(pair, tmp_path):
    """Bytes that wait in the transport are not overtaken."""
    sender, theirs = full(pair)
    (tmp_path / "file").write_bytes(b"0123456789")
    with (tmp_path / "file").open("rb") as file:
        sending = Deferred.fromCoroutine(sender.send(b"head", file.fileno(), 2, 5))
        await sleep(reactor, 0.05)
        assert not sending.called
        theirs.transport.resumeProducing()
        assert await sending == 5
    while len(theirs.heard) < 10_000_009:
        await sleep(reactor, 0.005)
    assert theirs.heard.endswith(b"xxhead23456")


@ensureDeferred
async def test_a_part_beyond_the_end_of_its_file(pair, tmp_path):
    """What there is of it is sent, and counted."""
    sender = FileSender(pair[0].transport, lambda: None)
    (tmp_path / "file").write_bytes(b"0123456789")
    with (tmp_path / "file").open("rb") as file:
        assert await sender.send(b"head", file.fileno(), 6, 100) == 4
        assert await sender.send(b"head", file.fileno(), 60, 100) == 0


@ensureDeferred
async def test_waiting_ends_with_the_connection(pair):
    """Whoever waits for room is told that the other side went away, then and ever after."""
    sender, theirs = full(pair)
    draining = Deferred.fromCoroutine(sender.drain())
    await sleep(reactor, 0.02)
    sender.lose()
    with pytest.raises(ConnectionBroken):
        await draining
    with pytest.raises(ConnectionBroken):
        await sender.drain()


@ensureDeferred
async def test_who_waits_may_give_up(pair):
    """A wait that is cancelled leaves nothing that could fire later."""
    sender, theirs = full(pair)
    draining = Deferred.fromCoroutine(sender.drain())
    await sleep(reactor, 0.02)
    draining.cancel()
    with pytest.raises(CancelledError):
        await draining
    theirs.transport.resumeProducing()
    while len(theirs.heard) < 10_000_000:
        await sleep(reactor, 0.005)
    await sender.drain()
