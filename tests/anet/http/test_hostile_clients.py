"""A server meets clients that mean harm, or that are cut off at the worst moment."""

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol, connectionDone

from anet.errors import ConnectionBroken
from anet.http import FileBody, HttpServer, Limits, Request, Response
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
    """Answers by a table of paths."""

    def __init__(self, folder) -> None:
        self.seen: list[Request] = []
        self.gate: Deferred[None] = Deferred()
        self.file = folder / "file"
        self.file.write_bytes(b"x" * 1000)
        self.bodies: list[bytes] = []

    async def __call__(self, request: Request) -> Response:
        self.seen.append(request)
        return await getattr(self, request.path.strip("/") or "plain")(request)

    async def plain(self, request):
        return Response.text(200, request.target)

    async def gated(self, request):
        await self.gate
        return Response.text(200, "gated")

    async def read(self, request):
        self.bodies.append(await request.read(10_000_000))
        return Response.text(200, "read")

    async def slow(self, request):
        await request.body.deliver(lambda _: self.gate)
        return Response.text(200, "slow")

    async def work(self, request):
        self.bodies.append(await request.read(1000))
        await sleep(reactor, 0.8)  # longer than a client may be silent
        return Response.text(200, "worked")

    async def refuse(self, request):
        return Response.text(401, "no")

    async def inject(self, request):
        return Response(200, [(b"X", b"a\r\nSet-Cookie: b")], b"")

    async def short_file(self, request):
        return Response(200, body=FileBody(self.file, 0, 5000))

    async def no_file(self, request):
        return Response(200, body=FileBody(self.file.with_name("none"), 0, 5000))

    async def short_pieces(self, request):
        return Response(200, body=self.pieces(), length=50)

    async def no_content(self, request):
        return Response(204, body=self.pieces())

    async def upstream(self, request):
        raise ConnectionBroken("another server went away")

    async def streamed(self, request):
        return Response(200, body=self.gated_pieces())

    async def pieces(self):
        yield b"x" * 20

    async def gated_pieces(self):
        yield b"first"
        await self.gate
        yield b"second"


@pytest.fixture
def handler(tmp_path) -> Handler:
    """What answers."""
    return Handler(tmp_path)


@pytest.fixture
def server(handler):
    """A server with tight limits."""
    limits = Limits(head=2000, connections=50, silence=0.4, pipeline=4)
    server = HttpServer(reactor, "127.0.0.1:0", handler, name="test", limits=limits)
    server.startService()
    yield server
    pytest_twisted.blockon(Deferred.fromCoroutine(server.stopService()))


async def dial(server: HttpServer) -> Wire:
    """Connect to the server."""
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", server.port)
    return await connectProtocol(endpoint, Wire())


