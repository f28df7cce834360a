"""An agent's measures of itself stay bounded and mean what they say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.page import Rate, Series


def test_a_series_keeps_the_newest_points() -> None:
    """The oldest point leaves when the series is full."""
    series = Series(size=3)
    for time in range(5):
        series.add(time, time * 10)
    assert list(series) == [(2, 20), (3, 30), (4, 40)]
    assert series.last == 40 and len(series) == 3


def test_an_empty_series_has_no_last_value() -> None:
    """Nothing was measured yet."""
    assert Series().last is None


def test_a_rate_is_the_mean_over_its_window() -> None:
    """Ten events a second for a minute are ten a second."""
    rate = Rate(window=10)
    for tenth in range(600):
        rate.add(tenth / 10)
    assert rate.per_second(59.9) == pytest.approx(10)
    assert rate.total == 600


def test_a_rate_falls_to_nothing_after_its_window() -> None:
    """What happened before the window no longer counts."""
    rate = Rate(window=10)
    rate.add(5.0, 100)
    assert rate.per_second(5.5) == 100
    assert rate.per_second(9.0) == pytest.approx(25)
    assert rate.per_second(15.0) == 0


def test_a_rate_of_nothing_is_nothing() -> None:
    """A rate that never counted is zero."""
    assert Rate().per_second(100.0) == 0.0


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), max_size=300))
def test_a_rate_is_bounded_whatever_the_clock_says(events: list[tuple[float, float]]) -> None:
    """A clock that jumps neither grows the memory nor gives a negative rate."""
    rate = Rate(window=5)
    for now, amount in events:
        rate.add(now, amount)
        assert rate.per_second(now) >= 0
    assert len(rate._amounts) <= 6
