"""The calls over one link that wait for the peer's answer.

IN LINE --an earlier one is answered--> ASKED --response, error--> answered
IN LINE, ASKED --deadline, cancelled, link lost--> given up
"""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from hip.codecs import MESSAGEPACK
from hip.deadlines import Deadlines
from hip.errors import (
    CallTimedOut,
    CannotCarry,
    ConnectionLost,
    HipError,
    Overloaded,
    ProtocolError,
    RemoteError,
)
from hip.messages import Cancellation, Error, Message, Request, Response


class Answer(Deferred[Any]):
    """Fires with the answer to one call.

    Attributes:
        number: of the call.
    """

    number: int


class Calls:
    """What we have asked, by number.

    Args:
        clock: tells the time.
        send: sends a message; does nothing on a link that is closed.
        line: calls that may stand in line.

    Attributes:
        at_once: calls that the peer answers at once; others stand in line.
        latency: seconds that a recent call took, however it ended.
    """

    __slots__ = (
        "_clock", "_deadlines", "_last", "_limit", "_line", "_sampled", "_sampled_at", "_send",
        "_waiting", "at_once", "latency",
    )  # fmt: skip

    def __init__(self, clock: IReactorTime, send: Callable[[Message], None], line: int) -> None:
        self.at_once = 1
        self.latency: float | None = None
        self._clock = clock
        self._send = send
        self._limit = line
        self._last = 0  # number of the last call
        self._waiting: dict[int, tuple[Answer, float, str]] = {}  # when it is due, of which method
        self._line: dict[int, Request] = {}
        self._deadlines: Deadlines | None = None  # none until the first call
        self._sampled = 0  # number of the call whose latency is measured, if any is
        self._sampled_at = 0.0  # when it began

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(self, method: str, arguments: dict[str, Any], timeout: float) -> Deferred[Any]:
        """Ask, and return what fires with the answer; cancelling it tells the callee to stop.

        Raises:
            CannotCarry: the arguments have no form on the wire, or do not fit in a frame.
            Overloaded: the line is full.
        """
        number = self._last + 1
        request = Request(number, method, arguments, timeout)
        if len(self._waiting) < self.at_once:
            self._send(request)
        else:
            self._stand_in_line(request)
        self._last = number
        now = self._clock.seconds()
        due = now + timeout
        answer = Answer(self._cancelled)
        answer.number = number
        self._waiting[number] = (answer, due, method)
        if self._deadlines is None:
            self._deadlines = Deadlines(self._clock, self._look)
        if due < self._deadlines.soonest:  # seldom: a later call is mostly due later
            self._deadlines.expect(due)
        if not self._sampled:
            self._sampled, self._sampled_at = number, now
        return answer

    def take(self, responses: Iterable[Response]) -> None:
        """Give values to whoever waits for them.

        Raises:
            ProtocolError: there never was a call of that number.
        """
        pop, end, line = self._waiting.pop, self._end, self._line
        for response in responses:
            number = response.number
            if line and number in line:
                raise _never_asked(number)
            waiting = pop(number, None)
            if waiting is None or number == self._sampled or line:
                end(number, waiting is not None)
            if waiting is not None:
                waiting[0].callback(response.value)

    def take_errors(self, errors: Iterable[Error]) -> None:
        """Tell those who wait why there is no value.

        Raises:
            ProtocolError: there never was a call of that number.
        """
        for error in errors:
            if error.number in self._line:
                raise _never_asked(error.number)
            waiting = self._waiting.pop(error.number, None)
            self._end(error.number, waiting is not None)
            if waiting is not None:
                waiting[0].errback(Failure(RemoteError(error.code, error.words)))

    def lose(self, reason: str) -> None:
        """Fail every call, because the link ended."""
        self._line.clear()
        if self._deadlines is not None:
            self._deadlines.end()
        while self._waiting:  # one failure may lead to others being cancelled
            _, (answer, *_) = self._waiting.popitem()
            answer.errback(ConnectionLost(f"the link ended: {reason}"))

    def _end(self, number: int, is_waiting: bool) -> None:
        """Note that a call has ended.

        One that was given up may still be answered, and that is let go.
        """
        if not is_waiting and number > self._last:
            raise _never_asked(number)
        if number == self._sampled:
            self.latency = self._clock.seconds() - self._sampled_at
            self._sampled = 0
        if self._line:
            self._ask_next()

    def _stand_in_line(self, request: Request) -> None:
        if len(self._line) >= self._limit:
            raise Overloaded(f"{len(self._waiting)} calls wait already: try later")
        # A copy, for the caller may change the values before they are sent.
        arguments = MESSAGEPACK.decode(MESSAGEPACK.encode(request.arguments))
        self._line[request.number] = Request(
            request.number, request.method, arguments, request.patience
        )

    def _ask_next(self) -> None:
        while self._line and len(self._waiting) - len(self._line) < self.at_once:
            number = next(iter(self._line))
            try:
                self._send(self._line.pop(number))
            except CannotCarry as error:
                self._waiting.pop(number)[0].errback(error)

    def _cancelled(self, answer: Deferred[Any]) -> None:
        assert isinstance(answer, Answer)
        self._give_up(answer.number)

    def _give_up(self, number: int, error: HipError | None = None) -> None:
        in_line = self._line.pop(number, None)
        waiting = self._waiting.pop(number, None)
        if in_line is None:  # said before the next is asked, which may need the room
            self._send(Cancellation(number))
        self._end(number, waiting is not None)
        if waiting is not None and error is not None:
            waiting[0].errback(error)

    def _look(self, now: float) -> float:
        """Give up the calls that are due; return when the next one is."""
        soonest = inf
        due = []
        for number, (_, when, method) in self._waiting.items():
            if when <= now:
                due.append((number, method))
            elif when < soonest:
                soonest = when
        for number, method in due:
            if number in self._waiting:  # giving up one may have cancelled another
                self._give_up(number, CallTimedOut(f"no answer to {method} in time"))
        return soonest


def _never_asked(number: int) -> ProtocolError:
    return ProtocolError(f"an answer to request {number}, which was never asked")
