"""The floor: a length and MessagePack on a bare Twisted protocol, one write a turn, nothing else.

It has no types, deadlines, cancellation, limits or errors; what HIP costs beyond it is theirs.
"""

from functools import partial
from typing import Any

import msgspec
from measuring import VALUE
from on_twisted import Call, Peer, run
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint, connectProtocol
from twisted.internet.protocol import Factory, Protocol

_encode, _decode = msgspec.msgpack.encode, msgspec.msgpack.decode


class Bare(Protocol):
    """One end: frames of a number and a value; what is said in a turn goes out together."""

    transport: Any
    clock: Any

    def __init__(self) -> None:
        self.held = b""
        self.out: list[bytes] = []

    def connectionMade(self) -> None:
        """Send small frames at once."""
        self.transport.setTcpNoDelay(True)

    def say(self, number: int, value: object) -> None:
        """Send a frame before the turn ends."""
        payload = _encode([number, value])
        if not self.out:
            self.clock.callLater(0, self.flush)
        self.out += (len(payload).to_bytes(4, "big"), payload)

    def flush(self) -> None:
        """Write what was said."""
        if self.out:
            self.transport.write(b"".join(self.out))
            self.out.clear()

    def dataReceived(self, data: bytes) -> None:
        """Cut frames."""
        data = self.held + data
        start = 0
        while len(data) - start >= 4:
            end = start + 4 + int.from_bytes(data[start : start + 4], "big")
            if end > len(data):
                break
            self.hear(*_decode(data[start + 4 : end]))
            start = end
        self.held = data[start:]

    def hear(self, number: int, value: Any) -> None:
        """Echo."""
        self.say(number, value)


class Caller(Bare):
    """The end that asks."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.waiting: dict[int, Deferred[Any]] = {}

    def call(self, **value: Any) -> Deferred[Any]:
        """Send a value, and return what fires with it."""
        self.number += 1
        self.waiting[self.number] = answer = Deferred()
        self.say(self.number, value)
        return answer

    def hear(self, number: int, value: Any) -> None:
        """Give an answer to whoever waits for it."""
        self.waiting.pop(number).callback(value)


class BarePeer(Peer):
    """A bare protocol."""

    async def listen(self) -> int:
        """Begin to serve; return the port."""
        Bare.clock = self.reactor
        endpoint = TCP4ServerEndpoint(self.reactor, 0, interface="127.0.0.1")
        listening = await endpoint.listen(Factory.forProtocol(Bare))
        return listening.getHost().port

    async def connect(self, port: int, number: int) -> Call:
        """Return how to call over a new connection."""
        Bare.clock = self.reactor
        endpoint = TCP4ClientEndpoint(self.reactor, "127.0.0.1", port)
        connection = await connectProtocol(endpoint, Caller())
        call = partial(connection.call, **VALUE)
        await call()  # the server has accepted the connection: there is room for the next
        return call


if __name__ == "__main__":
    run(BarePeer)
