"""What is written in one turn goes out together, and at once where nothing waits before it."""

import socket

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.logger import globalLogPublisher

from anet.gathering import Turn, send_now
from anet.tasks import sleep


def test_the_outermost_turn_is_the_turn():
    """Senders are called once, in their order, when it ends."""
    clock, sent = Clock(), []
    turn = Turn(clock)
    with turn:
        turn.at_end(lambda: sent.append(1))
        with turn:
            turn.at_end(lambda: sent.append(2))
        assert sent == []
    assert sent == [1, 2]
    assert clock.getDelayedCalls() == []


def test_outside_of_any_turn_it_is_what_the_reactor_does_now():
    """One timer for all who write, and none when a turn has sent it before."""
    clock, sent = Clock(), []
    turn = Turn(clock)
    turn.at_end(lambda: sent.append(1))
    turn.at_end(lambda: sent.append(2))
    assert len(clock.getDelayedCalls()) == 1
    with turn:
        pass
    assert sent == [1, 2]
    clock.advance(0)
    assert sent == [1, 2]


def test_a_sender_may_ask_for_another_turn():
    """What it writes is sent too, and not in the same breath for ever."""
    clock, sent = Clock(), []
    turn = Turn(clock)

    def again() -> None:
        sent.append("again")
        if len(sent) < 3:
            turn.at_end(again)

    with turn:
        turn.at_end(again)
    clock.advance(0)
    clock.advance(0)
    assert sent == ["again"] * 3


def test_a_turn_that_fails_is_sent_all_the_same():
    """What was written before the error goes out."""
    sent = []
    turn = Turn(Clock())
    with pytest.raises(ValueError, match="broken"), turn:
        turn.at_end(lambda: sent.append(1))
        raise ValueError("broken")
    assert sent == [1]


def test_a_sender_that_fails_does_not_stop_the_others():
    """One link's fault is not another's; it is written to the log."""
    sent = []
    turn = Turn(Clock())

    def fail() -> None:
        raise ValueError("broken")

    events: list[dict] = []
    globalLogPublisher.addObserver(events.append)
    with turn:
        turn.at_end(fail)
        turn.at_end(lambda: sent.append(1))
    globalLogPublisher.removeObserver(events.append)
    assert sent == [1]
    assert [event["log_failure"].type for event in events] == [ValueError]


def test_what_is_no_socket_is_written_to():
    """TLS and transports of tests know no other way."""
    transport = StringTransport()
    send_now(transport, b"hello")
    assert transport.value() == b"hello"


class Listening(Protocol):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard = b""
        self.closed: Deferred[None] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        self.heard += data

    def connectionLost(self, reason) -> None:
        self.closed.callback(None)


@ensureDeferred
async def test_what_we_know_of_twisteds_books():
    """Bytes that were written wait in them until they have left; `send_now` looks there."""
    heard = Listening()
    port = reactor.listenTCP(0, Factory.forProtocol(lambda: heard), interface="127.0.0.1")
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port.getHost().port)
    writer = await connectProtocol(endpoint, Listening())
    assert send_now(writer.transport, b"1") == 0, "an idle transport of Twisted's seems busy"
    writer.transport.write(b"2")
    assert send_now(writer.transport, b"3") == 1, "Twisted keeps what waits in another place"
    while heard.heard != b"123":
        await sleep(reactor, 0.005)
    assert send_now(writer.transport, b"4") == 0, "what has left seems to wait in Twisted's books"
    writer.transport.loseConnection()
    assert send_now(writer.transport, b"5") == 1, "a closing transport seems idle"
    await writer.closed
    await heard.closed
    await port.stopListening()


@ensureDeferred
async def test_the_order_is_kept_whatever_the_kernel_takes():
    """What it does not take at once waits in Twisted's buffer, and later writes behind it."""
    heard = Listening()
    port = reactor.listenTCP(0, Factory.forProtocol(lambda: heard), interface="127.0.0.1")
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port.getHost().port)
    writer = await connectProtocol(endpoint, Protocol())
    writer.transport.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    expected = b""
    for number in range(300):
        data = bytes([number % 256]) * (number * 17)
        expected += data
        (writer.transport.write if number % 7 == 3 else lambda it: send_now(writer.transport, it))(
            data
        )
    writer.transport.loseConnection()
    await heard.closed
    assert heard.heard == expected
    await port.stopListening()
    send_now(writer.transport, b"after the end")  # nothing happens
