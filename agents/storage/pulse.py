"""What an agent's page tells of its course: how quickly its totals grow, and what went wrong."""

from collections import deque
from collections.abc import Callable, Iterable

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.interfaces import IReactorTime
from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent, globalLogPublisher
from zope.interface import implementer

from agents import dates
from agents.page import Curve, Log, Section, Series
from agents.storage.figures import Figure
from anet.tasks import Tasks, every

SAMPLE_EVERY = 2.0  # seconds between two points of a curve
TROUBLES_KEPT = 30
LINE_LIMIT = 400  # characters of a line shown

_TROUBLE = (LogLevel.warn, LogLevel.error, LogLevel.critical)


@define
class _Course:
    """A total, what it was at the last sample, and the points of its rate."""

    title: str
    unit: str
    read: Callable[[], float]
    seen: float = 0.0
    rates: Series = field(factory=Series)


@implementer(ILogObserver)
class Pulse(Service):
    """Samples totals, and keeps the newest warnings and errors that the agent has logged.

    Attributes:
        troubles: lines of the log, newest last.
    """

    def __init__(self, clock: IReactorTime, figures: Iterable[Figure]) -> None:
        """Sample the figures that have the unit of a rate."""
        self._clock = clock
        self._tasks = Tasks()
        self._courses = [
            _Course(figure.label.capitalize(), figure.rate, figure.read)
            for figure in figures
            if figure.rate
        ]
        self._sampled = clock.seconds()
        self.troubles: deque[str] = deque(maxlen=TROUBLES_KEPT)

    def startService(self) -> None:
        """Begin to sample, and to listen to the log."""
        super().startService()
        globalLogPublisher.addObserver(self)
        self._tasks.start(every(self._clock, SAMPLE_EVERY, self.sample), "samples")

    async def stopService(self) -> None:
        """Sample no more."""
        super().stopService()
        globalLogPublisher.removeObserver(self)
        await self._tasks.stop()

    def sample(self) -> None:
        """Add a point to each curve."""
        now = self._clock.seconds()
        passed, self._sampled = max(now - self._sampled, 0.001), now
        for course in self._courses:
            total = course.read()
            course.rates.add(now, max(0.0, total - course.seen) / passed)
            course.seen = total

    def sections(self) -> list[Section]:
        """Return the curves, and what went wrong, for a page."""
        curves = [Curve(course.title, course.rates, course.unit) for course in self._courses]
        return [*curves, Log("Warnings and errors", list(reversed(self.troubles)), "None.")]

    def __call__(self, event: LogEvent) -> None:
        """Take note of an event of the log."""
        if event.get("log_level") in _TROUBLE:
            when = dates.to_words(dates.from_timestamp(event["log_time"]))
            self.troubles.append(f"{when} {formatEvent(event).partition(chr(10))[0][:LINE_LIMIT]}")
