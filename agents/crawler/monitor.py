"""What people watch of a crawl and no report needs: extremes, and what went wrong last."""

from collections import deque
from collections.abc import Iterator
from heapq import heappush, heappushpop

from agents.page import Series

KEPT = 12


class Extremes:
    """Keeps the names with the largest measures, in constant memory.

    Args:
        kept: how many.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._heap: list[tuple[float, str]] = []

    def add(self, measure: float, name: str) -> None:
        """Take a measure into account."""
        if len(self._heap) < self._kept:
            heappush(self._heap, (measure, name))
        elif measure > self._heap[0][0]:
            heappushpop(self._heap, (measure, name))

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Give names and measures, the largest first."""
        return iter([(name, measure) for measure, name in sorted(self._heap, reverse=True)])


class Monitor:
    """What one crawl shows people beside its figures and findings.

    Attributes:
        slowest: URLs by the seconds that their answers took.
        largest: URLs by the bytes of their bodies.
        errors: the last URLs that gave no answer: date, URL, reason; newest first.
        queued: URLs that wait, over time.
    """

    def __init__(self) -> None:
        self.slowest = Extremes()
        self.largest = Extremes()
        self.errors: deque[tuple[str, str, str]] = deque(maxlen=KEPT)
        self.queued = Series()

    def answered(self, url: str, seconds: float, size: int) -> None:
        """Take note of an answer."""
        self.slowest.add(seconds, url)
        self.largest.add(size, url)

    def failed(self, date: str, url: str, reason: str) -> None:
        """Take note of a URL that gave no answer."""
        self.errors.appendleft((date, url, reason))
