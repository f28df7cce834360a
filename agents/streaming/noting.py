"""When real time and signal time are noted together, so that a date leads to its sound. Pure.

Readers divide evenly what lies between two entries. So there is one at regular intervals, and two
where the signal leaps ahead, as when a server sends what it has held, or stays behind, as when
some of it is lost. What only comes late, because a network holds it up for a while, was on the air
when its time was: such moments are left to those that are on time (*INA §1.6*).
"""

from collections import deque
from math import inf

from attrs import frozen

LEAP = 0.5  # seconds by which the signal leaps ahead, or stays behind, for entries of its own
ON_TIME = 0.25  # seconds by which a moment may be late
PATIENCE = 40  # moments among which the least late is taken, and after which it stays behind
LEAPS = 20  # ahead in a piece that are noted: the clocks of some streams cannot be trusted


@frozen
class Moment:
    """A moment at which more of the signal had come.

    Attributes:
        at: when, in seconds.
        signal: seconds of signal that had come.
        byte: up to which they had come.
    """

    at: float
    signal: float
    byte: int

    @property
    def lead(self) -> float:
        """By how much the signal is ahead of the time."""
        return self.signal - self.at


class Noting:
    """Chooses the moments of a piece that become its entries.

    Args:
        interval: seconds between two of them.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval

    def begin(self, first: Moment) -> None:
        """Begin a piece, which always has an entry at its first byte."""
        self._noted = self._on_time = first
        self._after: Moment | None = None  # the one that followed it
        self._recent: deque[Moment] = deque(maxlen=PATIENCE)
        self._best = -inf  # lead of the least late of those
        self._leaps = 0

    @property
    def is_on_time(self) -> bool:
        """Whether the last moment is; then a piece is best ended, for that is noted too."""
        return self._after is None

    def take(self, moment: Moment) -> list[Moment]:
        """Return the moments that are to be noted now: of the last ones, or none."""
        last = self._recent[-1] if self._recent else self._noted
        if moment.at <= last.at or moment.signal <= last.signal:
            return []
        on_time, after = self._on_time, self._after or moment
        self._recent.append(moment)
        waited = len(self._recent) == PATIENCE  # then the best may be among those forgotten
        self._best = best = self._best_lead() if waited else max(self._best, moment.lead)
        behind = best < self._noted.lead - LEAP
        if moment.lead >= max(best, self._noted.lead) - ON_TIME:
            self._on_time, self._after = moment, None
        else:
            self._after = after
        if moment.lead > self._noted.lead + LEAP and self._leaps < LEAPS:
            self._leaps += 1
            return self._note(on_time, moment)
        if behind and waited:
            return self._note(on_time, after, self._latest(best))
        sure = waited or best >= self._noted.lead - ON_TIME
        if sure and moment.at - self._noted.at >= self._interval:
            return self._note(self._latest(best))
        return []

    def _latest(self, best: float) -> Moment:
        """Return the latest moment that is hardly later than the least late."""
        return next(each for each in reversed(self._recent) if each.lead >= best - ON_TIME / 2)

    def _note(self, *moments: Moment) -> list[Moment]:
        """Have the last of some moments be the one from which it goes on."""
        noted = [each for each in moments if each is not self._noted]
        self._noted = self._on_time = moments[-1]
        later = [each for each in self._recent if each.at > self._noted.at]
        self._recent = deque(later, maxlen=PATIENCE)
        self._best = self._best_lead()
        self._after = later[0] if later else None
        return noted

    def _best_lead(self) -> float:
        return max((each.lead for each in self._recent), default=-inf)
