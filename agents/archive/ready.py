"""Whether somebody answers at an address."""

from typing import Any

from twisted.internet.defer import CancelledError
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, UNIXClientEndpoint
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.protocol import Factory, Protocol

from anet.address import Address
from hip.address import SocketPath, parse

_PATIENCE = 2.0  # seconds


class _Visitors(Factory):
    """Connects and says nothing."""

    protocol = Protocol
    noisy = False


async def answers(reactor: Any, address: str) -> bool:
    """Tell whether a connection to "host:port" is taken.

    Raises:
        CancelledError: it was cancelled, at whatever moment. (`HostnameEndpoint` would make a
            failed look-up of that, and whoever asks in a loop would go on for ever.)
    """
    endpoint = _endpoint(reactor, parse(address))
    try:
        visitor: Any = await endpoint.connect(_Visitors())
    except (CancelledError, ConnectingCancelledError):
        raise CancelledError from None
    except Exception:  # whatever the reason, nobody answers
        return False
    visitor.transport.loseConnection()
    return True


def _endpoint(reactor: Any, where: Address | SocketPath) -> Any:
    if isinstance(where, SocketPath):
        return UNIXClientEndpoint(reactor, where.path, timeout=_PATIENCE)
    endpoint_class = TCP6ClientEndpoint if ":" in where.host else TCP4ClientEndpoint
    return endpoint_class(reactor, where.host, where.port, timeout=_PATIENCE)
