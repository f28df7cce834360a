"""What crawls teach of how a site changes."""

import random
from math import inf, log

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.judgement import LevelUpdate, Update
from agents.scheduler.temporal import LevelSeen, Observation, Rhythm, observation, observed
from agents.scheduler.temporal.law import gain, interval, unchanged
from agents.scheduler.temporal.price import CHEAPEST, DEAREST, adapted, demand
from agents.scheduler.temporal.rhythm import (
    DAY,
    LEVELS,
    PRIOR_DOUBT,
    PRIOR_RATE,
    QUICKEST,
    SLOWEST,
    likeliest,
)

rates = st.floats(SLOWEST, QUICKEST)
shares = st.floats(0, 1)
spans = st.floats(1.0, 3650 * DAY)


def seen(at: float, *shares: float, urls: int = 50) -> Observation:
    """Return an observation of levels of so many URLs each."""
    return Observation(at, tuple(LevelSeen(share, urls) for share in shares))


@given(rates, spans)
def test_a_gain_is_what_is_fresh_before_less_what_would_be(rate: float, seconds: float) -> None:
    """The closed form is the area between the curve of what is unchanged and its last value."""
    steps = 2000
    area = sum(
        unchanged(rate, seconds * (step + 0.5) / steps) - unchanged(rate, seconds)
        for step in range(steps)
    ) * (seconds / steps)  # fmt: skip
    tolerance = 1e-9 * seconds + (0.02 * gain(rate, seconds) if rate * seconds < 50 else inf)
    assert abs(area - gain(rate, seconds)) <= tolerance


@given(rates, st.floats(CHEAPEST, DEAREST))
def test_an_interval_ends_where_a_crawl_is_worth_the_price(rate: float, price: float) -> None:
    """At the interval the gain is the price, and a site that can't be kept up with has none."""
    seconds = interval(rate, price)
    if seconds == inf:
        assert 2 / rate <= price * 1.001
    else:
        assert gain(rate, seconds) == pytest.approx(price, rel=1e-6)


