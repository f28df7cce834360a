"""Which crawl goes to whom."""

from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.policy import Due, plan


def due(number: int) -> Due:
    """Return a crawl that waits."""
    return Due(f"crawl-{number}", f"site-{number}", f"{number}.example", f"crawl-{number}")


def test_first_come_first_served() -> None:
    """The crawl that comes first goes to the crawler free for longest."""
    decided = plan([due(1), due(2)], ["x", "y"], 2, 4)
    assert decided.assignments == ((due(1), "x"), (due(2), "y"))
    assert decided.forks == 0


@given(
    st.integers(0, 12),
    st.lists(st.sampled_from("vwxyz"), unique=True),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_any_plan_keeps_the_rules(waiting: int, free: list[str], more: int, maximum: int) -> None:
    """Each crawler at most once, and no forks while somebody is idle or there are enough."""
    crawlers = len(free) + more
    decided = plan([due(number) for number in range(waiting)], free, crawlers, maximum)
    assert [to for _, to in decided.assignments] == free[:waiting]
    assert 0 <= decided.forks <= max(0, maximum - crawlers)
    if decided.forks:
        assert len(decided.assignments) == len(free) < waiting
