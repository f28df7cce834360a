"""Whether somebody answers at an address."""

from typing import Any

from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.protocol import Protocol

from anet.address import Address

_PATIENCE = 2.0  # seconds


async def answers(reactor: Any, address: str) -> bool:
    """Tell whether a connection to "host:port" is taken."""
    where = Address.parse(address)
    endpoint = HostnameEndpoint(reactor, where.host.encode(), where.port, timeout=_PATIENCE)
    protocol = Protocol()
    try:
        await connectProtocol(endpoint, protocol)
    except Exception:  # whatever the reason, nobody answers
        return False
    protocol.transport.loseConnection()  # type: ignore[union-attr]
    return True
