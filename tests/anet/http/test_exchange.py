"""A client and a server of ours talk over loopback, and both keep what was said as it was."""

import os
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.protocol import Factory, Protocol

from anet.errors import BodyTooLarge, ConnectFailed, ConnectionBroken, ForbiddenAddress
from anet.http import FileBody, HttpClient, HttpServer, Request, Response, Router, connect


async def pieces():
    """A body that comes in pieces."""
    for number in range(5):
        yield b"%d" % number * 1000


async def echo(request: Request) -> Response:
    """Give the body back."""
    return Response(200, body=await request.read(10_000_000))


async def stream(request: Request) -> Response:
    """Give a body of unknown length."""
    return Response(200, body=pieces())


async def broken(request: Request) -> Response:
    """Make a mistake."""
    raise RuntimeError("secret words")


@pytest.fixture
def router() -> Router:
    """What the server of these tests answers."""
    router = Router()
    router.route("POST", "/echo", echo)
    router.route("PUT", "/echo", echo)
    router.route("GET", "/stream", stream)
    router.route("GET", "/broken", broken)
    return router


@pytest.fixture
def server(router):
    """A server on loopback."""
    server = HttpServer(reactor, "127.0.0.1:0", router, name="test")
    server.startService()
    yield server
    import pytest_twisted

    pytest_twisted.blockon(Deferred.fromCoroutine(server.stopService()))


@pytest.fixture
def client():
    """A client that is closed afterwards."""
    client = HttpClient(reactor, connections=2)
    client.startService()
    yield client
    import pytest_twisted

    pytest_twisted.blockon(Deferred.fromCoroutine(client.stopService()))


def url(server: HttpServer, path: str) -> str:
    """Return the address of a path of the server."""
    return f"http://{server.address}{path}"


@ensureDeferred
async def test_a_body_comes_back_whole(server, client):
    """What is posted is given back, small or large."""
    for size in (0, 1, 70_000, 3_000_000):
        body = os.urandom(size)
        response = await client.request("POST", url(server, "/echo"), body=body)
        assert response.head.status == 200
        assert await response.read(5_000_000) == body


@ensureDeferred
async def test_a_file_is_sent_and_served_in_part(server, client, router, tmp_path: Path):
    """A file goes out as a body, and a part of it comes back."""
    path = tmp_path / "file"
    path.write_bytes(os.urandom(1_000_000))

    async def part(request: Request) -> Response:
        return Response(200, body=FileBody(path, 500_000, 100_000))

    router.route("GET", "/file", part)
    response = await client.request("PUT", url(server, "/echo"), body=FileBody.whole(path))
    assert await response.read(2_000_000) == path.read_bytes()
    response = await client.request("GET", url(server, "/file"))
    assert await response.read(200_000) == path.read_bytes()[500_000:600_000]


@ensureDeferred
async def test_many_requests_share_two_connections(server, client):
    """Requests above the limit of connections wait for their turn."""

    async def ask(number: int) -> bytes:
        response = await client.request("POST", url(server, "/echo"), body=b"%d" % number)
        return await response.read(100)

    answers = await gatherResults([Deferred.fromCoroutine(ask(number)) for number in range(50)])
    assert answers == [b"%d" % number for number in range(50)]
    assert server.connections <= 2


@ensureDeferred
async def test_a_body_of_unknown_length_is_chunked(server, client):
    """A body in pieces arrives without its framing."""
    response = await client.request("GET", url(server, "/stream"))
    assert response.head.headers.get(b"transfer-encoding") == b"chunked"
    assert await response.read(10_000) == b"".join(b"%d" % number * 1000 for number in range(5))


@ensureDeferred
async def test_a_reader_may_hold_the_server_back(server, client):
    """A sink that returns a Deferred gets the next piece only after it fired."""
    response = await client.request("POST", url(server, "/echo"), body=bytes(2_000_000))
    waiting = 0

    def sink(piece: bytes) -> Deferred[None]:
        nonlocal waiting
        assert waiting == 0
        waiting += 1
        pause: Deferred[None] = Deferred()

        def go() -> None:
            nonlocal waiting
            waiting -= 1
            pause.callback(None)

        reactor.callLater(0, go)
        return pause

    assert await response.deliver(sink) == 2_000_000


@ensureDeferred
async def test_a_limit_ends_the_reading(server, client):
    """A body larger than its reader accepts is an error, and the client goes on."""
    response = await client.request("POST", url(server, "/echo"), body=bytes(1000))
    with pytest.raises(BodyTooLarge):
        await response.read(999)
    response = await client.request("POST", url(server, "/echo"), body=b"x")
    assert await response.read(10) == b"x"


@ensureDeferred
async def test_a_mistake_of_a_handler_is_not_told(server, client):
    """A client learns that the agent failed, and no more."""
    response = await client.request("GET", url(server, "/broken"))
    assert response.head.status == 500
    assert b"secret" not in await response.read(1000)


@ensureDeferred
async def test_unknown_paths_and_methods(server, client):
    """The router answers 404 and 405 by itself."""
    response = await client.request("GET", url(server, "/nothing"))
    assert (response.head.status, await response.read(100)) == (404, b"There is nothing here.\n")
    response = await client.request("GET", url(server, "/echo"))
    assert response.head.headers.get(b"allow") == b"POST, PUT"
    response.abandon()


@ensureDeferred
async def test_nobody_listens(client):
    """A refused connection says where."""
    with pytest.raises(ConnectFailed, match="127.0.0.1:1"):
        await client.request("GET", "http://127.0.0.1:1/")


@ensureDeferred
async def test_a_forbidden_address_is_not_connected_to(server):
    """The permission is asked for the address behind the name."""
    with pytest.raises(ForbiddenAddress):
        await connect(reactor, "localhost", server.port, permit=lambda ip: False)


class Script(Protocol):
    """A server that says what it is told, byte for byte, and closes."""

    says = b""

    def dataReceived(self, data: bytes) -> None:
        self.transport.write(self.says)
        self.transport.loseConnection()


@ensureDeferred
@pytest.mark.parametrize(
    ("says", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Odd :  a \r\nContent-Length: 3\r\n\r\nabc", b"abc"),
        (b"HTTP/1.0 200 OK\n\nuntil the end", b"until the end"),
        (b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", b"x"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nT: x\r\n\r\n",
            b"ab",
        ),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", ConnectionBroken),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", ConnectionBroken),
    ],
)
async def test_what_servers_say(says, body):
    """Heads are kept as received, and bodies end where the framing says."""
    factory = Factory.forProtocol(Script)
    factory.protocol = type("Said", (Script,), {"says": says})
    listening = reactor.listenTCP(0, factory, interface="127.0.0.1")
    connection = await connect(reactor, "127.0.0.1", listening.getHost().port)
    try:
        response = await connection.request("GET", "/", [(b"Host", b"x")])
        final = says[says.index(b"HTTP/1.1 200") :] if b" 103 " in says else says
        assert final.startswith(response.head.raw)
        if isinstance(body, bytes):
            assert await response.read(1000) == body
        else:
            with pytest.raises(body):
                await response.read(1000)
    finally:
        connection.close()
        await listening.stopListening()
