"""Reading a connection when it is asked for, and not whenever bytes come.

    EBB --more than FLOOD came--> FLOOD --less came--> EBB

At ebb the reactor does not watch the connection at all: what comes waits in the kernel, and one
system call a second takes it. What is too quick for that, as the burst at the beginning or a
channel of television, would fill the kernel's buffer and stand still; it floods: the reactor reads
it as it comes, until `WAITING_LIMIT` bytes wait. Then the server is held back until the next time.
"""

from collections.abc import Callable
from typing import Any

from twisted.protocols.policies import ProtocolWrapper

FLOOD = 48 * 1024  # bytes; kernels take 64 KiB of a connection before they are asked for it
WAITING_LIMIT = 2 * 1024 * 1024  # bytes; read once a second, that is 16 Mbit/s
_MUCH = 32 * 1024  # bytes in one read after which there may be more


class Tidal:
    """Reads a connection, whose protocol keeps what it is given.

    Args:
        transport: of the protocol; over TLS, that of what is inside.
        waiting: returns how many bytes the protocol keeps.
    """

    def __init__(self, transport: Any, waiting: Callable[[], int]) -> None:
        self._transport = transport
        self._lowest = transport
        while isinstance(self._lowest, ProtocolWrapper):
            self._lowest = self._lowest.transport
        self._waiting = waiting
        self._watched = False
        transport.pauseProducing()

    def draw(self) -> None:
        """Give the protocol what has come."""
        before, came = self._waiting(), 0
        while before + came < WAITING_LIMIT:
            if self._lowest.doRead() is not None:
                self._watch(True)  # the reactor finds the same end, and says so to all layers
                return
            came, last = self._waiting() - before, came
            if came - last < _MUCH:
                break
        self._watch(before + came > FLOOD)

    def keep(self) -> None:
        """Take note that the protocol keeps more; hold the server back when that is too much."""
        if self._watched and self._waiting() >= WAITING_LIMIT:
            self._watch(False)

    def _watch(self, watched: bool) -> None:
        if watched is not self._watched:
            self._watched = watched
            if watched:
                self._transport.resumeProducing()
            else:
                self._transport.pauseProducing()
