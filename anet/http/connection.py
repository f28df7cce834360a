"""One HTTP/1.1 connection to a server: one exchange at a time, the head byte for byte.

IDLE --request--> HEAD --head complete--> BODY --body complete--> IDLE or CLOSED
any state --connection lost, time out, nonsense--> CLOSED
"""

from collections.abc import Callable, Sequence
from typing import Any

from OpenSSL.SSL import Error as TlsError
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from anet.deadline import Deadline
from anet.errors import ConnectionBroken, HttpError, MalformedMessage, TimedOut, TlsFailed
from anet.http.body import BodyDecoder, decoder_for
from anet.http.exchange import HEAD_LIMIT, INTERIM_LIMIT, ClientResponse, State
from anet.http.file_body import FileBody
from anet.http.incoming import IncomingBody
from anet.http.message import ResponseHead, end_of_head, parse_head, request_head
from anet.http.sending import SMALL, paced_writer
from anet.tls import TlsSession, tls_words


class HttpConnection(Protocol):
    """A connection to one server, used for one exchange after another.

    Attributes:
        address: `ip:port` of the server, once connected.
        state: where the connection stands.
        exchanges: how many answers came whole.
        heard: whether any byte of an answer to the last request came.
        tls: what was agreed upon with the server, if TLS is spoken and was waited for.
        on_idle: called when an exchange is over and the connection can serve another.
        on_close: called once, when the connection is gone.
    """

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, clock: IReactorTime, timeout: float, tls: TlsSession | None = None) -> None:
        self.tls = tls
        self.address = ""
        self.state = State.IDLE
        self.exchanges = 0
        self.heard = False
        self.on_idle: Callable[[HttpConnection], None] = lambda _: None
        self.on_close: Callable[[HttpConnection], None] = lambda _: None
        self._timeout = timeout
        self._deadline = Deadline(clock, self._late)
        self._method = ""
        self._keep = False
        self._buffer = b""
        self._interim = 0
        self._waiting: Deferred[ResponseHead] | None = None
        self._decoder: BodyDecoder | None = None
        self._body = IncomingBody()
        self._sending: Deferred[None] | None = None

    def connectionMade(self) -> None:
        """Note who the server is."""
        peer = self.transport.getPeer()
        host, port = getattr(peer, "host", ""), getattr(peer, "port", 0)
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._writer = paced_writer(self.transport, self._made_progress)

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
            UnsafeMessage: the method, the target or a field cannot be part of a head.
            OSError: the file cannot be opened.
            HttpError: no head came; the connection is closed.
        """
        if self.state is not State.IDLE:
            raise ConnectionBroken(f"the connection to {self.address} is {self.state.name.lower()}")
        length = body.length if isinstance(body, FileBody) else len(body)
        said = length if length or method in ("PUT", "POST") else None
        head = request_head(method, target, headers, said)
        part = body.open() if isinstance(body, FileBody) else None
        self.state, self._method, self.heard, self._interim = State.HEAD, method, False, 0
        waiting: Deferred[ResponseHead] = Deferred(lambda _: self.close())
        self._waiting = waiting
        self._body = answer = IncomingBody()
        self._made_progress()
        if part is not None:
            sending = Deferred.fromCoroutine(self._writer.send_file(head, part))
            self._sending = sending
            sending.addBoth(self._sent)
        elif length > SMALL:  # copying it costs more than writing twice
            self._writer.write(head)
            self._writer.write(body)  # type: ignore[arg-type]
        else:
            self._writer.write(head + body)  # type: ignore[operator]
        return ClientResponse(await waiting, self, answer, head)

    def _sent(self, result: object) -> None:
        self._sending = None
        if isinstance(result, Failure) and self.state is not State.CLOSED:
            error = result.value
            self._fail(error if isinstance(error, HttpError) else ConnectionBroken(str(error)))

    # Hearing

    def dataReceived(self, data: bytes) -> None:
        """Take bytes of the head or of the body."""
        self.heard = True
        if self.state is State.BODY:
            self._made_progress()
            self._take_body(data)
        elif self.state is State.HEAD:  # drops of a head do not move the deadline
            self._buffer += data
            self._take_head()
        elif self.state is State.IDLE:
            self._fail(MalformedMessage(f"{self.address} spoke without being asked"))

    def _take_head(self) -> None:
        while self.state is State.HEAD:
            end = end_of_head(self._buffer)
            if (end or len(self._buffer)) > HEAD_LIMIT:
                self._fail(MalformedMessage(f"the head passes {HEAD_LIMIT} bytes"))
            if end is None or self.state is not State.HEAD:
                return
            raw, self._buffer = self._buffer[:end], self._buffer[end:]
            try:
                head = parse_head(raw)
                if head.status >= 200:
                    self._begin_body(head)
                    return
                self._interim += 1
                if head.status == 101 or self._interim > INTERIM_LIMIT:
                    raise ValueError(f"{self._interim} heads of status 1xx, the last {head.status}")
            except (ValueError, MalformedMessage) as error:
                self._fail(MalformedMessage(f"{self.address}: {error}"))

    def _begin_body(self, head: ResponseHead) -> None:
        self._decoder = decoder_for(self._method, head)
        self._keep = _keeps_alive(head)
        self.state = State.BODY
        body = self._body
        body.on_hold = self._hold
        body.on_taken = self._finish
        body.on_refused = self.abandon
        rest, self._buffer = self._buffer, b""
        waiting, self._waiting = self._waiting, None
        pieces = self._decode(rest)
        if self._decoder.complete:  # whole before anybody asks for it, who then need not wait
            self._deadline.lift()
            body.put(pieces)
        elif self.state is State.BODY:
            self._made_progress()
        if waiting is not None:
            waiting.callback(head)  # usually asks for the body before it returns
        if not body.whole and self.state is State.BODY:
            for piece in pieces:
                body.take(piece)

    def _decode(self, data: bytes) -> list[bytes]:
        """Return the pieces of the body in what came; nonsense ends the connection."""
        decoder = self._decoder
        assert decoder is not None
        if decoder.complete:
            decoder.surplus = decoder.surplus or bool(data)
            return []
        try:
            return decoder.feed(data)
        except MalformedMessage as error:
            self._fail(error)
            return []

    def _take_body(self, data: bytes) -> None:
        body = self._body
        for piece in self._decode(data):
            body.take(piece)
        if self._decoder is not None and self._decoder.complete and not body.whole:
            self._deadline.lift()
            body.end()

    def _hold(self, hold: bool) -> None:
        if self.state is not State.BODY:
            return
        if hold:
            self._deadline.lift()
            self.transport.pauseProducing()
        else:
            self._made_progress()
            self.transport.resumeProducing()

    def _finish(self) -> None:
        """Be ready for another exchange, once a body is taken."""
        assert self._decoder is not None
        self.exchanges += 1
        self._deadline.lift()
        reusable = self._keep and not self._decoder.surplus and self._sending is None
        if reusable and self.state is State.BODY:
            self.state = State.IDLE
            self.on_idle(self)
        else:
            self.close()

    # Ending

    def _made_progress(self) -> None:
        self._deadline.set(self._timeout)

    def _late(self) -> None:
        """Give up a peer that says nothing."""
        self._fail(TimedOut(f"{self.address} said nothing for {self._timeout:g} seconds"))

    def abandon(self, body: IncomingBody) -> None:
        """Close if `body` is the one that is being taken."""
        if body is self._body and self.state is State.BODY:
            self.close()

    def close(self) -> None:
        """Close now; what waits for an answer fails."""
        if self.state is not State.CLOSED:
            self.state = State.CLOSED
            self._deadline.lift()
            self.transport.abortConnection()
            if self._decoder is not None:
                self._body.fail(ConnectionBroken(f"the connection to {self.address} was closed"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever waits."""
        self._deadline.stop()
        state, self.state = self.state, State.CLOSED
        if self._sending is not None:
            self._sending.cancel()
        self._writer.lose()
        if state is State.BODY and self._decoder is not None and not self._decoder.complete:
            self._end_body(reason)
        self._tell(self._why(reason))
        self.on_close(self)

    def _end_body(self, reason: Failure) -> None:
        """End a body as its framing says; one that was cut off is never whole."""
        assert self._decoder is not None
        try:
            if not reason.check(ConnectionDone):
                raise ConnectionBroken(f"{self.address} broke off: {reason.getErrorMessage()}")
            self._decoder.end()
            self._body.end()
        except ConnectionBroken as error:
            self._body.fail(error)

    def _why(self, reason: Failure) -> HttpError:
        if reason.check(TlsError):
            return TlsFailed(f"{self.address}: TLS: {tls_words(reason.value)}")
        return ConnectionBroken(f"{self.address} closed the connection")

    def _fail(self, error: HttpError) -> None:
        if self._decoder is not None:
            self._body.fail(error)
        self.close()
        self._tell(error)

    def _tell(self, error: HttpError) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.called:
            waiting.errback(error)


def _keeps_alive(head: ResponseHead) -> bool:
    """Tell whether the server will take another request on the connection.

    One that gives a length and chunks leaves it open where its answer ends (RFC 9112 §6.3).
    """
    options = (head.headers.get(b"connection") or b"").lower()
    ambiguous = b"transfer-encoding" in head.headers and b"content-length" in head.headers
    if b"close" in options or ambiguous:
        return False
    return head.version == "1.1" or b"keep-alive" in options
