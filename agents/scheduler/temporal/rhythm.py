"""What the scheduler remembers of how a site changes, and how a crawl teaches it (*INA §1.5.2*).

For each level a rate, and how sure it is: the logarithm of the rate is held to be distributed
normally. Time makes it less sure, since sites change their habits; an observation, whatever the
time since the one before, makes it surer. The new rate is the likeliest one given both, found by
Newton's method on a concave function, so that nothing a crawl reports can make it fail.
"""

from collections.abc import Sequence
from math import exp, log

from attrs import evolve, field, frozen, validators

from agents.judgement import Update

LEVELS = 6  # remembered one by one; the last one stands for all deeper ones
DAY = 86_400.0
PRIOR_RATE = 0.83 / (60 * DAY)  # half of a text changes in two months (*Web InfoMall*)
PRIOR_DOUBT = 2.5  # variance of the logarithm: a factor of five either way is nothing unusual
DRIFT = 1.0 / (2 * 365 * DAY)  # by which the doubt grows each second
WITNESSES = 30  # texts of one level change together, so that many tell no more than some
SLOWEST, QUICKEST = 1.0 / (100 * 365 * DAY), 1.0 / 60.0  # rates between which all are taken to be
_DEEPEST = 1000  # levels looked at in a report
_STEPS = 8  # of Newton's method; four are enough but for the wildest reports
_LONGEST_STEP = 2.0  # of the logarithm

_is_share = validators.and_(validators.ge(0.0), validators.le(1.0))
_is_count = validators.ge(0)


@frozen
class LevelSeen:
    """What one crawl found at one level.

    Attributes:
        rate: share of its text chunks that the former crawl did not have, 0 to 1; null if there
            is nothing to compare.
        urls: URLs collected there.
    """

    rate: float | None = field(validator=validators.optional(_is_share))
    urls: int = field(validator=_is_count)


@frozen
class Observation:
    """What one crawl found, compared with the former one.

    Attributes:
        at: when it ended, in seconds since the epoch.
        levels: by page links from the start; a crawl that did not go deep has few.
        requests: what it cost.
        bytes: received.
        whole: whether all was fetched, and not only what servers said had changed.
    """

    at: float
    levels: tuple[LevelSeen, ...] = ()
    requests: int = field(default=0, validator=_is_count)
    bytes: int = field(default=0, validator=_is_count)
    whole: bool = True


@frozen
class Level:
    """What is known of one level of a site.

    Attributes:
        rate: the likeliest mean number of changes of its text a second.
        doubt: variance of the logarithm of the rate.
        seen: when it was collected last, in seconds since the epoch.
        urls: URLs it had then.
    """

    rate: float = field(default=PRIOR_RATE, validator=validators.gt(0.0))
    doubt: float = field(default=PRIOR_DOUBT, validator=validators.gt(0.0))
    seen: float = 0.0
    urls: int = field(default=0, validator=_is_count)


@frozen
class Rhythm:
    """The memory of the temporal policy for one site: a few numbers, whatever its age and size.

    Attributes:
        levels: the first ones each, and all deeper ones as the last.
        collected: when a crawl ended last, in seconds since the epoch; 0 before the first.
        whole: when a whole crawl did.
        silent: crawls in a row that nothing answered.
        since: when the period of the quota began.
        captures: requests since then.
        bytes: received since then.
    """

    levels: tuple[Level, ...] = field(default=(), validator=validators.max_len(LEVELS))
    collected: float = 0.0
    whole: float = 0.0
    silent: int = field(default=0, validator=_is_count)
    since: float = 0.0
    captures: int = field(default=0, validator=_is_count)
    bytes: int = field(default=0, validator=_is_count)


def observed(rhythm: Rhythm, observation: Observation, period: float = DAY) -> Rhythm:
    """Return the rhythm of a site after a crawl of it.

    Args:
        rhythm: before it.
        observation: what it found; one without levels says that nothing answered.
        period: seconds of the period of the site's quota.
    """
    at = max(observation.at, rhythm.collected)
    spent = _spent(rhythm, observation, period)
    if not observation.levels:
        return evolve(spent, collected=at, silent=rhythm.silent + 1)
    seen = _folded(observation.levels)
    levels = [_learnt(rhythm.levels, index, one, at) for index, one in enumerate(seen)]
    return evolve(
        spent,
        levels=(*levels, *rhythm.levels[len(levels) :]),
        collected=at,
        whole=at if observation.whole else rhythm.whole,
        silent=0,
    )


