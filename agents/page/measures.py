"""Measures an agent keeps of itself, bounded in memory; the clock's reading is passed in."""

from collections import deque
from collections.abc import Iterator
from math import floor


class Series:
    """The newest points of a figure over time, for a `Curve`."""

    def __init__(self, size: int = 300) -> None:
        """Keep the newest `size` points."""
        self._points: deque[tuple[float, float]] = deque(maxlen=size)

    def add(self, time: float, value: float) -> None:
        """Note that the figure is `value` at `time`, in seconds."""
        self._points.append((time, value))

    @property
    def last(self) -> float | None:
        """The newest value, or None."""
        return self._points[-1][1] if self._points else None

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return iter(tuple(self._points))

    def __len__(self) -> int:
        return len(self._points)


class Rate:
    """How much happens per second, as a mean over the last `window` whole seconds."""

    def __init__(self, window: int = 10) -> None:
        self._window = window
        self._amounts: deque[tuple[int, float]] = deque(maxlen=window + 1)
        self._started: float | None = None
        self.total = 0.0

    def add(self, now: float, amount: float = 1.0) -> None:
        """Count `amount` at `now`, in seconds; a clock that goes back counts in the last second."""
        if self._started is None:
            self._started = now
        self.total += amount
        second = floor(now)
        if self._amounts and self._amounts[-1][0] >= second:
            second, before = self._amounts.pop()
            amount += before
        self._amounts.append((second, amount))

    def per_second(self, now: float) -> float:
        """Return the mean a second over the window that ends at `now`."""
        if self._started is None:
            return 0.0
        oldest = floor(now) - self._window
        recent = sum(amount for second, amount in self._amounts if second > oldest)
        return recent / min(self._window, max(1.0, now - self._started))
