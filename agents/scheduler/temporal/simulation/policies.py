"""The policies of the literature, which know the true rates.

uniform       every site at one interval
proportional  twice as often where twice as much changes
optimal       Cho and Garcia-Molina: where one request more gains the same everywhere; levels
              of a site are collected each by itself, so that no order to a crawler does better
adaptive      `agents.scheduler.temporal`, from nothing but what its own crawls found
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from heapq import heapify, heapreplace
from math import exp, floor, inf

from agents.scheduler.temporal.simulation.histories import SiteHistory
from agents.scheduler.temporal.simulation.laws import factor_at
from agents.scheduler.temporal.simulation.simulator import Found, Visit

Interval = Callable[[float], float]  # days between two crawls, when rates are multiplied by this
_GRID = [0.02 * 1.12**step for step in range(120)]  # days at which gains are tabled, to 40 years
_STEPS = 40  # of bisections
_FOREVER = 1e6  # days


class Fixed:
    """Crawls at intervals that follow from true rates; it learns nothing.

    Args:
        histories: of all sites.
        levels: what is collected together: for each site some ranges of its levels.
        intervals: of each of these.
        collected: when each site was collected first, a day before 0: from then they count.
    """

    def __init__(
        self,
        histories: Sequence[SiteHistory],
        levels: Sequence[tuple[int, range]],
        intervals: Sequence[Interval],
        collected: Sequence[float],
    ) -> None:
        self._histories = histories
        self._levels = levels
        self._intervals = intervals
        self._waiting = [(self._first(unit, collected), unit) for unit in range(len(levels))]
        heapify(self._waiting)

    def next(self) -> Visit:
        """Return the next crawl."""
        day, unit = self._waiting[0]
        heapreplace(self._waiting, (self._after(unit, day), unit))
        return Visit(day, *self._levels[unit])

    def learn(self, visit: Visit, found: Sequence[Found] | None) -> None:
        """Learn nothing."""

    def _first(self, unit: int, collected: Sequence[float]) -> float:
        """Return when a unit is collected first from day 0 on."""
        interval = self._intervals[unit](1.0)
        last = collected[self._levels[unit][0]]
        if interval < -last:
            last += interval * floor(-last / interval)
        return self._after(unit, last)

    def _after(self, unit: int, last: float) -> float:
        """Return when a unit is collected after a day.

        When habits change it is due as soon as as much has changed as would make it due by the
        new ones: at the end of an event, often at once.
        """
        bursts = self._histories[self._levels[unit][0]].bursts
        if self._intervals[unit](0.0) < inf:  # uniform: by the clock, whatever changes
            return last + self._intervals[unit](0.0)
        since, changed = last, 0.0  # in days of usual change
        while since < inf:
            factor, until = factor_at(bursts, since)
            wait = self._intervals[unit](factor)
            if 0 < factor * wait <= changed:
                return since
            day = since + wait - changed / factor if factor else inf
            if day < until:
                return day
            changed += factor * (min(until, _FOREVER) - since)
            since = until
        return inf


def uniform(
    histories: Sequence[SiteHistory], budget: float, days: float, collected: Sequence[float]
) -> Fixed:
    """Return the policy that collects every site at one interval."""
    units = _sites(histories)
    return _by_budget(histories, budget, days, collected, units, lambda _, price: lambda _: price)


def proportional(
    histories: Sequence[SiteHistory], budget: float, days: float, collected: Sequence[float]
) -> Fixed:
    """Return the policy that collects sites as often as they change."""
    units = _sites(histories)
    means = [max(1e-6, sum(map(sum, site.rates)) / max(1, site.pages)) for site in histories]

    def interval_of(unit: int, price: float) -> Interval:
        return lambda factor: price / means[unit] / factor if factor else inf

    return _by_budget(histories, budget, days, collected, units, interval_of)


def bound(
    histories: Sequence[SiteHistory], budget: float, days: float, collected: Sequence[float]
) -> Fixed:
    """Return what would be best for freshness if levels could be collected each by itself."""
    units = [
        (index, range(level, level + 1))
        for index, site in enumerate(histories)
        for level in range(len(site.levels))
        if site.levels[level]
    ]
    return _best(histories, budget, days, collected, units)


def optimal(
    histories: Sequence[SiteHistory], budget: float, days: float, collected: Sequence[float]
) -> Fixed:
    """Return the best policy for freshness of those that collect whole sites."""
    return _best(histories, budget, days, collected, _sites(histories))


def _best(
    histories: Sequence[SiteHistory],
    budget: float,
    days: float,
    collected: Sequence[float],
    units: Sequence[tuple[int, range]],
) -> Fixed:
    tables = [
        _gains([rate for level in levels for rate in histories[index].rates[level]])
        for index, levels in units
    ]

    def interval_of(unit: int, price: float) -> Interval:
        return lambda factor: _solved(tables[unit], price * factor) / factor if factor else inf

    return _by_budget(histories, budget, days, collected, units, interval_of)


def _sites(histories: Sequence[SiteHistory]) -> list[tuple[int, range]]:
    return [(index, range(len(site.levels))) for index, site in enumerate(histories)]


def _gains(rates: Sequence[float]) -> list[float]:
    """Return the gain of a crawl of pages at the intervals of the grid, with their true rates.

    The gain is ∫₀ᵗ (S(s) - S(t)) ds, where S is the share of pages that is unchanged.
    """
    return [
        sum((1 - exp(-rate * days) * (1 + rate * days)) / rate for rate in rates if rate > 0)
        / len(rates)
        for days in _GRID
    ]


def _solved(gains: Sequence[float], price: float) -> float:
    """Return after how many days a gain comes up to a price; infinite if it never does."""
    place = bisect_left(gains, price)
    if place == len(gains):
        return inf
    if place == 0:
        return _GRID[0]
    low, high = gains[place - 1], gains[place]
    return _GRID[place - 1] + (_GRID[place] - _GRID[place - 1]) * (price - low) / (high - low)


def _by_budget(
    histories: Sequence[SiteHistory],
    budget: float,
    days: float,
    collected: Sequence[float],
    units: Sequence[tuple[int, range]],
    interval_of: Callable[[int, float], Interval],
) -> Fixed:
    """Return the policy at the price at which it costs the budget, in requests a day."""
    sizes = [sum(len(histories[site].levels[level]) for level in levels) for site, levels in units]
    low, high = 1e-6, 1e6
    for _ in range(_STEPS):
        price = (low * high) ** 0.5
        cost = sum(
            size * _frequency(histories[site], interval_of(unit, price), days)
            for unit, ((site, _levels), size) in enumerate(zip(units, sizes, strict=True))
        )
        low, high = (price, high) if cost > budget else (low, price)
    intervals = [interval_of(unit, high) for unit in range(len(units))]
    return Fixed(histories, units, intervals, collected)


def _frequency(site: SiteHistory, interval: Interval, days: float) -> float:
    """Return how many crawls a day that answer an interval makes in the mean."""
    day = crawls = 0.0
    while day < days:
        factor, until = factor_at(site.bursts, day)
        until = min(until, days)
        if site.died is None or day < site.died:
            crawls += (until - day) / interval(factor)
        day = until
    return crawls / days
