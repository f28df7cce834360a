"""Dates of 20 digits: made, read, and refused."""

import contextlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import dates

MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))


@given(MOMENTS)
def test_a_moment_survives(moment):
    """A date gives back its moment to the microsecond."""
    assert dates.to_datetime(dates.from_datetime(moment)) == moment


@given(st.floats(-2e9, 4e9))
def test_a_time_of_the_reactor_is_rounded_as_python_does(seconds):
    """Seconds since the epoch give the date of the same moment, before it too."""
    moment = datetime.fromtimestamp(seconds, UTC)
    assert dates.from_timestamp(seconds) == dates.from_datetime(moment)


@given(MOMENTS, MOMENTS)
def test_dates_sort_as_moments_do(first, second):
    """The order of the texts is the order of time."""
    texts = dates.from_datetime(first), dates.from_datetime(second)
    assert (texts[0] < texts[1]) == (first < second)


@given(MOMENTS)
def test_what_is_written_is_read(moment):
    """ISO 8601 and the digits themselves are read back."""
    date = dates.from_datetime(moment)
    assert dates.parse(date) == date
    assert dates.parse(moment.isoformat()) == date
    assert dates.parse(dates.to_iso(date)) == date[:14] + "000000"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026", "20260101000000000000"),
        ("2026-11", "20261101000000000000"),
        ("20261121073000", "20261121073000000000"),
        (" 2026-11-21 07:30 ", "20261121073000000000"),
        ("2026-11-21T08:30:00+01:00", "20261121073000000000"),
        ("2026-11-21T05:30:00-02:00", "20261121073000000000"),
        ("2026-11-21T05:30:00.25-0200", "20261121073000250000"),
        ("Sat, 21 Nov 2026 07:30:00 GMT", "20261121073000000000"),
    ],
)
def test_what_people_and_headers_write(text, date):
    """Prefixes mean the earliest moment; zones are heeded; HTTP dates are read."""
    assert dates.parse(text) == date


@given(MOMENTS, st.integers(1, 10**6))
def test_a_capture_of_the_second_that_is_named_is_the_nearest(moment, sooner):
    """Whatever was captured in that second is no farther than what was just before it."""
    date = dates.from_datetime(moment)
    before = dates.to_datetime(f"{date[:14]}000000") - timedelta(microseconds=sooner)
    for text in (date[:14], dates.to_iso(date)):
        wanted = dates.to_datetime(dates.sought(text))
        assert abs(wanted - moment) <= abs(wanted - before)
    assert dates.sought(date) == date
    assert dates.sought("Sat, 21 Nov 2026 07:30:00 GMT") == "20261121073000500000"


@given(st.text())
def test_any_text_is_a_date_or_an_error_that_says_which_forms_are(text):
    """No text raises anything but the documented error."""
    with contextlib.suppress(dates.InvalidDate):
        assert len(dates.parse(text)) == dates.DIGITS


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "202", "٢٠٢٦", "2" * 21])
def test_no_date(text):
    """What is no date is refused, and the message shows what is one."""
    with pytest.raises(dates.InvalidDate, match="2026-11-21"):
        dates.parse(text)


@pytest.mark.parametrize(
    "text", ["21-11-2026", "1-1-2026", "07:30", "12:34:56", "2026--11", "20-26"]
)
def test_digits_in_another_order_are_no_date(text):
    """Nobody who writes the day first is taken to the year 2111."""
    with pytest.raises(dates.InvalidDate):
        dates.parse(text)
