"""What IP addresses a name leads to."""

from ipaddress import ip_address
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IAddress, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from anet.errors import ConnectFailed, TimedOut


@implementer(IResolutionReceiver)
class _Addresses:
    """Collects what a name leads to."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.complete: Deferred[list[str]] = Deferred()

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        pass

    def addressResolved(self, address: IAddress) -> None:
        if isinstance(address, IPv4Address | IPv6Address) and address.host not in self.found:
            self.found.append(address.host)

    def resolutionComplete(self) -> None:
        if not self.complete.called:
            self.complete.callback(self.found)


def ascii_name(host: str) -> str:
    """Return a host name as the DNS and TLS know it (IDNA).

    Raises:
        ConnectFailed: it is no name.
    """
    try:
        name = host.encode("idna").decode("ascii")
    except UnicodeError:
        name = ""
    if not name or len(name) > 253 or not name.isprintable() or " " in name:
        raise ConnectFailed(f"{host[:80]!r} is not the name of a host")
    return name


async def resolve(reactor: Any, host: str, timeout: float) -> list[str]:
    """Return the IP addresses of a host, in the resolver's order.

    Raises:
        ConnectFailed: the name is unknown, or is none.
        TimedOut: the resolver did not answer within `timeout` seconds.
    """
    host = host.removeprefix("[").removesuffix("]")
    try:
        return [str(ip_address(host))]
    except ValueError:
        name = ascii_name(host)
    receiver = _Addresses()
    reactor.nameResolver.resolveHostName(receiver, name)
    try:
        found = await receiver.complete.addTimeout(timeout, reactor)
    except TimeoutError:
        raise TimedOut(f"no answer about the name {host} in {timeout:g} seconds") from None
    if not found:
        raise ConnectFailed(f"the name {host} is unknown")
    return found
