"""What IP addresses a name leads to."""

from collections.abc import Awaitable, Sequence
from ipaddress import ip_address
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from zope.interface import implementer

from anet.errors import ConnectFailed, TimedOut

_DELIMITERS = frozenset("/:@[]?#%\\")  # of URLs and of `host:port`


class INames(IHostnameResolver):
    """A resolver that also says why a name leads nowhere, as `anet.dns.Resolver` does."""

    def resolve(host: str) -> Awaitable[Sequence[str]]:  # noqa: N805 - an interface has no self
        """Return the addresses of a host, the best first.

        Raises:
            ConnectFailed: the name is unknown, or nobody could tell.
            TimedOut: nobody answered.
        """


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
    if not host.isascii() and _DELIMITERS.intersection(name):  # which a full-width one becomes
        name = ""
    if not name or len(name) > 253 or not name.isprintable() or " " in name:
        raise ConnectFailed(f"{host[:80]!r} is not the name of a host")
    return name


def literal(host: str) -> str | None:
    """Return the IP address that a host is, brackets or not; None when it is a name."""
    text = host.removeprefix("[").removesuffix("]")
    if not (":" in text or text[-1:].isdigit()):  # told at once, as nearly all names are
        return None
    try:
        return str(ip_address(text))
    except ValueError:
        return None


async def resolve(reactor: Any, host: str, timeout: float) -> list[str]:
    """Return the IP addresses of a host, in the order of the reactor's resolver.

    That is `anet.dns.Resolver` where one runs, and else the C library in a thread.

    Raises:
        ConnectFailed: the name is unknown, or is none, or nobody could tell.
        TimedOut: nobody told within `timeout` seconds.
    """
    if address := literal(host):
        return [address]
    asked = Deferred.fromCoroutine(_ask(reactor.nameResolver, ascii_name(host)))
    try:
        found = await asked.addTimeout(timeout, reactor)
    except TimeoutError:
        raise TimedOut(f"no answer about the name {host} in {timeout:g} seconds") from None
    if not found:
        raise ConnectFailed(f"the name {host} is unknown")
    return found


async def _ask(names: Any, name: str) -> list[str]:
    if INames.providedBy(names):
        return list(await names.resolve(name))
    receiver = _Addresses()
    names.resolveHostName(receiver, name)
    return await receiver.complete
