"""Small GETs over few connections: in order, together, and with a clear end when a server errs."""

import pytest
import pytest_twisted
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from anet.errors import (
    AnetError,
    ConnectFailed,
    ConnectionBroken,
    ForbiddenAddress,
    MalformedMessage,
    Overloaded,
    Stopped,
    TimedOut,
)
from anet.gathering import Turn
from anet.http import HttpServer, PipelinedClient, Request, Response, SmallAnswer
from anet.http.pipelining import BODY_LIMIT, HEAD_LIMIT, Pipeline
from anet.tasks import sleep
from anet.together import together


def answer_of(body: bytes, status: int = 200) -> bytes:
    """Return the bytes of an answer."""
    return b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


class Line:
    """One connection in memory."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.transport = StringTransport()
        self.transport.abortConnection = self.abort  # type: ignore[method-assign]
        self.line = Pipeline(self.clock, Turn(self.clock), silence=5.0)
        self.line.makeConnection(self.transport)
        self.answers: list[object] = []

    def abort(self) -> None:
        self.line.connectionLost()

    def ask(self, count: int = 1) -> None:
        for _ in range(count):
            asked = self.line.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            asked.addBoth(lambda result: self.answers.append(getattr(result, "value", result)))


def test_what_is_asked_in_a_turn_leaves_in_one_write() -> None:
    """Nothing is written before the turn's end, and then everything."""
    line = Line()
    line.ask(3)
    assert line.transport.value() == b""
    line.clock.advance(0)
    assert line.transport.value().count(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n") == 3


@given(
    st.lists(st.tuples(st.sampled_from([200, 404, 503]), st.binary(max_size=40)), max_size=6),
    st.integers(1, 9),
)
def test_answers_come_in_order_however_they_are_cut(
    answers: list[tuple[int, bytes]], step: int
) -> None:
    """Any cut of the bytes of any answers gives the answers."""
    line = Line()
    line.ask(len(answers))
    data = b"".join(answer_of(body, status) for status, body in answers)
    for place in range(0, len(data), step):
        line.line.dataReceived(data[place : place + step])
    assert line.answers == [SmallAnswer(status, body) for status, body in answers]


@pytest.mark.parametrize(
    "words",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (BODY_LIMIT + 1),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * HEAD_LIMIT,
        answer_of(b"one") + b"and more",
    ],
)
def test_what_is_not_expected_ends_the_connection(words: bytes) -> None:
    """All who wait are told, and nobody waits for ever."""
    line = Line()
    line.ask(1)
    line.line.dataReceived(words)
    line.ask(1)
    assert isinstance(line.answers[-1], MalformedMessage)
    assert len(line.answers) == 2


@given(st.binary(max_size=200))
def test_any_bytes_end_in_answers_or_one_error(data: bytes) -> None:
    """Nothing a server says raises here."""
    line = Line()
    line.ask(2)
    line.line.dataReceived(data)
    line.clock.advance(6)
    assert len(line.answers) == 2


def test_a_silent_server_is_given_up() -> None:
    """Each answer moves the limit; then silence ends the connection."""
    line = Line()
    line.ask(2)
    line.clock.advance(4)
    line.line.dataReceived(answer_of(b"one"))
    line.clock.advance(4)
    assert line.answers == [SmallAnswer(200, b"one")]
    line.clock.advance(2)
    assert isinstance(line.answers[1], TimedOut)


def test_who_gives_up_takes_no_others_answer() -> None:
    """The answer of a question that was cancelled goes to nobody."""
    line = Line()
    cancelled = line.line.ask(b"GET / HTTP/1.1\r\n\r\n")
    cancelled.addErrback(lambda _: None)
    line.ask(1)
    cancelled.cancel()
    line.line.dataReceived(answer_of(b"first") + answer_of(b"second"))
    assert line.answers == [SmallAnswer(200, b"second")]


# Over real sockets


class Server:
    """Echoes targets, and counts its clients."""

    def __init__(self) -> None:
        self.http = HttpServer(reactor, "127.0.0.1:0", self.answer, name="test")
        self.http.startService()
        self.url = f"http://{self.http.address}"

    async def answer(self, request: Request) -> Response:
        if request.target == "/slow":
            await sleep(reactor, 0.05)
        return Response.text(200, request.target)


@pytest.fixture
def server():
    """A server."""
    server = Server()
    yield server
    pytest_twisted.blockon(ensured(server.http.stopService()))


@pytest.fixture
def client():
    """A client of two connections to a place."""
    client = PipelinedClient(reactor, lines=2, depth=50, silence=2.0, connect_timeout=2.0)
    client.startService()
    yield client
    client.stopService()


