"""The levels of one site together: a crawl comes to deep pages through those above them."""

from collections.abc import Sequence
from math import sqrt

from agents.scheduler.temporal.law import gain, interval
from agents.scheduler.temporal.rhythm import Level

SYNC = 0.3  # of a level's interval; what falls due within it goes along with that level
_STEPS = 30  # of a bisection


def harmonised(
    levels: Sequence[Level], price: float, shortest: float, longest: float
) -> list[float]:
    """Return the intervals of levels, made to fit into one another.

    A level can't be reached but through those above it, so crawls of a deep level that fall
    between crawls of a shallow one cost both. So each level has the interval of another a whole
    number of times, or a whole part of it; and all are stretched alike, to where the requests of
    all levels together are worth the price.

    Args:
        levels: of a site, at least one.
        price: seconds of freshness that a request must bring.
        shortest: seconds that an interval lasts at least.
        longest: seconds that one lasts at most, if the shortest lets it.
    """
    alone = [max(shortest, min(longest, interval(level.rate, price))) for level in levels]
    parts = _parts(alone, [max(1, level.urls) for level in levels])
    low, high = shortest / min(parts), longest / max(parts)
    if _worth(levels, parts, low) >= price or high <= low:
        return [low * part for part in parts]
    for _ in range(_STEPS):
        middle = sqrt(low * high)
        if _worth(levels, parts, middle) < price:
            low = middle
        else:
            high = middle
    return [high * part for part in parts]


def _parts(waits: Sequence[float], urls: Sequence[int]) -> list[float]:
    """Return the intervals of levels as multiples of that of the level with the most requests."""
    anchor = max(range(len(waits)), key=lambda level: urls[level] / waits[level])
    parts = [1.0] * len(waits)
    for level in range(anchor - 1, -1, -1):
        below = parts[level + 1]
        parts[level] = below / max(1, round(below * waits[anchor] / waits[level]))
    for level in range(anchor + 1, len(waits)):
        above = parts[level - 1]
        parts[level] = above * max(1, round(waits[level] / waits[anchor] / above))
    return parts


def _worth(levels: Sequence[Level], parts: Sequence[float], base: float) -> float:
    """Return what a request is worth in the mean of levels with multiples of an interval."""
    weights = [max(1, level.urls) / part for level, part in zip(levels, parts, strict=True)]
    total = sum(
        weight * gain(level.rate, base * part)
        for weight, level, part in zip(weights, levels, parts, strict=True)
    )
    return total / sum(weights)


def together(levels: Sequence[Level], waits: Sequence[float]) -> tuple[float, int]:
    """Return when the next crawl is due, and how deep it goes.

    A level goes along with the one above it when the next crawl of that would be farther from its
    own due date.
    """
    dues = [level.seen + wait for level, wait in zip(levels, waits, strict=True)]
    at = min(dues)
    deepest = max(index for index, due in enumerate(dues) if due == at)
    while deepest + 1 < len(dues) and dues[deepest + 1] <= at + waits[deepest] * SYNC:
        deepest += 1
    return at, deepest
