"""CONNECT that leads back to the server: what is asked inside, and clients that misuse it."""

import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
import pytest_twisted
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID
from hypothesis import given, settings
from hypothesis import strategies as st
from OpenSSL.SSL import TLS_METHOD, Connection, Context
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.internet.threads import deferToThread
from zope.interface import implementer

from anet.address import Address
from anet.http import HttpServer, Limits, Request, Response, Tunnel
from anet.http.server_connection import ServerConnection, ServerState
from anet.tasks import sleep
from tests.anet.tunnelling import Tls, Wire

CONNECT = b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
NO_NAME = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
NO_NAME.check_hostname, NO_NAME.verify_mode = False, ssl.CERT_NONE


@implementer(IOpenSSLServerConnectionCreator)
class Speaker:
    """Makes the TLS connections of the server, all with one certificate."""

    def __init__(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "any")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .sign(key, SHA256())
        )
        self._context = Context(TLS_METHOD)
        self._context.use_certificate(certificate)
        self._context.use_privatekey(key)

    def serverConnectionForTLS(self, _protocol):
        return Connection(self._context, None)


class Handler:
    """Tunnels to wherever is asked, and says what it was asked."""

    def __init__(self, tls: Speaker) -> None:
        self.tls = tls
        self.seen: list[tuple[str, str, object, bool]] = []
        self.gate: Deferred[None] | None = None

    async def __call__(self, request: Request) -> Response:
        self.seen.append((request.method, request.target, request.asker, request.secure))
        if self.gate is not None:
            await self.gate
        if request.target.startswith("no."):
            return Response.text(403, "no")
        if request.method == "CONNECT":
            request.asker = "let in"
            return Response.to_tunnel(Tunnel(Address.parse(request.target), self.tls))
        body = await request.read(1_000_000)
        return Response.text(200, f"{request.target} {len(body)}")


@pytest.fixture
def speaker() -> Speaker:
    """Return what makes TLS connections."""
    return Speaker()


@pytest.fixture
def handler(speaker) -> Handler:
    """Return what answers."""
    return Handler(speaker)


def serving(handler: Handler, silence: float = 5.0, **how):
    """Yield a server with tight limits."""
    limits = Limits(head=2000, connections=3, silence=silence, pipeline=4)
    server = HttpServer(reactor, "127.0.0.1:0", handler, name="test", limits=limits, **how)
    server.startService()
    yield server
    pytest_twisted.blockon(Deferred.fromCoroutine(server.stopService()))
    assert server.connections == 0


@pytest.fixture
def server(handler):
    """A server in the clear."""
    yield from serving(handler)


@pytest.fixture
def hasty_server(handler):
    """A server that waits for nobody."""
    yield from serving(handler, silence=0.3)


@pytest.fixture
def secure_server(handler, speaker):
    """A server inside TLS."""
    yield from serving(handler, tls=speaker)


def tunnel(server: HttpServer, to: str = "a.example:443") -> Wire:
    """Return a client that has its tunnel."""
    wire = Wire(server.port)
    assert wire.connect(to) == ESTABLISHED
    return wire


@ensureDeferred
async def test_requests_inside_come_with_the_whole_url(server, handler):
    """Over TLS and in the clear, one after another; Host is not looked at, the asker is kept."""

    def ask():
        inside = Tls(tunnel(server), NO_NAME, "a.example")
        assert inside.get("/page?q", "Host: b.example") == (200, b"https://a.example/page?q 0")
        assert inside.get("/next") == (200, b"https://a.example/next 0")
        other = Tls(tunnel(server, "a.example:8443"), NO_NAME, None)
        assert other.get("/")[1] == b"https://a.example:8443/ 0"
        plain = tunnel(server, "[::1]:80")
        assert plain.get("/socket") == (200, b"http://[::1]/socket 0")
        for each in (inside, other, plain):
            each.close()

    await deferToThread(ask)
    assert handler.seen[0] == ("CONNECT", "a.example:443", None, False)
    assert handler.seen[1] == ("GET", "https://a.example/page?q", "let in", True)
    assert handler.seen[-1] == ("GET", "http://[::1]/socket", "let in", False)
    assert server.requests == len(handler.seen) == 7


