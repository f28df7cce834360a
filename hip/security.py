"""Who may speak in the clear.

The seam where mutual TLS goes: every link is listened for and connected here and nowhere else.
"""

from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.protocol import Factory

from anet.address import Address, is_loopback
from anet.errors import ConnectFailed
from anet.listening import listen
from anet.names import resolve
from hip.errors import PlaintextRefused
from hip.peer import Peer


def _refuse(address: Address, insecure: bool) -> None:
    if not insecure and not is_loopback(address.host):
        raise PlaintextRefused(
            f"HIP at {address} would not be encrypted: use a loopback address, "
            "or say `insecure: true` where the network is trusted"
        )


def listen_for_slaves(
    reactor: Any, address: Address, factory: Factory, name: str, insecure: bool
) -> Any:
    """Listen for slaves and return the listening port.

    Raises:
        PlaintextRefused: the address is beyond loopback, and not allowed to be.
        anet.errors.AddressInUse: another process listens there.
    """
    _refuse(address, insecure)
    return listen(reactor, address, factory, name)


async def connect_to_master(
    reactor: Any, address: Address, factory: Factory, insecure: bool
) -> Peer:
    """Connect to a master.

    Raises:
        PlaintextRefused: the address is beyond loopback, and not allowed to be.
        anet.errors.HttpError: the name is unknown.
        twisted.internet.error.ConnectError: nobody answers there.
    """
    _refuse(address, insecure)
    failure: Exception = ConnectFailed(f"{address} has no address")
    for ip in await resolve(reactor, address.host, 10.0):
        _refuse(Address(ip, address.port), insecure)  # a name may lead anywhere
        kind = TCP6ClientEndpoint if ":" in ip else TCP4ClientEndpoint
        connected: Deferred[Any] = kind(reactor, ip, address.port, timeout=10).connect(factory)
        try:
            peer: Peer = await connected
            return peer
        except ConnectingCancelledError:
            raise CancelledError from None
        except ConnectError as error:
            failure = error
    raise failure
