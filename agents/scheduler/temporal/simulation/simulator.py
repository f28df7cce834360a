"""What becomes of an archive's freshness when a policy walks through histories of change."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import ceil, inf
from typing import NamedTuple, Protocol

from attrs import field, frozen

from agents.scheduler.temporal.simulation.histories import SiteHistory

SAMPLES_PER_DAY = 4


class Visit(NamedTuple):
    """A crawl of a site: when, of which, and which of its levels."""

    day: float
    site: int
    levels: range


class Found(NamedTuple):
    """What a crawl found at one level."""

    pages: int
    changed: int


class Policy(Protocol):
    """Says who is collected when; it learns only what its own crawls find."""

    def next(self) -> Visit:
        """Return the next crawl; they come in order of time."""

    def learn(self, visit: Visit, found: Sequence[Found] | None) -> None:
        """Hear what a crawl found, level by level; None when nobody answered."""


@frozen
class Result:
    """What a simulation gave.

    Attributes:
        policy: whose it is.
        days: how long it went on.
        pages: in all histories.
        fresh: share of the pages of which the archive had the present state, at each sample.
        age: days for which the archive's state of a page had been out of date, the mean of all.
        requests: made since the sample before.
    """

    policy: str
    days: float
    pages: int
    fresh: Sequence[float]
    age: Sequence[float]
    requests: Sequence[float] = field(repr=False)

    def freshness(self, first: float = 0.0) -> float:
        """Return the mean freshness from a day on."""
        return _mean(self.fresh[int(first * SAMPLES_PER_DAY) :])

    def mean_age(self, first: float = 0.0) -> float:
        """Return the mean age from a day on, in days."""
        return _mean(self.age[int(first * SAMPLES_PER_DAY) :])

    def cost(self, first: float = 0.0) -> float:
        """Return the requests a day from a day on."""
        return _mean(self.requests[int(first * SAMPLES_PER_DAY) :]) * SAMPLES_PER_DAY


def simulate(
    name: str,
    histories: Sequence[SiteHistory],
    policy: Policy,
    days: float,
    collected: Callable[[int], float],
    progress: Callable[[float], None] = lambda _: None,
) -> Result:
    """Walk through histories as a policy says.

    Args:
        name: of the policy.
        histories: of all sites.
        policy: says what is collected.
        days: how long.
        collected: when each site was collected first, a day before 0; the same for all policies.
        progress: called with the day from time to time.
    """
    ledger = Ledger(days)
    sites = [_Site(history, collected(index)) for index, history in enumerate(histories)]
    told = 0
    while (visit := policy.next()).day < days:
        site = sites[visit.site]
        if site.history.died is not None and visit.day >= site.history.died:
            ledger.spend(visit.day, 1)
            policy.learn(visit, None)
        else:
            found = [site.visit(level, visit.day, ledger) for level in visit.levels]
            ledger.spend(visit.day, sum(one.pages for one in found))
            policy.learn(visit, found)
        if int(visit.day) > told:
            told = int(visit.day)
            progress(visit.day)
    for site in sites:
        site.end(days, ledger)
    return ledger.result(name, sum(history.pages for history in histories))


class _Site:
    """What the archive has of a site: for each page, when its state went out of date."""

    def __init__(self, history: SiteHistory, collected: float) -> None:
        self.history = history
        self._stale = [
            array("d", (_after(changes, collected) for changes in level))
            for level in history.levels
        ]

    def visit(self, level: int, day: float, ledger: "Ledger") -> Found:
        """Collect a level."""
        stale = self._stale[level]
        changed = 0
        for page, since in enumerate(stale):
            if since <= day:
                changed += 1
                ledger.stale(since, day)
                stale[page] = _after(self.history.levels[level][page], day)
        return Found(len(stale), changed)

    def end(self, days: float, ledger: "Ledger") -> None:
        """Account for what is out of date at the end."""
        for level in self._stale:
            for since in level:
                if since < days:
                    ledger.stale(since, days + 1)


def _after(changes: Sequence[float], day: float) -> float:
    place = bisect_right(changes, day)
    return changes[place] if place < len(changes) else inf


class Ledger:
    """Accounts of a simulation, sampled several times a day.

    Args:
        days: how long it goes on.
    """

    def __init__(self, days: float) -> None:
        self._days = days
        self._samples = int(days * SAMPLES_PER_DAY)
        # Differences from sample to sample: how many pages are out of date, and since when, summed.
        self._count = array("d", bytes(8 * (self._samples + 1)))
        self._since = array("d", bytes(8 * (self._samples + 1)))
        self._requests = array("d", bytes(8 * (self._samples + 1)))

    def spend(self, day: float, requests: int) -> None:
        """Account for requests."""
        self._requests[min(int(day * SAMPLES_PER_DAY), self._samples)] += requests

    def stale(self, since: float, until: float) -> None:
        """Account for a page whose archived state was out of date for a while."""
        first = max(0, min(ceil(since * SAMPLES_PER_DAY), self._samples))
        last = max(0, min(ceil(until * SAMPLES_PER_DAY), self._samples))
        if first < last:
            self._count[first] += 1
            self._since[first] += since
            self._count[last] -= 1
            self._since[last] -= since

    def result(self, policy: str, pages: int) -> Result:
        """Return what all accounts say."""
        fresh, age = [], []
        count = since = 0.0
        for sample in range(self._samples):
            count += self._count[sample]
            since += self._since[sample]
            fresh.append(1.0 - count / pages)
            age.append((count * sample / SAMPLES_PER_DAY - since) / pages)
        return Result(policy, self._days, pages, fresh, age, self._requests[: self._samples])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
