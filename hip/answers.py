"""What the peer has asked over one link, and the answers that go back."""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from anet.coroutines import run
from hip.deadlines import Deadlines
from hip.errors import (
    CANCELLED,
    CANNOT_CARRY,
    FAILED,
    OVERLOADED,
    TIMED_OUT,
    TOO_LARGE,
    CallRefused,
    CannotCarry,
    ProtocolError,
    RemoteError,
    TooLarge,
)
from hip.messages import Cancellation, Error, Message, Notification, Request, Response
from hip.methods import MethodTable

_log = Logger()
WORDS = 400  # characters of an error that are sent


class Answers:
    """The methods that run here because the peer asked.

    Args:
        clock: tells the time.
        methods: what may be called.
        peer: who calls.
        send: sends a message; does nothing on a link that is closed.
        limit: requests, and again notifications, that may run at once.

    Attributes:
        asked: requests that have come over the link, as whoever reads it counts them.
    """

    __slots__ = (
        "_clock", "_deadlines", "_last", "_limit", "_methods", "_notified", "_peer", "_running",
        "_send", "asked",
    )  # fmt: skip

    def __init__(
        self,
        clock: IReactorTime,
        methods: MethodTable,
        peer: Any,
        send: Callable[[Message], None],
        limit: int,
    ) -> None:
        self._clock = clock
        self._methods = methods
        self._peer = peer
        self._send = send
        self._limit = limit
        self.asked = 0
        self._last = 0  # number of the last request
        self._running: dict[int, tuple[Deferred[Any], float]] = {}  # those that wait, until when
        self._notified = 0  # notifications whose methods still run
        self._deadlines: Deadlines | None = None  # none until a method waits

    def __len__(self) -> int:
        return len(self._running)

    def answer(self, request: Request) -> None:
        """Run what a request asks for, and send what comes of it.

        Raises:
            ProtocolError: its number is not larger than those before.
        """
        number = request.number
        if number <= self._last:
            raise ProtocolError(f"request {number} comes after request {self._last}")
        self._last = number
        if len(self._running) >= self._limit:
            words = f"{len(self._running)} calls are being answered; ask again later"
            self._fail(Error(number, OVERLOADED, words))
            return
        try:
            method = self._methods[request.method]
            result = run(method.call(self._peer, request.arguments, request.patience))
        except Exception:
            self._fail(_error(number, request.method, Failure()))
            return
        if isinstance(result, Deferred):
            self._wait(request, result)
        else:
            self._respond(number, result)

    def refuse(self, requests: Iterable[Request], words: str) -> None:
        """Answer requests without running them, because there is no room."""
        for request in requests:
            self._fail(Error(request.number, OVERLOADED, words[:WORDS]))

    def be_told(self, notifications: Iterable[Notification]) -> None:
        """Run what notifications ask for; those that would pass the limit are let go."""
        for notification in notifications:
            name = notification.method
            if self._notified >= self._limit:
                _log.warn("too many notifications at once; {method} is let go", method=name)
                continue
            try:
                method = self._methods[name]
                result = run(method.call(self._peer, notification.arguments, inf))
            except Exception:
                _note(Failure(), name)
                continue
            if isinstance(result, Deferred):
                self._notified += 1
                result.addBoth(self._told, name)

    def cancel(self, cancellations: Iterable[Cancellation]) -> None:
        """Stop the methods that work on requests, if they still do."""
        for cancellation in cancellations:
            running = self._running.get(cancellation.number)
            if running is not None:
                running[0].cancel()

    def stop(self) -> None:
        """Stop all that works on requests, because nobody is left to answer."""
        if self._deadlines is not None:
            self._deadlines.end()
        for running, _ in list(self._running.values()):
            running.cancel()

    def _wait(self, request: Request, running: Deferred[Any]) -> None:
        due = self._clock.seconds() + request.patience
        self._running[request.number] = (running, due)
        if self._deadlines is None:
            self._deadlines = Deadlines(self._clock, self._look)
        self._deadlines.expect(due)
        running.addBoth(self._done, request.number, request.method)

    def _done(self, result: object, number: int, method: str) -> None:
        running = self._running.pop(number, None)
        if not isinstance(result, Failure):
            self._respond(number, result)
        elif result.check(CancelledError) and running is None:
            self._fail(Error(number, TIMED_OUT, f"{method} works for longer than you wait"))
        else:
            self._fail(_error(number, method, result))

    def _told(self, result: object, method: str) -> None:
        self._notified -= 1
        if isinstance(result, Failure) and not result.check(CancelledError):
            _note(result, method)

    def _respond(self, number: int, value: object) -> None:
        try:
            self._send(Response(number, value))
        except CannotCarry as error:
            code = TOO_LARGE if isinstance(error, TooLarge) else CANNOT_CARRY
            self._fail(Error(number, code, str(error)[:WORDS]))

    def _fail(self, error: Error) -> None:
        """Say why there is no value; if not even that can be said, say so."""
        try:
            self._send(error)
        except CannotCarry:  # half a character, or too many of four bytes for a small frame
            self._send(Error(error.number, FAILED, "it failed, with words that cannot be sent"))

    def _look(self, now: float) -> float:
        """Stop the methods whose callers wait no longer; return when the next is due."""
        late = [number for number, (_, due) in self._running.items() if due <= now]
        for number in late:
            if number in self._running:  # stopping one may have ended another
                self._running.pop(number)[0].cancel()
        return min((due for _, due in self._running.values()), default=inf)


def _note(failure: Failure, method: str) -> None:
    """Write down why a notification came to nothing."""
    if failure.check(CallRefused):
        words = str(failure.value)[:WORDS]
        _log.info("notification {method} refused: {words}", method=method, words=words)
    else:
        _log.failure("notification {method} failed", failure=failure, method=method)


def _error(number: int, method: str, failure: Failure) -> Error:
    """Return what the caller is told of a failure."""
    cause = failure.value
    if isinstance(cause, CallRefused | RemoteError):
        return Error(number, cause.code[:WORDS], cause.message[:WORDS])
    if isinstance(cause, CancelledError):
        return Error(number, CANCELLED, "the call was cancelled")
    _log.failure("{method} failed", failure=failure, method=method)
    words = f"{method} made a mistake: {type(cause).__name__}; see the agent's log"
    return Error(number, FAILED, words)
