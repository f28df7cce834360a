"""CONNECT: https:// for browsers, without a connection to anywhere.

The archive speaks for the host itself, with a certificate that its authority makes. What is asked
inside comes to the proxy like any other request, its target absolute.
"""

import re

from attrs import frozen

from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault, bad_request, no_tunnel
from agents.consultation.proxy.minting import Mint
from agents.urls import canonical, endpoint
from anet.address import Address
from anet.http import Request, Response, Tunnel

_AUTHORITY = re.compile(r"(?:[^\s/?#@\\%\[\]:]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")


@frozen
class Tunnels:
    """Leads the clients of CONNECT to the archive.

    Attributes:
        mint: makes certificates; None where the operator wants no https:// URLs.
    """

    mint: Mint | None = None

    def answer(self, request: Request) -> Response:
        """Answer a CONNECT.

        Raises:
            Faulted: it names no host and port, or there are no tunnels here.
        """
        if self.mint is None:
            raise Faulted(no_tunnel(request.target))
        place = tunnel_to(request.target)
        return Response.to_tunnel(Tunnel(place, self.mint.speaker(place.host)))


def tunnel_to(target: str) -> Address:
    """Return where a CONNECT leads, its host as in a canonical URL.

    Raises:
        Faulted: the target is nothing of the kind.
    """
    found = _AUTHORITY.fullmatch(target) if target.isascii() and target.isprintable() else None
    url = canonical(f"https://{target}/") if found and int(found[1]) else None
    if url is None:
        raise Faulted(bad_request("CONNECT takes a host and a port, as in example.org:443."))
    _, name, port = endpoint(url)
    return Address(name, port)


def is_websocket(request: Request) -> bool:
    """Tell whether a request would speak WebSocket on its connection (RFC 6455)."""
    return b"websocket" in (request.headers.get(b"upgrade") or b"").lower()


def no_websocket(url: str) -> Fault:
    """Return the fault of a WebSocket: what was said over it is not among the captures."""
    return Fault(
        501,
        "no-websocket",
        "No WebSocket",
        "The archive holds what servers answered to requests, and not what was said over a "
        "WebSocket.",
        url,
    )
