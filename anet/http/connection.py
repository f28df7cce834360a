"""One HTTP/1.1 connection to a server: one exchange at a time, the head byte for byte.

IDLE --request--> HEAD --head complete--> BODY --body complete--> IDLE or CLOSED
any state --connection lost, time out, nonsense--> CLOSED
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.protocols.basic import FileSender
from twisted.protocols.policies import TimeoutMixin
from twisted.python.failure import Failure

from anet.errors import (
    BodyTooLarge,
    ConnectionBroken,
    HttpError,
    MalformedMessage,
    TimedOut,
)
from anet.http.body import BodyDecoder, decoder_for
from anet.http.file_body import FileBody
from anet.http.message import ResponseHead, parse_head

Sink = Callable[[bytes], "Deferred[Any] | None"]
HEAD_LIMIT = 256 * 1024  # bytes; browsers stop at about as much


class State(Enum):
    """Where the connection stands; the table is in the module's docstring."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    CLOSED = auto()


class ClientResponse:
    """An answer whose head is here and whose body is on its way.

    Attributes:
        head: the head as received.
        address: `ip:port` of the server.
    """

    def __init__(self, head: ResponseHead, connection: "HttpConnection") -> None:
        self.head = head
        self.address = connection.address
        self._connection = connection

    def deliver(self, sink: Sink) -> Deferred[int]:
        """Give the body to `sink`, piece by piece, as it arrives.

        Args:
            sink: takes each piece; a Deferred it returns holds the server back until it fires.
                An error it raises ends the connection.

        Returns:
            Fires with the size of the body in bytes.

        Raises:
            HttpError: the body did not come whole.
        """
        return self._connection.deliver_body(sink)

    async def read(self, limit: int) -> bytes:
        """Return the body.

        Raises:
            BodyTooLarge: it has more than `limit` bytes; the connection is closed.
            HttpError: it did not come whole.
        """
        pieces: list[bytes] = []
        size = 0

        def collect(piece: bytes) -> None:
            nonlocal size
            size += len(piece)
            if size > limit:
                raise BodyTooLarge(f"the body passes {limit} bytes")
            pieces.append(piece)

        await self.deliver(collect)
        return b"".join(pieces)

    def abandon(self) -> None:
        """Give up the body, and with it the connection."""
        self._connection.close()