def observation(update: Update, at: float, whole: bool) -> Observation:
    """Return what a crawl found, from what connectivity agents say of its text.

    Args:
        update: share of new text, level by level.
        at: when the crawl ended, in seconds since the epoch.
        whole: whether all was fetched, and not only what servers said had changed.
    """
    by_depth = {level.depth: level for level in update.levels[:_DEEPEST]}
    seen = [
        LevelSeen(by_depth[depth].rate, by_depth[depth].captures)
        if depth in by_depth
        else LevelSeen(None, 0)
        for depth in range(max((depth + 1 for depth in by_depth if depth < _DEEPEST), default=0))
    ]
    return Observation(at, tuple(seen), update.requests, update.bytes, whole)


def likeliest(rate: float, doubt: float, share: float, seconds: float, urls: int) -> Level:
    """Return the rate and doubt of a level of which a share has changed in a time.

    Args:
        rate: the likeliest one before.
        doubt: variance of its logarithm before.
        share: 0 to 1.
        seconds: since the former look, above 0.
        urls: how many were looked at.
    """
    count = min(urls, WITNESSES)
    start = place = log(rate)
    curvature = 1.0 / doubt
    for _ in range(_STEPS):
        slope, bend = _slopes(exp(place) * seconds / 2.0, share)
        curvature = 1.0 / doubt - count * bend
        step = (count * slope - (place - start) / doubt) / curvature
        place += max(-_LONGEST_STEP, min(_LONGEST_STEP, step))
    bounded = min(QUICKEST, max(SLOWEST, exp(place)))
    return Level(bounded, 1.0 / curvature)


def _slopes(x: float, share: float) -> tuple[float, float]:
    """Return both derivatives, by log x, of the likelihood's logarithm for one text.

    The likelihood is that of `agents.scheduler.temporal.law`: unchanged with 1 / (1 + x)².
    """
    unchanged = -2.0 * x / (1.0 + x)
    changed = 1.0 + x / (x + 2.0) - 2.0 * x / (1.0 + x)
    bend_unchanged = -2.0 * x / (1.0 + x) ** 2
    bend_changed = 2.0 * x / (x + 2.0) ** 2 + bend_unchanged
    return (
        share * changed + (1.0 - share) * unchanged,
        share * bend_changed + (1.0 - share) * bend_unchanged,
    )


def _learnt(former: Sequence[Level], index: int, seen: LevelSeen, at: float) -> Level:
    """Return a level after a look at it; a new one is taken to be like the one above it."""
    if index >= len(former):
        above = former[-1].rate if former else PRIOR_RATE
        return Level(above, PRIOR_DOUBT, at, seen.urls)
    level = former[index]
    seconds = at - level.seen
    if seconds <= 0.0 or not seen.urls or seen.rate is None:
        return evolve(level, seen=at, urls=seen.urls)
    doubt = min(PRIOR_DOUBT, level.doubt + DRIFT * seconds)
    return evolve(
        likeliest(level.rate, doubt, seen.rate, seconds, seen.urls), seen=at, urls=seen.urls
    )


def _folded(levels: Sequence[LevelSeen]) -> Sequence[LevelSeen]:
    """Return levels with the deepest ones as one."""
    deep = levels[LEVELS - 1 :]
    if len(deep) < 2:
        return levels
    urls = sum(level.urls for level in deep)
    known = [level for level in deep if level.rate is not None and level.urls]
    compared = sum(level.urls for level in known)
    changed = sum((level.rate or 0.0) * level.urls for level in known)
    rate = min(1.0, changed / compared) if compared else None
    return (*levels[: LEVELS - 1], LevelSeen(rate, urls))


def _spent(rhythm: Rhythm, observation: Observation, period: float) -> Rhythm:
    """Return a rhythm with what a crawl took of the site's quota."""
    if observation.at >= rhythm.since + period:
        rhythm = evolve(rhythm, since=observation.at, captures=0, bytes=0)
    return evolve(
        rhythm,
        captures=rhythm.captures + observation.requests,
        bytes=rhythm.bytes + observation.bytes,
    )
