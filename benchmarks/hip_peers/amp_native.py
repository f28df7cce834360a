"""Twisted's AMP with native arguments, as its documentation teaches it."""

from functools import partial
from typing import Any

from measuring import VALUE
from on_twisted import Call, Peer, run
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint, connectProtocol
from twisted.internet.protocol import Factory
from twisted.protocols import amp


class Echo(amp.Command):
    """Give back what it is given."""

    arguments = [(b"url", amp.Unicode()), (b"depth", amp.Integer()), (b"status", amp.Integer())]
    response = arguments


class Echoing(amp.AMP):
    """One end of a connection."""

    def connectionMade(self) -> None:
        """Send each box at once, as HIP sends each frame."""
        super().connectionMade()
        self.transport.setTcpNoDelay(True)

    @Echo.responder
    def echo(self, url: str, depth: int, status: int) -> dict[str, Any]:
        """Give back what it is given."""
        return {"url": url, "depth": depth, "status": status}


class Amp(Peer):
    """AMP."""

    async def listen(self) -> int:
        """Begin to serve; return the port."""
        endpoint = TCP4ServerEndpoint(self.reactor, 0, interface="127.0.0.1")
        listening = await endpoint.listen(Factory.forProtocol(Echoing))
        return listening.getHost().port

    async def connect(self, port: int, number: int) -> Call:
        """Return how to call over a new connection."""
        endpoint = TCP4ClientEndpoint(self.reactor, "127.0.0.1", port)
        connection = await connectProtocol(endpoint, Echoing())
        call = partial(connection.callRemote, Echo, **VALUE)
        await call()  # the server has accepted the connection: there is room for the next
        return call


if __name__ == "__main__":
    run(Amp)
