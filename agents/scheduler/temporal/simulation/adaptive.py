"""The scheduler's own policy in a simulation: it learns from what its own crawls find, only."""

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from math import inf

from agents.scheduler.temporal.planning import Plan, plan
from agents.scheduler.temporal.price import FIRST_PRICE, adapted, demand
from agents.scheduler.temporal.rhythm import DAY, LevelSeen, Observation, Rhythm, observed
from agents.scheduler.temporal.settings import SiteSettings, TemporalConfig
from agents.scheduler.temporal.simulation.histories import SiteHistory
from agents.scheduler.temporal.simulation.simulator import Found, Visit

_EPOCH = 1_767_225_600.0  # 2026-01-01: where day 0 of a simulation is
_FIRST_ROUNDS = 4  # until the price suits what is known at the beginning
_IDLE = 1.0  # days that crawlers without work may make up for


class Adaptive:
    """The temporal policy, with crawlers that do so many requests a day and no more.

    Args:
        histories: of all sites; only how many pages each level has is looked at, which the first
            crawl has told.
        budget: requests a day.
        collected: when each site was collected first, a day before 0.
        config: of the temporal policy.
        settings: of all sites.
    """

    def __init__(
        self,
        histories: Sequence[SiteHistory],
        budget: float,
        collected: Callable[[int], float],
        config: TemporalConfig,
        settings: SiteSettings,
    ) -> None:
        self._budget = budget
        self._config = config
        self._settings = settings
        self._price = FIRST_PRICE
        self._adapted = self._busy = self._demanded = 0.0
        self._demands = [0.0] * len(histories)
        self._plans = [Plan(None)] * len(histories)
        self._rhythms = [
            _after_first(site, collected(index)) for index, site in enumerate(histories)
        ]
        for _ in range(_FIRST_ROUNDS):
            self._waiting = [(self._plan(site, 0.0), site) for site in range(len(histories))]
            self._price = adapted(self._price, self._demanded, budget, 0.0, inf)
        heapify(self._waiting)

    def next(self) -> Visit:
        """Return the next crawl: it begins when it is due and crawlers have time for it."""
        due, site = heappop(self._waiting)
        day = max(due, self._busy)
        self._adapt(day)
        self._plan(site, day)  # prices, and other levels, may have moved while it waited
        order = self._plans[site]
        self._busy = max(self._busy, due - _IDLE) + order.requests / self._budget
        levels = len(self._rhythms[site].levels)
        depth = levels if order.maximum_depth is None else order.maximum_depth + 1
        return Visit(day, site, range(min(levels, depth)))

    def learn(self, visit: Visit, found: Sequence[Found] | None) -> None:
        """Take in what a crawl found, and plan the site's next one."""
        seen = tuple(
            LevelSeen(one.changed / one.pages if one.pages else None, one.pages)
            for one in found or ()
        )
        requests = sum(one.urls for one in seen)
        observation = Observation(_seconds(visit.day), seen, requests)
        self._rhythms[visit.site] = observed(self._rhythms[visit.site], observation)
        heappush(self._waiting, (self._plan(visit.site, visit.day), visit.site))

    def _plan(self, site: int, day: float) -> float:
        """Plan a site's next crawl, and return the day at which it is due."""
        order = plan(self._rhythms[site], self._settings, self._config, self._price, _seconds(day))
        self._plans[site] = order
        self._demanded -= self._demands[site]
        self._demands[site] = demand(order.requests_per_day, self._price)
        self._demanded += self._demands[site]
        return inf if order.at is None else (order.at - _EPOCH) / DAY

    def _adapt(self, day: float) -> None:
        """Move the price, once a day."""
        if day < self._adapted + 1.0:
            return
        overdue = max(0.0, self._busy - day) * self._budget
        elapsed = (day - self._adapted) * DAY
        self._price = adapted(self._price, self._demanded, self._budget, overdue, elapsed)
        self._adapted = day


def _after_first(site: SiteHistory, day: float) -> Rhythm:
    """Return what a site's first crawl has taught: how many pages its levels have."""
    seen = tuple(LevelSeen(None, len(level)) for level in site.levels)
    return observed(Rhythm(), Observation(_seconds(day), seen))


def _seconds(day: float) -> float:
    return _EPOCH + day * DAY
