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
from hip.codecs import MESSAGEPACK
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
    """Wait until something holds; it is a fault when it does not soon."""
    end = reactor.seconds() + 20
    while not condition():
        assert reactor.seconds() < end
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
    master, listener, _ = start_master(unsent=3_000_000, heartbeat=0.2, silence=0.5)
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
    """A length is refused before any of its payload is kept, greeted or not."""
    master, listener, _ = start_master()
    for greeting in (b"", GREETING):
        for length in (0, 2**32 - 1, 64 * 1024 + 1 if not greeting else 16 * 1024 * 1024 + 1):
            wire = await dial(listener)
            wire.transport.write(greeting + pack(">I", length))
            await wire.closed
    await master.stopService()


def packed(*message: object) -> bytes:
    """Return a frame."""
    return frame(MESSAGEPACK.encode(list(message)))


WHO = [1, "hip.info", {}, 5.0]
RUDE = {
    "a message before the greeting": packed("heartbeat") + GREETING,
    "a request before the greeting": packed("request", [WHO]) + GREETING,
    "two greetings": GREETING + GREETING,
    "a number twice": GREETING + packed("request", [WHO, WHO]),
    "a number again": GREETING + packed("request", [WHO]) + packed("request", [WHO]),
    "numbers that fall": GREETING + packed("request", [[7, *WHO[1:]], [6, *WHO[1:]]]),
    "a value for nobody": GREETING + packed("response", [[1, None]]),
    "an error for nobody": GREETING + packed("error", [[1, "busy", ""]]),
    "a slave that redirects": GREETING + packed("redirection", "127.0.0.1:7100"),
    "nonsense": GREETING + frame(b"\xc1"),
    "YAML, which was not chosen": GREETING + frame(b"[heartbeat]"),
}


@pytest.mark.parametrize("said", RUDE.values(), ids=RUDE)
@ensureDeferred
async def test_whoever_breaks_the_rules_is_told_goodbye(said):
    """The link ends, with a word where one can be said, and the agent goes on."""
    master, listener, _ = start_master()
    wire = await dial(listener)
    wire.transport.write(said)
    await wire.closed
    assert (b"goodbye" in wire.heard) == said.startswith(GREETING)
    polite = await dial(listener)
    polite.transport.write(GREETING + packed("request", [WHO]))
    await until(lambda: b"response" in polite.heard)
    await master.stopService()


@ensureDeferred
async def test_nothing_is_heard_after_a_goodbye():
    """What comes after it is not run, and what was asked before it is."""
    master, listener, methods = start_master()
    wire = await dial(listener)
    never = ["never", {}]
    wire.transport.write(
        GREETING
        + packed("notification", [never])
        + packed("goodbye", "bye")
        + packed("notification", [never] * 10)
    )
    await wire.closed
    assert methods.told == 1
    await master.stopService()


FLOODS = {
    "heartbeats": packed("heartbeat") * 20_000,
    "frames of nothing": packed("request", []) * 20_000,
    "cancellations of nothing": packed("cancellation", [[number] for number in range(1, 50_000)]),
    "notifications of nothing": packed("notification", [["nothing", {}]]) * 2_000,
    "notifications that wait": packed("notification", [["never", {}]] * 5_000),
    "requests of nothing": packed("request", [[n, "nothing", {}, 1.0] for n in range(1, 20_000)]),
    "requests that wait": packed("request", [[n, "never", {}, 60.0] for n in range(1, 20_000)]),
    "requests that are cancelled": b"".join(
        packed("request", [[n, "never", {}, 60.0]]) + packed("cancellation", [[n]])
        for n in range(1, 5_000)
    ),
    "bytes in drops": packed("notification", [["note", {}]]) * 100,
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
@ensureDeferred
async def test_a_flood_does_not_keep_others_from_their_answers(flood):
    """Whoever floods is heard in pieces, and has its turn; another slave is answered between."""
    master, listener, methods = start_master(in_flight=100)
    rude, polite = await dial(listener), await dial(listener)
    polite.transport.write(GREETING.replace(b"crawler-1", b"crawler-2"))
    rude.transport.write(GREETING)
    await until(lambda: len(master.slaves) == 2)
    pieces = [flood] if len(flood) > 10_000 else [flood[at : at + 1] for at in range(len(flood))]
    for piece in pieces:
        rude.transport.write(piece)
    polite.transport.write(packed("request", [WHO]))
    await until(lambda: b"response" in polite.heard)
    rude.transport.write(packed("request", [[2**40, *WHO[1:]]]))
    await until(lambda: b"response" in rude.heard or b"overloaded" in rude.heard)
    assert len(master.slaves["crawler-1"]._answers) <= 100
    assert methods.told <= 5_000
    await master.stopService()
