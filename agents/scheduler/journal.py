"""What went wrong lately, for people; everything also goes to the log."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from twisted.internet.defer import CancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents import dates
from agents.scheduler.life import NoSuchTransition
from anet.errors import AnetError
from hip import HipError

_KEPT = 100  # lines
_LONGEST = 500  # characters of a line
_STEPS = 50  # logged in a second; a log line costs as much as a step itself

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
        self._second = 0  # in which the last step was told
        self._steps = 0  # told in that second

    def now(self) -> str:
        """Return the date, 20 digits."""
        return dates.now(self._clock)

    def tell(self, text: str) -> None:
        """Log a step that went well; it is not kept, and of many in a second only some are told."""
        second = int(self._clock.seconds())
        if second != self._second:
            if self._steps > _STEPS:
                _log.info("and {count} steps more", count=self._steps - _STEPS)
            self._second, self._steps = second, 0
        self._steps += 1
        if self._steps <= _STEPS:
            _log.info("{text}", text=text)

    def add(self, text: str) -> None:
        """Note that something went wrong."""
        _log.warn("{text}", text=text)
        self.count += 1
        self._lines.append(f"{dates.to_iso(self.now())} {text[:_LONGEST]}")

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Note any error instead of raising it, so that a loop that repeats its work goes on."""
        try:
            yield
        except CancelledError:  # of a loop that is stopped
            raise
        except (AnetError, HipError, NoSuchTransition) as error:
            self.add(f"{what}: {error}")
        except Exception as error:
            _log.failure("{what}", what=what)
            self.add(f"{what}: {type(error).__name__}: {error}")

    def lines(self) -> list[str]:
        """Return the newest lines, newest first."""
        return list(reversed(self._lines))
