"""Policies at one cost, side by side."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from agents.page import human_number
from agents.scheduler.temporal.settings import SiteSettings, TemporalConfig
from agents.scheduler.temporal.simulation.adaptive import Adaptive
from agents.scheduler.temporal.simulation.histories import SiteHistory
from agents.scheduler.temporal.simulation.policies import (
    Fixed,
    bound,
    optimal,
    proportional,
    uniform,
)
from agents.scheduler.temporal.simulation.simulator import Result, simulate

KNOWING: dict[str, Callable[[Sequence[SiteHistory], float, float, Sequence[float]], Fixed]] = {
    "uniform": uniform,
    "proportional": proportional,
    "optimal": optimal,
    "bound": bound,
}
POLICIES = ("adaptive", *KNOWING)
USUAL_INTERVAL = 30.0  # days in which the usual budget collects every page once

Progress = Callable[[str, float], None]


class Comparison:
    """Runs policies over the same histories.

    Args:
        histories: of all sites.
        days: how long.
        seed: of when sites were collected first.
        progress: called with a policy's name and the day it has come to.
    """

    def __init__(
        self,
        histories: Sequence[SiteHistory],
        days: float,
        seed: int,
        progress: Progress = lambda _name, _day: None,
    ) -> None:
        self.histories = histories
        self.days = days
        self._progress = progress
        chance = random.Random(seed)  # noqa: S311
        self._collected = [-chance.random() * USUAL_INTERVAL for _ in histories]

    @property
    def usual_budget(self) -> float:
        """Requests a day that collect every page once in the usual interval."""
        return sum(site.pages for site in self.histories) / USUAL_INTERVAL

    def adaptive(self, budget: float, config: TemporalConfig, settings: SiteSettings) -> Result:
        """Run the scheduler's own policy."""
        collected = self._collected.__getitem__
        return self._run("adaptive", Adaptive(self.histories, budget, collected, config, settings))

    def knowing(self, name: str, budget: float) -> Result:
        """Run a policy that knows the true rates."""
        return self._run(name, KNOWING[name](self.histories, budget, self.days, self._collected))

    def all(self, names: Sequence[str], budget: float) -> list[Result]:
        """Run policies; what the adaptive one spends, if it runs, is the budget of the others."""
        results = []
        if "adaptive" in names:
            results.append(self.adaptive(budget, TemporalConfig(), SiteSettings()))
            budget = results[0].cost()
        return results + [self.knowing(name, budget) for name in KNOWING if name in names]

    def _run(self, name: str, policy: Adaptive | Fixed) -> Result:
        return simulate(
            name,
            self.histories,
            policy,
            self.days,
            self._collected.__getitem__,
            lambda day: self._progress(name, day),
        )


def table(results: Sequence[Result], first: float) -> str:
    """Return results as lines of text.

    Args:
        results: of several policies.
        first: day from which the second figures count.
    """
    after = f"from day {first:g}"
    lines = [
        f"{'policy':<16}{'requests/day':>14}{'freshness':>12}{'age, days':>12}"
        f"{after:>16}{'age, days':>12}"
    ]
    for result in results:
        lines.append(
            f"{result.policy:<16}{human_number(round(result.cost(), 1)):>14}"
            f"{100 * result.freshness():>10.2f} %{result.mean_age():>12.2f}"
            f"{100 * result.freshness(first):>14.2f} %{result.mean_age(first):>12.2f}"
        )
    return "\n".join(lines)


def to_data(result: Result, first: float) -> dict[str, Any]:
    """Return a result as values that JSON can hold."""
    return {
        "policy": result.policy,
        "requests_per_day": round(result.cost(), 2),
        "freshness": round(result.freshness(), 5),
        "age_days": round(result.mean_age(), 3),
        "freshness_later": round(result.freshness(first), 5),
        "age_days_later": round(result.mean_age(first), 3),
    }