@ensureDeferred
async def test_many_at_once_need_few_connections(server, client) -> None:
    """Each gets its own answer, over two connections."""
    targets = ["/slow" if number == 3 else f"/{number}" for number in range(40)]
    answers = await together(client.get(server.url, target) for target in targets)
    assert [getattr(it, "body", it) for it in answers] == [it.encode() for it in targets]
    assert server.http.connections <= 2


@ensureDeferred
async def test_a_server_that_ends_is_asked_anew_when_it_is_back(server, client) -> None:
    """What is under way fails with a clear error; the next question connects again."""
    assert (await client.get(server.url, "/1")).body == b"/1"
    await ensured(server.http.stopService())
    with pytest.raises((ConnectionBroken, ConnectFailed)):
        await client.get(server.url, "/2")
    server.http = HttpServer(reactor, server.http.address, server.answer, name="test")
    server.http.startService()
    assert (await client.get(server.url, "/3")).body == b"/3"


@ensureDeferred
async def test_an_address_that_is_not_permitted_is_not_asked(server) -> None:
    """As with the general client."""
    client = PipelinedClient(reactor, permit_plain=lambda ip: False)
    with pytest.raises(ForbiddenAddress):
        await client.get(server.url, "/")
    assert server.http.requests == 0


@ensureDeferred
async def test_too_many_who_wait_are_told_so(client) -> None:
    """A server that answers nothing does not fill the memory."""
    silent = Factory.forProtocol(Protocol)
    port = reactor.listenTCP(0, silent, interface="127.0.0.1")
    url = f"http://127.0.0.1:{port.getHost().port}"
    waiting = [ensured(client.get(url, "/")) for _ in range(200)]
    with pytest.raises(Overloaded):
        await waiting[-1]
    client.stopService()
    outcomes = [await _outcome(it) for it in waiting[:-1]]
    assert {type(it) for it in outcomes} <= {Overloaded, Stopped, ConnectionBroken}
    await port.stopListening()


async def _outcome(asked: "Deferred[SmallAnswer]") -> object:
    try:
        return await asked
    except AnetError as error:
        return error


@ensureDeferred
async def test_a_client_that_was_stopped_says_so(server, client) -> None:
    """And asks nobody."""
    client.stopService()
    with pytest.raises(Stopped):
        await client.get(server.url, "/")


@ensureDeferred
async def test_who_waits_for_a_connection_goes_on_when_its_maker_gives_up(server) -> None:
    """A reader who goes away while the connection is made takes no other reader along."""
    client = PipelinedClient(reactor, lines=1, silence=2.0, connect_timeout=2.0)
    client.startService()
    first = ensured(client.get(server.url, "/first"))
    second = ensured(client.get(server.url, "/second"))
    first.addErrback(lambda _: None)
    first.cancel()
    answer = await second.addTimeout(3.0, reactor)
    assert answer.body == b"/second"
    client.stopService()


@ensureDeferred
async def test_a_connection_that_ends_at_once_is_not_kept() -> None:
    """A server that takes connections and drops them is tried anew by each question."""

    class Drops(Protocol):
        def connectionMade(self) -> None:
            self.transport.abortConnection()

    port = reactor.listenTCP(0, Factory.forProtocol(Drops), interface="127.0.0.1")
    url = f"http://127.0.0.1:{port.getHost().port}"
    client = PipelinedClient(reactor, lines=1, silence=2.0, connect_timeout=2.0)
    client.startService()
    for _ in range(3):
        assert isinstance(await _outcome(ensured(client.get(url, "/"))), ConnectionBroken)
    await port.stopListening()
    assert isinstance(await _outcome(ensured(client.get(url, "/"))), ConnectFailed)
    client.stopService()


def test_who_has_little_patience_leaves_the_others_waiting() -> None:
    """Each is told at its own time, and what comes late is for nobody."""
    line = Line()
    for number, patience in enumerate((1.0, None, 2.0)):
        line.clock.advance(0.25)
        asked = line.line.ask(b"GET / HTTP/1.1\r\n\r\n", patience)
        asked.addBoth(lambda it, at=number: line.answers.append((at, getattr(it, "value", it))))
    line.clock.advance(0.4)
    assert line.answers == []
    line.clock.advance(0.2)
    assert [(at, type(it)) for at, it in line.answers] == [(0, TimedOut)]
    line.line.dataReceived(answer_of(b"late") + answer_of(b"second"))
    assert line.answers[1:] == [(1, SmallAnswer(200, b"second"))]
    line.clock.advance(1.5)
    assert [(at, type(it)) for at, it in line.answers[2:]] == [(2, TimedOut)]
    line.line.dataReceived(answer_of(b"third"))
    line.ask(1)
    line.line.dataReceived(answer_of(b"fourth"))
    assert line.answers[3:] == [SmallAnswer(200, b"fourth")]
