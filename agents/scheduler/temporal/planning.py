"""When a site is collected next, how deep and how thoroughly, and why: a pure decision.

What wants a crawl is asked first, in this order: a site that was never collected, or that did not
answer; the interval that an archivist has fixed; campaigns; the site's own rhythm. Then what stands
against it may put it off: the quota, and hours when it is forbidden. These always hold.
"""

from collections.abc import Sequence
from math import inf

from attrs import evolve, frozen

from agents import dates
from agents.page import human_number, human_seconds
from agents.scheduler.temporal.calendars import after, covers, within
from agents.scheduler.temporal.law import unchanged
from agents.scheduler.temporal.levels import harmonised, together
from agents.scheduler.temporal.rhythm import DAY, LEVELS, Level, Rhythm
from agents.scheduler.temporal.settings import Campaign, SiteSettings, TemporalConfig

_TURNS = 100  # of calendars that get in each other's way
_SILENCE = DAY  # after the first crawl that nothing answered; then twice as long each time


@frozen
class Plan:
    """What becomes of a site next.

    Attributes:
        at: when it falls due, in seconds since the epoch; None means never by itself.
        maximum_depth: page links followed; None means as many as the site's bounds let.
        quick: whether only what has changed is asked for, with conditional requests.
        priority: what is due goes in this order, the largest first.
        reason: why then and so deep, for people.
        requests: what the crawl will take, about.
        requests_per_day: what crawls of this site will take in the long run, about.
        captures: what is left of the quota for this crawl; None means any number.
        bytes: likewise.
    """

    at: float | None
    maximum_depth: int | None = None
    quick: bool = False
    priority: float = 1.0
    reason: str = ""
    requests: int = 1
    requests_per_day: float = 0.0
    captures: int | None = None
    bytes: int | None = None


def plan(
    rhythm: Rhythm,
    settings: SiteSettings,
    config: TemporalConfig,
    price: float,
    now: float,
    campaigns: Sequence[Campaign] = (),
) -> Plan:
    """Plan the next crawl of a site.

    Args:
        rhythm: what its crawls have taught.
        settings: what an archivist has settled for it.
        config: what holds for all sites.
        price: seconds of freshness that a request must bring.
        now: seconds since the epoch; nothing is planned before it.
        campaigns: it takes part in, also those that are over or to come.
    """
    if settings.resting:
        return Plan(None, reason="An archivist has put it to rest.")
    wanted = _wanted(rhythm, settings, config, price, now, campaigns)
    wanted = evolve(wanted, at=max(now, wanted.at or 0.0))
    return in_hours(_in_quota(_bounded(wanted, rhythm, settings, config), rhythm, settings),
                     settings)  # fmt: skip


def _wanted(
    rhythm: Rhythm,
    settings: SiteSettings,
    config: TemporalConfig,
    price: float,
    now: float,
    campaigns: Sequence[Campaign],
) -> Plan:
    """Return the crawl that is wanted, with `at` perhaps in the past."""
    if not (rhythm.levels or rhythm.silent):
        return Plan(now, priority=settings.priority, reason="It was never collected.")
    if settings.interval is not None:
        words = f"By hand: every {_span(settings.interval)}."
        return _every(settings.interval, rhythm, settings.priority, words)
    if rhythm.silent:
        wait = min(_SILENCE * 2.0 ** min(rhythm.silent - 1, 16), _longest(settings, config))
        words = f"Nothing answered {_times(rhythm.silent)}; asked again after {_span(wait)}."
        return Plan(rhythm.collected + wait, priority=settings.priority, reason=words)
    running = [each for each in campaigns if each.last > now]
    wishes = [_adaptive(rhythm, settings, config, price)]
    wishes += _of_campaigns(rhythm, settings, running, now)
    first = min(wishes, key=_when)
    together = [wish for wish in wishes if _when(wish) <= max(now, _when(first))]
    return evolve(
        first,
        maximum_depth=_deepest(together),
        priority=max(wish.priority for wish in together),
    )


def _adaptive(rhythm: Rhythm, settings: SiteSettings, config: TemporalConfig, price: float) -> Plan:
    """Return the crawl that the site's own rhythm wants."""
    price = price / settings.priority
    shortest, longest = _shortest(settings, config), _longest(settings, config)
    waits = harmonised(rhythm.levels, price, shortest, longest)
    at, deepest = together(rhythm.levels, waits)
    at = max(at, rhythm.collected + shortest)
    return Plan(
        at,
        maximum_depth=None if deepest == len(rhythm.levels) - 1 else deepest,
        priority=settings.priority,
        reason=_why(rhythm.levels[: deepest + 1], at, waits, longest, price),
        requests_per_day=sum(
            level.urls / wait * DAY for level, wait in zip(rhythm.levels, waits, strict=True)
        ),
    )


def _why(
    levels: Sequence[Level], at: float, waits: Sequence[float], longest: float, price: float
) -> str:
    """Return in words why a crawl of these levels is due at a moment."""
    urls = sum(max(1, level.urls) for level in levels)
    changed = sum((1 - unchanged(one.rate, at - one.seen)) * max(1, one.urls) for one in levels)
    deepest = len(levels) - 1
    where = f" down to level {deepest}" if len(waits) > len(levels) else ""
    words = f"About {round(100 * changed / urls)} % of its text{where} will have changed by then"
    if min(waits) >= 0.999 * longest:
        return f"{words}; {_span(longest)} is the longest interval."
    return (
        f"{words}; so deep every {_span(waits[deepest])}, "
        f"as long as a request has to bring {_span(price)} of freshness."
    )