def get(path: str, *fields: str) -> bytes:
    """Return the bytes of a request."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: a", *fields, "", ""]).encode()


@ensureDeferred
async def test_fields_after_a_body_do_not_pass_for_fields_of_the_next_request(server, handler):
    """Trailers are not headers: neither of their own request nor of another."""
    wire = await dial(server)
    chunked = b"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    wire.transport.write(
        chunked + b"1\r\na\r\n0\r\nAuthorization: stolen\r\nX-Last: 1\r\n\r\n" + get("/plain")
    )
    await wire.hear(b"HTTP/1.1 200", 2)
    assert handler.bodies == [b"a"]
    for request in handler.seen:
        assert b"authorization" not in request.headers
        assert b"x-last" not in request.headers


@pytest.mark.parametrize(
    "head",
    [
        b"POST /read HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        b"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x, chunked, y\r\n\r\n",
        b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\n",
        b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n",
        b"GET /plain HTTP/1.1\nHost: a\n\n",
    ],
)
@ensureDeferred
async def test_a_request_of_two_readings_is_refused(server, handler, head):
    """Nothing that a proxy might cut in another place is answered."""
    wire = await dial(server)
    wire.transport.write(head + b"0\r\n\r\n" + get("/plain"))
    await wire.closed
    assert wire.heard.count(b"HTTP/1.1 ") == 1
    assert wire.heard.startswith(b"HTTP/1.1 400")
    assert not handler.bodies


@pytest.mark.parametrize("endless", ["GET /plain HTTP/1.1\r\nX: ", "GET /", "GET / HTTP/1.1\r\nX"])
@ensureDeferred
async def test_a_field_without_an_end_is_refused(server, endless):
    """It is not kept in memory until it ends."""
    wire = await dial(server)
    wire.transport.write(endless.encode() + b"a" * 10_000)
    await wire.closed
    assert wire.heard.startswith(b"HTTP/1.1 431")


@ensureDeferred
async def test_trailers_without_an_end_are_refused(server):
    """Neither are the fields after a body."""
    wire = await dial(server)
    wire.transport.write(
        b"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
    )
    for _ in range(40):
        wire.transport.write(b"a" * 1000)
        await sleep(reactor, 0)
    await wire.closed


@ensureDeferred
async def test_a_head_that_comes_in_drops_has_a_deadline(server):
    """Each byte does not buy more time."""
    wire = await dial(server)
    wire.transport.write(b"GET / HTTP/1.1\r\nX: ")
    begun = reactor.seconds()
    while not wire.closed.called:
        wire.transport.write(b"a")
        await sleep(reactor, 0.05)
    assert reactor.seconds() - begun < 2


@ensureDeferred
async def test_thousands_of_requests_wait_behind_a_slow_one(server, handler):
    """They are answered in a loop, not each within the former."""
    wire = await dial(server)
    wire.transport.write(get("/gated") + get("/plain") * 1500)
    while len(handler.seen) < 1:
        await sleep(reactor, 0.01)
    handler.gate.callback(None)
    await wire.hear(b"HTTP/1.1 200", 1501)


@pytest.mark.parametrize("between", [0, 1])
@ensureDeferred
async def test_a_body_behind_another_request_is_not_read_before_it_has_room(
    server, handler, between
):
    """That the former request is answered is no reason to read on."""
    wire = await dial(server)
    begun: Deferred[None] = Deferred()
    handler.begin = lambda _: begun.addCallback(lambda _: Response.text(200, "begun"))
    size = 50_000_000
    small = b"PUT /read HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" * between
    put = f"PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n".encode()
    wire.transport.write(get("/begin") + small + put + bytes(size))
    while not handler.seen:
        await sleep(reactor, 0.005)
    await sleep(reactor, 0.05)
    begun.callback(None)
    await wire.hear(b"HTTP/1.1 200", 1 + between)
    await sleep(reactor, 0.2)
    body = handler.seen[1 + between].body
    assert sum(map(len, body._pieces)) < 1_000_000
    handler.gate.callback(None)
    await wire.hear(b"slow")


@ensureDeferred
async def test_nothing_is_answered_after_the_last_answer(server, handler):
    """Requests behind one that said `close` are not run."""
    wire = await dial(server)
    wire.transport.write(get("/gated", "Connection: close") + get("/plain") * 3)
    await sleep(reactor, 0.05)
    handler.gate.callback(None)
    await wire.closed
    assert wire.heard.count(b"HTTP/1.1 200") == 1
    assert len(handler.seen) == 1


@ensureDeferred
async def test_a_body_is_asked_for_when_its_turn_has_come(server, handler):
    """`100 Continue` does not land in the middle of an answer, nor where no body is wanted."""
    wire = await dial(server)
    post = "POST /{} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    wire.transport.write(get("/streamed") + post.format("read").encode())
    await wire.hear(b"first")
    await sleep(reactor, 0.05)
    assert b"100 Continue" not in wire.heard
    handler.gate.callback(None)
    await wire.hear(b"100 Continue")
    assert wire.heard.index(b"0\r\n\r\n") < wire.heard.index(b"100 Continue")
    wire.transport.write(b"hi" + post.format("refuse").encode())
    await wire.closed
    assert handler.bodies == [b"hi"]
    assert wire.heard.count(b"100 Continue") == 1
    assert b"HTTP/1.1 401" in wire.heard


@ensureDeferred
async def test_work_may_take_longer_than_a_client_may_be_silent(server, handler):
    """Once its body is here, it is the client who waits."""
    wire = await dial(server)
    wire.transport.write(b"POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh")
    await sleep(reactor, 0.1)
    wire.transport.write(b"i")
    await wire.hear(b"worked")


@pytest.mark.parametrize("path", ["/inject", "/no_file", "/upstream"])
@ensureDeferred
async def test_an_answer_that_cannot_be_given_is_a_mistake(server, path):
    """The client is told so, gets none of it, and may go on."""
    wire = await dial(server)
    wire.transport.write(get(path))
    await wire.hear(b"mistake")
    assert wire.heard.startswith(b"HTTP/1.1 500")
    assert b"Set-Cookie" not in wire.heard
    wire.transport.write(get("/plain"))
    await wire.hear(b"HTTP/1.1 200")


@pytest.mark.parametrize("path", ["/short_file", "/short_pieces"])
@ensureDeferred
async def test_a_body_shorter_than_its_length_ends_the_connection(server, path):
    """The next answer must not pass for the rest of it."""
    wire = await dial(server)
    wire.transport.write(get(path) + get("/plain"))
    await wire.closed
    assert wire.heard.count(b"HTTP/1.1 200") <= 1


@ensureDeferred
async def test_no_content_has_no_framing(server):
    """An answer that never has a body says nothing of chunks."""
    wire = await dial(server)
    wire.transport.write(get("/no_content") + get("/plain"))
    await wire.hear(b"HTTP/1.1 200")
    assert b"Transfer-Encoding" not in wire.heard


@ensureDeferred
async def test_a_refusal_reaches_a_client_that_still_sends(server):
    """The end of what the server says comes before the end of the connection."""
    wire = await dial(server)
    wire.transport.write(b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n")
    for _ in range(100):
        wire.transport.write(b"a" * 10_000)
    await wire.closed
    assert wire.heard.startswith(b"HTTP/1.1 401")


@ensureDeferred
async def test_stopping_waits_for_answers_and_closes_all(handler):
    """An answer under way is given; idle and half-said connections do not hold the stop."""
    server = HttpServer(reactor, "127.0.0.1:0", handler, name="test")
    server.startService()
    busy, idle, half = [await dial(server) for _ in range(3)]
    busy.transport.write(get("/gated"))
    half.transport.write(b"GET /plain HT")
    while not handler.seen:
        await sleep(reactor, 0.01)
    stopping = Deferred.fromCoroutine(server.stopService())
    await idle.closed
    await half.closed
    assert not stopping.called
    handler.gate.callback(None)
    await stopping
    await busy.closed
    assert b"gated" in busy.heard
    assert server.connections == 0
    await server.stopService()
