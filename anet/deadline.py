"""A time limit that moves often, at little cost."""

from collections.abc import Callable
from math import inf

from twisted.internet.interfaces import IDelayedCall, IReactorTime


class Deadline:
    """Calls `on_late` once a time has passed that was neither moved nor lifted.

    Moving it writes one number; the reactor's timer is set anew only when it rings too early.
    """

    def __init__(self, clock: IReactorTime, on_late: Callable[[], object]) -> None:
        self._clock = clock
        self._on_late = on_late
        self._at: float | None = None
        self._timer: IDelayedCall | None = None

    def set(self, seconds: float) -> None:
        """Ring `seconds` from now, unless moved or lifted; never, if they are infinite."""
        if seconds == inf:
            self.lift()
            return
        self._at = at = self._clock.seconds() + seconds
        timer = self._timer
        if timer is None:
            self._timer = self._clock.callLater(seconds, self._ring)
        elif timer.getTime() > at:
            timer.reset(seconds)

    def lift(self) -> None:
        """Do not ring; the timer stays, and finds nothing to do."""
        self._at = None

    def stop(self) -> None:
        """Never ring again, and leave no timer behind."""
        self._at = None
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _ring(self) -> None:
        self._timer = None
        if self._at is None:
            return
        left = self._at - self._clock.seconds()
        if left > 0:
            self._timer = self._clock.callLater(left, self._ring)
        else:
            self._at = None
            self._on_late()
