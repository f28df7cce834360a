"""Answering the reactor's own question for names, as endpoints put it (`IHostnameResolver`)."""

from collections.abc import Coroutine, Sequence
from typing import Any

from attrs import define, field
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHostResolution, IResolutionReceiver
from zope.interface import implementer

from anet.errors import AnetError
from anet.tasks import Tasks

_Kinds = Sequence[type[IPv4Address] | type[IPv6Address]]


@implementer(IHostResolution)
@define
class Resolution:
    """A question for a name that may be given up.

    Attributes:
        name: the name asked for.
    """

    name: str
    asking: Deferred[None] | None = field(default=None)

    def cancel(self) -> None:
        """Give the question up."""
        if self.asking is not None:
            self.asking.cancel()


def tell(
    receiver: IResolutionReceiver,
    tasks: Tasks,
    addresses: Coroutine[Deferred[Any], Any, Sequence[str]],
    name: str,
    port: int,
    kinds: _Kinds | None,
    transport: Any,
) -> Resolution:
    """Tell a receiver of addresses as they come; it hears of none when the name has none.

    Args:
        receiver: who asked.
        tasks: whose the telling is.
        addresses: what is to be told.
        name: the name asked for.
        port: goes into each address.
        kinds: of addresses that are wanted; None means all.
        transport: goes into each address, "TCP" or "UDP".
    """
    resolution = Resolution(name)

    async def telling() -> None:
        receiver.resolutionBegan(resolution)
        try:
            found = await addresses
        except AnetError:
            found = ()  # the interface knows no errors
        for ip in found:
            kind = IPv6Address if ":" in ip else IPv4Address
            if kinds is None or kind in kinds:
                receiver.addressResolved(kind(transport, ip, port))
        receiver.resolutionComplete()

    resolution.asking = tasks.start(telling(), f"look-up of {name}")
    return resolution
