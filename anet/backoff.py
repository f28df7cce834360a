"""How long to wait before trying again."""

from collections.abc import Callable
from random import random


class Backoff:
    """Waits that grow from `first` to `longest` seconds, spread so that crowds disperse."""

    def __init__(
        self,
        first: float = 0.5,
        longest: float = 30.0,
        factor: float = 2.0,
        chance: Callable[[], float] = random,
    ) -> None:
        self._first, self._longest, self._factor, self._chance = first, longest, factor, chance
        self._next = first

    def next(self) -> float:
        """Return the seconds to wait now, between half and the whole of the current step."""
        step = self._next
        self._next = min(self._longest, step * self._factor)
        return step * (0.5 + self._chance() / 2)

    def reset(self) -> None:
        """Begin again at the first step, because something worked."""
        self._next = self._first