class HttpConnection(Protocol, TimeoutMixin):
    """A connection to one server, used for one exchange after another.

    Attributes:
        address: `ip:port` of the server, once connected.
        state: where the connection stands.
        exchanges: how many answers came whole.
        on_idle: called when an exchange is over and the connection can serve another.
        on_close: called once, when the connection is gone.
    """

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, clock: IReactorTime, timeout: float) -> None:
        self.callLater = clock.callLater  # type: ignore[method-assign,assignment]
        self.address = ""
        self.state = State.IDLE
        self.exchanges = 0
        self.on_idle: Callable[[HttpConnection], None] = lambda _: None
        self.on_close: Callable[[HttpConnection], None] = lambda _: None
        self._timeout = timeout
        self._method = ""
        self._keep = False
        self._buffer = b""
        self._waiting: Deferred[ResponseHead] | None = None
        self._decoder: BodyDecoder | None = None
        self._sink: Sink | None = None
        self._done: Deferred[int] | None = None
        self._held: list[bytes] = []  # pieces that the sink has not taken yet
        self._holding = False
        self._size = 0
        self._failure: HttpError | None = None

    def connectionMade(self) -> None:
        """Note who the server is."""
        peer = self.transport.getPeer()
        host, port = getattr(peer, "host", ""), getattr(peer, "port", 0)
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    # Asking

    async def request(
        self,
        method: str,
        target: str,
        headers: Sequence[tuple[bytes, bytes]] = (),
        body: bytes | FileBody = b"",
    ) -> ClientResponse:
        """Ask, and return the answer as soon as its head is here.

        Args:
            method: in capitals.
            target: path and query (or an absolute URL, to a proxy).
            headers: all fields but Content-Length, which is added where there is a body.
            body: bytes, or a file.

        Raises:
            HttpError: no head came; the connection is closed.
        """
        if self.state is not State.IDLE:
            raise ConnectionBroken(f"the connection to {self.address} is {self.state.name.lower()}")
        self.state, self._method = State.HEAD, method
        self._waiting = Deferred(lambda _: self.close())
        lines = [f"{method} {target} HTTP/1.1".encode("latin-1", "replace")]
        lines += [b"%s: %s" % pair for pair in headers]
        length = body.length if isinstance(body, FileBody) else len(body)
        if length or method in ("PUT", "POST"):
            lines.append(b"Content-Length: %d" % length)
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        self.setTimeout(self._timeout)
        if isinstance(body, FileBody):
            self.transport.write(head)
            self._send_file(body)
        else:
            self.transport.write(head + body)
        return ClientResponse(await self._waiting, self)

    def _send_file(self, body: FileBody) -> None:
        """Send a file at the pace of the connection; the timeout waits for progress."""
        file = body.open()
        sending = FileSender().beginFileTransfer(
            file, self.transport, lambda piece: (self.resetTimeout(), piece)[1]
        )

        def sent(result: object) -> None:
            file.close()
            if isinstance(result, Failure):
                self.close()

        sending.addBoth(sent)

    # Hearing

    def dataReceived(self, data: bytes) -> None:
        """Take bytes of the head or of the body."""
        self.resetTimeout()
        if self.state is State.BODY:
            self._take_body(data)
        elif self.state is State.HEAD:
            self._buffer += data
            self._take_head()
        else:
            self._fail(MalformedMessage(f"{self.address} spoke without being asked"))

    def _take_head(self) -> None:
        while self.state is State.HEAD:
            end = _end_of_head(self._buffer)
            if end is None:
                if len(self._buffer) > HEAD_LIMIT:
                    self._fail(MalformedMessage(f"the head passes {HEAD_LIMIT} bytes"))
                return
            raw, self._buffer = self._buffer[:end], self._buffer[end:]
            try:
                head = parse_head(raw)
                if head.status >= 200:
                    self._begin_body(head)
            except (ValueError, MalformedMessage) as error:
                self._fail(MalformedMessage(f"{self.address}: {error}"))

    def _begin_body(self, head: ResponseHead) -> None:
        self._decoder = decoder_for(self._method, head)
        self._keep = _keeps_alive(head)
        self.state, self._size = State.BODY, 0
        rest, self._buffer = self._buffer, b""
        waiting, self._waiting = self._waiting, None
        if rest or self._decoder.complete:
            self._take_body(rest, deliver=False)
        if waiting is not None and not self._failure:
            waiting.callback(head)  # usually asks for the body before it returns
        if self.state is State.BODY and self._sink is None:
            self._hold()

    def _take_body(self, data: bytes, deliver: bool = True) -> None:
        assert self._decoder is not None
        try:
            if not self._decoder.complete:
                self._held += self._decoder.feed(data)
            elif data:
                self._decoder.surplus = True
        except MalformedMessage as error:
            self._fail(error)
            return
        if deliver:
            self._pump()

    def deliver_body(self, sink: Sink) -> Deferred[int]:
        """See `ClientResponse.deliver`."""
        done: Deferred[int] = Deferred(lambda _: self.close())
        if self._failure is not None:
            done.errback(self._failure)
        elif self._decoder is None or self._done is not None:
            done.errback(ConnectionBroken("the body was taken already"))
        else:
            self._sink, self._done = sink, done
            self._release()
        return done

    def _pump(self) -> None:
        """Give the held pieces to the sink until it asks to wait."""
        while self._held and self._sink is not None and not self._holding:
            piece = self._held.pop(0)
            self._size += len(piece)
            try:
                pause = self._sink(piece)
            except Exception:
                self._end(Failure())
                self.close()
                return
            if pause is None or (pause.called and not isinstance(pause.result, Failure)):
                continue  # without a call, lest many small pieces pile up on the stack
            self._hold()
            pause.addCallbacks(lambda _: self._release(), self._sink_failed)
        if not self._held and self._sink is not None and not self._holding:
            assert self._decoder is not None
            if self._decoder.complete:
                self._finish()

    def _sink_failed(self, failure: Failure) -> None:
        self._end(failure)
        self.close()

    def _hold(self) -> None:
        self._holding = True
        self.setTimeout(None)
        self.transport.pauseProducing()

    def _release(self) -> None:
        if self._holding:
            self._holding = False
            if self.state is State.BODY:
                self.setTimeout(self._timeout)
                self.transport.resumeProducing()
        if self._decoder is not None:
            self._pump()

    def _finish(self) -> None:
        assert self._decoder is not None
        reusable = self._keep and not self._decoder.surplus and self.state is State.BODY
        self.setTimeout(None)
        self.exchanges += 1
        if reusable:
            self.state = State.IDLE
        else:
            self.close()
        size, done = self._size, self._done
        self._decoder = self._sink = self._done = None
        if reusable:
            self.on_idle(self)
        if done is not None:
            done.callback(size)

    # Ending

    def timeoutConnection(self) -> None:
        """Give up a peer that says nothing."""
        self._fail(TimedOut(f"{self.address} said nothing for {self._timeout:g} seconds"))

    def close(self) -> None:
        """Close now; what waits for an answer fails."""
        if self.state is not State.CLOSED:
            self.state = State.CLOSED
            self.setTimeout(None)
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever waits."""
        self.setTimeout(None)
        in_body = self.state is State.BODY
        self.state = State.CLOSED
        if in_body and self._decoder is not None:
            try:
                self._decoder.end()
            except ConnectionBroken as error:
                self._failure = self._failure or error
            if self._decoder.complete and self._failure is None:
                self._pump()
        if self._failure is None and (self._waiting or self._done):
            self._failure = ConnectionBroken(f"{self.address} closed the connection")
        if self._failure is not None:
            self._end(Failure(self._failure))
        self.on_close(self)

    def _fail(self, error: HttpError) -> None:
        self._failure = self._failure or error
        self.close()
        self._end(Failure(self._failure))

    def _end(self, failure: Failure) -> None:
        waiting, self._waiting = self._waiting, None
        done, self._done, self._sink = self._done, None, None
        for deferred in (waiting, done):
            if deferred is not None and not deferred.called:
                deferred.errback(failure)


def _end_of_head(buffer: bytes) -> int | None:
    """Return where the head ends; some servers write bare line feeds."""
    strict, bare = buffer.find(b"\r\n\r\n"), buffer.find(b"\n\n")
    ends = [at + size for at, size in ((strict, 4), (bare, 2)) if at >= 0]
    return min(ends) if ends else None


def _keeps_alive(head: ResponseHead) -> bool:
    """Tell whether the server will take another request on the connection."""
    options = (head.headers.get(b"connection") or b"").lower()
    if b"close" in options:
        return False
    return head.version == "1.1" or b"keep-alive" in options
