"""What is remembered of a stream for people: the last day, titles and gaps (*INA figure 4*).

Bounded and small, for there are hundreds of streams: a day of points takes 8 KB.
"""

from array import array
from collections import deque
from collections.abc import Iterator

from attrs import frozen

EVERY = 300.0  # seconds between two points
_POINTS = 288  # a day
_EVENTS = 20  # titles, gaps and failures remembered of each kind


@frozen
class Point:
    """How a stream stood.

    Attributes:
        at: when, in seconds since the epoch.
        rate: bits a second that came in since the point before.
        buffered: seconds of signal that came ahead.
        ratio: as in `StreamStatus`.
        skew: likewise.
        heard: part of the time since the point before in which it was received, 0 to 1.
    """

    at: float
    rate: float
    buffered: float
    ratio: float
    skew: float
    heard: float


@frozen
class Event:
    """What happened to a stream.

    Attributes:
        date: when, 20 digits.
        text: a title, or why it broke off or could not be received.
        until: of a gap, the date at which it ended; else empty.
    """

    date: str
    text: str
    until: str = ""


class History:
    """The last day of a stream.

    Attributes:
        titles: the last ones, oldest first.
        gaps: likewise, breaks with their ends.
        failures: likewise, attempts that brought nothing.
    """

    def __init__(self) -> None:
        self.titles: deque[Event] = deque(maxlen=_EVENTS)
        self.gaps: deque[Event] = deque(maxlen=_EVENTS)
        self.failures: deque[Event] = deque(maxlen=_EVENTS)
        self._times = array("d")
        self._values = array("f")

    def add(self, point: Point) -> None:
        """Remember a point, and forget the one of a day before."""
        if len(self._times) >= _POINTS:
            del self._times[0]
            del self._values[:5]
        self._times.append(point.at)
        self._values.extend((point.rate, point.buffered, point.ratio, point.skew, point.heard))

    def points(self) -> Iterator[Point]:
        """Yield the points, oldest first."""
        for number, at in enumerate(self._times):
            yield Point(at, *self._values[number * 5 : number * 5 + 5])
