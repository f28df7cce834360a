"""Listening at a TCP address, with refusals that say what to do."""

from errno import EACCES, EPERM
from typing import Any

from twisted.internet.error import CannotListenError

from anet.address import Address
from anet.errors import AddressInUse, PermissionRefused


def listen(reactor: Any, address: Address, factory: Any, name: str) -> Any:
    """Listen at a TCP address and return the listening port.

    Raises:
        AddressInUse: another process listens there.
        PermissionRefused: this user may not listen there.
    """
    try:
        return reactor.listenTCP(address.port, factory, interface=address.host, backlog=512)
    except CannotListenError as error:
        if getattr(error.socketError, "errno", None) in (EACCES, EPERM):
            raise PermissionRefused(
                f"{name} may not listen at {address}: ports below 1024 need rights; "
                "choose another in the configuration"
            ) from None
        raise AddressInUse(
            f"{name} cannot listen at {address}: {error.socketError}; end the process that "
            "listens there, or choose another port (--base-port, or the address in the "
            "configuration)"
        ) from None
