"""Agents meet peers that mean harm or are cut off, over real sockets."""

from struct import pack

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Factory, Protocol, connectionDone

from anet.tasks import sleep
from hip import Agent, ConnectionLost, Limits, NotConnected, exposed
from hip.codecs import MESSAGEPACK, YAML
from hip.errors import ProtocolError
from hip.wire import frame

GREETING = frame(
    b"hip: 2\nkind: crawler\nname: crawler-1\nserializers: [msgpack]\nframe: 9000000\n"
)


class Wire(Protocol):
    """A peer that writes what it is told."""

    def __init__(self) -> None:
        self.heard = b""
        self.closed: Deferred[None] = Deferred()

    def connectionMade(self) -> None:
        pass

    def dataReceived(self, data: bytes) -> None:
        self.heard += data

    def connectionLost(self, reason=connectionDone) -> None:
        self.closed.callback(None)

    def say(self, *message: object) -> None:
        """Send a frame."""
        self.transport.write(frame(MESSAGEPACK.encode(list(message))))


class Methods:
    """What the agents of these tests answer."""

    def __init__(self) -> None:
        self.told = 0

    @exposed
    def large(self, size: int) -> str:
        """Answer at length."""
        return "x" * size

    @exposed
    async def never(self) -> None:
        """Do not answer."""
        self.told += 1
        await Deferred()


async def until(condition) -> None:
    """Wait until something holds."""
    while not condition():
        await sleep(reactor, 0.01)


def start_master(**limits):
    """Start a master with limits."""
    methods = Methods()
    agent = Agent(reactor, "master", "master", [methods], limits=Limits(**limits))
    listener = agent.listen("127.0.0.1:0")
    agent.startService()
    return agent, listener, methods


async def dial(listener) -> Wire:
    """Connect as a slave that is none."""
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", listener.port)
    return await connectProtocol(endpoint, Wire())


@pytest.mark.parametrize(
    "text", [b"!!int ''", b"!!float ''", b"!!bool x", b"!!timestamp x", b"!!binary a", b"? []"]
)
def test_yaml_that_breaks_its_reader_is_no_value(text):
    """Whatever PyYAML raises, one error comes out."""
    with pytest.raises(ProtocolError):
        YAML.decode(text)


@ensureDeferred
async def test_a_greeting_in_drops_has_a_deadline():
    """Each byte does not buy more time."""
    master, listener, _ = start_master(greeting_time=0.2)
    wire = await dial(listener)
    for byte in GREETING[:-1]:
        if wire.closed.called:
            break
        wire.transport.write(bytes([byte]))
        await sleep(reactor, 0.02)
    assert wire.closed.called
    assert master.slaves == {}
    await master.stopService()


@ensureDeferred
async def test_a_listener_has_room_for_so_many():
    """One more is closed, and there is room again when another has gone."""
    master, listener, _ = start_master(links=2)
    first, second = await dial(listener), await dial(listener)
    third = await dial(listener)
    await third.closed
    first.transport.loseConnection()
    await first.closed
    second.transport.write(GREETING)
    await until(lambda: master.slaves)
    await master.stopService()


@ensureDeferred
async def test_stopping_closes_those_that_have_not_greeted():
    """A silent connection does not outlive the service."""
    master, listener, _ = start_master()
    wire = await dial(listener)
    await sleep(reactor, 0.02)
    await master.stopService()
    await wire.closed


@ensureDeferred
async def test_a_peer_that_does_not_read_is_let_go():
    """Answers do not pile up in memory for it."""
    master, listener, _ = start_master(unsent=3_000_000)
    wire = await dial(listener)
    wire.transport.write(GREETING)
    await until(lambda: master.slaves)
    wire.transport.pauseProducing()
    for number in range(1, 60):
        wire.say("request", [[number, "large", {"size": 1_000_000}, 60.0]])
    await until(lambda: not master.slaves)
    wire.transport.resumeProducing()
    await wire.closed
    await master.stopService()


@ensureDeferred
async def test_notifications_are_bounded():
    """Those that would pass the limit are not run."""
    master, listener, methods = start_master(in_flight=5)
    wire = await dial(listener)
    wire.transport.write(GREETING)
    for _ in range(20):
        wire.say("notification", [["never", {}], ["never", {}]])
    wire.say("notification", [["unknown", {}]])
    wire.say("response", [[99, None]])  # and then nonsense
    await wire.closed
    assert methods.told == 5
    await master.stopService()


@ensureDeferred
async def test_words_fit_in_the_smallest_frame():
    """An error and a goodbye reach a peer that accepts little."""
    master, listener, _ = start_master()
    wire = await dial(listener)
    wire.transport.write(frame(b"hip: 2\nkind: c\nname: c\nserializers: [yaml]\nframe: 1024\n"))
    name = "\\U000F0000" * 90
    wire.transport.write(frame(f'[request, [[1, "{name}", {{}}, 1.0]]]'.encode()))
    await until(lambda: b"unknown-method" in wire.heard)
    await master.stopService()
    await wire.closed


@ensureDeferred
async def test_one_lost_call_may_cancel_the_others():
    """A caller that gives up its other calls when one fails does not hinder the end of the link."""
    master, listener, _ = start_master()
    wire = await dial(listener)
    wire.transport.write(GREETING)
    await until(lambda: master.slaves)
    calls = [master.slaves["crawler-1"].call("x") for _ in range(3)]
    outcomes = []

    def cancel_all(failure):
        outcomes.append(failure.type)
        for call in calls:
            call.cancel()

    for call in calls:
        call.addErrback(cancel_all)
    wire.transport.abortConnection()
    await until(lambda: not master.slaves)
    assert sorted(outcomes, key=str) == sorted(
        [ConnectionLost, CancelledError, CancelledError], key=str
    )
    await master.stopService()


def serve(bytes_to_say: bytes):
    """Listen as a master that says some bytes and nothing more."""
    wires = []

    class Says(Wire):
        def connectionMade(self):
            wires.append(self)
            self.transport.write(bytes_to_say)

    return reactor.listenTCP(0, Factory.forProtocol(Says), interface="127.0.0.1"), wires


@pytest.mark.parametrize("address", ["nonsense", "192.0.2.1:7100", "127.0.0.1:1"])
@ensureDeferred
async def test_a_redirection_to_nowhere_does_not_end_the_link(address):
    """The slave comes back to the master it was configured with."""
    redirection = frame(MESSAGEPACK.encode(["redirection", address]))
    port, wires = serve(GREETING + redirection)
    slave = Agent(reactor, "slave", "slave")
    link = slave.connect(f"127.0.0.1:{port.getHost().port}")
    slave.startService()
    await until(lambda: len(wires) >= 2)
    await slave.stopService()
    with pytest.raises(NotConnected):
        await link.insist("x")
    for wire in wires:
        await wire.closed
    await port.stopListening()


@ensureDeferred
async def test_a_slave_stops_while_its_master_is_silent():
    """The connection of a master that never greets is closed."""
    port, wires = serve(b"")
    slave = Agent(reactor, "slave", "slave")
    slave.connect(f"127.0.0.1:{port.getHost().port}")
    slave.startService()
    await until(lambda: wires)
    await slave.stopService()
    await wires[0].closed
    await port.stopListening()


@ensureDeferred
async def test_lengths_beyond_the_limit_end_the_link():
    """A length is refused before any of its payload is kept."""
    master, listener, _ = start_master()
    for length in (0, 2**32 - 1, 64 * 1024 + 1):
        wire = await dial(listener)
        wire.transport.write(pack(">I", length))
        await wire.closed
    await master.stopService()
