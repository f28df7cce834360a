"""A body on its way in: from the connection that hears it to the sink that takes it.

Both sides of HTTP use it. Pieces wait here while the sink is busy; the connection is then held
back, so that at most what was already read from the socket waits.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from anet.errors import BodyTooLarge, ConnectionBroken

Sink = Callable[[bytes], "Deferred[Any] | None"]


def _nothing(*_: object) -> None:
    """Do nothing."""


class IncomingBody:
    """A body, taken once.

    Attributes:
        whole: whether all of it has come.
        on_wanted: called when somebody begins to take it.
        on_hold: called with True when no more can be taken, with False when it can again.
        on_taken: called once, when the sink has taken the whole body, before `deliver` fires.
        on_refused: called with the body when the sink failed or the taking was cancelled, before
            `deliver` fails.
    """

    def __init__(self) -> None:
        self.whole = False
        self.on_wanted: Callable[[], None] = _nothing
        self.on_hold: Callable[[bool], None] = _nothing
        self.on_taken: Callable[[], None] = _nothing
        self.on_refused: Callable[[IncomingBody], None] = _nothing
        self._pieces: deque[bytes] = deque()
        self._sink: Sink | None = None
        self._done: Deferred[int] | None = None
        self._error: Exception | None = None
        self._size = 0
        self._holding = False  # the connection is held back
        self._pausing = False  # the sink has asked to wait

    # The reader's side

    def deliver(self, sink: Sink) -> Deferred[int]:
        """Give the body to `sink`, piece by piece, as it arrives.

        Args:
            sink: takes each piece; a Deferred it returns holds the sender back until it fires.

        Returns:
            Fires with the size of the body in bytes; fails as the sink did.

        Raises:
            HttpError: the body did not come whole, or was taken already.
        """
        done: Deferred[int] = Deferred(lambda _: self._refuse(None))
        if self._error is not None:
            done.errback(self._error)
        elif self._sink is not None:
            done.errback(ConnectionBroken("the body was taken already"))
        else:
            self._sink, self._done = sink, done
            if not self.whole:
                self.on_wanted()
            self._pump()
        return done

    async def read(self, limit: int) -> bytes:
        """Return the body.

        Raises:
            BodyTooLarge: it has more than `limit` bytes.
            HttpError: it did not come whole, or was taken already.
        """
        pieces: list[bytes] = []

        def collect(piece: bytes) -> None:
            if self._size > limit:
                raise BodyTooLarge(f"the body passes {limit} bytes")
            pieces.append(piece)

        await self.deliver(collect)
        whole = b"".join(pieces)
        pieces.clear()  # which the sink holds, and a connection that is kept holds the sink
        return whole

    def discard(self) -> None:
        """Let the rest of the body pass unread."""
        self._pieces.clear()
        self._sink, self._pausing = _nothing, False
        self._hold(False)

    # The connection's side

    def take(self, piece: bytes) -> None:
        """Take a piece from the connection."""
        self._pieces.append(piece)
        self._pump()
        if self._pieces:
            self._hold(True)

    def put(self, pieces: Iterable[bytes]) -> None:
        """Take a whole body from the connection, before anybody asked for it."""
        self._pieces.extend(pieces)
        self.whole = True

    def end(self) -> None:
        """Take note that the body is whole."""
        self.whole = True
        self._pump()

    def fail(self, error: Exception) -> None:
        """Take note that the rest of the body will not come."""
        if not self.whole and self._error is None:
            self._error = error
            self._pieces.clear()
            self._settle(Failure(error))

    # Between the two

    def _pump(self) -> None:
        """Give what waits to the sink until it asks to wait."""
        while self._pieces and self._sink is not None and not self._pausing:
            piece = self._pieces.popleft()
            self._size += len(piece)
            try:
                pause = self._sink(piece)
            except Exception:
                self._refuse(Failure())
                return
            if pause is None or _is_over(pause):
                continue  # without a call, lest many small pieces pile up on the stack
            self._pausing = True
            self._hold(True)
            pause.addCallbacks(self._resume, self._refuse)
        if self._sink is not None and not self._pausing and not self._pieces:
            self._hold(False)
            if self.whole and self._done is not None:
                self.on_taken()
                self._settle(self._size)

    def _resume(self, _: object) -> None:
        if self._pausing:
            self._pausing = False
            self._pump()

    def _refuse(self, failure: Failure | None) -> None:
        """End the taking as its sink did; without a failure the reader was cancelled."""
        if self._done is None:
            return
        self._error = self._error or ConnectionBroken("the body was given up")
        self.discard()
        self.on_refused(self)
        if failure is None:
            self._done = None  # a cancelled Deferred fails by itself
        else:
            self._settle(failure)

    def _settle(self, result: int | Failure) -> None:
        done, self._done = self._done, None
        if done is not None:
            done.callback(result)

    def _hold(self, hold: bool) -> None:
        if hold is not self._holding:
            self._holding = hold
            self.on_hold(hold)


def _is_over(pause: Deferred[Any]) -> bool:
    """Tell whether a Deferred has fired, and well."""
    return bool(pause.called) and not isinstance(pause.result, Failure | Deferred)
