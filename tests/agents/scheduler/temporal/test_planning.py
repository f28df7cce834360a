"""When a site is collected next, how deep, and why."""

from datetime import UTC, datetime

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.temporal import (
    Calendar,
    Campaign,
    Dates,
    Hours,
    LevelSeen,
    Observation,
    Plan,
    Quota,
    Rhythm,
    SiteSettings,
    TemporalConfig,
    ahead,
    load_by_day,
    observed,
    plan,
)
from agents.scheduler.temporal.calendars import covers
from agents.scheduler.temporal.levels import harmonised
from agents.scheduler.temporal.rhythm import DAY, LEVELS, QUICKEST, SLOWEST, Level

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()  # a Monday
CONFIG = TemporalConfig()
ANY = SiteSettings()
PRICE = 2 * DAY
NOON = Calendar(hours=(Hours(begins="10:00", ends="14:00"),))

levels = st.builds(
    Level,
    st.floats(SLOWEST, QUICKEST),
    st.floats(0.001, 2.5),
    st.floats(NOW - 400 * DAY, NOW),
    st.integers(0, 10**6),
)
rhythms = st.builds(
    lambda levels, silent: Rhythm(
        tuple(levels), max((level.seen for level in levels), default=0.0), silent=silent
    ),
    st.lists(levels, min_size=1, max_size=LEVELS),
    st.integers(0, 20),
)
campaigns = st.lists(
    st.builds(
        lambda begins, days, interval, depth: Campaign(
            "event",
            datetime.fromtimestamp(NOW + begins * DAY, UTC).isoformat(),
            datetime.fromtimestamp(NOW + (begins + days) * DAY, UTC).isoformat(),
            interval,
            depth,
        ),
        st.floats(-100, 100),
        st.floats(0.1, 100),
        st.floats(60, 100 * DAY),
        st.none() | st.integers(0, 10),
    ),
    max_size=3,
)


def known(*rates: float, seen: float = NOW, urls: int = 50) -> Rhythm:
    """Return the rhythm of a site whose levels have these rates a day."""
    levels = tuple(Level(rate / DAY, 0.1, seen, urls) for rate in rates)
    return Rhythm(levels, collected=seen, whole=seen)


def running(name: str, interval: float, depth: int | None = None) -> Campaign:
    """Return a campaign that goes on now."""
    return Campaign(name, "2026-11-01", "2026-12-01", interval, depth)


def days(order: Plan) -> float:
    """Return in how many days a plan is due."""
    assert order.at is not None
    return (order.at - NOW) / DAY


def test_what_was_never_collected_is_due_now() -> None:
    """A new site is due at once, whole."""
    order = plan(Rhythm(), ANY, CONFIG, PRICE, NOW)
    assert (order.at, order.maximum_depth, order.quick) == (NOW, None, False)
    assert order.reason == "It was never collected."


@given(
    st.floats(0.001, 0.1), st.floats(0.001, 0.1), st.floats(0.1, 5.0), st.sampled_from([1.0, 2.0])
)
def test_a_site_that_changes_more_is_not_collected_less(
    one: float, other: float, price: float, priority: float
) -> None:
    """Within the useful range its interval is not the longer one."""
    slow, quick = sorted((one, other))
    settings = SiteSettings(priority=priority)
    sooner = plan(known(quick), settings, CONFIG, price * DAY, NOW)
    later = plan(known(slow), settings, CONFIG, price * DAY, NOW)
    assert days(sooner) <= days(later) + 1e-6


def test_what_cannot_be_kept_up_with_is_collected_at_the_longest_interval() -> None:
    """A site that changes every hour is not run after, and not forgotten either."""
    order = plan(known(24.0), ANY, CONFIG, PRICE, NOW)
    assert days(order) == pytest.approx(120)
    assert "the longest interval" in order.reason


def test_priority_counts_as_so_many_times_the_text() -> None:
    """A site that counts ten times is collected more often."""
    usual = plan(known(0.01), ANY, CONFIG, PRICE, NOW)
    first = plan(known(0.01), SiteSettings(priority=10), CONFIG, PRICE, NOW)
    assert days(first) < days(usual) / 2


