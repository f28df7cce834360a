"""One end of a link on its transport: reading and writing at the pace of both ends.

Neither end makes the other grow: what is said to a peer that does not read waits, within limits,
and its requests are not answered; but it is always listened to, for two ends that both stopped
would wait for each other.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from anet.errors import InvalidAddress
from anet.gathering import send_now
from hip.answers import Answers
from hip.backlog import Backlog
from hip.calls import Calls
from hip.errors import CannotCarry, NotConnected, ProtocolError
from hip.greeting import Greeting
from hip.household import Household
from hip.messages import (
    Cancellations,
    Errors,
    Goodbye,
    Heartbeat,
    Message,
    Notifications,
    Redirection,
    Request,
    Requests,
    Responses,
    Single,
)
from hip.session import Session, State

_log = Logger()
_PARTING = 1.0  # seconds that a peer has to read our last words
OPEN = State.OPEN  # looked up once: this is asked for each message
_FRAMES = 16  # read in one turn; other links come next
_PIECE = 128 * 1024  # bytes given to the transport at once: each that goes shows a peer that reads


class Conversation(Protocol):
    """The part of a `Peer` that reads and writes.

    Attributes:
        on_connected: called once there is a connection, before anything is said.
        on_greeted: called once the peer is known.
        on_redirected: called with the address of the master to go to; set by a slave.
        on_closed: called once, with the reason, when the link is gone.
        begun, heard, spoke, deaf_since: as `hip.liveness.Watched`.
    """

    transport: Any  # Twisted calls it optional; it is there from connectionMade on

    def __init__(self, household: Household, is_master: bool) -> None:
        """Begin; `is_master` tells whether *we* are the master of the two."""
        self.on_connected: Callable[[Any], None] = _nothing
        self.on_greeted: Callable[[Any], None] = _nothing
        self.on_redirected: Callable[[str], None] | None = None
        self.on_closed: Callable[[Any, str], None] = _nothing
        self.begun = self.heard = self.spoke = household.clock.seconds()
        self.deaf_since: float | None = None
        self._household = household
        self._session = Session(household.greeting, household.limits, is_master)
        clock, limits = household.clock, household.limits
        self._calls = Calls(clock, self._send, limits.line)
        self._answers = Answers(clock, household.methods, self, self._send, limits.in_flight)
        self._backlog: Backlog | None = None  # requests that wait, if any do
        self._is_gathering = False  # whether the outbox goes out at the turn's end
        self._is_reading = True  # whether the transport may give us more
        self._reason = ""
        self._closed: list[Deferred[str]] = []
        self._draining: list[Deferred[None]] = []
        self._is_closed = False
        self._closing: Any = None  # the timer of a close that has begun
        self._later: Any = None  # the timer of what was left to read

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
    def is_greeted(self) -> bool:
        """Whether the peer has said who it is."""
        return self._session.peer is not None

    @property
    def is_open(self) -> bool:
        """Whether calls can be made now: both have greeted, and nobody has said goodbye."""
        return self._session.state is OPEN

    @property
    def closed(self) -> Deferred[str]:
        """Fires with the reason when the link is gone; each reader gets a Deferred of its own."""
        waiting: Deferred[str] = Deferred()
        if self._is_closed:
            waiting.callback(self._reason)
        else:
            self._closed.append(waiting)
        return waiting

    # Reading

    def connectionMade(self) -> None:
        """Greet."""
        if hasattr(self.transport, "setTcpNoDelay"):  # a UNIX socket has no such thing
            self.transport.setTcpNoDelay(True)
            self.transport.setTcpKeepAlive(True)
        self.transport.registerProducer(self, True)
        self.begun = self.heard = self.spoke = self._household.clock.seconds()
        self.transport.write(self._session.start())
        self._household.liveness.watch(self)
        self.on_connected(self)

    def dataReceived(self, data: bytes) -> None:
        """Take what the peer says."""
        self.heard = self._household.clock.seconds()
        self._session.feed(data)
        with self._household.turn:  # what is said meanwhile goes out together
            self._read()

    def _read(self) -> None:
        """Hear what has come, in pieces: other links come between."""
        frames = 0
        try:
            if self._backlog is not None:
                self._answer_held(self._backlog)
            while frames < _FRAMES and self._closing is None:
                said = self._session.next()
                if said is None:
                    break
                frames += 1
                self._hear(said)
        except ProtocolError as error:
            self.close(str(error))
        if frames == _FRAMES or not self._is_reading:
            self._pace(is_more=frames == _FRAMES)

    def _pace(self, is_more: bool) -> None:
        """Read on soon, and ask the transport for more only when there is no more here."""
        if self._closing is not None or self._is_closed:
            return
        if is_more and self._later is None:
            self._later = self._household.clock.callLater(0, self._read_on)
        if is_more is self._is_reading:
            self._is_reading = not is_more
            (self.transport.pauseProducing if is_more else self.transport.resumeProducing)()

    def _be_asked(self, messages: list[Request]) -> None:
        """Answer requests; while the peer does not read they wait, or are refused.

        All else is heard meanwhile: if both ends stopped to read they would wait for each other.
        """
        self._answers.asked += len(messages)
        requests = iter(messages)
        if self.deaf_since is None and self._answer(requests):
            return
        if self._backlog is None:
            limits = self._household.limits
            self._backlog = Backlog(limits.unsent, limits.in_flight)
        if not self._backlog.add(requests, self._session.size):
            self._answers.refuse(requests, f"{self.name} does not read its answers")

    def _answer(self, requests: Iterable[Request]) -> bool:
        """Answer requests until the peer does not read; tell whether it still does."""
        for request in requests:
            self._answers.answer(request)
            if self.deaf_since is not None or self._session.state is not OPEN:
                return False
        return True

    def _answer_held(self, backlog: Backlog) -> None:
        if self.deaf_since is None and self.is_open and self._answer(backlog):
            self._backlog = None

    def _read_on(self) -> None:
        self._later = None
        with self._household.turn:
            self._read()

    def _hear(self, said: Any) -> None:
        kind = type(said)
        if kind is Requests:
            self._be_asked(said.messages)
        elif kind is Responses:
            self._calls.take(said.messages)
        elif kind is Notifications:
            self._answers.be_told(said.messages)
        elif kind is Errors:
            self._calls.take_errors(said.messages)
        elif kind is Cancellations:
            self._answers.cancel(said.messages)
            if self._backlog is not None:
                self._backlog.cancel(said.messages)
        elif kind is Greeting:
            self._calls.at_once = min(self._household.limits.in_flight, said.in_flight)
            self.on_greeted(self)
        elif kind is Redirection:
            self._be_redirected(said.address)
        elif kind is Goodbye:
            self.close(f"{self.name} said goodbye: {said.reason}")

    def _be_redirected(self, address: str) -> None:
        if self.on_redirected is None:
            raise ProtocolError("only a master redirects")
        try:
            self.on_redirected(address)
        except InvalidAddress as error:
            raise ProtocolError(f"a redirection to nowhere: {error}") from None

    # Ending

    def close(self, reason: str) -> None:
        """Say goodbye and close; nothing happens on a link that is closing already."""
        if self._is_closed or self._closing is not None:
            return
        self._reason = self._reason or reason
        if self.is_open:
            with suppress(CannotCarry):
                self._session.say(Goodbye(reason[:100]))
        send_now(self.transport, self._session.outbox.take())
        self._session.end()
        self._closing = self._household.clock.callLater(_PARTING, self.transport.abortConnection)
        self.transport.unregisterProducer()
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail what waits for answers, and stop what works on them."""
        self._is_closed = True
        self._session.end()
        self._backlog = None
        self._reason = self._reason or reason.getErrorMessage()
        self._household.liveness.forget(self)
        for timer in (self._closing, self._later):
            if timer is not None and timer.active():
                timer.cancel()
        self._calls.lose(self._reason)
        self._answers.stop()
        try:
            self.on_closed(self, self._reason)
        except Exception:
            _log.failure("what was to happen at the end of a link failed")
        waiting, self._closed = self._closed, []
        for deferred in waiting:
            deferred.callback(self._reason)
        self._drain()

    def give_up(self, reason: str) -> None:
        """Close at once, without a word."""
        self._reason = self._reason or reason
        self.transport.abortConnection()

    def beat(self) -> None:
        """Send a heartbeat."""
        self._say(Heartbeat())

    # Sending

    @property
    def drained(self) -> Deferred[None]:
        """Fires when the peer reads what it is sent: at once, if it is not behind."""
        waiting: Deferred[None] = Deferred()
        if self.deaf_since is None or self._is_closed:
            waiting.callback(None)
        else:
            self._draining.append(waiting)
        return waiting

    @property
    def _unsent(self) -> int:
        return len(self._session.outbox)

    def _send(self, message: Message) -> None:
        """Send a message before the turn ends; nothing happens on a link that is not open.

        Raises:
            CannotCarry, TooLarge: it cannot be said.
        """
        session = self._session
        if session.state is not OPEN:
            return
        is_enough = session.outbox.add(message)
        if not self._is_gathering:
            self._is_gathering = True
            self._household.turn.at_end(self._gathered)
        if is_enough:
            if self.deaf_since is None:
                self._flush()
            elif self._unsent > self._household.limits.unsent:
                self.give_up(f"{self.name} does not read what it is sent")

    def _say(self, single: Single) -> None:
        """Send what travels in a frame of its own; nothing happens on a link that is not open."""
        if self.is_open:
            with suppress(CannotCarry):
                self._session.say(single)
                self._flush()

    def _gathered(self) -> None:
        """Send what the turn has gathered."""
        self._is_gathering = False
        self._flush()

    def _flush(self) -> None:
        """Send what waits, until the peer does not read."""
        while self.deaf_since is None and (data := self._session.outbox.take(_PIECE)):
            self.spoke = self._household.clock.seconds()
            send_now(self.transport, data)
            if len(data) < _PIECE:
                return  # that was all

    def pauseProducing(self) -> None:
        """Keep what is said from here on: the peer does not read."""
        if self.deaf_since is None:  # each write to a full buffer calls this
            self.deaf_since = self._household.clock.seconds()

    def resumeProducing(self) -> None:
        """Go on: the peer has read."""
        self.deaf_since = None
        self._flush()
        with self._household.turn:
            self._read()
        if self.deaf_since is None:  # those who wait come after what the peer has asked
            self._drain()

    def _drain(self) -> None:
        draining, self._draining = self._draining, []
        for deferred in draining:
            deferred.callback(None)

    def stopProducing(self) -> None:
        """Stop for good; `connectionLost` follows."""


def _nothing(*_: Any) -> None:
    """Do nothing."""
