"""What went wrong lately, for people; everything also goes to the log."""

from collections import deque

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents import dates

_KEPT = 100  # lines
_LONGEST = 500  # characters of a line

_log = Logger()


class Journal:
    """The newest errors.

    Attributes:
        count: how many there were since the start.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self.count = 0
        self._clock = clock
        self._lines: deque[str] = deque(maxlen=_KEPT)

    def now(self) -> str:
        """Return the date, 20 digits."""
        return dates.from_timestamp(self._clock.seconds())

    def tell(self, text: str) -> None:
        """Log a step that went well; it is not kept."""
        _log.info("{text}", text=text)

    def add(self, text: str) -> None:
        """Note that something went wrong."""
        _log.warn("{text}", text=text)
        self.count += 1
        self._lines.append(f"{dates.to_iso(self.now())} {text[:_LONGEST]}")

    def lines(self) -> list[str]:
        """Return the newest lines, newest first."""
        return list(reversed(self._lines))
