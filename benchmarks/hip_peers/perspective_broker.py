"""Twisted's Perspective Broker."""

from functools import partial
from typing import Any

from measuring import VALUE
from on_twisted import Call, Peer, run
from twisted.spread import pb


class Root(pb.Root):
    """What the server offers."""

    def remote_echo(self, value: dict[str, Any]) -> dict[str, Any]:
        """Give back what it is given."""
        return value


class PerspectiveBroker(Peer):
    """Perspective Broker."""

    async def listen(self) -> int:
        """Begin to serve; return the port."""
        factory = pb.PBServerFactory(Root())
        return self.reactor.listenTCP(0, factory, interface="127.0.0.1").getHost().port

    async def connect(self, port: int, number: int) -> Call:
        """Return how to call over a new connection."""
        factory = pb.PBClientFactory()
        self.reactor.connectTCP("127.0.0.1", port, factory)
        root = await factory.getRootObject()
        return partial(root.callRemote, "echo", VALUE)


if __name__ == "__main__":
    run(PerspectiveBroker)