@ensureDeferred
async def test_tls_within_tls(secure_server, handler):
    """A tunnel through a server that speaks TLS itself carries large bodies both ways."""

    def ask():
        outer = Tls(Wire(secure_server.port), NO_NAME, None)
        assert outer.connect("a.example:443") == ESTABLISHED
        inner = Tls(outer, NO_NAME, "a.example")
        inner.send(b"POST /form HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + bytes(300_000))
        head = inner.until(b"\r\n\r\n")
        said = inner.until(b"300000")
        inner.close()
        return head[:15], said

    assert await deferToThread(ask) == (b"HTTP/1.1 200 OK", b"https://a.example/form 300000")


@ensureDeferred
async def test_what_comes_with_the_connect_is_not_lost(server):
    """A client that does not wait for its tunnel is understood all the same."""

    def ask():
        wire = Wire(server.port)
        first = b"GET /before HTTP/1.1\r\n\r\n"
        wire.send(first * 3 + CONNECT + b"GET /inside HTTP/1.1\r\nConnection: close\r\n\r\n")
        return wire.rest()

    said = await deferToThread(ask)
    assert said.count(b"/before 0") == 3
    assert said.partition(ESTABLISHED)[2].endswith(b"http://a.example:443/inside 0")


@ensureDeferred
async def test_a_refused_connect_ends_the_connection(server):
    """What was said after it is not taken for requests."""

    def ask():
        wire = Wire(server.port)
        wire.send(CONNECT.replace(b"a.", b"no.") + b"GET /inside HTTP/1.1\r\n\r\n")
        return wire.rest()

    said = await deferToThread(ask)
    assert said.startswith(b"HTTP/1.1 403") and said.endswith(b"no") and b"inside" not in said


@ensureDeferred
async def test_there_is_no_tunnel_in_a_tunnel_and_no_other_host(server, handler):
    """Inside, a target is a path."""

    def ask(target, method="GET"):
        wire = tunnel(server)
        wire.send(f"{method} {target} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        return wire.rest()[:12]

    asked = [("http://elsewhere.example/",), ("*", "OPTIONS"), ("b.example:443", "CONNECT")]
    for each in asked:
        assert await deferToThread(ask, *each) == b"HTTP/1.1 400"
    assert {method for method, *_ in handler.seen} == {"CONNECT"} and len(handler.seen) == 3


@ensureDeferred
async def test_a_silent_client_loses_its_tunnel(hasty_server):
    """Before the first byte, within the handshake, and by drops of a head."""

    def silent():
        return tunnel(hasty_server).rest()

    def halfway():
        wire = tunnel(hasty_server)
        wire.send(b"\x16\x03\x01\x02\x00\x01")
        return wire.rest()

    def dripping():
        inside = Tls(tunnel(hasty_server), NO_NAME, None)
        inside.send(b"GET / HTTP/1.1\r\nX: ")
        return inside.rest()

    for way in (silent, halfway, dripping):
        assert await deferToThread(way) == b""
    assert hasty_server.connections == 0


@ensureDeferred
async def test_garbage_ends_a_tunnel(server):
    """Nonsense in the clear gets 400; nonsense that begins like TLS gets an alert."""

    def ask(garbage):
        wire = tunnel(server)
        wire.send(garbage)
        return wire.rest()

    assert (await deferToThread(ask, b"\0\1\2\r\n\r\n")).startswith(b"HTTP/1.1 400")
    assert (await deferToThread(ask, b"\x16" * 100))[:1] in (b"", b"\x15")
    assert (await deferToThread(ask, b"GET / HTTP/1.1\r\nX: " + b"x" * 9000)).startswith(
        b"HTTP/1.1 431"
    )


@ensureDeferred
async def test_tunnels_count_as_connections(server):
    """One client more than the limit is closed, whether the others are in tunnels or not."""

    def ask():
        inside = [Tls(tunnel(server), NO_NAME, None) for _ in range(3)]
        with suppress(ConnectionError):
            assert Wire(server.port).rest() == b""
        assert inside[0].get("/")[0] == 200
        inside[0].close()
        return inside

    for each in await deferToThread(ask):
        each.close()


@ensureDeferred
async def test_a_client_that_leaves_while_it_waits(server, handler):
    """It may say a little before its tunnel is there, and not much; then it is gone."""
    handler.gate = Deferred()

    def ask():
        much = Wire(server.port)
        much.send(CONNECT)
        for _ in range(10):
            much.send(bytes(1000))
        gone = Wire(server.port)
        gone.send(CONNECT + b"x")
        gone.under.shutdown(socket.SHUT_RDWR)
        gone.close()
        return much

    much = await deferToThread(ask)
    while len(handler.seen) < 2 or server.connections > 1:
        await sleep(reactor, 0.005)
    handler.gate.callback(None)
    assert (await deferToThread(much.rest)) in (b"", ESTABLISHED)
    assert server.connections == 0


@ensureDeferred
async def test_a_websocket_is_not_waited_for(server):
    """The request is answered, and the connection ends."""

    def ask():
        inside = Tls(tunnel(server), NO_NAME, "a.example")
        inside.send(b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        return inside.rest()

    assert b"https://a.example/ws" in await deferToThread(ask)


@ensureDeferred
async def test_a_server_that_stops_leaves_no_tunnel_open(handler):
    """Those that wait for a first byte, and those inside, end with it."""
    server = HttpServer(reactor, "127.0.0.1:0", handler, name="test")
    server.startService()
    waiting = await deferToThread(tunnel, server)
    inside = await deferToThread(lambda: Tls(tunnel(server), NO_NAME, None))
    ended = deferToThread(lambda: (waiting.rest(), inside.rest()))
    await server.stopService()
    assert await ended == (b"", b"") and server.connections == 0


@ensureDeferred
async def test_a_client_that_goes_away_leaves_nothing(server):
    """Before its first byte, within the handshake, and in the middle of an answer."""

    def go():
        tunnel(server).close()
        halfway = tunnel(server)
        halfway.send(b"\x16\x03\x01\x02\x00\x01")
        halfway.under.shutdown(socket.SHUT_WR)
        inside = Tls(tunnel(server), NO_NAME, None)
        inside.send(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
        inside.close()
        return halfway.rest()

    assert await deferToThread(go) == b""
    while server.connections:
        await sleep(reactor, 0.005)


class Line(StringTransport):
    """A connection in memory."""

    protocol: ServerConnection

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Take no notice."""


def said_to(pieces: list[bytes]) -> bytes:
    """Return what a server answers to bytes that come in these pieces."""

    async def handler(request: Request) -> Response:
        if request.method == "CONNECT":
            return Response.to_tunnel(Tunnel(Address("a.example", 80), Speaker()))
        return Response.text(200, f"{request.target} {await request.read(100)!r}")

    clock = Clock()
    state = ServerState("test", handler, Limits(), clock)
    line = Line()
    line.protocol = ServerConnection(state)
    line.protocol.makeConnection(line)
    for piece in pieces:
        line.protocol.dataReceived(piece)
        clock.advance(0)
    return b"".join(each for each in line.value().splitlines(True) if not each.startswith(b"Date"))


@settings(max_examples=50)
@given(st.lists(st.integers(0, 300), max_size=8))
def test_where_the_pieces_end_does_not_matter(cuts):
    """The way into the tunnel, and requests inside it, may be cut and joined anywhere."""
    words = b"GET http://b.example/ HTTP/1.1\r\n\r\n" + CONNECT
    words += b"GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 4\r\n\r\nbodyGET /3 "
    words += b"HTTP/1.1\r\n\r\n"
    ends = [0, *sorted(cut % len(words) for cut in cuts), len(words)]
    pieces = [words[start:end] for start, end in pairwise(ends)]
    said = said_to(pieces)
    assert said == said_to([words])
    inside = said.partition(ESTABLISHED)[2]
    assert [inside.count(b"http://a.example/%d " % number) for number in (1, 2, 3)] == [1, 1, 1]
    assert b"/2 b'body'" in inside
