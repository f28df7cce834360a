"""Making a connection to a web server: name, permission, TCP, proxy, TLS."""

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import frozen
from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.internet.protocol import Protocol
from twisted.protocols.tls import TLSMemoryBIOFactory

from anet.address import Address
from anet.errors import ConnectFailed, ForbiddenAddress, HttpError, TimedOut
from anet.factories import Outermost, factory_of
from anet.http.connection import HttpConnection
from anet.names import ascii_name, resolve
from anet.socks import SocksProxy, SocksTunnel
from anet.tls import Handshake, TlsSession, client_creator
from anet.tunnel import Proxy, Tunnel, TunnelProtocol

TRIED = 4  # addresses of a host, lest a name with many keeps one waiting

Permit = Callable[[str], bool]
Creators = Callable[[str], IOpenSSLClientConnectionCreator]
AnyProxy = Proxy | SocksProxy
_Spoken = TypeVar("_Spoken", bound=Protocol)


def permit_all(_: str) -> bool:
    """Permit every address."""
    return True


@frozen
class Way:
    """How to a web server.

    Attributes:
        host: the server's name; also the name asked for in TLS.
        port: its port.
        tls: whether to speak TLS.
        verify: whether its certificate must be good.
        protocols: which are offered inside TLS (ALPN); none leaves it open.
        proxy: through which to go; it looks the host's name up.
        timeout: seconds for the name, and again for each address that is tried (at most 4).
        creators: makes the TLS connections to a host, in place of `verify` and `protocols`.
    """

    host: str
    port: int
    tls: bool = False
    verify: bool = True
    protocols: tuple[bytes, ...] = ()
    proxy: AnyProxy | None = None
    timeout: float = 10.0
    creators: Creators | None = None

    def creator(self) -> IOpenSSLClientConnectionCreator | None:
        """Return what makes the TLS connection, or None without TLS.

        Raises:
            TlsFailed: `creators` has nothing to make it with.
        """
        if not self.tls:
            return None
        if self.creators is not None:
            return self.creators(self.host)
        return client_creator(ascii_name(self.host), self.verify, self.protocols)


async def connect(
    reactor: Any,
    host: str,
    port: int,
    *,
    tls: bool = False,
    verify: bool = True,
    address: str | None = None,
    timeout: float = 10.0,
    silence: float = 60.0,
    permit: Permit = permit_all,
    creators: Creators | None = None,
) -> HttpConnection:
    """Connect to a web server, which is to speak HTTP/1.1.

    Args:
        reactor: which reactor.
        host: the server's name; also the name asked for in TLS.
        port: its port.
        tls: whether to speak TLS.
        verify: whether its certificate must be good.
        address: connect to this IP address and do not look the name up.
        timeout: seconds for the name, and again for each address that is tried (at most 4).
        silence: seconds without a byte after which an exchange is given up; infinite for never.
        permit: tells of each IP address whether it may be connected to; asked after the name
            is looked up, so that a name cannot lead where an address may not.
        creators: makes the TLS connections to a host, in place of `verify`.

    Raises:
        ForbiddenAddress: no address of the host is permitted.
        ConnectFailed: nobody answers there, or `host` is no name.
        TimedOut: nobody said yes or no.
    """
    way = Way(host, port, tls, verify, timeout=timeout, creators=creators)
    return await reach(
        reactor, way, lambda session: HttpConnection(reactor, silence, session), address, permit
    )


async def reach(
    reactor: Any,
    way: Way,
    build: Callable[[TlsSession | None], _Spoken],
    address: str | None = None,
    permit: Permit = permit_all,
) -> _Spoken:
    """Connect to a server; return what speaks with it once all between is done.

    Args:
        reactor: which reactor.
        way: where, and how.
        build: makes what speaks, from what was agreed upon over TLS.
        address: connect to this IP address and do not look the name up.
        permit: tells of each IP address whether it may be connected to. With a proxy it is the
            proxy that connects to the host, and the caller chose the proxy: nothing is asked.

    Raises:
        ForbiddenAddress: no address of the host is permitted.
        ConnectFailed: nobody answers there, or there is no way through a proxy or into TLS.
        TimedOut: nobody said yes or no.
    """
    first = Address(way.host, way.port) if way.proxy is None else way.proxy.address
    allowed = permit if way.proxy is None else permit_all
    addresses = [address] if address else await resolve(reactor, first.host, way.timeout)
    permitted = [ip for ip in addresses if allowed(ip)]
    if not permitted:
        raise ForbiddenAddress(f"{first.host} ({', '.join(addresses)}) may not be connected to")
    failure: HttpError = ConnectFailed(f"{first.host} has no address")
    for ip in permitted[:TRIED]:
        try:
            spoken: _Spoken = await _Layers(reactor, way, build).connect(ip, first)
            return spoken
        except HttpError as error:
            failure = error
    raise failure


class _Layers:
    """The protocols between a TCP connection and what speaks, from the outermost inwards."""

    def __init__(self, reactor: Any, way: Way, build: Callable[[TlsSession | None], Any]) -> None:
        self._reactor, self._way, self._build = reactor, way, build
        # Now and not once connected, when an error would have nowhere to go.
        self._creator = way.creator()
        self._arrived: Deferred[Any] = Deferred()

    async def connect(self, ip: str, to: Address) -> Any:
        """Connect to an address; return what speaks."""
        kind = TCP6ClientEndpoint if ":" in ip else TCP4ClientEndpoint
        endpoint: Any = kind(self._reactor, ip, to.port, timeout=self._way.timeout)
        try:
            outermost = await endpoint.connect(Outermost(self._outermost))
        except ConnectTimeout:
            raise TimedOut(f"{to} did not answer in {self._way.timeout:g} seconds") from None
        except ConnectingCancelledError:
            raise CancelledError from None  # as every other wait does
        except (ConnectError, OSError) as error:
            raise ConnectFailed(f"{to} ({ip}): {_words(error)}") from None
        transport = outermost.transport
        transport.protocol = outermost  # the endpoint's wrapper has done its work
        try:
            return await self._arrived.addTimeout(self._way.timeout, self._reactor)
        except TimeoutError:
            transport.abortConnection()
            seconds = f"{self._way.timeout:g} seconds"
            raise TimedOut(f"{self._way.host}: no TLS or no tunnel in {seconds}") from None
        except CancelledError:
            transport.abortConnection()
            raise

    def _outermost(self) -> Any:
        way = self._way
        if way.proxy is None:
            return self._inner()
        host = way.host if ":" in way.host else ascii_name(way.host)
        to = Address(host, way.port)
        words = (
            Tunnel(way.proxy, to) if isinstance(way.proxy, Proxy) else SocksTunnel(way.proxy, to)
        )
        return TunnelProtocol(self._reactor, words, self._inner, self._fail, way.timeout)

    def _inner(self) -> Any:
        if self._creator is None:
            return self._speak(None)
        handshake = factory_of(lambda: Handshake(self._speak, self._fail))
        factory: Any = TLSMemoryBIOFactory(self._creator, True, handshake, self._reactor)
        return factory.buildProtocol(None)

    def _speak(self, session: TlsSession | None) -> Any:
        speaker = self._build(session)
        connected = speaker.connectionMade

        def arrive() -> None:
            connected()
            if not self._arrived.called:
                self._arrived.callback(speaker)

        speaker.connectionMade = arrive
        return speaker

    def _fail(self, error: HttpError) -> None:
        if not self._arrived.called:
            self._arrived.errback(error)


def _words(error: BaseException) -> str:
    """Return what an error of the operating system says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
