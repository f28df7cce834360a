"""The largest of many."""

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.monitor import Extremes


@given(st.lists(st.tuples(st.integers(), st.text(max_size=3)), unique=True))
def test_the_largest_are_kept(measures: list[tuple[int, str]]) -> None:
    """Whatever comes in whatever order, the largest remain, the largest first."""
    extremes = Extremes(3)
    for measure, name in measures:
        extremes.add(measure, name)
    found = [measure for _, measure in extremes]
    assert found == sorted((measure for measure, _ in measures), reverse=True)[:3]