def test_a_quick_start_is_collected_without_the_depths() -> None:
    """The first levels alone are due first; then all are, and the reason says so in figures."""
    rhythm = known(0.1, 0.05, 0.002)
    order = plan(rhythm, ANY, CONFIG, PRICE, NOW)
    assert order.maximum_depth in (0, 1)
    assert order.quick
    plans = list(ahead(rhythm, ANY, CONFIG, PRICE, NOW, 12))
    assert None in [each.maximum_depth for each in plans]
    assert "will have changed by then; so deep every" in order.reason


@given(st.lists(levels, min_size=1, max_size=LEVELS), st.floats(60, 3650 * DAY))
def test_intervals_of_levels_fit_into_one_another(known: list[Level], price: float) -> None:
    """Each is a whole number of times that of the level above, and none is below the shortest."""
    fitted = harmonised(known, price, DAY / 4, 120 * DAY)
    assert min(fitted) >= DAY / 4 * 0.999
    for above, below in zip(fitted, fitted[1:], strict=False):
        assert below / above == pytest.approx(round(below / above), rel=1e-6)
        assert below / above > 0.999


@given(rhythms, campaigns, st.floats(60, 3650 * DAY))
def test_no_plan_is_in_the_past(rhythm: Rhythm, events: list[Campaign], price: float) -> None:
    """Whatever is known and settled, what is planned is now or later."""
    order = plan(rhythm, ANY, CONFIG, price, NOW, events)
    assert order.at is not None
    assert order.at >= NOW
    assert order.requests >= 1
    assert order.reason


@given(rhythms, campaigns, st.sampled_from([None, 3600.0, 40 * DAY]), st.booleans())
def test_forbidden_hours_are_never_chosen(
    rhythm: Rhythm, events: list[Campaign], interval: float | None, weekdays: bool
) -> None:
    """Neither campaigns nor intervals by hand get past a calendar."""
    night = Calendar("Europe/Paris", (Hours(begins="20:00", ends="09:00"),),
                     (Dates("2026-11-23", "2026-11-30"),))  # fmt: skip
    only = Calendar(hours=(Hours(("mon", "tue", "sat"), "06:00", "10:00"),))
    settings = SiteSettings(
        interval=interval, forbidden=night, only=only if weekdays else Calendar()
    )
    order = plan(rhythm, settings, CONFIG, PRICE, NOW, events)
    assert order.at is not None
    assert order.at >= NOW
    assert not covers(night, order.at)
    assert not weekdays or covers(only, order.at)


@given(rhythms, campaigns)
def test_campaigns_that_run_are_honoured(rhythm: Rhythm, events: list[Campaign]) -> None:
    """A site that answers is due no later than each present campaign wants its levels anew."""
    rhythm = evolve(rhythm, silent=0)
    order = plan(rhythm, ANY, CONFIG, PRICE, NOW, events)
    for event in events:
        if event.first <= NOW < event.last:
            assert order.at is not None
            assert order.at <= max(NOW, rhythm.collected + event.interval)


def test_of_several_campaigns_the_strictest_wins_and_says_so() -> None:
    """The shortest interval, the greatest depth, and the names of all."""
    events = [running("vote", DAY, 1), running("storm", DAY / 4, 0)]
    order = plan(known(0.01, 0.01), ANY, CONFIG, PRICE, NOW, events)
    assert days(order) == 0.25
    assert order.maximum_depth == 1 or order.maximum_depth is None
    assert order.reason == "Campaign storm, vote: every 6 h 00 min, as storm wants."
    assert order.priority == 10.0


def test_a_campaign_to_come_is_begun_on_time() -> None:
    """A site that would be left alone for weeks is due when its campaign begins."""
    coming = Campaign("fair", "2026-11-25T12:00:00Z", "2026-12-01")
    order = plan(known(0.01), ANY, CONFIG, PRICE, NOW, [coming])
    assert days(order) == 2
    assert order.reason == "Campaign fair begins."