def _every(
    seconds: float, rhythm: Rhythm, priority: float, words: str, depth: int | None = None
) -> Plan:
    """Return a crawl that comes round at an interval, whatever shallower ones there were."""
    levels = rhythm.levels[: _levels_within(depth)]
    return Plan(
        min((level.seen for level in levels), default=rhythm.collected) + seconds,
        maximum_depth=depth,
        priority=priority,
        reason=words,
        requests_per_day=sum(level.urls for level in levels) / seconds * DAY,
    )


def _of_campaigns(
    rhythm: Rhythm, settings: SiteSettings, running: Sequence[Campaign], now: float
) -> list[Plan]:
    """Return what campaigns want: of the present ones together, and of the next one to come."""
    present = [each for each in running if each.first <= now]
    coming = [each for each in running if each.first > now]
    wanted = [_of_present(rhythm, present)] if present else []
    if coming:
        next_one = min(coming, key=lambda each: each.first)
        words = f"Campaign {next_one.name} begins."
        begun = _every(next_one.interval, rhythm, next_one.priority, words, next_one.maximum_depth)
        wanted.append(evolve(begun, at=next_one.first))
    earliest = rhythm.collected + (settings.minimum_interval or 0.0)
    return [evolve(one, at=max(_when(one), earliest)) for one in wanted]


def _of_present(rhythm: Rhythm, present: Sequence[Campaign]) -> Plan:
    """Return what present campaigns want: the strictest interval, the greatest depth, priority."""
    strictest = min(present, key=lambda each: each.interval)
    names = ", ".join(sorted(each.name for each in present))
    words = f"Campaign {names}: every {_span(strictest.interval)}"
    words += f", as {strictest.name} wants." if len(present) > 1 else "."
    priority = max(each.priority for each in present)
    return _every(strictest.interval, rhythm, priority, words, _deepest(present))


def _deepest(wanted: Sequence[Plan] | Sequence[Campaign]) -> int | None:
    depths = [each.maximum_depth for each in wanted]
    known = [depth for depth in depths if depth is not None]
    return max(known) if len(known) == len(depths) else None


def _when(wish: Plan) -> float:
    return inf if wish.at is None else wish.at


def _bounded(wanted: Plan, rhythm: Rhythm, settings: SiteSettings, config: TemporalConfig) -> Plan:
    """Return a plan no deeper than settled, with what it takes and whether it is quick."""
    depths = [depth for depth in (wanted.maximum_depth, settings.maximum_depth)
              if depth is not None]  # fmt: skip
    depth = min(depths, default=None)
    at = wanted.at or 0.0
    fresh = rhythm.whole > 0.0 and at < rhythm.whole + config.whole_every
    deep = depth is None or depth >= len(rhythm.levels) - 1
    return evolve(
        wanted,
        maximum_depth=depth,
        quick=bool(rhythm.levels) and settings.quick and (fresh or not deep),
        requests=_requests(rhythm, depth),
    )


def _requests(rhythm: Rhythm, depth: int | None) -> int:
    """Return what a crawl will take, about."""
    return max(1, sum(level.urls for level in rhythm.levels[: _levels_within(depth)]))


def _levels_within(depth: int | None) -> int:
    """Return how many remembered levels a depth goes through; the last holds all deeper ones."""
    return LEVELS if depth is None else min(depth + 1, LEVELS)


def _in_quota(wanted: Plan, rhythm: Rhythm, settings: SiteSettings) -> Plan:
    """Return a plan put off until the quota lets it, with what is then left of it."""
    quota = settings.quota
    if not (quota.captures or quota.bytes):
        return wanted
    ends = rhythm.since + quota.period
    taken, received = (rhythm.captures, rhythm.bytes) if (wanted.at or 0.0) < ends else (0, 0)
    full = (quota.captures and taken and taken + wanted.requests > quota.captures) or (
        quota.bytes and received >= quota.bytes
    )
    if full:
        words = f"{wanted.reason} Not before its quota begins anew, {_moment(ends)}."
        wanted, taken, received = evolve(wanted, at=ends, reason=words), 0, 0
    return evolve(
        wanted,
        captures=quota.captures - taken if quota.captures else None,
        bytes=quota.bytes - received if quota.bytes else None,
    )


def in_hours(wanted: Plan, settings: SiteSettings) -> Plan:
    """Return a plan put off until no calendar forbids it."""
    at = moment = wanted.at or 0.0
    for _ in range(_TURNS):
        allowed = after(settings.forbidden, moment)
        if allowed is not None and not settings.only.empty:
            allowed = within(settings.only, allowed)
        if allowed is None:
            break
        if not covers(settings.forbidden, allowed):
            if allowed == at:
                return wanted
            words = f"{wanted.reason} Not before {_moment(allowed)}, by its calendar."
            return evolve(wanted, at=allowed, reason=words)
        moment = allowed
    return evolve(wanted, at=None, reason=f"{wanted.reason} Its calendar never lets it.")


def _shortest(settings: SiteSettings, config: TemporalConfig) -> float:
    return settings.minimum_interval or config.minimum_interval


def _longest(settings: SiteSettings, config: TemporalConfig) -> float:
    longest = settings.maximum_interval or config.maximum_interval
    return max(longest, _shortest(settings, config))


def _span(seconds: float) -> str:
    days = seconds / DAY
    if days < 2:
        return human_seconds(seconds)
    return f"{human_number(round(days) if days >= 10 else round(days, 1))} days"


def _moment(seconds: float) -> str:
    return f"{dates.to_words(dates.from_timestamp(seconds))} UTC"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
