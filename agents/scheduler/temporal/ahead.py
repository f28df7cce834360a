"""The schedule ahead: what is due when, if nothing new is learnt until then."""

from collections.abc import Iterable, Iterator, Sequence

from agents.scheduler.temporal.planning import Plan, plan
from agents.scheduler.temporal.rhythm import (
    DAY,
    LEVELS,
    Level,
    LevelSeen,
    Observation,
    Rhythm,
    observed,
)
from agents.scheduler.temporal.settings import Campaign, SiteSettings, TemporalConfig

PLANS_LIMIT = 1000  # of one site


def ahead(
    rhythm: Rhythm,
    settings: SiteSettings,
    config: TemporalConfig,
    price: float,
    now: float,
    count: int,
    campaigns: Sequence[Campaign] = (),
) -> Iterator[Plan]:
    """Give the next crawls of a site, the soonest first; the rest as `plan` has it.

    A crawl is taken to find what is expected, so that its rates stay as they are.

    Args:
        count: how many at most.
    """
    for _ in range(min(count, PLANS_LIMIT)):
        order = plan(rhythm, settings, config, price, now, campaigns)
        if order.at is None:
            return
        yield order
        rhythm = done(rhythm, order, order.at, settings.quota.period)
        now = order.at + 1.0


def load_by_day(plans: Iterable[Plan], begins: float, days: int) -> list[int]:
    """Return how many requests plans take on each day.

    Args:
        plans: of any number of sites.
        begins: of the first day, in seconds since the epoch.
        days: how many.
    """
    load = [0] * days
    for each in plans:
        if each.at is not None and 0 <= each.at - begins < days * DAY:
            load[int((each.at - begins) // DAY)] += each.requests
    return load


def done(rhythm: Rhythm, order: Plan, at: float, period: float) -> Rhythm:
    """Return a rhythm after a crawl that taught nothing."""
    reached = LEVELS if order.maximum_depth is None else order.maximum_depth + 1
    levels: Sequence[Level] = rhythm.levels[:reached] or (Level(seen=at, urls=1),)
    seen = tuple(LevelSeen(None, level.urls) for level in levels)
    return observed(rhythm, Observation(at, seen, order.requests, whole=not order.quick), period)
