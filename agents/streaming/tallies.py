"""What is counted of a stream, over all its receptions."""

from collections import deque
from typing import Any

from attrs import evolve

from agents.stream import StreamStatus
from agents.streaming.history import EVERY, Point
from anet.clock import wall

MINUTE = 60  # seconds over which a rate is taken


class Tallies:
    """Counts since the agent started.

    Attributes:
        gaps: breaks.
    """

    def __init__(self, reactor: Any) -> None:
        self.gaps = 0
        self._titles = self._pieces = self._received = 0  # of receptions that have ended
        self._reactor = reactor
        self._minute: deque[int] = deque(maxlen=MINUTE)  # bytes of each second
        self._sampled = reactor.seconds()
        self._sum = self._heard = 0  # bytes, and seconds with any, since then

    @property
    def rate(self) -> float:
        """Bits a second, over the last minute of reception."""
        return 8 * sum(self._minute) / max(1, len(self._minute))

    def minute(self) -> list[tuple[float, float]]:
        """Return bits a second in each second of the last minute, with its time."""
        now = self._reactor.seconds()
        oldest = len(self._minute) - 1
        return [(now - oldest + place, 8.0 * size) for place, size in enumerate(self._minute)]

    def came(self, size: int) -> None:
        """Count the bytes of a second."""
        self._minute.append(size)
        self._sum += size
        self._heard += size > 0

    def add(self, status: StreamStatus) -> None:
        """Count what a reception was that has ended."""
        self._titles += status.titles
        self.gaps += status.gaps
        self._pieces += status.pieces
        self._received += status.received
        self._minute.clear()

    def with_former(self, status: StreamStatus) -> StreamStatus:
        """Return the status of the present reception, with what former ones were."""
        return evolve(
            status,
            titles=status.titles + self._titles,
            gaps=status.gaps + self.gaps,
            pieces=status.pieces + self._pieces,
            received=status.received + self._received,
        )

    def is_sampled(self) -> bool:
        """Tell whether the next point of the curves is due."""
        return bool(self._reactor.seconds() >= self._sampled + EVERY)

    def sample(self, status: StreamStatus) -> Point:
        """Return it."""
        now = self._reactor.seconds()
        passed = now - self._sampled
        rate, heard = 8 * self._sum / passed, min(1.0, self._heard / passed)
        if status.doing == "following":  # which takes no part in the tide
            rate, heard = status.rate, float(status.rate > 0)
        self._sampled, self._sum, self._heard = now, 0, 0
        at = wall(self._reactor)
        return Point(at, rate, status.buffered, status.ratio, status.skew, heard)
