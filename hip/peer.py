"""The other end of a link: calls to it, and the methods it calls here.

One connection carries requests both ways; answers come in any order (*INA §1.3.2*).
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from anet.address import Address
from anet.errors import InvalidAddress
from hip.errors import (
    CANCELLED,
    FAILED,
    OVERLOADED,
    CallRefused,
    CallTimedOut,
    ConnectionLost,
    HipError,
    NotConnected,
    ProtocolError,
    RemoteError,
    TooLarge,
)
from hip.errors import TOO_LARGE as TOO_LARGE_CODE
from hip.greeting import Greeting
from hip.limits import Limits
from hip.messages import (
    Cancellation,
    Error,
    Goodbye,
    Heartbeat,
    Message,
    Notification,
    Redirection,
    Request,
    Response,
)
from hip.methods import MethodTable
from hip.session import Session, State

_log = Logger()
DEFAULT_TIMEOUT = 60.0  # seconds
WORDS = 400  # characters of an error that are sent; they fit in the smallest frame


class Peer(Protocol):
    """The agent at the other end.

    Attributes:
        on_connected: called once there is a connection, before anything is said.
        on_greeted: called once the peer is known.
        on_redirected: called with the address of the master to go to; set by a slave.
        on_closed: called once, with the reason, when the link is gone.
        latency: seconds that the last answered call took.
    """

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(
        self,
        clock: IReactorTime,
        greeting: Greeting,
        methods: MethodTable,
        limits: Limits,
        is_master: bool,
    ) -> None:
        self.on_connected: Callable[[Peer], None] = lambda _: None
        self.on_greeted: Callable[[Peer], None] = lambda _: None
        self.on_redirected: Callable[[str], None] | None = None
        self.on_closed: Callable[[Peer, str], None] = lambda *_: None
        self.latency: float | None = None
        self._clock = clock
        self._methods = methods
        self._limits = limits
        self._session = Session(greeting, limits, is_master)
        self._last_number = 0
        self._asked: dict[int, Deferred[Any]] = {}
        self._answering: dict[int, Deferred[Any]] = {}
        self._reason = ""
        self._closed: list[Deferred[str]] = []
        self._is_closed = False
        self._closing: Any = None  # the timer of a close that has begun
        self._notified = 0  # notifications whose methods still run
        self._unsent: int | None = None  # bytes written since the peer stopped reading
        self._heard = self._spoke = clock.seconds()
        self._watch: Any = None

    # Who it is

    @property
    def greeting(self) -> Greeting:
        """What the peer said of itself.

        Raises:
            NotConnected: it has not yet.
        """
        if self._session.peer is None:
            raise NotConnected("the peer has not greeted yet")
        return self._session.peer

    @property
    def name(self) -> str:
        """The peer's name, unique among its siblings."""
        return self.greeting.name

    @property
    def kind(self) -> str:
        """What the peer is, `site-crawler`."""
        return self.greeting.kind

    @property
    def serializer(self) -> str:
        """Which serializer both chose."""
        return self._session.codec.name if self._session.codec else ""

    @property
    def address(self) -> str:
        """IP address of the peer."""
        return str(getattr(self.transport.getPeer(), "host", "")) if self.transport else ""

    @property
    def in_flight(self) -> int:
        """Calls that wait for an answer of the peer, or of us."""
        return len(self._asked) + len(self._answering)

    @property
    def is_open(self) -> bool:
        """Whether calls can be made now: both have greeted, and nobody has said goodbye."""
        return self._session.state is State.OPEN and not self._is_closed

    @property
    def closed(self) -> Deferred[str]:
        """Fires with the reason when the link is gone; each reader gets a Deferred of its own."""
        waiting: Deferred[str] = Deferred()
        if self._is_closed:
            waiting.callback(self._reason)
        else:
            self._closed.append(waiting)
        return waiting

    # Calling

    def call(
        self, method: str, /, *, timeout: float = DEFAULT_TIMEOUT, **arguments: Any
    ) -> Deferred[Any]:
        """Call a method of the peer.

        Args:
            method: its name.
            timeout: seconds to wait for the answer.
            arguments: plain values, or attrs values (which go as dictionaries).

        Returns:
            Fires with the answer; cancelling it tells the callee to stop.

        Raises:
            RemoteError: the callee answered with an error.
            CallTimedOut: it did not answer in time.
            ConnectionLost: the link ended first.
            TooLarge: the arguments do not fit in a frame.
            NotConnected: the link is closed, or `in_flight` calls wait already.
        """
        if not self.is_open:
            return _failed(NotConnected(f"there is no open link to call {method} over"))
        allowed = min(self._limits.in_flight, self.greeting.in_flight)
        if len(self._asked) >= allowed:
            return _failed(NotConnected(f"{allowed} calls wait for {self.name} already"))
        self._last_number = number = self._last_number + 1
        answer: Deferred[Any] = Deferred(lambda _: self._give_up(number, None))
        try:
            self._send(Request(number, method, arguments))
        except (TooLarge, ProtocolError) as error:
            return _failed(error)
        self._asked[number] = answer
        begun = self._clock.seconds()
        late = self._clock.callLater(timeout, self._time_out, number, method, timeout)

        def settled(result: Any) -> Any:
            self._asked.pop(number, None)
            self.latency = self._clock.seconds() - begun
            if late.active():
                late.cancel()
            return result

        return answer.addBoth(settled)

    def notify(self, method: str, /, **arguments: Any) -> None:
        """Call a method of the peer and expect no answer; nothing happens on a closed link."""
        if self.is_open:
            self._send(Notification(method, arguments))

    def _time_out(self, number: int, method: str, timeout: float) -> None:
        error = CallTimedOut(f"{self.name} did not answer {method} in {timeout:g} seconds")
        self._give_up(number, error)

    def _give_up(self, number: int, error: HipError | None) -> None:
        answer = self._asked.pop(number, None)
        if self.is_open:
            self._send(Cancellation(number))
        if answer is not None and error is not None:
            answer.errback(error)

    # Answering

    def _answer(self, request: Request) -> None:
        if request.number in self._answering:
            raise ProtocolError(f"request {request.number} is asked twice")
        if len(self._answering) >= self._limits.in_flight:
            words = f"{len(self._answering)} calls are being answered; ask again later"
            self._send(Error(request.number, OVERLOADED, words))
            return
        running = self._run(request.method, request.arguments)
        self._answering[request.number] = running

        def done(result: object) -> None:
            self._answering.pop(request.number, None)
            if self.is_open:
                self._reply(request, result)

        running.addBoth(done)

    def _run(self, method: str, arguments: dict[str, Any]) -> Deferred[Any]:
        return maybeDeferred(lambda: self._methods[method].call(self, arguments))

    def _reply(self, request: Request, result: object) -> None:
        if not isinstance(result, Failure):
            try:
                self._send(Response(request.number, result))
            except TooLarge as error:
                self._send(Error(request.number, TOO_LARGE_CODE, str(error)[:WORDS]))
            return
        cause = result.value
        if isinstance(cause, CallRefused | RemoteError):
            self._send(Error(request.number, cause.code[:WORDS], cause.message[:WORDS]))
        elif isinstance(cause, CancelledError):
            self._send(Error(request.number, CANCELLED, "the call was cancelled"))
        else:
            _log.failure("{method} failed", failure=result, method=request.method)
            words = f"{request.method} made a mistake: {type(cause).__name__}; see the agent's log"
            self._send(Error(request.number, FAILED, words))

    # The link

    def connectionMade(self) -> None:
        """Greet."""
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)
        self.transport.registerProducer(self, True)
        self.transport.write(self._session.start())
        self._watch = self._clock.callLater(self._limits.greeting_time, self._late_greeting)
        self.on_connected(self)

    def dataReceived(self, data: bytes) -> None:
        """Take what the peer says."""
        self._heard = self._clock.seconds()
        try:
            for said in self._session.receive(data):
                if self._closing is not None:
                    return  # what came before it closed this
                if isinstance(said, Greeting):
                    self._greeted()
                else:
                    self._hear(said)
        except ProtocolError as error:
            self.close(str(error))

    def _greeted(self) -> None:
        self._watch.cancel()
        self._watch = self._clock.callLater(self._limits.heartbeat, self._check)
        self.on_greeted(self)

    def _hear(self, message: Message) -> None:
        match message:
            case Request():
                self._answer(message)
            case Response(number, value):
                self._settle(number, value)
            case Error(number, code, words):
                self._settle(number, Failure(RemoteError(code, words)))
            case Notification(method, arguments):
                self._be_told(method, arguments)
            case Cancellation(number) if number in self._answering:
                self._answering[number].cancel()
            case Redirection(address):
                if self.on_redirected is None:
                    raise ProtocolError("only a master redirects")
                try:
                    Address.parse(address)
                except InvalidAddress as error:
                    raise ProtocolError(f"a redirection to nowhere: {error}") from None
                self.on_redirected(address)
            case Goodbye(reason):
                self.close(f"{self.name} said goodbye: {reason}")

    def _settle(self, number: int, result: object) -> None:
        """Give an answer to whoever waits; one that was given up may still come, and is let go."""
        answer = self._asked.pop(number, None)
        if answer is None:
            if not 0 < number <= self._last_number:
                raise ProtocolError(f"an answer to request {number}, which was never asked")
        elif isinstance(result, Failure):
            answer.errback(result)
        else:
            answer.callback(result)

    def _be_told(self, method: str, arguments: dict[str, Any]) -> None:
        """Run what a notification asks for; those that would pass the limit are let go."""
        if self._notified >= self._limits.in_flight:
            _log.warn(
                "{name}: too many notifications; {method} is let go", name=self.name, method=method
            )
            return
        self._notified += 1

        def ended(result: object) -> None:
            self._notified -= 1
            if not isinstance(result, Failure) or result.check(CancelledError):
                return
            if result.check(CallRefused):
                words = str(result.value)[:WORDS]
                _log.info("notification {method} refused: {words}", method=method, words=words)
            else:
                _log.failure("notification {method} failed", failure=result, method=method)

        self._run(method, arguments).addBoth(ended)

    def redirect(self, address: str) -> None:
        """Send a slave to the master at `address`."""
        self._send(Redirection(address))

    def close(self, reason: str) -> None:
        """Say goodbye and close; nothing happens on a link that is closing already."""
        if self._is_closed or self._closing is not None:
            return
        self._reason = self._reason or reason
        if self._session.state is State.OPEN:
            with suppress(TooLarge):
                self._send(Goodbye(reason[:100]))
        # A peer that does not read is not waited for.
        self._closing = self._clock.callLater(1.0, self.transport.abortConnection)
        self.transport.unregisterProducer()
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail what waits for answers, and stop what works on them."""
        self._is_closed = True
        self._reason = self._reason or reason.getErrorMessage()
        for timer in (self._watch, self._closing):
            if timer is not None and timer.active():
                timer.cancel()
        while self._asked:  # one failure may lead to others being cancelled
            _, answer = self._asked.popitem()
            answer.errback(ConnectionLost(f"the link ended: {self._reason}"))
        for running in list(self._answering.values()):
            running.cancel()
        try:
            self.on_closed(self, self._reason)
        except Exception:
            _log.failure("what was to happen at the end of a link failed")
        waiting, self._closed = self._closed, []
        for deferred in waiting:
            deferred.callback(self._reason)

    def _send(self, message: Message) -> None:
        data = self._session.send(message)
        self.transport.write(data)
        self._spoke = self._clock.seconds()
        if self._unsent is not None:
            self._unsent += len(data)
            if self._unsent > self._limits.unsent:
                self._reason = self._reason or f"{self.name} does not read what it is sent"
                self.transport.abortConnection()

    def pauseProducing(self) -> None:
        """Count what is written from here on: the peer does not read."""
        if self._unsent is None:  # each write to a full buffer calls this
            self._unsent = 0

    def resumeProducing(self) -> None:
        """Count no more: the peer has read."""
        self._unsent = None

    def stopProducing(self) -> None:
        """Stop for good; `connectionLost` follows."""

    # Silence

    def _late_greeting(self) -> None:
        self._reason = f"no greeting in {self._limits.greeting_time:g} seconds"
        self.transport.abortConnection()

    def _check(self) -> None:
        """Send a heartbeat when we were silent; give up a peer that was."""
        now = self._clock.seconds()
        if now - self._heard > self._limits.silence:
            self._reason = f"{self.name} was silent for {self._limits.silence:g} seconds"
            self.transport.abortConnection()
            return
        if now - self._spoke >= self._limits.heartbeat / 2 and self._session.state is State.OPEN:
            self._send(Heartbeat())
        self._watch = self._clock.callLater(self._limits.heartbeat, self._check)


def _failed(error: Exception) -> Deferred[Any]:
    failed: Deferred[Any] = Deferred()
    failed.errback(error)
    return failed
