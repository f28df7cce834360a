"""Ways to a server that come to nothing: TLS that is never spoken, proxies that say nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.protocol import Factory, Protocol

from anet.address import Address
from anet.errors import ConnectionBroken, ForbiddenAddress, TimedOut, TlsFailed
from anet.http import HttpConnection
from anet.http.connect import Way, reach
from anet.socks import SocksProxy
from anet.tasks import sleep
from anet.tunnel import Proxy


class Says(Protocol):
    """Says the factory's words to whoever speaks, and closes if it is to."""

    factory: Any

    def connectionMade(self) -> None:
        """Count."""
        self.factory.open += 1

    def dataReceived(self, data: bytes) -> None:
        """Answer."""
        self.transport.write(self.factory.words)
        if self.factory.closes:
            self.transport.loseConnection()

    def connectionLost(self, reason: Any = None) -> None:
        """Count."""
        self.factory.open -= 1


@pytest.fixture
def says() -> Iterator[Callable[..., Any]]:
    """Return what listens with some words."""
    ports: list[Any] = []

    def listen(words: bytes, closes: bool = False) -> Any:
        factory: Any = Factory.forProtocol(Says)
        factory.words, factory.closes, factory.open = words, closes, 0
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        ports.append(port)
        factory.number = port.getHost().port
        return factory

    yield listen
    for port in ports:
        port.stopListening()


def build(session: Any) -> HttpConnection:
    """Return what speaks HTTP/1.1."""
    return HttpConnection(reactor, 5.0, session)


@ensureDeferred
async def test_tls_that_never_comes(says: Any) -> None:
    """A server that is silent instead of a handshake is given up, and left."""
    server = says(b"")
    with pytest.raises(TimedOut, match="no TLS"):
        await reach(reactor, Way("localhost", server.number, tls=True, timeout=0.1), build)
    await sleep(reactor, 0.05)
    assert server.open == 0


@pytest.mark.parametrize(
    ("words", "closes", "error"),
    [(b"HTTP/1.1 400 Bad Request\r\n\r\n", False, TlsFailed), (b"", True, ConnectionBroken)],
)
@ensureDeferred
async def test_what_is_no_tls(says: Any, words: bytes, closes: bool, error: Any) -> None:
    """Other words than a handshake, and a closed door, are told apart."""
    server = says(words, closes)
    with pytest.raises(error):
        await reach(reactor, Way("localhost", server.number, tls=True, verify=False), build)


@ensureDeferred
async def test_a_silent_proxy(says: Any) -> None:
    """Neither kind of proxy keeps one waiting."""
    server = says(b"")
    to = Address("127.0.0.1", server.number)
    for proxy in (Proxy(to), SocksProxy(to)):
        with pytest.raises(TimedOut):
            await reach(reactor, Way("site.example", 80, proxy=proxy, timeout=0.1), build)


@ensureDeferred
async def test_giving_up_waiting(says: Any) -> None:
    """A cancelled connection is closed, wherever it stands."""
    server = says(b"")
    waiting = Deferred.fromCoroutine(
        reach(reactor, Way("localhost", server.number, tls=True), build)
    )
    await sleep(reactor, 0.1)
    waiting.cancel()
    with pytest.raises(CancelledError):
        await waiting
    await sleep(reactor, 0.05)
    assert server.open == 0


@ensureDeferred
async def test_a_forbidden_address_is_not_connected_to(says: Any) -> None:
    """Nobody is reached at all."""
    server = says(b"")
    with pytest.raises(ForbiddenAddress):
        await reach(reactor, Way("localhost", server.number), build, permit=lambda _: False)
    assert server.open == 0
