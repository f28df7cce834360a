"""CONNECT as a server answers it that opens no connection: it speaks for the host itself.

The client gets its tunnel (RFC 9110 §9.3.6), at whose other end is this very server. What the
client says first tells what is spoken inside: TLS begins with the byte 22, and anything else is
HTTP in the clear, as browsers speak it for ws:// URLs. Requests inside reach the same handler as
those outside, with absolute targets.
"""

from typing import Any

from attrs import frozen
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator

from anet.address import Address
from anet.http.request import Request
from anet.tls import is_tls

_TLS_HANDSHAKE = 22  # the first byte of a connection that begins with TLS (RFC 8446 §5.1)


@frozen
class Tunnel:
    """What a handler answers to CONNECT, in `Response.to_tunnel`.

    Attributes:
        place: host and port for which the server speaks.
        tls: makes the TLS connections inside.
    """

    place: Address
    tls: IOpenSSLServerConnectionCreator

    def inside(self, first: bytes, asker: Any) -> "Inside":
        """Return what is inside, by the first bytes that the client says there."""
        encrypted = first[0] == _TLS_HANDSHAKE
        scheme, default = ("https", ":443") if encrypted else ("http", ":80")
        origin = f"{scheme}://{str(self.place).removesuffix(default)}"
        return Inside(origin, asker, self.tls if encrypted else None)


@frozen
class Inside:
    """Where the requests of a tunnel belong.

    Attributes:
        origin: `https://host`, or with http where they come in the clear; with a port that is not
            the scheme's own.
        asker: who asked for the tunnel.
        tls: makes the TLS connection, if that is spoken inside.
    """

    origin: str
    asker: Any
    tls: IOpenSSLServerConnectionCreator | None

    def adopt(self, request: Request) -> bool:
        """Make a request's target absolute and tell who asks; return whether it can be one.

        The host is that of the tunnel; the request's field Host is not looked at.
        """
        if not request.target.startswith("/"):
            return False
        request.target = self.origin + request.target
        request.asker = self.asker
        return True


def hand_over(transport: Any, protocol: Any, first: bytes) -> None:
    """Leave a transport to another protocol, which takes the first bytes at once.

    Args:
        transport: plain TCP, or TLS over something.
        protocol: what speaks there from now on.
        first: what was received already.
    """
    if is_tls(transport):
        transport.wrappedProtocol = protocol
    else:
        transport.protocol = protocol
    protocol.makeConnection(transport)
    protocol.dataReceived(first)
