"""What the peer has asked over one link, and the answers that go back."""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from hip.errors import (
    CANCELLED,
    FAILED,
    OVERLOADED,
    TOO_LARGE,
    CallRefused,
    ProtocolError,
    RemoteError,
    TooLarge,
)
from hip.messages import Error, Message, Notification, Request, Response

_log = Logger()
WORDS = 400  # characters of an error that are sent; they fit in the smallest frame

Run = Callable[[str, dict[str, Any]], Any]


class Answers:
    """The methods that run here because the peer asked.

    Args:
        run: calls a method with its arguments; plain, a coroutine, or a Deferred.
        send: sends a message; does nothing on a link that is closed.
        limit: requests, and again notifications, that may run at once.
    """

    def __init__(self, run: Run, send: Callable[[Message], None], limit: int) -> None:
        self._run = run
        self._send = send
        self._limit = limit
        self._running: dict[int, Deferred[Any]] = {}
        self._notified = 0  # notifications whose methods still run

    def __len__(self) -> int:
        return len(self._running)

    def answer(self, request: Request) -> None:
        """Run what a request asks for, and send what comes of it.

        Raises:
            ProtocolError: a request of that number is being answered already.
        """
        if request.number in self._running:
            raise ProtocolError(f"request {request.number} is asked twice")
        if len(self._running) >= self._limit:
            words = f"{len(self._running)} calls are being answered; ask again later"
            self._send(Error(request.number, OVERLOADED, words))
            return
        running = maybeDeferred(self._run, request.method, request.arguments)
        self._running[request.number] = running

        def done(result: object) -> None:
            self._running.pop(request.number, None)
            self._send_result(request, result)

        running.addBoth(done)

    def be_told(self, notification: Notification) -> None:
        """Run what a notification asks for; those that would pass the limit are let go."""
        method = notification.method
        if self._notified >= self._limit:
            _log.warn("too many notifications at once; {method} is let go", method=method)
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

        maybeDeferred(self._run, method, notification.arguments).addBoth(ended)

    def cancel(self, number: int) -> None:
        """Stop the method that works on a request, if it still does."""
        if number in self._running:
            self._running[number].cancel()

    def stop(self) -> None:
        """Stop all that works on requests, because nobody is left to answer."""
        for running in list(self._running.values()):
            running.cancel()

    def _send_result(self, request: Request, result: object) -> None:
        if isinstance(result, Failure):
            self._send(self._error(request, result))
            return
        try:
            self._send(Response(request.number, result))
        except TooLarge as error:
            self._send(Error(request.number, TOO_LARGE, str(error)[:WORDS]))

    @staticmethod
    def _error(request: Request, failure: Failure) -> Error:
        cause = failure.value
        if isinstance(cause, CallRefused | RemoteError):
            return Error(request.number, cause.code[:WORDS], cause.message[:WORDS])
        if isinstance(cause, CancelledError):
            return Error(request.number, CANCELLED, "the call was cancelled")
        _log.failure("{method} failed", failure=failure, method=request.method)
        words = f"{request.method} made a mistake: {type(cause).__name__}; see the agent's log"
        return Error(request.number, FAILED, words)
