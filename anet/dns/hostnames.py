"""Answering the reactor's own question for names, as endpoints put it (`IHostnameResolver`)."""

from collections.abc import Coroutine, Sequence
from typing import Any

from attrs import define, field
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IHostResolution, IResolutionReceiver
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.errors import AnetError

_log = Logger()
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
    addresses: Coroutine[Deferred[Any], Any, Sequence[str]],
    name: str,
    port: int,
    kinds: _Kinds | None,
    transport: Any,
) -> Resolution:
    """Tell a receiver of addresses as they come; it hears of none when the name has none.

    Args:
        receiver: who asked.
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
        except (AnetError, CancelledError):
            found = ()  # the interface knows no errors
        except Exception:  # who asks is not left to wait for ever
            _log.failure("the name {name} could not be looked up", name=name)
            found = ()
        for ip in found:
            kind = IPv6Address if ":" in ip else IPv4Address
            if kinds is None or kind in kinds:
                receiver.addressResolved(kind(transport, ip, port))
        receiver.resolutionComplete()

    resolution.asking = Deferred.fromCoroutine(telling()).addErrback(_log_it)
    return resolution


def _log_it(failure: Failure) -> None:
    _log.failure("whoever asked for a name failed when told", failure=failure)
