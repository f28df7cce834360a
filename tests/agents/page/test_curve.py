"""A curve draws what it can of any series."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.page.curve import ceiling, curve_html, finite
from agents.page.values import Curve


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (0.3, 0.5), (1, 1), (1.1, 2), (81.8, 100), (4e6, 5e6), (1e-310, 1)]
)
def test_the_scale_ends_at_a_round_number(value: float, top: float) -> None:
    """The top of the scale is the next 1, 2 or 5."""
    assert ceiling(value) == pytest.approx(top)


def test_points_that_cannot_be_drawn_are_left_out() -> None:
    """Infinite and undefined points are dropped."""
    assert finite([(0, 1), (1, nan), (2, inf), (nan, 1), (3, 4)]) == [(0, 1), (3, 4)]


def test_one_point_is_no_curve() -> None:
    """Fewer than two points say that there is not enough yet."""
    assert "Not enough" in curve_html(Curve("c", [(0, 1)]))


@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=30))
def test_any_series_gives_a_figure(points: list[tuple[float, float]]) -> None:
    """No series fails, and no coordinate is undefined."""
    html = curve_html(Curve("c", points, "s"))
    assert "nan" not in html.split("points=")[-1] and "inf" not in html.split("points=")[-1]
