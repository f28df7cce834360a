"""Many deadlines, one timer.

A timer a call would cost more than the call. The timer is set for the soonest deadline; when it
rings, all are looked at, which is seldom: most calls are answered long before.
"""

from collections.abc import Callable
from math import inf

from twisted.internet.interfaces import IReactorTime

from anet import deadline


class Deadlines:
    """Rings when the soonest of many deadlines has come.

    Args:
        clock: tells the time.
        look: called with the time; ends what is due, and returns the soonest deadline left.

    Attributes:
        soonest: when it will ring; infinity when nothing is due.
    """

    __slots__ = ("_clock", "_look", "_timer", "soonest")

    def __init__(self, clock: IReactorTime, look: Callable[[float], float]) -> None:
        self.soonest = inf
        self._clock = clock
        self._look = look
        self._timer = deadline.Deadline(clock, self._ring)

    def expect(self, due: float) -> None:
        """Ring at `due`, if not before."""
        if due < self.soonest:
            self.soonest = due
            self._timer.set(max(0, due - self._clock.seconds()))

    def end(self) -> None:
        """Do not ring any more."""
        self.soonest = inf
        self._timer.stop()

    def _ring(self) -> None:
        self.soonest = inf
        self.expect(self._look(self._clock.seconds()))


class Deadline:
    """When a call must have been answered; a method that has a parameter `deadline` is given it.

    Attributes:
        due: the time, by the agent's clock.
    """

    __slots__ = ("_clock", "due")

    def __init__(self, clock: IReactorTime, patience: float) -> None:
        self._clock = clock
        self.due = clock.seconds() + patience

    @property
    def left(self) -> float:
        """Seconds left, never less than a hundredth."""
        return max(0.01, self.due - self._clock.seconds())
