"""One connection to a server of RTSP 1.0 (RFC 2326), over which the media come too.

    ASKING --flow--> FLOWING
    any --closed, nonsense, no reply in time--> CLOSED

While it asks, it reads as bytes come; once media flow, it reads when it is asked to.

It is also the producer of what goes out, which Twisted asks to pause when much waits: a server that
makes us speak and does not listen.
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from anet.deadline import Deadline
from anet.errors import AnetError, ConnectionBroken, MalformedMessage, TimedOut
from anet.http.message import field_lines
from anet.media.errors import MediaError, StreamBroken, StreamEnded
from anet.media.rtsp.reading import Demand, Found, Reply, read
from anet.media.tidal import WAITING_LIMIT, Tidal

AT_ONCE = 5000  # messages read in one second; what is beyond waits
_FAREWELL = 5.0  # seconds in which what was sent must have gone out, once it is closed
_UNDERSTOOD = ("OPTIONS", "GET_PARAMETER", "SET_PARAMETER")
_MOVED = {"REDIRECT": "the server sends its listeners elsewhere",
          "ANNOUNCE": "what is sent is not what was described any more"}  # fmt: skip


@implementer(IPushProducer)
class RtspConnection(Protocol):
    """A connection to a server.

    Args:
        clock: the reactor.
        user_agent: how we name ourselves.
        timeout: seconds that the server may take for a reply.

    Attributes:
        address: `ip:port` of the server, once connected.
        end: why nothing more comes; None before.
        on_found: called with all that the server says, in its order.
    """

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, clock: Any, user_agent: str, timeout: float) -> None:
        self.address = ""
        self.end: MediaError | None = None
        self.on_found: Callable[[Found], None] = lambda _: None
        self._clock, self._timeout = clock, timeout
        self._user_agent = user_agent.encode("latin-1", "replace")
        self._number = 0  # of the last request
        self._waiting: Deferred[Reply] | None = None
        self._buffer = bytearray()  # what is not whole
        self._kept = bytearray()  # what was not taken
        self._tidal: Tidal | None = None
        self._is_reading = False
        self._farewell = Deadline(clock, lambda: self.transport.abortConnection())

    def connectionMade(self) -> None:
        """Note who the server is."""
        self.transport.registerProducer(self, True)
        peer = self.transport.getPeer()
        host, port = getattr(peer, "host", ""), getattr(peer, "port", 0)
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    # Asking

    def send(self, method: str, url: str, fields: list[tuple[bytes, bytes]]) -> bytes:
        """Ask for something without waiting for the reply; return the request."""
        self._number += 1
        first = [(b"CSeq", b"%d" % self._number), (b"User-Agent", self._user_agent)]
        lines = field_lines([*first, *fields])
        request = b"\r\n".join([f"{method} {url} RTSP/1.0".encode("ascii"), *lines, b"", b""])
        self.transport.write(request)
        return request

    async def ask(self, method: str, url: str, *fields: tuple[bytes, bytes]) -> tuple[Reply, bytes]:
        """Ask for something; return the reply and the request.

        Raises:
            TimedOut: the server does not reply; the connection is closed.
            ConnectionBroken: it closes, or speaks no RTSP.
        """
        if self.end is not None:
            raise ConnectionBroken(str(self.end))
        waiting: Deferred[Reply] = Deferred()
        self._waiting = waiting
        request = self.send(method, url, list(fields))
        try:
            return await waiting.addTimeout(self._timeout, self._clock), request
        except TimeoutError:
            self.close()
            late = f"{self.address} took more than {self._timeout:g} seconds to reply to {method}"
            raise TimedOut(late) from None
        finally:
            self._waiting = None

    def forget(self) -> None:
        """Let what came so far be no part of what is taken."""
        self._kept.clear()

    def drop(self) -> None:
        """Let nothing of what came be taken any more."""
        self._kept.clear()
        self._buffer.clear()

    # Hearing

    def flow(self) -> None:
        """From now on, read only when it is taken."""
        self._tidal = Tidal(self.transport, lambda: len(self._buffer))

    def take(self) -> bytes:
        """Return what came since the last time, as far as it is whole, and not too many."""
        if self.end is None and self._tidal is not None:
            self._tidal.draw()
        self._read()
        kept, self._kept = bytes(self._kept), bytearray()
        return kept

    def dataReceived(self, data: bytes) -> None:
        """Take bytes."""
        if self.end is not None:
            return
        self._buffer += data
        if self._tidal is not None:
            self._tidal.keep()
        elif len(self._buffer) + len(self._kept) > WAITING_LIMIT:
            self.fail(StreamBroken(f"the server sent {WAITING_LIMIT} bytes without being asked"))
        else:
            self._read()

    def _read(self) -> None:
        """Read all that is whole."""
        if self._is_reading:  # what was found made somebody ask or take
            return
        self._is_reading = True
        data, at = bytes(self._buffer), 0
        try:
            for _ in range(AT_ONCE):
                if at == len(data):
                    break
                found, end = read(data, at)
                if found is None:
                    break
                self._kept += data[at:end]
                at = end
                self._hear(found)
        except MalformedMessage as error:
            self.fail(StreamBroken(f"{self.address}: {error}"))
            at = len(self._buffer)
        finally:
            self._is_reading = False
            del self._buffer[:at]

    def _hear(self, found: Found) -> None:
        self.on_found(found)
        if isinstance(found, Demand):
            self._obey(found)
        elif isinstance(found, Reply) and self._waiting is not None and self._is_reply(found):
            self._waiting.callback(found)

    def _is_reply(self, reply: Reply) -> bool:
        """Tell whether it is the one that is waited for, and the last one to that request."""
        assert self._waiting is not None
        number = reply.head.headers.text(b"cseq") or str(self._number)
        return reply.head.status >= 200 and number == str(self._number) and not self._waiting.called

    def _obey(self, demand: Demand) -> None:
        """Reply to the server, who asks for something."""
        if demand.method in _MOVED:
            self.fail(StreamBroken(_MOVED[demand.method]))
        elif demand.method == "TEARDOWN":
            self.fail(StreamEnded("the server ended it"))
        else:
            status = b"200 OK" if demand.method in _UNDERSTOOD else b"501 Not Implemented"
            number = demand.head.headers.text(b"cseq")[:20].encode("latin-1")
            self.transport.write(b"RTSP/1.0 %s\r\nCSeq: %s\r\n\r\n" % (status, number))

    # Speaking to who does not listen

    def pauseProducing(self) -> None:
        """Give up a server that does not read what we say."""
        self.fail(StreamBroken("the server does not read what it is told"))
        self.transport.abortConnection()

    def resumeProducing(self) -> None:
        """Speak on: what is said is short."""

    def stopProducing(self) -> None:
        """Speak no more: the connection is lost."""

    # Ending

    def fail(self, end: MediaError) -> None:
        """Close, and say why."""
        self.end = self.end or end
        self.close()

    def close(self) -> None:
        """Close; what was sent still goes out, if the server reads it soon."""
        self.end = self.end or StreamBroken("it was closed")
        if self.transport.connected:
            self._farewell.set(_FAREWELL)
            self.transport.unregisterProducer()
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever waits."""
        self._farewell.stop()
        self.end = self.end or StreamBroken("the server closed")
        if self._waiting is not None and not self._waiting.called:
            self._waiting.errback(_broken(self.address, self.end))


def _broken(address: str, end: MediaError) -> AnetError:
    return ConnectionBroken(f"{address}: {end}")
