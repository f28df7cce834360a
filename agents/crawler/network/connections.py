"""The crawler's connections: one kept for each remote address (*INA §1.4.4*)."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from attrs import define

from anet.address import is_loopback
from anet.errors import ConnectFailed, ForbiddenAddress, NoCommonProtocol
from anet.http import HttpConnection, resolve
from anet.http.connect import AnyProxy, Permit, Way, reach
from anet.http.exchange import Connection, State
from anet.http2 import PROTOCOL, Http2Connection
from anet.names import literal
from anet.tls import TlsSession
from anet.tunnel import Proxy

IDLE = 15.0  # seconds after which an unused connection is closed, as in the paper
HTTP1 = (b"http/1.1",)  # what is offered first, for its heads are kept byte for byte
HTTP2 = (b"http/1.1", PROTOCOL)
LOOPBACK = "127.0.0.1"
KEPT = 16  # connections kept at once
_NAMES = 10_000  # hosts whose addresses are remembered
_FRESH = 5.0  # seconds until the resolver, which knows how long they are good, is asked again


class Place(NamedTuple):
    """A server: one address of a host, to which one connection at most is kept.

    Attributes:
        ip: its address.
        port: its port.
        host: the host asked for; over TLS the certificate depends on it.
        tls: whether TLS is spoken.
        proxy: the proxy in between, which looks the host up so that `ip` is its name; or empty.
        absolute: whether that proxy is asked, not the server.
    """

    ip: str
    port: int
    host: str
    tls: bool
    proxy: str = ""
    absolute: bool = False

    @property
    def server(self) -> str:
        """Whom politeness is owed."""
        return f"{self.ip}:{self.port}"

    @property
    def key(self) -> tuple[str, int, str]:
        """Places of one key share a connection."""
        return (self.ip, self.port, self.host if self.tls else "")


@define
class _Name:
    addresses: deque[str]
    until: float


@define
class _Kept:
    connection: Connection
    used: float


class Connections:
    """Keeps connections and the addresses of hosts.

    Args:
        reactor: which reactor.
        permit: tells of an IP address whether it may be connected to.
        timeout: seconds for a name or a connection.
        silence: seconds without a byte after which an answer is given up.
        proxy: through which everything goes; it looks the names up. It is the operator's own, and
            need not be permitted; the addresses that it leads to are its matter, but a host that
            is an address, or this machine by name, must be permitted.
        http2: whether HTTP/2 is spoken with servers that offer nothing else.
        tell: takes what is being done, in words, and the seconds that it may take; empty when it
            is done.
        whole_urls: whether the proxy takes whole https URLs, too, as an archive's does, so that
            no tunnel is needed.

    Attributes:
        proxy: as given.
    """

    def __init__(
        self,
        reactor: Any,
        permit: Permit,
        timeout: float,
        silence: float,
        *,
        proxy: AnyProxy | None = None,
        http2: bool = True,
        tell: Callable[[str, float], None] = lambda *_: None,
        whole_urls: bool = False,
    ) -> None:
        self._tell = tell
        self._whole_urls = whole_urls
        self.proxy = proxy
        self._http2 = http2
        self._modern: OrderedDict[str, None] = OrderedDict()  # hosts that speak HTTP/2 only
        self._suspected: OrderedDict[str, None] = OrderedDict()  # hosts once tried by it
        self._reactor = reactor
        self._permit = permit
        self._timeout = timeout
        self._silence = silence
        self._names: OrderedDict[str, _Name] = OrderedDict()
        self._kept: OrderedDict[tuple[str, int, str], _Kept] = OrderedDict()
        self._sweeping: Any = None

    async def place(self, tls: bool, host: str, port: int) -> Place:
        """Return where to ask a host: where a connection is kept, or at its next address.

        Raises:
            anet.errors.HttpError: the name leads nowhere, or where it is not permitted.
        """
        if self.proxy is not None:
            return self._behind(self.proxy, tls, host, port)
        name = self._names.get(host)
        if name is None or name.until < self._reactor.seconds():
            self._tell(f"the name {host} is being looked up", self._timeout)
            name = await self._look_up(host)
            self._tell("", 0.0)
        for ip in name.addresses:
            place = Place(ip, port, host, tls)
            if self.kept(place):
                return place
        place = Place(name.addresses[0], port, host, tls)
        name.addresses.rotate(-1)
        return place

    def addresses(self, hosts: Iterable[str]) -> frozenset[str]:
        """Return where hosts are, as far as they have been looked up lately."""
        found = [self._names[host].addresses for host in hosts if host in self._names]
        return frozenset(address for one in found for address in one)

    def kept(self, place: Place) -> bool:
        """Tell whether there is a connection to a place."""
        kept = self._kept.get(place.key)
        return kept is not None and kept.connection.state is State.IDLE

    async def obtain(self, place: Place) -> Connection:
        """Return an idle connection to a place, kept or new.

        Raises:
            anet.errors.HttpError: none can be made.
        """
        kept = self._kept.pop(place.key, None)
        if kept is not None and kept.connection.state is State.IDLE:
            return kept.connection
        self._tell(f"{place.host} is being connected to", self._timeout)
        connection = await self._connect_as_it_can(place)
        self._tell("", 0.0)
        return connection

    async def _connect_as_it_can(self, place: Place) -> Connection:
        """Connect, over TLS by the version of HTTP that the server speaks."""
        if not place.tls:
            return await self._connect(place, ())
        try:
            return await self._connect(place, HTTP2 if place.host in self._modern else HTTP1)
        except NoCommonProtocol:
            if not self._http2 or place.host in self._modern:
                self._modern.pop(place.host, None)
                raise
        connection = await self._connect(place, HTTP2)
        _note(self._modern, place.host)
        return connection

    def suspect(self, place: Place, session: TlsSession | None) -> bool:
        """Try HTTP/2 next with a server that agreed on nothing and did not answer HTTP/1.1.

        Servers of HTTP/2 only should say so while TLS is set up, and not all do. Tells whether
        that is worth another try: once for each host.
        """
        if session is None or session.protocol or not self._http2 or place.host in self._suspected:
            return False
        _note(self._suspected, place.host)
        _note(self._modern, place.host)
        return True

    async def _connect(self, place: Place, protocols: tuple[bytes, ...]) -> Connection:
        way = Way(
            place.host,
            place.port,
            place.tls,
            verify=False,  # the web is archived as it is, bad certificates too
            protocols=protocols,
            proxy=self.proxy,
            timeout=self._timeout,
        )
        if place.absolute and self.proxy is not None:
            to = self.proxy.address
            return await reach(
                self._reactor, Way(to.host, to.port, timeout=self._timeout), self._speaker
            )
        address = None if self.proxy is not None else place.ip
        return await reach(self._reactor, way, self._speaker, address, self._permit)

    def _speaker(self, session: TlsSession | None) -> HttpConnection | Http2Connection:
        modern = session is not None and session.protocol.encode() == PROTOCOL
        kind = Http2Connection if modern else HttpConnection
        return kind(self._reactor, self._silence, session)

    def keep(self, place: Place, connection: Connection) -> bool:
        """Keep a connection for the next request; tell whether it can serve one.

        One to a proxy that is asked for all servers is not kept: after an answer without a body
        some proxies relay what comes next to the server of that answer, whoever it is meant for.
        """
        if place.absolute or connection.state is not State.IDLE:
            connection.close()
            return False
        self._kept[place.key] = _Kept(connection, self._reactor.seconds())
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)[1].connection.close()
        if self._sweeping is None:
            self._sweeping = self._reactor.callLater(1.0, self._sweep)
        return True

    def close(self, place: Place) -> None:
        """Close the connection to a place, if there is one."""
        kept = self._kept.pop(place.key, None)
        if kept is not None:
            kept.connection.close()

    def stop(self) -> None:
        """Close all connections."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            self._sweeping = None
        for kept in self._kept.values():
            kept.connection.close()
        self._kept.clear()

    def _behind(self, proxy: AnyProxy, tls: bool, host: str, port: int) -> Place:
        """Return where to ask a host that only the proxy looks up.

        Raises:
            ForbiddenAddress: the host may not be asked, by its name alone.
        """
        address = literal(host)
        inside = is_loopback(host) or "." not in host
        if not (self._permit(address) if address else self._permit(LOOPBACK) or not inside):
            raise ForbiddenAddress(
                f"{host} is not of the public Internet; the order must allow private networks"
            )
        absolute = (self._whole_urls or not tls) and isinstance(proxy, Proxy)
        return Place(address or host, port, host, tls and not absolute, str(proxy), absolute)

    async def _look_up(self, host: str) -> _Name:
        found = await resolve(self._reactor, host, self._timeout)
        permitted = [ip for ip in found if self._permit(ip)]
        if not found:
            raise ConnectFailed(f"the name {host} is unknown")
        if not permitted:
            raise ForbiddenAddress(
                f"{host} ({', '.join(found[:4])}) is not of the public Internet; the order must "
                "allow private networks"
            )
        before = self._names.pop(host, None)
        turns = before.addresses if before is not None else deque()
        addresses = turns if set(turns) == set(permitted) else deque(permitted)
        name = self._names[host] = _Name(addresses, self._reactor.seconds() + _FRESH)
        if len(self._names) > _NAMES:
            self._names.popitem(last=False)
        return name

    def _sweep(self) -> None:
        """Close what has not been used for some time; one timer for all connections."""
        self._sweeping = None
        oldest = self._reactor.seconds() - IDLE
        for key, kept in list(self._kept.items()):
            if kept.used <= oldest or kept.connection.state is not State.IDLE:
                kept.connection.close()
                del self._kept[key]
        if self._kept:
            self._sweeping = self._reactor.callLater(1.0, self._sweep)


def _note(hosts: "OrderedDict[str, None]", host: str) -> None:
    """Remember a host; the first is forgotten when there are too many."""
    hosts[host] = None
    if len(hosts) > _NAMES:
        hosts.popitem(last=False)
