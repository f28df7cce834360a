"""When a site may be collected, by the clock of its place."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml import compose

from agents.configuration.errors import ConfigurationError
from agents.configuration.typed import Reader
from agents.scheduler.temporal.calendars import (
    DAYS,
    Calendar,
    Dates,
    Hours,
    after,
    covers,
    within,
)
from agents.scheduler.temporal.settings import Campaign, SiteSettings

PARIS = ZoneInfo("Europe/Paris")
OFFICE = Calendar("Europe/Paris", (Hours(("mon", "tue", "wed", "thu", "fri"), "08:00", "18:30"),))

moments = st.floats(1.7e9, 1.9e9)
clocks = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
hours = st.builds(
    Hours, st.lists(st.sampled_from(DAYS), min_size=1, unique=True).map(tuple), clocks, clocks
)
calendars = st.builds(
    Calendar,
    st.sampled_from(["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe"]),
    st.lists(hours, max_size=3).map(tuple),
)


def at(text: str) -> float:
    """Return a moment by the clock of Paris."""
    return datetime.fromisoformat(text).replace(tzinfo=PARIS).timestamp()


@pytest.mark.parametrize(
    ("moment", "inside"),
    [
        ("2026-11-23T07:59", False),
        ("2026-11-23T08:00", True),
        ("2026-11-23T18:29", True),
        ("2026-11-23T18:30", False),
        ("2026-11-22T12:00", False),
    ],
)
def test_hours_are_of_days_of_the_week(moment: str, inside: bool) -> None:
    """Offices are open from Monday to Friday, and closed at the minute they close."""
    assert covers(OFFICE, at(moment)) is inside


def test_hours_may_go_past_midnight() -> None:
    """What begins on Friday evening lasts into Saturday, and not into other mornings."""
    night = Calendar("Europe/Paris", (Hours(("fri",), "22:00", "06:00"),))
    assert covers(night, at("2026-11-28T05:00"))
    assert not covers(night, at("2026-11-27T05:00"))
    assert after(night, at("2026-11-27T23:00")) == at("2026-11-28T06:00")


def test_dates_are_whole_days_with_the_last() -> None:
    """Holidays last until the midnight after the last of them."""
    holidays = Calendar("Europe/Paris", (), (Dates("2026-12-24", "2026-12-26"),))
    assert after(holidays, at("2026-12-24T10:00")) == at("2026-12-27T00:00")


def test_clocks_put_forward_and_back_keep_hours_by_the_clock() -> None:
    """Eight in the morning is eight by the clock, on both sides of the change."""
    for day in ("2026-03-27", "2026-03-30", "2026-10-23", "2026-10-26"):
        assert within(OFFICE, at(f"{day}T01:00")) == at(f"{day}T08:00")


def test_all_the_time_leaves_none() -> None:
    """When every hour of every day is taken there is no moment left, and that is found out."""
    assert after(Calendar(hours=(Hours(),)), 1.8e9) is None
    assert within(Calendar(dates=(Dates("2001-01-01", "2001-01-02"),)), 1.8e9) is None


@given(calendars, moments)
def test_the_first_moment_outside_is_outside(calendar: Calendar, moment: float) -> None:
    """It is not before the moment asked for, and there is none earlier on the way."""
    found = after(calendar, moment)
    if found is not None:
        assert found >= moment
        assert not covers(calendar, found)
        middle = moment + (found - moment) / 2
        assert found == moment or covers(calendar, middle)


@given(calendars, moments)
def test_the_first_moment_inside_is_inside(calendar: Calendar, moment: float) -> None:
    """It is not before the moment asked for."""
    found = within(calendar, moment)
    if found is not None:
        assert found >= moment
        assert covers(calendar, found)


def read(text: str, kind: type) -> object:
    """Return a value as the configuration reads it."""
    return Reader("test.yaml").instance(compose(text), kind, "site")  # type: ignore[arg-type]


def test_settings_are_read_from_yaml() -> None:
    """An archivist writes hours, quotas and intervals as they are documented."""
    text = """
      interval: 604800
      forbidden: {zone: Europe/Paris, hours: [{days: [mon], begins: "08:00", ends: "18:30"}]}
      quota: {captures: 1000, period: 86400}
    """
    settings = read(text, SiteSettings)
    assert isinstance(settings, SiteSettings)
    assert settings.interval == 604800
    assert settings.forbidden.hours[0].ends == "18:30"
    assert settings.quota.captures == 1000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("forbidden: {zone: Mars/Olympus}", "a time zone this machine knows"),
        ("forbidden: {zone: ../../etc/passwd}", "a time zone this machine knows"),
        ('forbidden: {hours: [{begins: "25:00"}]}', "a time of day"),
        ("forbidden: {hours: [{days: [someday]}]}", "expected one of 'mon'"),
        ('forbidden: {dates: [{first: "2026-12-26", last: "2026-12-24"}]}', "not before"),
        ("interval: 1", "seconds, from 60"),
        ("priority: 0", "a factor from"),
        ("quota: {captures: -1}", ">= 0"),
    ],
)
def test_impossible_settings_are_refused_in_words(text: str, words: str) -> None:
    """The message says what was expected, at the key that is wrong."""
    with pytest.raises(ConfigurationError, match=words):
        read(text, SiteSettings)


def test_a_campaign_ends_after_it_begins() -> None:
    """One that would end first is refused."""
    with pytest.raises(ValueError, match="after the beginning"):
        Campaign("election", "2026-05-02", "2026-05-01")