@given(st.floats(CHEAPEST, DEAREST), st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_within_the_useful_range_more_change_is_no_longer_interval(
    price: float, one: float, other: float
) -> None:
    """Up to a quarter of the rate that is given up, what changes more is collected more often."""
    slow, quick = sorted((one * 0.5 / price, other * 0.5 / price))
    assert interval(quick, price) <= interval(slow, price) * (1 + 1e-9)


@given(rates, st.floats(0.001, PRIOR_DOUBT), shares, spans, st.integers(1, 10**9))
def test_whatever_is_reported_there_is_a_rate(
    rate: float, doubt: float, share: float, seconds: float, urls: int
) -> None:
    """No report makes it fail, leave its bounds or grow less sure."""
    level = likeliest(rate, doubt, share, seconds, urls)
    assert SLOWEST <= level.rate <= QUICKEST
    assert 0 < level.doubt <= doubt * (1 + 1e-9)


@given(rates, st.floats(0.001, PRIOR_DOUBT), shares, shares, spans)
def test_who_changed_more_is_taken_to_be_quicker(
    rate: float, doubt: float, one: float, other: float, seconds: float
) -> None:
    """The rate grows with the share that changed in the same time."""
    low, high = sorted((one, other))
    slower = likeliest(rate, doubt, low, seconds, 50).rate
    assert slower <= likeliest(rate, doubt, high, seconds, 50).rate * (1 + 1e-6)


@pytest.mark.parametrize("true", [1 / (3 * DAY), 1 / (40 * DAY), 1 / (300 * DAY)])
def test_a_rate_is_found_with_irregular_intervals(true: float) -> None:
    """From crawls 3 to 60 days apart the rate is found within a half, whatever it is."""
    chance = random.Random(1)
    rhythm, at = observed(Rhythm(), seen(1e9, 0.0)), 1e9
    for _ in range(40):
        span = chance.uniform(3, 60) * DAY
        at += span
        share = sum(chance.random() > unchanged(true, span) for _ in range(50)) / 50
        rhythm = observed(rhythm, seen(at, share))
    assert abs(log(rhythm.levels[0].rate / true)) < log(1.5)


def test_a_site_that_changes_its_habits_is_followed() -> None:
    """After two years of quiet, a site that changes daily is known to within five crawls."""
    rhythm, at = observed(Rhythm(), seen(1e9, 0.0)), 1e9
    for _ in range(24):
        at += 30 * DAY
        rhythm = observed(rhythm, seen(at, 0.02))
    quiet = rhythm.levels[0].rate
    for _ in range(5):
        at += 2 * DAY
        rhythm = observed(rhythm, seen(at, 0.7))
    assert rhythm.levels[0].rate > 100 * quiet


def test_levels_are_learnt_apart() -> None:
    """The start of a site that changes daily makes nothing of its deep pages."""
    rhythm, at = observed(Rhythm(), seen(1e9, 0.0, 0.0, 0.0)), 1e9
    for _ in range(10):
        at += 10 * DAY
        rhythm = observed(rhythm, seen(at, 0.9, 0.3, 0.01))
    start, middle, deep = (level.rate for level in rhythm.levels)
    assert start > 5 * middle > 25 * deep


def test_a_crawl_that_stays_at_the_top_leaves_deeper_levels_alone() -> None:
    """What was not looked at keeps its rate and the date at which it was."""
    first = observed(Rhythm(), seen(1e9, 0.0, 0.0))
    second = observed(first, seen(1e9 + DAY, 0.5))
    assert second.levels[1] == first.levels[1]
    assert second.levels[0].seen == 1e9 + DAY


def test_one_page_tells_less_than_many() -> None:
    """The doubt that stays after one page is far more than that after fifty."""
    one = likeliest(PRIOR_RATE, PRIOR_DOUBT, 1.0, 30 * DAY, 1)
    many = likeliest(PRIOR_RATE, PRIOR_DOUBT, 1.0, 30 * DAY, 50)
    assert one.rate < many.rate
    assert one.doubt > many.doubt


@given(st.lists(st.tuples(shares, st.integers(0, 10**9)), max_size=300))
def test_memory_is_bounded_however_deep_a_site_is(levels: list[tuple[float, int]]) -> None:
    """The deepest levels are remembered as one; as JSON it stays below a kilobyte."""
    seen = tuple(LevelSeen(*level) for level in levels)
    rhythm = observed(observed(Rhythm(), Observation(1e9, seen)), Observation(2e9, seen))
    assert len(rhythm.levels) <= LEVELS
    text = msgspec.json.encode(rhythm)
    assert len(text) < 1024
    assert msgspec.json.decode(text, type=Rhythm) == rhythm


def test_silence_is_counted_and_forgotten() -> None:
    """Crawls that nothing answered teach nothing of change, and an answer ends their count."""
    first = observed(Rhythm(), seen(1e9, 0.0))
    silent = observed(observed(first, Observation(1e9 + DAY)), Observation(1e9 + 2 * DAY))
    assert silent.silent == 2
    assert silent.levels == first.levels
    assert observed(silent, seen(1e9 + 3 * DAY, 0.1)).silent == 0


def test_a_date_that_goes_back_does_no_harm() -> None:
    """A clock that was put back leaves rates as they were."""
    first = observed(Rhythm(), seen(1e9, 0.0))
    second = observed(first, seen(1e9 - DAY, 1.0))
    assert second.levels[0].rate == first.levels[0].rate
    assert second.collected == 1e9


def test_what_connectivity_agents_say_becomes_an_observation() -> None:
    """Levels come in order of depth; one without a report is a level without URLs."""
    update = Update(
        levels=(
            LevelUpdate(depth=2, captures=30, documents=20, rate=0.25),
            LevelUpdate(depth=0, captures=1, documents=1, rate=None),
        ),
        requests=31,
        bytes=5000,
    )
    assert observation(update, 1e9, whole=False) == Observation(
        1e9,
        (LevelSeen(None, 1), LevelSeen(None, 0), LevelSeen(0.25, 30)),
        requests=31,
        bytes=5000,
        whole=False,
    )


@given(
    st.floats(CHEAPEST, DEAREST), st.floats(0, 1e12), st.floats(1, 1e9), st.floats(0, 1e12), spans
)
def test_the_price_stays_in_bounds_and_goes_towards_what_clears(
    price: float, demanded: float, capacity: float, overdue: float, elapsed: float
) -> None:
    """It moves, never past it, towards the price at which demand meets what is left."""
    new = adapted(price, demanded, capacity, overdue, elapsed)
    assert CHEAPEST * 0.999 <= new <= DEAREST * 1.001
    left = max(capacity - overdue / 14, capacity / 10)
    wanted = max(CHEAPEST, min(DEAREST, (demanded / left) ** 2))
    low, high = sorted((price, wanted))
    assert low * 0.999 <= new <= high * 1.001


def test_demands_of_quiet_sites_compare_at_any_price() -> None:
    """What a site that changes slowly asks for, times the root of the price, is nearly constant."""
    rate = 1 / (400 * DAY)
    asked = [demand(DAY / interval(rate, price), price) for price in (DAY / 4, DAY, 2 * DAY)]
    assert max(asked) < 1.1 * min(asked)
