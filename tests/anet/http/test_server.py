"""A server meets clients that are slow, rude, or gone; their bytes are written by hand."""

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol, connectionDone

from anet.errors import AddressInUse
from anet.http import HttpServer, Limits, Request, Response
from anet.tasks import sleep


class Wire(Protocol):
    """A client that writes what it is told and keeps what it hears."""

    def __init__(self) -> None:
        self.heard = b""
        self.closed: Deferred[None] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        self.heard += data

    def connectionLost(self, reason=connectionDone) -> None:
        self.closed.callback(None)

    async def hear(self, what: bytes, count: int = 1) -> bytes:
        """Wait until the server has said something."""
        while self.heard.count(what) < count:
            await sleep(reactor, 0.005)
        return self.heard


class Handler:
    """Answers in the ways the tests ask for by the path."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.lost = 0

    async def __call__(self, request: Request) -> Response:
        self.seen.append(f"{request.method} {request.target}")
        if request.path == "/slow":
            await sleep(reactor, 0.05)
        if request.path == "/read":
            try:
                await request.read(1_000_000)
            except Exception:
                self.lost += 1
                raise
        if request.path == "/304":
            return Response(304, body=b"never sent")
        if request.path == "/endless":
            return Response(200, body=endless())
        return Response.text(200, request.path)


async def endless():
    """A body without an end."""
    while True:
        yield b"x" * 65536


@pytest.fixture
def handler() -> Handler:
    """The handler."""
    return Handler()


@pytest.fixture
def server(handler):
    """A server with tight limits."""
    limits = Limits(head=2000, connections=3, silence=0.3, pipeline=4)
    server = HttpServer(reactor, "127.0.0.1:0", handler, name="test", limits=limits)
    server.startService()
    yield server
    pytest_twisted.blockon(Deferred.fromCoroutine(server.stopService()))


async def dial(server: HttpServer) -> Wire:
    """Connect to the server."""
    return await connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", server.port), Wire())


@ensureDeferred
async def test_pipelined_requests_are_answered_in_order(server, handler):
    """The second answer waits for the first, however quick it would be."""
    wire = await dial(server)
    wire.transport.write(
        b"".join(b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % p for p in (b"slow", b"b"))
    )
    heard = await wire.hear(b"HTTP/1.1 200", 2)
    assert heard.index(b"/slow") < heard.rindex(b"/b")
    wire.transport.abortConnection()


@ensureDeferred
async def test_more_pipelined_requests_than_may_wait_are_all_answered(server):
    """At the limit the client is not read, and after it is."""
    wire = await dial(server)
    for _ in range(10):
        wire.transport.write(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
    await wire.hear(b"HTTP/1.1 200", 30)
    wire.transport.abortConnection()


@ensureDeferred
@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 3000 + b"\r\n\r\n", b"431"),
        (b"NONSENSE\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX : y\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\nHost: a\n\n\x00\x01", b"400"),
    ],
)
async def test_what_is_no_request_is_refused(server, handler, said, status):
    """Ambiguous framing, huge heads and nonsense end the connection with a status."""
    wire = await dial(server)
    wire.transport.write(said)
    await wire.closed
    assert wire.heard.split()[1] == status
    head, _, body = wire.heard.partition(b"\r\n\r\n")
    assert b"Content-Length: %d\r\n" % len(body) in head
    assert body.startswith(b"Not a request: ")
    assert handler.seen == []


@ensureDeferred
async def test_a_client_that_says_nothing_is_closed(server):
    """A connection that is silent too long goes, at the beginning or in the middle of a head."""
    silent, slow = await dial(server), await dial(server)
    slow.transport.write(b"GET / HTTP/1.1\r\nHos")
    await silent.closed
    await slow.closed


@ensureDeferred
async def test_a_client_that_does_not_read_is_closed(server):
    """A body that nobody takes is not buffered for ever."""
    wire = await dial(server)
    wire.transport.pauseProducing()
    wire.transport.write(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
    while not server.connections:
        await sleep(reactor, 0.01)
    while server.connections:
        await sleep(reactor, 0.01)
    wire.transport.abortConnection()


@ensureDeferred
async def test_a_client_that_goes_in_the_middle_of_a_body(server, handler):
    """The handler that reads the body learns that it will not come."""
    wire = await dial(server)
    wire.transport.write(b"PUT /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
    while not handler.seen:
        await sleep(reactor, 0.005)
    wire.transport.abortConnection()
    while not handler.lost:
        await sleep(reactor, 0.005)


@ensureDeferred
async def test_one_client_too_many_is_closed(server):
    """Beyond the limit of connections nobody is served."""
    wires = [await dial(server) for _ in range(4)]
    await wires[3].closed
    for wire in wires[:3]:
        wire.transport.write(b"GET /still HTTP/1.1\r\nHost: a\r\n\r\n")
        await wire.hear(b"/still")
        wire.transport.abortConnection()


@ensureDeferred
async def test_answers_without_a_body(server):
    """304 has none, HEAD has none but says its length, and the connection goes on."""
    wire = await dial(server)
    wire.transport.write(b"GET /304 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /b HTTP/1.1\r\nHost: a\r\n\r\n")
    heard = await wire.hear(b"\r\n\r\n", 2)
    assert b"never" not in heard
    assert heard.endswith(b"Content-Length: 2\r\nConnection: keep-alive\r\n\r\n")
    wire.transport.write(b"GET /c HTTP/1.0\r\n\r\n")
    await wire.closed
    assert wire.heard.endswith(b"Connection: close\r\n\r\n/c")


@ensureDeferred
async def test_an_unread_body_does_not_become_a_request(server, handler):
    """What a handler left unread is never taken for the next request."""
    wire = await dial(server)
    smuggled = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
    head = b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(smuggled)
    wire.transport.write(head + smuggled + b"GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    await wire.hear(b"/a")
    await sleep(reactor, 0.05)
    assert not any("smuggled" in seen for seen in handler.seen)
    wire.transport.abortConnection()


@ensureDeferred
async def test_a_body_is_asked_for_that_waits_to_be_asked(server):
    """Expect: 100-continue is answered."""
    wire = await dial(server)
    wire.transport.write(
        b"PUT /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    )
    await wire.hear(b"100 Continue")
    wire.transport.write(b"abc")
    await wire.hear(b"/read")
    wire.transport.abortConnection()


def test_a_port_in_use_is_said(server):
    """A second server at the same address says what to do."""
    other = HttpServer(reactor, server.address, Handler(), name="other")
    with pytest.raises(AddressInUse, match="choose another port"):
        other.startService()
