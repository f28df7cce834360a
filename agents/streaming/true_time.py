"""True time: how the clock of a source goes against ours (*INA §1.6*). Pure.

Signal can be late, never early: what comes at a moment was encoded before. So of points near each
other the one that is least late tells most, and a line along those is the course of the source's
clock, whatever networks and servers did in between.
"""

from collections import deque
from statistics import median

from attrs import frozen

BLOCKS = 256  # stretches of time of which a point is kept, at most
RECENT = 60.0  # seconds in which the least late point tells where the signal is now
SETTLING = 30.0  # seconds in which a server may send what it holds, faster than it is made
ENOUGH = 300.0  # seconds before which nothing is said of the ratio
SURE = 1e-3  # error of the ratio above which it is not told
PARTS = 6  # of the time over which slopes are taken: a step spoils a fifth of them


@frozen
class Point:
    """So much signal had come when it was so late; both in seconds, from any beginning."""

    real: float
    signal: float

    @property
    def lead(self) -> float:
        """By how much the signal is ahead of real time."""
        return self.signal - self.real


def _less_late(one: Point, other: Point) -> Point:
    return other if other.lead > one.lead else one


def second_in(ratio: float, error: float) -> float:
    """Return the seconds in which signal and real time come a second apart; 0 for never.

    Args:
        ratio: seconds of signal in a second of real time; 0 while unknown.
        error: by which it may be wrong; what is less apart than that is not apart.
    """
    apart = ratio - 1
    return 1 / apart if ratio and abs(apart) > error else 0.0


class TrueTime:
    """Estimates how many seconds of signal come in a second, from one connection's points.

    The ratio is the median of slopes between points a sixth of the time apart, each the least
    late of its stretch (after Theil and Sen). A day's points become 256 at most, so that memory
    and work stay as they are however long it lasts.

    Args:
        prior: the ratio that an earlier connection told; it is held until this one tells its own.
    """

    def __init__(self, prior: float = 0.0) -> None:
        self._prior = prior
        self._width = 8.0  # seconds of a stretch
        self._blocks: list[Point] = []
        # Of the last minute, those that none behind them is less late than: the first is the
        # least late of all, and the last is now.
        self._recent: deque[Point] = deque(maxlen=64)
        self._began = 0.0
        self._settled: Point | None = None  # the least late one, soon after the beginning
        self._known = 0, 0.0, 0.0  # blocks seen, ratio, error

    def add(self, real: float, signal: float) -> None:
        """Take a point; one at which no more had come than before is left out.

        Args:
            real: the time, in seconds from anywhere, by a clock that is never put back.
            signal: seconds of signal that came since this connection began.
        """
        last = self._recent[-1] if self._recent else None
        if last and (real < last.real or signal <= last.signal):
            return
        point = Point(real, signal)
        if self._settled is None:
            self._began, self._settled = real, point
        elif real - self._began <= 2 * SETTLING:
            self._settled = _less_late(self._settled, point)
        while self._recent and real - self._recent[0].real > RECENT:
            self._recent.popleft()
        while self._recent and self._recent[-1].lead < point.lead:
            self._recent.pop()
        self._recent.append(point)
        if real - self._began > SETTLING:
            self._keep(point)

    def _keep(self, point: Point) -> None:
        """Have a point stand for its stretch of time, if it is less late than others there."""
        last = self._blocks[-1] if self._blocks else None
        if last and last.real // self._width == point.real // self._width:
            self._blocks[-1] = _less_late(last, point)
            return
        self._blocks.append(point)
        if len(self._blocks) > BLOCKS:  # then stretches become twice as long
            self._width *= 2
            blocks, self._blocks = self._blocks, []
            for each in blocks:
                self._keep(each)

    @property
    def ratio(self) -> float:
        """Seconds of signal in a second of real time (*rapport*); 0 as long as it is unknown."""
        return self._estimate()[0] or self._prior

    @property
    def error(self) -> float:
        """About how wrong this connection's own ratio may be; 0 as long as there is none."""
        return self._estimate()[1]

    def _estimate(self) -> tuple[float, float]:
        """Return ratio and error, which change with each new stretch."""
        if self._known[0] != len(self._blocks):
            self._known = len(self._blocks), *self._fit()
        return self._known[1:]

    def _fit(self) -> tuple[float, float]:
        points = self._blocks[:-1]  # the last stretch has only begun
        apart = len(points) // PARTS
        if apart < 2 or points[-1].real - points[0].real < ENOUGH:
            return 0.0, 0.0
        slopes = [
            (late.signal - early.signal) / (late.real - early.real)
            for early, late in zip(points, points[apart:], strict=False)
        ]
        ratio = median(slopes)
        spread = median(abs(slope - ratio) for slope in slopes)
        error = 1.5 * spread / len(slopes) ** 0.5
        return (ratio, error) if error <= SURE and ratio > 0.0 else (0.0, 0.0)

    @property
    def skew(self) -> float:
        """Seconds by which the signal has come apart from real time (*décalage*).

        Not counted is what a server sent ahead at the beginning: that is `ahead`.
        """
        if self._settled is None:
            return 0.0
        return self._recent[0].lead - self._settled.lead

    @property
    def ahead(self) -> float:
        """Seconds of signal that have come and are not due yet (*buffering*).

        About what a server sent ahead at the beginning; less while the network holds it up.
        """
        return self._recent[-1].lead + self._began - self.skew if self._recent else 0.0

    @property
    def second_in(self) -> float:
        """Seconds in which signal and real time come a second apart; 0 for never, or unknown.

        Negative where the signal falls behind: *-1 sec / 5 min 26.7 sec* (*INA figure 4*).
        """
        return second_in(self.ratio, self.error)

    def signal_of(self, real: float) -> float:
        """Return how much signal will have come at a time, or had come at one not long ago."""
        point = self._anchor()
        return point.signal + (real - point.real) * (self.ratio or 1.0)

    def real_of(self, signal: float) -> float:
        """Return when so much signal will have come, or had come not long ago."""
        point = self._anchor()
        return point.real + (signal - point.signal) / (self.ratio or 1.0)

    def _anchor(self) -> Point:
        return self._recent[0] if self._recent else Point(0.0, 0.0)
