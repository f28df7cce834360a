"""A web that changes by known laws, made up from a seed.

Pages live for exponential times (*Web InfoMall*). Half of the sites are commercial, with half of
their text changed in some fifty days; half are of education and government, with four months. Round
these medians sites differ by a log-normal with a heavy tail, the levels of a site by their place
(the start changes quickest), and the pages of a level once more. Days are busier than nights and
weekends. Some sites have an event, some change their habits for good, and some die.
"""

import random
from array import array
from math import exp, inf, log, pi, sin

from agents.scheduler.temporal.simulation.histories import Burst, SiteHistory

COMMERCIAL, PUBLIC = 50.0, 120.0  # days in which half of a site's text changes
SITES_SPREAD, PAGES_SPREAD = 1.3, 0.8  # standard deviations of the logarithms of rates
LEVEL_FACTORS = (10.0, 4.0, 1.2, 0.7)  # how quickly levels change, beside the site
LEVEL_SPREAD = 0.4
LEVEL_SIZES = ((1, 1), (4, 12), (15, 50), (0, 80))  # pages at least and at most
QUICKEST = 8.0  # changes of a page a day
EVENTS, TURNS, DEATHS = 0.1, 0.1, 0.04  # shares of the sites
EVENT_DAYS, EVENT_FACTOR = 14.0, 15.0


def web(sites: int, days: float, seed: int, before: float = 0.0) -> list[SiteHistory]:
    """Return the histories of a web.

    Args:
        sites: how many.
        days: how long.
        seed: the same one makes the same web.
        before: days before the beginning that histories begin.
    """
    return [
        _site(number, days, before, random.Random(f"{seed}/{number}"))  # noqa: S311
        for number in range(sites)
    ]


def _site(number: int, days: float, before: float, chance: random.Random) -> SiteHistory:
    half_life = chance.choice((COMMERCIAL, PUBLIC))
    pace = log(2) / half_life * exp(chance.gauss(0, SITES_SPREAD))
    rates = tuple(_rates(level, pace, chance) for level in range(len(LEVEL_FACTORS)))
    rates = tuple(level for level in rates if level)
    bursts, died = _events(days, chance)
    quietest = chance.uniform(-0.9, 0.9)
    levels = tuple(
        tuple(_changes(rate, bursts, (-before, days), quietest, chance) for rate in level)
        for level in rates
    )
    return SiteHistory(f"site-{number}.test", levels, rates, bursts, died)


def _rates(level: int, pace: float, chance: random.Random) -> tuple[float, ...]:
    factor = LEVEL_FACTORS[level] * exp(chance.gauss(0, LEVEL_SPREAD))
    return tuple(
        min(QUICKEST, pace * factor * exp(chance.gauss(0, PAGES_SPREAD)))
        for _ in range(chance.randint(*LEVEL_SIZES[level]))
    )


def _events(days: float, chance: random.Random) -> tuple[tuple[Burst, ...], float | None]:
    """Return what changes a site's habits, and the day it dies, if it does."""
    draw = chance.random()
    day = chance.uniform(0, days)
    if draw < EVENTS:
        return (Burst(day, day + EVENT_DAYS, EVENT_FACTOR),), None
    if draw < EVENTS + TURNS:
        return (Burst(day, inf, chance.choice((0.2, 5.0))),), None
    if draw < EVENTS + TURNS + DEATHS:
        return (Burst(day, inf, 0.0),), day
    return (), None


def _changes(
    rate: float,
    bursts: tuple[Burst, ...],
    lasting: tuple[float, float],
    phase: float,
    chance: random.Random,
) -> "array[float]":
    """Return when a page changes: a Poisson process, thinned to the hours and to events."""
    changes = array("d")
    day, end = lasting
    while day < end:
        slow, limit = factor_at(bursts, day)
        pace = rate * slow * _BUSIEST
        day += chance.expovariate(pace) if pace > 0 else inf
        if day >= limit:
            day = limit  # habits change there: exponential times may begin again
        elif day < end and chance.random() * _BUSIEST < _busy(day + phase):
            changes.append(day)
    return changes


def factor_at(bursts: tuple[Burst, ...], day: float) -> tuple[float, float]:
    """Return by what true rates are multiplied at a day, and until when that holds."""
    for burst in bursts:
        if burst.begins <= day < burst.ends:
            return burst.factor, burst.ends
    return 1.0, min((burst.begins for burst in bursts if burst.begins > day), default=inf)


_BUSIEST = 2.2


def _busy(day: float) -> float:
    """Return how busy people are at a moment, 1 in the mean of a week."""
    weekday = int(day) % 7
    return (1.16 if weekday < 5 else 0.6) * (1.0 + 0.8 * sin(2 * pi * day))
