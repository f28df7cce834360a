"""What a connectivity agent has done since its start, for pages and metrics."""

from collections import deque
from collections.abc import Sequence

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents import dates
from agents.connectivity.deposit import Deposit
from agents.deposit import DepositFigures
from agents.page import Series

_KEPT = 50  # lines, and finished deposits

_log = Logger()


class Tallies:
    """Sums, curves and errors.

    Attributes:
        deposits: how many were done.
        failures: how many were given up.
        discarded: folders removed.
        ended: the latest deposits done, with the date of their end, newest first.
        captures: curve of captures recorded a second.
        bytes: curve of bytes stored a second.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self.deposits = self.failures = self.discarded = 0
        self.ended: deque[tuple[str, str, DepositFigures]] = deque(maxlen=_KEPT)
        self.captures, self.bytes = Series(), Series()
        self._errors: deque[str] = deque(maxlen=_KEPT)
        self._clock = clock
        self._recorded = self._stored = self._contents = 0
        self._last: tuple[float, int, int] | None = None

    def done(self, crawl: str, figures: DepositFigures) -> None:
        """Take note of a deposit that is done."""
        self.deposits += 1
        self._recorded += figures.captures_recorded
        self._stored += figures.bytes_stored
        self._contents += figures.contents_stored
        self.ended.appendleft((crawl, self._now(), figures))
        if figures.captures_missing:
            self._errors.append(
                f"{dates.to_iso(self._now())} {crawl}: {figures.captures_missing} captures left out"
            )

    def failed(self, crawl: str, reason: str) -> None:
        """Take note of a deposit that was given up."""
        self.failures += 1
        _log.warn("{crawl} is not deposited: {reason}", crawl=crawl, reason=reason)
        self._errors.append(f"{dates.to_iso(self._now())} {crawl}: {reason[:500]}")

    def errors(self) -> list[str]:
        """Return the latest errors, oldest first."""
        return list(self._errors)

    def sums(self, running: Sequence[Deposit]) -> dict[str, int]:
        """Return captures recorded, contents and bytes stored, with those under way."""
        under_way = [deposit.figures() for deposit in running]
        return {
            "captures": self._recorded + sum(each.captures_recorded for each in under_way),
            "contents": self._contents + sum(each.contents_stored for each in under_way),
            "bytes": self._stored + sum(each.bytes_stored for each in under_way),
        }

    def sample(self, running: Sequence[Deposit]) -> None:
        """Add a point to the curves."""
        now, sums = self._clock.seconds(), self.sums(running)
        captures, stored = sums["captures"], sums["bytes"]
        if self._last is not None and now > self._last[0]:
            seconds = now - self._last[0]
            self.captures.add(now, max(0, captures - self._last[1]) / seconds)
            self.bytes.add(now, max(0, stored - self._last[2]) / seconds)
        self._last = (now, captures, stored)

    def _now(self) -> str:
        return dates.now(self._clock)
