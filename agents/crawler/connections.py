"""The crawler's connections: one kept for each remote address (*INA §1.4.4*)."""

from collections import OrderedDict, deque
from typing import Any

from attrs import define, frozen

from anet.errors import ConnectFailed, ForbiddenAddress
from anet.http import HttpConnection, connect, resolve
from anet.http.connect import Permit

IDLE = 15.0  # seconds after which an unused connection is closed, as in the paper
KEPT = 16  # connections kept at once
_NAMES = 10_000  # hosts whose addresses are remembered
_FRESH = 5.0  # seconds until the resolver, which knows how long they are good, is asked again


@frozen
class Place:
    """A server: one address of a host, to which one connection at most is kept.

    Attributes:
        ip: its address.
        port: its port.
        host: the host asked for; over TLS the certificate depends on it.
        tls: whether TLS is spoken.
    """

    ip: str
    port: int
    host: str
    tls: bool

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
    connection: HttpConnection
    used: float


class Connections:
    """Keeps connections and the addresses of hosts.

    Args:
        reactor: which reactor.
        permit: tells of an IP address whether it may be connected to.
        timeout: seconds for a name or a connection.
        silence: seconds without a byte after which an answer is given up.
    """

    def __init__(self, reactor: Any, permit: Permit, timeout: float, silence: float) -> None:
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
        name = self._names.get(host)
        if name is None or name.until < self._reactor.seconds():
            name = await self._look_up(host)
        for ip in name.addresses:
            place = Place(ip, port, host, tls)
            if self.kept(place):
                return place
        place = Place(name.addresses[0], port, host, tls)
        name.addresses.rotate(-1)
        return place

    def kept(self, place: Place) -> bool:
        """Tell whether there is a connection to a place."""
        kept = self._kept.get(place.key)
        return kept is not None and kept.connection.state.name == "IDLE"

    async def obtain(self, place: Place) -> HttpConnection:
        """Return an idle connection to a place, kept or new.

        Raises:
            anet.errors.HttpError: none can be made.
        """
        kept = self._kept.pop(place.key, None)
        if kept is not None and kept.connection.state.name == "IDLE":
            return kept.connection
        return await connect(
            self._reactor,
            place.host,
            place.port,
            tls=place.tls,
            verify=False,  # the web is archived as it is, bad certificates too
            address=place.ip,
            timeout=self._timeout,
            silence=self._silence,
            permit=self._permit,
        )

    def keep(self, place: Place, connection: HttpConnection) -> bool:
        """Keep a connection for the next request; tell whether it can serve one."""
        if connection.state.name != "IDLE":
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
            if kept.used <= oldest or kept.connection.state.name != "IDLE":
                kept.connection.close()
                del self._kept[key]
        if self._kept:
            self._sweeping = self._reactor.callLater(1.0, self._sweep)
