"""Captures are counted by day and year."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.consultation.harbor.days import (
    YEARS_SHOWN,
    by_day,
    by_year,
    changes,
    nearest,
    year_to_show,
    years_around,
)
from agents.consultation.lookup.structures import CaptureLine

moments = st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1))  # noqa: DTZ001


def line(date, content="a"):
    """Return a capture of a date."""
    return CaptureLine("http://a.example/", date, content, 1, 200)


@st.composite
def histories(draw):
    """Captures in the order of their dates."""
    found = sorted(dates.from_datetime(moment) for moment in draw(st.lists(moments, max_size=40)))
    return [line(date, draw(st.sampled_from("ab"))) for date in found]


@given(histories())
def test_every_capture_is_counted_once(captures):
    """Days and years have all captures between them."""
    days = by_day(captures)
    years = by_year(days)
    assert sum(day.count for day in days.values()) == sum(years.values()) == len(captures)
    assert sum(day.changed for day in days.values()) == changes(captures).count("changed")
    assert list(years) == sorted(years)
    assert all(1 <= day.shade <= 4 for day in days.values())


@given(histories().filter(bool), st.text(max_size=8), moments)
def test_there_is_always_a_year_to_show(captures, asked, moment):
    """Whatever is asked for, a calendar shows a year that a calendar has."""
    years = list(by_year(by_day(captures)))
    assert 1 <= year_to_show(years, asked, dates.from_datetime(moment)) <= 9999
    assert year_to_show(years, "", "") == years[-1]


@given(st.sets(st.integers(1, 9999)), st.integers(1, 9999))
def test_the_years_shown_are_few_and_near(years, year):
    """However many there are, the nearest ones are shown, in order."""
    shown = years_around(years, year)
    assert len(shown) == min(len(years), YEARS_SHOWN) and shown == sorted(shown)
    furthest = max((abs(each - year) for each in shown), default=0)
    assert all(abs(each - year) >= furthest for each in years - set(shown))


@given(histories().filter(bool), moments)
def test_a_reader_sees_the_nearest(captures, moment):
    """No other capture is nearer to the reader's date."""
    date = dates.from_datetime(moment)
    seen = nearest(captures, date)
    gaps = [abs(dates.to_datetime(each.date) - dates.to_datetime(date)) for each in captures]
    assert abs(dates.to_datetime(seen.date) - dates.to_datetime(date)) == min(gaps)
    assert nearest(captures, "") is captures[-1]
