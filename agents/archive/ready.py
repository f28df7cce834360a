"""Whether somebody answers at an address."""

from typing import Any

from twisted.internet.defer import CancelledError
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.protocol import Factory, Protocol

from anet.address import Address

_PATIENCE = 2.0  # seconds


class _Visitors(Factory):
    """Connects and says nothing."""

    protocol = Protocol
    noisy = False


async def answers(reactor: Any, address: str) -> bool:
    """Tell whether a connection to "host:port" is taken."""
    where = Address.parse(address)
    endpoint = HostnameEndpoint(reactor, where.host.encode(), where.port, timeout=_PATIENCE)
    try:
        visitor: Any = await endpoint.connect(_Visitors())
    except (CancelledError, ConnectingCancelledError):
        raise CancelledError from None
    except Exception:  # whatever the reason, nobody answers
        return False
    visitor.transport.loseConnection()
    return True
