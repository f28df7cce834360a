"""Servers over TLS: their chains are kept, and HTTP/2 is spoken where nothing else is."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from OpenSSL import SSL
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.internet.protocol import Factory, Protocol
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from zope.interface import implementer

from agents.certificates import Certificates
from agents.crawler.errors import FetchFailed
from agents.order import Access
from agents.origin import request_of
from anet.tls import TlsSession
from tests.agents.crawler.fetching import Fetching
from tests.anet.servers import certificate

PAGE = b"<title>only by HTTP/2</title>"


class Modern(Protocol):
    """A server of HTTP/2 that gives one page."""

    factory: Any

    def connectionMade(self) -> None:
        """Begin."""
        self.factory.connections += 1
        self._frames = H2Connection(H2Configuration(client_side=False))
        self._frames.initiate_connection()
        self.transport.write(self._frames.data_to_send())

    def dataReceived(self, data: bytes) -> None:
        """Answer requests."""
        for event in self._frames.receive_data(data):
            if isinstance(event, RequestReceived) and event.stream_id is not None:
                fields = [(":status", "200"), ("content-type", "text/html")]
                self._frames.send_headers(event.stream_id, fields)
                self._frames.send_data(event.stream_id, PAGE, end_stream=True)
        self.transport.write(self._frames.data_to_send())


@implementer(IOpenSSLServerConnectionCreator)
class Offer:
    """Makes TLS that offers HTTP/2 and refuses all else, as RFC 7301 §3.2 demands."""

    def __init__(self, pem: Path) -> None:
        self._context = SSL.Context(SSL.TLS_SERVER_METHOD)
        self._context.use_certificate_chain_file(str(pem))
        self._context.use_privatekey_file(str(pem))
        self._context.set_alpn_select_callback(self._choose)

    @staticmethod
    def _choose(_: SSL.Connection, offered: list[bytes]) -> bytes:
        if b"h2" not in offered:
            raise LookupError  # which sends the alert
        return b"h2"

    def serverConnectionForTLS(self, _: Any) -> SSL.Connection:
        """Return a connection."""
        return SSL.Connection(self._context, None)


class Strict(TLSMemoryBIOProtocol):
    """Sends the alert that an offer without HTTP/2 is answered with."""

    def dataReceived(self, data: bytes) -> None:
        """Take bytes of TLS."""
        try:
            super().dataReceived(data)
        except LookupError:
            self._flushSendBIO()
            self.transport.loseConnection()


@pytest.fixture
def modern(tmp_path: Path) -> Iterator[Any]:
    """Listen by HTTP/2 only."""
    factory: Any = Factory.forProtocol(Modern)
    factory.connections = 0
    factory.offer = Offer(certificate(tmp_path, "localhost"))
    outer: Any = TLSMemoryBIOFactory(factory.offer, False, factory)
    outer.protocol = Strict
    port = reactor.listenTCP(0, outer, interface="127.0.0.1")
    factory.url = f"https://localhost:{port.getHost().port}/"
    yield factory
    port.stopListening()


@ensureDeferred
async def test_a_server_of_http_2_only(modern: Any) -> None:
    """It is asked by HTTP/1.1 first, once; its head is written out, and says what it was."""
    fetching = Fetching()
    for _ in range(3):
        answer, body = await fetching.get(modern.url)
        assert body == PAGE
        assert answer.head.raw == b"HTTP/2 200\r\ncontent-type: text/html\r\n\r\n"
        assert answer.tls is not None
        assert answer.tls.protocol == "h2"
    assert modern.connections == 2  # one was refused
    fetching.connections.stop()
    await fetching.get(modern.url)
    assert modern.connections == 3
    fetching.connections.stop()


@ensureDeferred
async def test_a_server_of_http_2_only_that_does_not_say_so(modern: Any) -> None:
    """It agrees on no protocol and talks HTTP/2 all the same; so do we, from then on."""

    def choose(_: SSL.Connection, offered: list[bytes]) -> Any:
        return b"h2" if b"h2" in offered else SSL.NO_OVERLAPPING_PROTOCOLS

    modern.offer._context.set_alpn_select_callback(choose)
    fetching = Fetching()
    for _ in range(2):
        answer, body = await fetching.get(modern.url)
        assert body == PAGE and answer.tls is not None and answer.tls.protocol == "h2"
    assert modern.connections == 2  # the first was of no use
    fetching.connections.stop()


@ensureDeferred
async def test_an_order_without_http_2(modern: Any) -> None:
    """The failure says what the server wanted."""
    fetching = Fetching(access=Access(http2=False))
    with pytest.raises(FetchFailed, match="no application protocol"):
        await fetching.get(modern.url)
    fetching.connections.stop()


@ensureDeferred
async def test_a_crawl_by_http_2(modern: Any, crawl: Any) -> None:
    """A capture tells protocol and chain, and the chain lies in the crawl's directory."""
    result = await crawl(modern.url)
    line = next(line for line in result.lines if line["url"] == modern.url)
    origin = dict(each.split(": ", 1) for each in line["origin"].splitlines())
    assert origin["protocol"] == "h2"
    sent = request_of(line["origin"])
    assert sent is not None
    assert sent.head.startswith(b"GET / HTTP/2\r\nhost: localhost:")
    assert b"\r\nuser-agent: " in sent.head
    version, cipher, name = origin["tls"].split()
    assert version.startswith("TLSv1.")
    assert cipher
    chains = list((result.directory / "certificates").iterdir())
    assert [each.name for each in chains] == [f"{name}.pem"]
    text = chains[0].read_bytes()
    assert sha256(text).hexdigest() == name
    assert text.count(b"BEGIN CERTIFICATE") == 1


def test_each_chain_is_kept_once(tmp_path: Path) -> None:
    """A server without a certificate has no file."""
    kept = Certificates(tmp_path / "certificates")
    assert kept.keep(TlsSession("TLSv1.3", "X", ())) == "TLSv1.3 X -"
    assert not list(tmp_path.iterdir())
    names = {kept.keep(TlsSession("TLSv1.3", "X", (b"one", b"two"))) for _ in range(3)}
    names.add(kept.keep(TlsSession("TLSv1.3", "X", (b"one",))))
    assert len(names) == len(list((tmp_path / "certificates").iterdir())) == 2
