"""How far running crawls and deposits are, as their agents last said; lost with the process."""

from attrs import define, evolve, field, fields

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.page import Rate, Series
from agents.schedule import Totals
from agents.scheduler.database import Crawl


@define
class _Live:
    figures: CrawlFigures = field(factory=CrawlFigures)
    deposit: DepositFigures | None = None
    captures: Rate = field(factory=Rate)
    bytes: Rate = field(factory=Rate)


class Live:
    """Progress by the name of the attempt.

    Attributes:
        captures: curve of captures a second over all crawls.
        bytes: curve of bytes a second over all crawls.
    """

    def __init__(self) -> None:
        self.captures = Series()
        self.bytes = Series()
        self._attempts: dict[str, _Live | None] = {}  # none before it says something
        self._captures = Rate()
        self._bytes = Rate()

    def begin(self, attempt: str) -> None:
        """Expect progress of an attempt; that of others is not kept."""
        self._attempts.setdefault(attempt, None)

    def end(self, attempt: str) -> None:
        """Forget an attempt."""
        self._attempts.pop(attempt, None)

    def collected(self, attempt: str, figures: CrawlFigures, now: float) -> None:
        """Take what a crawler says of its progress."""
        live = self._expected(attempt)
        if live is None:
            return
        captures = max(0, figures.captures - live.figures.captures)
        received = max(0, figures.bytes_received - live.figures.bytes_received)
        live.figures = figures
        for rate, amount in (
            (live.captures, captures),
            (self._captures, captures),
            (live.bytes, received),
            (self._bytes, received),
        ):
            rate.add(now, amount)

    def deposited(self, attempt: str, figures: DepositFigures) -> None:
        """Take what a connectivity agent says of its progress."""
        live = self._expected(attempt)
        if live is not None:
            live.deposit = figures

    def _expected(self, attempt: str) -> _Live | None:
        """Return where progress of an attempt is kept; none if it is not expected."""
        if attempt not in self._attempts:
            return None
        live = self._attempts[attempt]
        if live is None:
            live = self._attempts[attempt] = _Live()
        return live

    def sample(self, now: float) -> None:
        """Add a point to the curves."""
        self.captures.add(now, self._captures.per_second(now))
        self.bytes.add(now, self._bytes.per_second(now))

    def rates(self, attempt: str | None, now: float) -> tuple[float, float]:
        """Return captures and bytes a second of an attempt."""
        live = self._attempts.get(attempt or "")
        if live is None:
            return 0.0, 0.0
        return live.captures.per_second(now), live.bytes.per_second(now)

    def of(self, crawl: Crawl) -> Crawl:
        """Return a crawl with the latest figures."""
        live = self._attempts.get(crawl.name or "")
        if live is None:
            return crawl
        ended = crawl.directory is not None  # then what the database holds is final
        return evolve(
            crawl,
            figures=crawl.figures if ended else live.figures,
            deposit=crawl.deposit or live.deposit,
        )

    def totals(self, finished: Totals, collecting: list[Crawl]) -> Totals:
        """Return sums over finished crawls and those being collected now."""
        sums = {one.name: getattr(finished, one.name) for one in fields(Totals)}
        for crawl in collecting:
            figures = self.of(crawl).figures
            for name in sums:
                sums[name] += getattr(figures, name, 0)
        return Totals(**sums)
