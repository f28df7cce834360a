"""The other end of a link: calls to it, and the methods it calls here.

One connection carries requests both ways; answers come in any order (*INA §1.3.2*).
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from anet.address import Address
from anet.errors import InvalidAddress
from hip.answers import Answers
from hip.calls import Calls
from hip.errors import NotConnected, ProtocolError, RemoteError, TooLarge
from hip.greeting import Greeting
from hip.limits import Limits
from hip.liveness import Liveness
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
_PARTING = 1.0  # seconds that a peer has to read our last words


class Peer(Protocol):
    """The agent at the other end.

    Attributes:
        on_connected: called once there is a connection, before anything is said.
        on_greeted: called once the peer is known.
        on_redirected: called with the address of the master to go to; set by a slave.
        on_closed: called once, with the reason, when the link is gone.
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
        self._clock = clock
        self._limits = limits
        self._session = Session(greeting, limits, is_master)
        self._calls = Calls(clock, self._send)
        self._answers = Answers(
            lambda method, arguments: methods[method].call(self, arguments),
            self._send,
            limits.in_flight,
        )
        self._liveness = Liveness(clock, limits, lambda: self._send(Heartbeat()), self._give_up)
        self._reason = ""
        self._closed: list[Deferred[str]] = []
        self._is_closed = False
        self._closing: Any = None  # the timer of a close that has begun
        self._unsent: int | None = None  # bytes written since the peer stopped reading

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
        return len(self._calls) + len(self._answers)

    @property
    def latency(self) -> float | None:
        """Seconds that the last call took, or None before the first has ended."""
        return self._calls.latency

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
            return fail(NotConnected(f"there is no open link to call {method} over"))
        allowed = min(self._limits.in_flight, self.greeting.in_flight)
        if len(self._calls) >= allowed:
            return fail(NotConnected(f"{allowed} calls wait for {self.name} already"))
        try:
            return self._calls.begin(method, arguments, timeout)
        except TooLarge as error:
            return fail(error)

    def notify(self, method: str, /, **arguments: Any) -> None:
        """Call a method of the peer and expect no answer; nothing happens on a closed link."""
        self._send(Notification(method, arguments))

    def redirect(self, address: str) -> None:
        """Send a slave to the master at `address`."""
        self._send(Redirection(address))

    # The link

    def connectionMade(self) -> None:
        """Greet."""
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)
        self.transport.registerProducer(self, True)
        self.transport.write(self._session.start())
        self._liveness.begin()
        self.on_connected(self)

    def dataReceived(self, data: bytes) -> None:
        """Take what the peer says."""
        self._liveness.heard()
        try:
            for said in self._session.receive(data):
                if self._closing is not None:
                    return  # what came before it closed this
                if isinstance(said, Greeting):
                    self._liveness.greeted()
                    self.on_greeted(self)
                else:
                    self._hear(said)
        except ProtocolError as error:
            self.close(str(error))

    def _hear(self, message: Message) -> None:
        match message:
            case Request():
                self._answers.answer(message)
            case Response(number, value):
                self._calls.settle(number, value)
            case Error(number, code, words):
                self._calls.settle(number, Failure(RemoteError(code, words)))
            case Notification():
                self._answers.be_told(message)
            case Cancellation(number):
                self._answers.cancel(number)
            case Redirection(address):
                self._be_redirected(address)
            case Goodbye(reason):
                self.close(f"{self.name} said goodbye: {reason}")

    def _be_redirected(self, address: str) -> None:
        if self.on_redirected is None:
            raise ProtocolError("only a master redirects")
        try:
            Address.parse(address)
        except InvalidAddress as error:
            raise ProtocolError(f"a redirection to nowhere: {error}") from None
        self.on_redirected(address)

    def close(self, reason: str) -> None:
        """Say goodbye and close; nothing happens on a link that is closing already."""
        if self._is_closed or self._closing is not None:
            return
        self._reason = self._reason or reason
        with suppress(TooLarge):
            self._send(Goodbye(reason[:100]))
        self._closing = self._clock.callLater(_PARTING, self.transport.abortConnection)
        self.transport.unregisterProducer()
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail what waits for answers, and stop what works on them."""
        self._is_closed = True
        self._reason = self._reason or reason.getErrorMessage()
        self._liveness.end()
        if self._closing is not None and self._closing.active():
            self._closing.cancel()
        self._calls.lose(self._reason)
        self._answers.stop()
        try:
            self.on_closed(self, self._reason)
        except Exception:
            _log.failure("what was to happen at the end of a link failed")
        waiting, self._closed = self._closed, []
        for deferred in waiting:
            deferred.callback(self._reason)

    def _give_up(self, reason: str) -> None:
        """Close at once, without a word."""
        self._reason = self._reason or reason
        self.transport.abortConnection()

    def _send(self, message: Message) -> None:
        """Send a message; nothing happens on a link that is not open.

        Raises:
            TooLarge: it does not fit in a frame.
        """
        if not self.is_open:
            return
        data = self._session.send(message)
        self.transport.write(data)
        self._liveness.spoke()
        if self._unsent is not None:
            self._unsent += len(data)
            if self._unsent > self._limits.unsent:
                self._give_up(f"{self.name} does not read what it is sent")

    def pauseProducing(self) -> None:
        """Count what is written from here on: the peer does not read."""
        if self._unsent is None:  # each write to a full buffer calls this
            self._unsent = 0

    def resumeProducing(self) -> None:
        """Count no more: the peer has read."""
        self._unsent = None

    def stopProducing(self) -> None:
        """Stop for good; `connectionLost` follows."""
