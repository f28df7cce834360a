"""When to look next."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.feeds.rhythm import (
    Bounds,
    Rhythm,
    after_failure,
    fresh_for,
    permitted,
    rest_asked,
)
from anet.http import Headers

HOUR, DAY = 3600.0, 86400.0
BOUNDS = Bounds(300.0, DAY, 2.0)
NOW = 1_795_000_000.0


def follow(every: float, entries_shown: int, days: float) -> float:
    """Return the interval after following a feed that has an entry each `every` seconds."""
    now = last = NOW
    rhythm, interval = Rhythm(), HOUR
    while now < NOW + days * DAY:
        now += interval
        came = int((now - NOW) / every) - int((last - NOW) / every)
        rhythm = rhythm.after(min(came, entries_shown), now - last, came < entries_shown)
        last, interval = now, rhythm.interval(BOUNDS)
    return interval


@pytest.mark.parametrize(("every", "shown"), [(HOUR, 20), (6 * HOUR, 20), (30 * 60, 10)])
def test_a_steady_feed_is_looked_at_about_twice_an_entry(every: float, shown: int) -> None:
    """The interval comes to half of the time between entries."""
    assert every / 2 / 1.5 < follow(every, shown, 10) < every / 2 * 1.5


def test_a_feed_that_shows_less_than_comes_is_looked_at_more_often() -> None:
    """An entry a minute of which ten are shown: looks come before they have all gone by."""
    assert follow(60, 10, 2) <= 600


def test_a_quiet_feed_is_looked_at_once_a_day_and_one_that_wakes_is_soon_followed() -> None:
    """After months of nothing one look at a busy day is enough."""
    quiet = Rhythm()
    for _ in range(60):
        quiet = quiet.after(0, DAY, overlap=True)
    assert quiet.interval(BOUNDS) == DAY
    assert quiet.after(50, DAY, overlap=True).interval(BOUNDS) < 6 * HOUR


def test_a_new_feed_tells_its_rhythm_by_dates() -> None:
    """Dates of entries, those of the last two weeks, say how often they come."""
    dates = [NOW - number * 6 * HOUR for number in range(12)]
    assert 2 * HOUR < Rhythm.of(dates, NOW).interval(BOUNDS) < 4 * HOUR
    assert Rhythm.of([None, 0.0, NOW + DAY, NOW - 30 * DAY], NOW) == Rhythm()


def test_the_publishers_wish_is_kept_within_bounds() -> None:
    """A hint makes the interval longer, never shorter, and not beyond the longest."""
    busy = Rhythm(1000.0, DAY)
    assert busy.interval(BOUNDS) == 300.0
    assert busy.interval(BOUNDS, HOUR) == HOUR
    assert busy.interval(BOUNDS, 30 * DAY) == DAY


def test_failures_are_met_with_patience() -> None:
    """Waits double up to the longest; what the server asks for is kept beyond that."""
    assert [after_failure(number, BOUNDS) for number in (1, 2, 3, 99)] == [300, 600, 1200, DAY]
    assert after_failure(1, BOUNDS, 3 * DAY) == 3 * DAY


def test_hours_and_days_that_are_skipped_are_waited_out() -> None:
    """A look in a skipped hour comes at the next that is not; skipping always skips nothing."""
    monday = datetime(2026, 11, 16, 6, 30, tzinfo=UTC).timestamp()
    assert permitted(monday, 0, 0) == monday
    assert permitted(monday, 1 << 6 | 1 << 7, 0) == monday + 1.5 * HOUR
    assert permitted(monday, 0, 1) == monday + 17.5 * HOUR
    assert permitted(monday, 2**24 - 1, 0) == monday


@given(st.integers(0, 2**24 - 1), st.integers(0, 2**7 - 1), st.floats(0, 4e9))
def test_a_permitted_moment_is_within_a_week(hours: int, days: int, moment: float) -> None:
    """It is never before, and outside of what is skipped if there is any such time."""
    found = permitted(moment, hours, days)
    assert moment <= found <= moment + 8 * DAY
    date = datetime.fromtimestamp(found, UTC)
    if hours != 2**24 - 1 and days != 2**7 - 1:
        assert not hours >> date.hour & 1
        assert not days >> date.weekday() & 1


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.floats(-10, 1e9), st.booleans())),
    st.floats(0, 1e9),
)
def test_any_history_gives_an_interval_within_bounds(
    looks: list[tuple[int, float, bool]], hint: float
) -> None:
    """Whatever clocks and feeds do, the interval is one."""
    rhythm = Rhythm()
    for entries, elapsed, overlap in looks:
        rhythm = rhythm.after(entries, elapsed, overlap)
    assert 300.0 <= rhythm.interval(BOUNDS, hint) <= DAY


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("120", 120.0), ("Fri, 20 Nov 2026 10:00:00 GMT", 60.0), ("soon", 0.0), ("", 0.0),
     ("-5", 0.0), ("999999999", 7 * DAY), ("Fri, 20 Nov 1926 10:00:00 GMT", 0.0)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float) -> None:
    """What makes no sense is nothing, and nobody makes us wait for ever."""
    now = datetime(2026, 11, 20, 9, 59, tzinfo=UTC).timestamp()
    headers = Headers([(b"Retry-After", value.encode())] if value else [])
    assert rest_asked(headers, now, 7 * DAY) == seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("max-age=600", 600.0), ("public, Max-Age = 60", 60.0), ("no-cache, max-age=60", 0.0),
     ("s-maxage=5", 0.0), ("", 0.0)],
)  # fmt: skip
def test_cache_control_says_how_long_an_answer_is_good(value: str, seconds: float) -> None:
    """max-age counts, unless the answer is not to be kept at all."""
    assert fresh_for(Headers([(b"Cache-Control", value.encode())])) == seconds
