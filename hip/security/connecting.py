"""Going to a master: over TLS, over a UNIX socket, through an HTTP proxy, or in the clear."""

from collections.abc import Callable
from typing import Any

from OpenSSL import SSL
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, UNIXClientEndpoint
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.internet.protocol import Factory
from twisted.protocols.tls import TLSMemoryBIOFactory
from zope.interface import implementer

from anet.address import Address, is_loopback
from anet.errors import AnetError, ConnectFailed
from anet.factories import Outermost, factory_of
from anet.gathering import PromptTLS
from anet.names import ascii_name, literal, resolve
from anet.tunnel import Proxy, Tunnel, TunnelProtocol
from hip.address import SocketPath
from hip.errors import HipError
from hip.peer import Peer
from hip.security.doorway import Doorway
from hip.security.guard import Guard
from hip.security.local import Threshold, user_ids

_Build = Callable[[], Peer]
CONNECT_TIME = 10.0  # seconds, for a name and again for each address it leads to
TRIED = 4  # addresses of a host, lest a name with many keeps one waiting


async def connect_to_master(
    reactor: Any, where: Address | SocketPath, build: _Build, guard: Guard
) -> Peer:
    """Connect to a master, and return it once it has proved who it is.

    Args:
        reactor: which reactor.
        where: its address or UNIX socket.
        build: makes the peer.
        guard: what we show, and whom we take.

    Raises:
        PlaintextRefused: the address is beyond loopback, and there is no certificate.
        CredentialsRefused: our certificate cannot be used.
        NotTrusted: the master did not prove who it is.
        anet.errors.HttpError: the name is unknown, or the proxy does not let us through.
        twisted.internet.error.ConnectError: nobody answers there.
    """
    if isinstance(where, SocketPath):
        return await _connect_locally(reactor, where, build, guard)
    if not guard.security.has_certificate:
        guard.security.permit_plaintext(where)
    proxy = guard.security.proxy
    if proxy is not None and not is_loopback(where.host):
        way = _Way(reactor, build, guard, where, proxy)
        return await _to_any(reactor, proxy.address, way, lambda _: None)
    way = _Way(reactor, build, guard, where)
    return await _to_any(reactor, where, way, way.permit)


async def _connect_locally(reactor: Any, where: SocketPath, build: _Build, guard: Guard) -> Peer:
    endpoint = UNIXClientEndpoint(reactor, where.path, timeout=CONNECT_TIME)
    permitted = user_ids(guard.security.users)
    failures: list[HipError] = []
    peers: list[Peer] = []

    def build_and_keep() -> Peer:
        peers.append(build())
        return peers[0]

    factory = factory_of(lambda: Threshold(permitted, build_and_keep, failures.append))
    await _connect(endpoint, factory)
    if failures:
        raise failures[0]
    return peers[0]


class _Way:
    """The protocols between a TCP connection and a peer, from the outermost inwards."""

    def __init__(
        self, reactor: Any, build: _Build, guard: Guard, to: Address, proxy: Proxy | None = None
    ) -> None:
        self._reactor, self._build, self._guard = reactor, build, guard
        self._to, self._proxy = to, proxy
        # Now and not once connected, when an error would have nowhere to go.
        self._context = guard.context() if guard.security.has_certificate else None
        self._arrived: Deferred[Peer] = Deferred()

    def permit(self, ip: str) -> None:
        """Tell whether to connect to an address that the name has led to: it may be any.

        Raises:
            PlaintextRefused: it is beyond loopback, and there is no certificate.
        """
        if self._context is None:
            self._guard.security.permit_plaintext(Address(ip, self._to.port))

    async def take(self, endpoint: Any) -> Peer:
        """Connect by an endpoint, and return the peer once all between is done."""
        self._arrived = Deferred()
        outermost = await _connect(endpoint, Outermost(self._outermost))
        outermost.transport.protocol = outermost  # the endpoint's wrapper has done its work
        try:
            return await self._arrived
        except CancelledError:
            outermost.transport.abortConnection()
            raise

    def _outermost(self) -> Any:
        if self._proxy is None:
            return self._inner()
        tunnel = Tunnel(self._proxy, Address(_for_proxy(self._to.host), self._to.port))
        return TunnelProtocol(self._reactor, tunnel, self._inner, self._fail)

    def _inner(self) -> Any:
        if self._context is None:
            return self._arrive(self._build())
        creator = _Creator(self._context, self._to.host)
        factory: Any = TLSMemoryBIOFactory(creator, True, factory_of(self._doorway), self._reactor)
        factory.protocol = PromptTLS  # HIP gathers what it writes
        return factory.buildProtocol(None)

    def _doorway(self) -> Doorway:
        return Doorway(
            self._reactor,
            self._guard.security.handshake_time,
            lambda it: self._arrive(self._guard.admit(self._build(), it, self._to.host)),
            self._fail,
        )

    def _arrive(self, peer: Peer) -> Peer:
        connected = peer.on_connected

        def arrive(peer: Peer) -> None:
            connected(peer)
            self._arrived.callback(peer)

        peer.on_connected = arrive
        return peer

    def _fail(self, error: Exception) -> None:
        if not self._arrived.called:
            self._arrived.errback(error)


@implementer(IOpenSSLClientConnectionCreator)
class _Creator:
    """Makes the TLS connection to one host, which is named to it (SNI)."""

    def __init__(self, context: SSL.Context, host: str) -> None:
        self._context, self._host = context, host

    def clientConnectionForTLS(self, _protocol: Any) -> SSL.Connection:
        connection = SSL.Connection(self._context, None)
        if literal(self._host) is None:
            connection.set_tlsext_host_name(ascii_name(self._host).encode())
        return connection


async def _to_any(reactor: Any, where: Address, way: _Way, permit: Callable[[str], None]) -> Peer:
    """Try the addresses of a host in turn."""
    failure: Exception = ConnectFailed(f"{where} has no address")
    for ip in (await resolve(reactor, where.host, CONNECT_TIME))[:TRIED]:
        permit(ip)
        kind = TCP6ClientEndpoint if ":" in ip else TCP4ClientEndpoint
        try:
            return await way.take(kind(reactor, ip, where.port, timeout=CONNECT_TIME))
        except (ConnectError, AnetError, HipError) as error:
            failure = error
    raise failure


async def _connect(endpoint: Any, factory: Factory) -> Any:
    try:
        return await endpoint.connect(factory)
    except ConnectingCancelledError:
        raise CancelledError from None


def _for_proxy(host: str) -> str:
    return host if ":" in host else ascii_name(host)
