"""One client of a server: its requests are answered one after another, in their order.

A pipelined request waits until the one before it is answered. A client may be silent for some
seconds only: until its request's head is whole, between pieces of a body, and while it reads.

After a CONNECT whose answer is a tunnel the connection is left to another like it, which answers
what comes inside.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any

from attrs import Factory, define, field, frozen
from cryptography.x509 import Certificate
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from anet.deadline import Deadline
from anet.errors import BodyTooLarge, ConnectionBroken
from anet.factories import factory_of
from anet.gathering import Turn
from anet.http.answering import Answer, let_go
from anet.http.incoming import IncomingBody
from anet.http.plain import Prompt, Taker, answer_plain, read_put
from anet.http.request import Request
from anet.http.request_parser import BadRequest, RequestHead, RequestParser
from anet.http.response import Response
from anet.http.sending import paced_writer
from anet.http.tunnel import Inside, Tunnel, hand_over
from anet.tls import is_tls, over_tls, peer_certificate

Handler = Callable[[Request], Awaitable[Response]]

LINGER = 2.0  # seconds in which a client may read a last answer before its unread words are cut
_MISPLACED = "In a tunnel the target of a request is a path, and there is no tunnel to elsewhere.\n"
_MISTAKE = "This agent made a mistake; its log says which.\n"
_log = Logger()


@frozen
class Limits:
    """What a server accepts.

    Attributes:
        head: bytes of a request's head; more is answered with 431.
        connections: clients at once; one more is closed.
        silence: seconds a client may say or read nothing, or take to send a head.
        pipeline: requests of one client that may wait; past it the client is not read.
    """

    head: int = 64 * 1024
    connections: int = 2000
    silence: float = 60.0
    pipeline: int = 16


@define
class ServerState:
    """What the connections of one server share.

    Attributes:
        name: of the server, for the log.
        handler: gives the answers.
        limits: what is accepted.
        clock: for deadlines.
        prompt: gives the answers that are at hand, see `anet.http.plain`.
        taker: takes plain PUTs.
        connections: those open now.
        requests: how many were answered.
        turn: gathers what they write in one turn of the reactor.
    """

    name: str
    handler: Handler
    limits: Limits
    clock: IReactorTime
    prompt: Prompt | None = None
    taker: Taker | None = None
    connections: "set[ServerConnection]" = field(factory=set)
    requests: int = 0
    turn: Turn = Factory(lambda self: Turn(self.clock), takes_self=True)


class ServerConnection(Protocol):
    """One client; `inside` says to which tunnel its requests belong, if they come in one."""

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, state: ServerState, inside: Inside | None = None) -> None:
        self._state = state
        self._inside = inside
        self._limits = state.limits
        self._deadline = Deadline(state.clock, self.abort)
        self._parser = RequestParser(
            state.limits.head, self._begin_request, self._take_piece, self._end_request
        )
        self._waiting: deque[tuple[Request, bool]] = deque()
        self._reading: IncomingBody | None = None
        self._busy = False  # a request is being answered
        self._sending = False  # and the answer is on its way
        self._working: Deferred[Any] | None = None  # and this is who does it
        self._holds = 0  # bodies that have no room; the client is not read while there are any
        self._deaf = False  # nothing more is read
        self._lost = False
        self._ended: list[Deferred[None]] = []
        self._tunnel: Tunnel | None = None  # which the client may enter, since it has the answer
        self._early: bytes | None = None  # what it says after its CONNECT
        self._asker: Any = None  # who asked for the tunnel

    # The connection

    def connectionMade(self) -> None:
        """Take the client, unless there are too many."""
        connections = self._state.connections
        if len(connections) >= self._limits.connections:
            self._deaf = True
            self.transport.abortConnection()
            return
        connections.add(self)
        self.transport.setTcpNoDelay(True)
        self._client = getattr(self.transport.getPeer(), "host", "")
        self._is_secure = is_tls(self.transport)
        self._writer = paced_writer(self.transport, self._made_progress, self._state.turn)
        self._made_progress()

    def dataReceived(self, data: bytes) -> None:
        """Read requests."""
        if self._deaf:
            self._take_early(data)
            return
        if self._is_idle():
            data = self._answer_at_once(data)
            if not data:
                return
        try:
            rest = self._parser.feed(data)
            if rest is not None:  # the request is answered, its other protocol not spoken
                self._deaf = True
                self._early = rest
                if not self._busy:
                    self._end()
        except BadRequest as error:
            self._refuse(error)
        if len(self._waiting) >= self._limits.pipeline:
            self.transport.pauseProducing()

    def _is_idle(self) -> bool:
        """Tell whether nothing is under way, and the next byte begins a request for this server."""
        if self._inside or self._busy or self._waiting or not self._parser.is_between:
            return False
        return self._writer.has_room()

    def _answer_at_once(self, data: bytes) -> bytes:
        """Answer the plain requests that come first; return the rest."""
        prompt, taker = self._state.prompt, self._state.taker
        if taker is not None and data.startswith(b"PUT "):
            return b"" if self._is_taken(data, taker) else data
        if prompt is None:
            return data
        answers, end = answer_plain(data, prompt, self._limits.head)
        if answers:
            self._state.requests += len(answers)
            self._writer.write_now(answers[0] if len(answers) == 1 else b"".join(answers))
            self._made_progress()
        return data[end:]

    def _is_taken(self, data: bytes, taker: Taker) -> bool:
        """Have a plain PUT taken, which is answered later; return whether it was one."""
        put = read_put(data, self._limits.head)
        answering = None if put is None else taker(put)
        if answering is None:
            return False
        self._busy = True
        self._deadline.lift()
        self._working = answering
        answering.addCallback(self._put_taken).addErrback(self._answered)
        return True

    def _put_taken(self, answer: bytes) -> None:
        self._state.requests += 1
        if not self._lost:
            self._writer.write_now(answer)
            self._made_progress()
        self._busy, self._working = False, None
        if self._deaf or self._waiting:
            self._answered(None)
            self._work()

    def _refuse(self, error: BadRequest) -> None:
        """Answer what is no request, unless an answer is being written."""
        self._deaf = True
        if not self._busy:
            response = Response.text(error.status, f"Not a request: {error}\n")
            self._writer.write(response.head(False, False) + bytes(response.body))  # type: ignore[arg-type]
            self._close(lingering=True)

    def _made_progress(self) -> None:
        self._deadline.set(self._limits.silence)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Stop what works for the client."""
        self._lost = self._deaf = True
        self._deadline.stop()
        if self not in self._state.connections:
            return
        self._state.connections.discard(self)
        self._waiting.clear()
        if self._reading is not None:
            self._reading.fail(ConnectionBroken("the client went away before the end of the body"))
        if self._working is not None:
            self._working.cancel()
        self._writer.lose()
        while self._ended:
            self._ended.pop().callback(None)

    def finish(self) -> Deferred[None]:
        """Close once the requests that came are answered; fires when closed."""
        ended: Deferred[None] = Deferred()
        self._ended.append(ended)
        self._deaf = True
        if not self._busy:
            self._close()
        return ended

    def abort(self) -> None:
        """Close at once."""
        if not self._lost:
            self._lost = self._deaf = True  # nothing more is said, though the end comes later
            self.transport.abortConnection()

    def _close(self, lingering: bool = False) -> None:
        """Close when all is written.

        A socket that is closed with bytes unread takes the answer from the client that still
        writes, so such a client is told the end first, and has a moment to read.
        """
        if self._lost:
            return
        self._writer.end()
        if lingering:
            self._deadline.set(LINGER)
            self.transport.resumeProducing()
            self.transport.loseWriteConnection()
        else:
            self.transport.loseConnection()

    def _end(self) -> None:
        """Close after the last answer, or wait for what the client says in its tunnel."""
        if self._tunnel is None or self._ended:
            self._close(lingering=self._reading is not None)
        elif self._early is not None and not self._lost:  # else the parser is still at its CONNECT
            self._made_progress()
            self.transport.resumeProducing()
            self._take_early(b"")

    # The way into a tunnel

    def _take_early(self, data: bytes) -> None:
        """Take what comes after a request whose client then speaks another protocol."""
        if self._early is None or self._lost:
            return
        self._early += data
        if self._tunnel is not None and not self._busy and not self._ended:
            if self._early:
                self._enter(self._tunnel, self._early)
        elif len(self._early) > self._limits.head:
            self.abort()

    def _enter(self, tunnel: Tunnel, first: bytes) -> None:
        """Leave the transport to what answers inside."""
        self._deadline.stop()
        self._writer.end()
        self._lost = True
        self._state.connections.discard(self)
        inside = tunnel.inside(first, self._asker)
        inner: Any = ServerConnection(self._state, inside)
        if inside.tls is not None:
            factory = factory_of(lambda: connection)
            connection = inner
            inner = over_tls(factory, inside.tls, self._state.clock).buildProtocol(None)
        hand_over(self.transport, inner, first)

    # Reading

    def _begin_request(self, head: RequestHead) -> None:
        request = Request(
            head.method, head.target, head.headers, self._client, head.version, self._is_secure
        )
        request.certificate = self._certificate
        body = request.body
        body.whole = not head.has_body()
        if not body.whole:
            body.on_hold = self._hold_client
            if head.expects_continue():
                body.on_wanted = self._say_continue
            self._reading = body
        self._waiting.append((request, head.keep_alive and head.method != "CONNECT"))
        self._work()

    @cached_property
    def _certificate(self) -> Certificate | None:
        """What the client has shown; asked for once a request is here, so after the handshake."""
        return peer_certificate(self.transport)

    def _say_continue(self) -> None:
        """Ask for a body that waits to be asked for; its turn to be answered has come."""
        self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _take_piece(self, piece: bytes) -> None:
        self._made_progress()
        if self._reading is not None:
            self._reading.take(piece)

    def _end_request(self) -> None:
        reading, self._reading = self._reading, None
        if self._busy and not self._sending:
            self._deadline.lift()  # now it is the client who waits
        if reading is not None:
            reading.end()

    def _hold_client(self, hold: bool) -> None:
        """Stop reading while a handler has no use for more."""
        self._holds += 1 if hold else -1
        if self._lost:
            return
        if hold:
            self._deadline.lift()
            self.transport.pauseProducing()
        elif not self._holds:
            if self._reading is not None:
                self._made_progress()
            self.transport.resumeProducing()

    # Answering

    def _work(self) -> None:
        """Answer what waits, in a loop and not by recursion, since many may wait."""
        while self._waiting and not self._busy and not self._lost:
            request, keep_alive = self._waiting.popleft()
            self._busy = True
            working = Deferred.fromCoroutine(self._answer(request, keep_alive))
            if working.called:
                working.addBoth(self._answered)
            else:
                self._working = working
                working.addBoth(self._answered).addCallback(lambda _: self._work())

    def _answered(self, result: object) -> None:
        self._busy = self._sending = False
        self._working = None
        if isinstance(result, Failure):
            if not self._lost:
                _log.failure("{name}: an answer broke off", failure=result, name=self._state.name)
            self.abort()
        elif self._deaf and not self._waiting:
            self._end()
        elif not self._lost and not self._holds and len(self._waiting) < self._limits.pipeline:
            self.transport.resumeProducing()

    async def _answer(self, request: Request, keep_alive: bool) -> None:
        if request.body.whole:
            self._deadline.lift()
        response = await self._ask(request)
        try:
            await self._send(request, response, keep_alive)
        finally:
            await let_go(response)

    async def _ask(self, request: Request) -> Response:
        """Return what the handler gives, or the answer that tells of its error."""
        if self._inside is not None and not self._inside.adopt(request):
            return Response.text(400, _MISPLACED)
        try:
            return await self._state.handler(request)
        except BodyTooLarge as error:
            return Response.text(413, f"{error}\n")
        except CancelledError:
            raise
        except Exception:
            if self._lost:
                raise
            return self._mistake(request)

    async def _send(self, request: Request, response: Response, keep_alive: bool) -> None:
        body = request.body
        keep_alive = keep_alive and body.whole and not self._deaf
        body.discard()
        try:
            answer = Answer.prepare(request, response, keep_alive)
        except Exception:
            answer = Answer.prepare(request, self._mistake(request), keep_alive)
        if not answer.keep_alive:
            self._deaf = True
            self._waiting.clear()  # what came after the last answered request has none
        if request.method == "CONNECT":
            self._tunnel, self._asker = answer.response.tunnel, request.asker
        self._state.requests += 1
        self._sending = True
        self._made_progress()
        await answer.send(self._writer, request.method == "HEAD" or answer.response.bodiless())

    def _mistake(self, request: Request) -> Response:
        _log.failure("{name}: no answer to {target}", name=self._state.name, target=request.target)
        return Response.text(500, _MISTAKE)
