"""A client meets servers that mean harm, and keeps account of its connections."""

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.protocol import Factory, Protocol

from anet.errors import (
    ConnectFailed,
    ConnectionBroken,
    HttpError,
    MalformedMessage,
    Stopped,
    TimedOut,
    TlsFailed,
    UnsafeMessage,
)
from anet.http import FileBody, HttpClient
from anet.tasks import sleep

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Says `words` to every request head it hears."""

    def __init__(self) -> None:
        self.words = OK
        self.drops = False
        self.connections = 0
        server = self

        class Says(Protocol):
            def connectionMade(self):
                server.connections += 1

            def dataReceived(self, data):
                if b"HTTP/1.1\r\n" in data:
                    self.transport.write(server.words)
                    if server.drops:
                        self.transport.loseConnection()

        factory = Factory.forProtocol(Says)
        self.port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        self.url = f"http://127.0.0.1:{self.port.getHost().port}/"


@pytest.fixture
def server():
    """A server that is told what to say."""
    server = Server()
    yield server
    pytest_twisted.blockon(server.port.stopListening())


@pytest.fixture
def client():
    """A client with one connection to a place."""
    client = HttpClient(reactor, connections=1, response_timeout=0.3, idle_timeout=0.2)
    client.startService()
    yield client
    pytest_twisted.blockon(Deferred.fromCoroutine(client.stopService()))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (b"", TimedOut),
        (b"HTTP/1.1 20 OK\r\n\r\n", MalformedMessage),
        (b"HTTP/1.1 101 Now\r\n\r\n", MalformedMessage),
        (b"HTTP/1.1 100 Go\r\n\r\n" * 50, MalformedMessage),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 400_000, MalformedMessage),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", TimedOut),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz", MalformedMessage),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"a" * 200_000,
            MalformedMessage,
        ),
    ],
)
@ensureDeferred
async def test_a_bad_answer_gives_its_connection_back(server, client, words, error):
    """After each failure the only place in the pool is free again."""
    server.words = words
    with pytest.raises(error):
        await (await client.request("GET", server.url)).read(1000)
    server.words = OK
    assert await (await client.request("GET", server.url)).read(10) == b"ok"


@pytest.mark.parametrize(
    ("method", "path", "fields", "body", "error"),
    [
        ("GET", "a b", [], b"", UnsafeMessage),
        ("GET", "", [(b"X", b"a\r\nY: b")], b"", UnsafeMessage),
        ("GET\r\n", "", [], b"", UnsafeMessage),
        ("PUT", "", [], None, OSError),
    ],
)
@ensureDeferred
async def test_a_request_that_cannot_be_said(
    server, client, tmp_path, method, path, fields, body, error
):
    """Nothing of it is sent, and its place in the pool is free again."""
    body = FileBody(tmp_path / "none", 0, 5) if body is None else body
    with pytest.raises(error):
        await client.request(method, server.url + path, fields, body)
    assert await (await client.request("GET", server.url)).read(10) == b"ok"


@ensureDeferred
async def test_a_file_that_has_become_shorter(server, client, tmp_path):
    """The server is not kept waiting for the rest."""
    server.words = b""
    (tmp_path / "file").write_bytes(b"x" * 10)
    with pytest.raises(ConnectionBroken, match="too early"):
        await client.request("PUT", server.url, body=FileBody(tmp_path / "file", 0, 500))


@ensureDeferred
async def test_an_early_answer_ends_the_connection(server, client, tmp_path):
    """A connection with half a body on it serves nobody else."""
    (tmp_path / "file").write_bytes(b"x" * 50_000_000)
    body = FileBody.whole(tmp_path / "file")
    assert await (await client.request("PUT", server.url, body=body)).read(10) == b"ok"
    assert await (await client.request("GET", server.url)).read(10) == b"ok"
    assert server.connections == 2


@ensureDeferred
async def test_cancelled_requests_give_their_places_back(server, client):
    """Whether they wait for a place, for an answer, or for a body."""
    server.words = b""
    asked = [Deferred.fromCoroutine(client.request("GET", server.url)) for _ in range(3)]
    await sleep(reactor, 0.05)
    for request in reversed(asked):
        request.cancel()
        with pytest.raises(CancelledError):
            await request
    server.words = OK[:-1]
    response = await client.request("GET", server.url)
    reading = Deferred.fromCoroutine(response.read(10))
    reading.cancel()
    with pytest.raises((CancelledError, HttpError)):
        await reading
    with pytest.raises(ConnectionBroken):
        await response.read(10)
    server.words = OK
    assert await (await client.request("GET", server.url)).read(10) == b"ok"


@ensureDeferred
async def test_a_stopped_client_asks_no_more(server, client):
    """Requests under way and those that wait fail, and no connection is made again."""
    await (await client.request("GET", server.url)).read(10)
    server.words = b""
    asked = [Deferred.fromCoroutine(client.request("GET", server.url)) for _ in range(3)]
    await sleep(reactor, 0.02)
    stopping = Deferred.fromCoroutine(client.stopService())
    for request in asked:
        with pytest.raises((ConnectionBroken, Stopped)):
            await request
    await stopping
    assert server.connections == 1


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://a:99999/", "http://a..b/", f"http://{'a' * 70}.b/", "ftp://a/", "é"],
)
@ensureDeferred
async def test_what_is_no_url_is_said(client, url):
    """One typed error, at once."""
    with pytest.raises(ConnectFailed):
        await client.request("GET", url)


@ensureDeferred
async def test_a_server_without_tls_is_said(server, client):
    """A failed handshake says that TLS failed."""
    server.words = OK
    with pytest.raises((TlsFailed, TimedOut)):
        await client.request("GET", server.url.replace("http:", "https:"))
