"""HTTP inside TLS, with an authority made for the test: who shows what, and how bodies flow."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL import SSL
from OpenSSL.crypto import X509
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.interfaces import (
    IOpenSSLClientConnectionCreator,
    IOpenSSLServerConnectionCreator,
)
from twisted.internet.protocol import Protocol
from twisted.internet.threads import deferToThread
from twisted.logger import LogEvent, LogLevel, globalLogPublisher
from zope.interface import implementer

from anet.errors import ForbiddenAddress, HttpError, TlsFailed
from anet.http import FileBody, HttpClient, HttpServer, Limits, Request, Response
from anet.tasks import sleep

LARGE = 128 << 20  # bytes
ROOM = 24 << 20  # bytes of memory that both ends in this process may take beside


class Authority:
    """Signs certificates for the host of the tests."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._sign("authority", self._key.public_key())

    def issue(self, name: str) -> "Shown":
        """Return a certificate with its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        return Shown(self._sign(name, key.public_key()), key)

    def _sign(self, name: str, key: ec.EllipticCurvePublicKey) -> x509.Certificate:
        def named(text: str) -> x509.Name:
            return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(named(name))
            .issuer_name(named("authority"))
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(name == "authority", None), critical=True)
        )
        return builder.sign(self._key, hashes.SHA256())


@frozen
class Shown:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


@implementer(IOpenSSLServerConnectionCreator, IOpenSSLClientConnectionCreator)
class End:
    """Makes TLS connections, either way; whatever is shown must be of the authority."""

    def __init__(self, authority: Authority, own: Shown | None) -> None:
        self._context = SSL.Context(SSL.TLS_METHOD)
        self._context.set_verify(SSL.VERIFY_PEER, lambda *told: bool(told[-1]))
        store = self._context.get_cert_store()
        assert store is not None
        store.add_cert(X509.from_cryptography(authority.certificate))
        if own is not None:
            self._context.use_certificate(own.certificate)
            self._context.use_privatekey(own.key)

    def clientConnectionForTLS(self, _protocol: Any) -> SSL.Connection:
        """Return a new connection."""
        return SSL.Connection(self._context, None)

    serverConnectionForTLS = clientConnectionForTLS


class Memory:
    """How much more of it this process holds than at first, while pieces come in."""

    def __init__(self) -> None:
        self._before = resident()
        self._pieces = self.most = self.size = 0

    def take(self, piece: bytes) -> None:
        """Count a piece, and look now and then."""
        self.size += len(piece)
        self._pieces += 1
        if self._pieces % 100 == 0:
            self.most = max(self.most, resident() - self._before)


class Site:
    """A server inside TLS, and clients for it."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority()
        self.file = folder / "large"
        with self.file.open("wb") as file:
            file.truncate(LARGE)
        self.asked: list[Request] = []
        self.memory = Memory()
        own = End(self.authority, self.authority.issue("server"))
        self.server = HttpServer(reactor, "127.0.0.1:0", self.answer, name="test", tls=own)
        self.server.startService()
        self.clients: list[HttpClient] = []

    @property
    def url(self) -> str:
        """Where it is."""
        return f"https://{self.server.address}/"

    async def answer(self, request: Request) -> Response:
        """Refuse POST unread, count what is PUT, and give the file."""
        self.asked.append(request)
        if request.method == "POST":
            return Response.text(401, "no\n")
        if request.method == "PUT":
            return Response.text(200, str(await request.deliver(self.memory.take)))
        return Response(200, body=FileBody.whole(self.file))

    def client(self, own: Shown | None = None, **how: Any) -> HttpClient:
        """Return a client that trusts the authority, and may show a certificate."""
        self.clients.append(HttpClient(reactor, tls=lambda _: End(self.authority, own), **how))
        return self.clients[-1]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site that ends with the test, in which nothing goes wrong that nobody expects."""
    site = Site(tmp_path)
    mistakes: list[LogEvent] = []

    def note(event: LogEvent) -> None:
        if event["log_level"] >= LogLevel.error:
            mistakes.append(event)

    globalLogPublisher.addObserver(note)
    yield site
    for service in (*site.clients, site.server):
        pytest_twisted.blockon(ensured(service.stopService()))
    globalLogPublisher.removeObserver(note)
    assert mistakes == []


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@ensureDeferred
async def test_a_large_file_passes_in_little_memory(site: Site) -> None:
    """It is read and encrypted at the pace of the other side, which has it all in the end."""
    await (await site.client().request("GET", site.url)).deliver(site.memory.take)
    assert site.memory.size == LARGE and site.memory.most < ROOM


@ensureDeferred
async def test_a_large_file_is_sent_in_little_memory(site: Site) -> None:
    """What a client uploads arrives whole, and waits on its disk until there is room."""
    sent = site.client().request("PUT", site.url, body=FileBody.whole(site.file))
    assert await (await sent).read(100) == str(LARGE).encode()
    assert site.memory.size == LARGE and site.memory.most < ROOM


@ensureDeferred
async def test_an_answer_arrives_though_the_body_was_not_read(site: Site) -> None:
    """A refusal reaches a client that is still sending."""
    response = await site.client().request("POST", site.url, body=bytes(5 << 20))
    assert (response.head.status, await response.read(100)) == (401, b"no\n")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("size", [1, 5 << 20])
@ensureDeferred
async def test_curl_is_answered_though_the_body_was_not_read(site: Site, size: int) -> None:
    """Both sides end TLS as it should be ended, and the connection is gone at once."""
    body = site.file.with_name("body")
    body.write_bytes(bytes(size))
    command = ["curl", "-sk", "-m", "20", "--data-binary", f"@{body}", site.url]
    done = await deferToThread(subprocess.run, command, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"no\n")
    ended = reactor.seconds() + 1.0
    while site.server.connections:
        assert reactor.seconds() < ended
        await sleep(reactor, 0.01)


@ensureDeferred
async def test_a_handler_sees_what_a_client_has_shown(site: Site) -> None:
    """A certificate of the authority reaches the handler; without one there is none."""
    own = site.authority.issue("client")
    for shown in (own, None):
        response = await site.client(shown).request("POST", site.url)
        await response.read(100)
    first, second = (request.certificate for request in site.asked)
    assert first == own.certificate and second is None


@ensureDeferred
async def test_a_certificate_of_somebody_else_is_refused(site: Site) -> None:
    """A client that shows one is not heard."""
    client = site.client(Authority().issue("client"))
    with pytest.raises(HttpError):
        await client.request("POST", site.url)
    assert site.asked == []


@ensureDeferred
async def test_a_server_of_somebody_else_is_refused(site: Site) -> None:
    """A client hears nothing from a server that its authority has not signed."""
    client = site.client()
    site.authority = Authority()
    with pytest.raises(TlsFailed):
        await client.request("GET", site.url)


@ensureDeferred
async def test_who_begins_no_tls_is_dropped(site: Site) -> None:
    """A client may be as silent before the handshake as before a request, and no longer."""
    own = End(site.authority, site.authority.issue("server"))
    limits = Limits(silence=0.2)
    server = HttpServer(reactor, "127.0.0.1:0", site.answer, name="test", limits=limits, tls=own)
    server.startService()
    ended: Deferred[None] = Deferred()
    silent = Protocol()
    silent.connectionLost = lambda *_: ended.callback(None)  # type: ignore[method-assign]
    await connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", server.port), silent)
    await ended.addTimeout(10, reactor)
    assert server.connections == 0
    await server.stopService()


@ensureDeferred
async def test_nothing_is_said_in_the_clear(site: Site) -> None:
    """A server inside TLS answers no plain request; a client may be kept from making one."""
    with pytest.raises(HttpError):
        await site.client().request("GET", site.url.replace("https", "http"))
    assert site.asked == []
    shy = site.client(permit_plain=lambda _: False)
    with pytest.raises(ForbiddenAddress):
        await shy.request("GET", site.url.replace("https", "http"))
    assert (await shy.request("POST", site.url)).head.status == 401
