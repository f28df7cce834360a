"""The calls over one link that wait for the peer's answer."""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from hip.errors import CallTimedOut, ConnectionLost, HipError, ProtocolError
from hip.messages import Cancellation, Message, Request


class Calls:
    """What we have asked, by number.

    Attributes:
        latency: seconds that the last call took, however it ended.
    """

    def __init__(self, clock: IReactorTime, send: Callable[[Message], None]) -> None:
        self.latency: float | None = None
        self._clock = clock
        self._send = send
        self._last_number = 0
        self._waiting: dict[int, Deferred[Any]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(self, method: str, arguments: dict[str, Any], timeout: float) -> Deferred[Any]:
        """Ask, and return what fires with the answer; cancelling it tells the callee to stop.

        Raises:
            TooLarge: the arguments do not fit in a frame; nothing was asked.
        """
        self._last_number = number = self._last_number + 1
        answer: Deferred[Any] = Deferred(lambda _: self._give_up(number))
        self._send(Request(number, method, arguments))
        self._waiting[number] = answer
        begun = self._clock.seconds()
        error = CallTimedOut(f"no answer to {method} in {timeout:g} seconds")
        late = self._clock.callLater(timeout, self._give_up, number, error)

        def settled(result: Any) -> Any:
            self._waiting.pop(number, None)
            self.latency = self._clock.seconds() - begun
            if late.active():
                late.cancel()
            return result

        return answer.addBoth(settled)

    def settle(self, number: int, result: object) -> None:
        """Give an answer to whoever waits; one that was given up may still come, and is let go.

        Raises:
            ProtocolError: there never was a call of that number.
        """
        answer = self._waiting.pop(number, None)
        if answer is None:
            if not 0 < number <= self._last_number:
                raise ProtocolError(f"an answer to request {number}, which was never asked")
        elif isinstance(result, Failure):
            answer.errback(result)
        else:
            answer.callback(result)

    def lose(self, reason: str) -> None:
        """Fail every call, because the link ended."""
        while self._waiting:  # one failure may lead to others being cancelled
            _, answer = self._waiting.popitem()
            answer.errback(ConnectionLost(f"the link ended: {reason}"))

    def _give_up(self, number: int, error: HipError | None = None) -> None:
        answer = self._waiting.pop(number, None)
        self._send(Cancellation(number))
        if answer is not None and error is not None:
            answer.errback(error)