def test_shallow_crawls_do_not_put_a_deep_campaign_off() -> None:
    """A daily campaign for all levels counts from when all levels were collected."""
    rhythm = known(5.0, 0.01, seen=NOW - 0.9 * DAY)
    rhythm = observed(rhythm, Observation(NOW, (LevelSeen(1.0, 50),)))
    order = plan(rhythm, ANY, CONFIG, DAY / 10, NOW, [running("vote", DAY)])
    assert days(order) == pytest.approx(0.1)
    assert order.maximum_depth is None


def test_an_interval_by_hand_wins_over_all() -> None:
    """Neither rates nor campaigns count then."""
    settings = SiteSettings(interval=3 * DAY)
    order = plan(known(0.01), settings, CONFIG, PRICE, NOW, [running("vote", DAY / 4)])
    assert days(order) == 3
    assert order.reason == "By hand: every 3 days."


def test_a_quota_puts_off_what_does_not_fit() -> None:
    """A crawl that would go over what is left waits for the next period, and has it all then."""
    settings = SiteSettings(interval=DAY / 24, quota=Quota(captures=80, period=DAY))
    rhythm = observed(
        observed(Rhythm(), Observation(NOW, (LevelSeen(None, 50),), 50)),
        Observation(NOW, (LevelSeen(0.0, 50),)),
    )
    order = plan(rhythm, settings, CONFIG, PRICE, NOW)
    assert days(order) == 1
    assert order.captures == 80
    assert "quota begins anew" in order.reason


def test_a_site_larger_than_its_quota_is_collected_as_far_as_it_goes() -> None:
    """A first crawl is limited to the quota, and is not put off for ever."""
    settings = SiteSettings(quota=Quota(captures=10, bytes=1000, period=DAY))
    order = plan(known(0.01, seen=NOW - 50 * DAY), settings, CONFIG, PRICE, NOW)
    assert order.at == NOW
    assert (order.captures, order.bytes) == (10, 1000)


def test_a_site_that_does_not_answer_is_asked_ever_less() -> None:
    """A day, two, four, up to the longest interval."""
    waits = [
        days(plan(evolve(known(0.1), silent=silent), ANY, CONFIG, PRICE, NOW))
        for silent in (1, 2, 3, 20)
    ]
    assert waits == [1, 2, 4, 120]


def test_what_rests_is_never_due() -> None:
    """A person who puts a site to rest is obeyed."""
    assert plan(known(1.0), SiteSettings(resting=True), CONFIG, PRICE, NOW).at is None


def test_a_calendar_that_never_opens_is_found_out() -> None:
    """The reason says why there is no date."""
    settings = SiteSettings(forbidden=Calendar(hours=(Hours(),)))
    order = plan(known(1.0), settings, CONFIG, PRICE, NOW)
    assert order.at is None
    assert order.reason.endswith("Its calendar never lets it.")


def test_all_is_fetched_again_from_time_to_time() -> None:
    """A whole crawl is quick until the last that fetched everything is half a year ago."""
    recent = known(0.01, seen=NOW)
    assert plan(recent, ANY, CONFIG, PRICE, NOW).quick
    assert not plan(evolve(recent, whole=NOW - 180 * DAY), ANY, CONFIG, PRICE, NOW).quick
    assert not plan(recent, SiteSettings(quick=False), CONFIG, PRICE, NOW).quick


@given(rhythms, campaigns)
def test_the_schedule_ahead_goes_on_in_time(rhythm: Rhythm, events: list[Campaign]) -> None:
    """Crawls ahead come one after the other, outside of forbidden hours."""
    settings = SiteSettings(forbidden=NOON)
    plans = list(ahead(rhythm, settings, CONFIG, PRICE, NOW, 6, events))
    moments = [each.at for each in plans]
    assert len(plans) == 6
    assert moments == sorted(set(moments))
    assert not any(covers(NOON, moment) for moment in moments)


def test_load_is_what_falls_due_by_day() -> None:
    """Requests are added up by day; what is beyond the days asked for is left out."""
    plans = [Plan(NOW, requests=5), Plan(NOW + DAY / 2, requests=7), Plan(NOW + 2 * DAY),
             Plan(None), Plan(NOW + 9 * DAY)]  # fmt: skip
    assert load_by_day(plans, NOW, 3) == [12, 0, 1]
