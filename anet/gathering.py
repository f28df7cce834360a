"""Few system calls for many small writes (what TCP_CORK is for, *INA §1.3.1*).

Twisted asks the poller before it gives the kernel what is written: two system calls and a turn
of the reactor for each answer, however small. Here what is written in one turn goes out
together, and a connection where nothing waits gets it at once.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Any

from twisted.internet.abstract import FileDescriptor
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOProtocol
from zope.interface import directlyProvides, providedBy

_log = Logger()


class Turn:
    """One turn of the reactor: what is to be sent at its end, by whoever wrote.

    The outermost `with turn:` is the turn; outside of any, it is whatever the reactor does now.
    """

    __slots__ = ("_clock", "_depth", "_is_called", "_senders")

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._depth = 0
        self._is_called = False
        self._senders: list[Callable[[], None]] = []

    def at_end(self, send: Callable[[], None]) -> None:
        """Call `send` when the turn ends."""
        self._senders.append(send)
        if self._depth == 0 and not self._is_called:
            self._is_called = True
            self._clock.callLater(0, self._called)

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._depth -= 1
        if self._depth == 0 and self._senders:
            self._end()

    def _called(self) -> None:
        self._is_called = False
        self._end()

    def _end(self) -> None:
        senders, self._senders = self._senders, []
        for send in senders:
            try:
                send()
            except Exception:  # one link's fault is not another's
                _log.failure("what was written in a turn could not be sent")


def send_now(transport: Any, data: bytes, flags: int = 0) -> int:
    """Write to a transport; the kernel gets it at once if nothing waits before it.

    Only Twisted's own TCP and UNIX sockets know this way. Whatever wraps one (TLS) is written to
    as always, and so is one that is closing, for it keeps the order of what it has.

    Args:
        transport: of a connection.
        data: what to write.
        flags: of send(2), for what the kernel gets at once: MSG_MORE holds it for what follows.

    Returns:
        How many of the bytes wait in the transport.
    """
    if _is_idle(transport):
        try:
            sent = transport.socket.send(data, flags)
        except OSError:  # the buffer is full; or the socket is dead, which the next line finds
            sent = 0
        if sent == len(data):
            return 0
        data = data[sent:]
    transport.write(data)
    return len(data)


def _is_idle(transport: Any) -> bool:
    """Tell whether a socket has nothing that waits to be sent, by Twisted's own books."""
    return (
        isinstance(transport, FileDescriptor)
        and not transport._tempDataBuffer
        and not transport.dataBuffer
        and bool(transport.connected)
        and not transport.disconnecting
        and not getattr(transport, "TLS", False)
    )


class PromptTransport:
    """Stands between a socket and what wraps it (TLS), whose writes go by `send_now`.

    The wrapper sees everything else of the socket as it is.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        directlyProvides(self, providedBy(transport))

    def write(self, data: bytes) -> None:
        """Write, at once if nothing waits before."""
        send_now(self._transport, data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class PromptTLS(TLSMemoryBIOProtocol):
    """TLS whose records leave when they are made, and not at the reactor's next turn."""

    def makeConnection(self, transport: Any) -> None:
        """Begin, over a socket."""
        super().makeConnection(PromptTransport(transport))
