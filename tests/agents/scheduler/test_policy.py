"""Which crawl goes to whom."""

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.policy import Due, Free, plan


def due(number: int) -> Due:
    """Return a crawl that waits."""
    return Due(f"crawl-{number}", f"site-{number}", f"{number}.example", f"crawl-{number}")


def test_first_come_first_served() -> None:
    """The crawl that comes first goes to the crawler free for longest."""
    decided = plan([due(1), due(2)], [Free("x"), Free("y")], 2, 4)
    assert decided.assignments == ((due(1), Free("x")), (due(2), Free("y")))
    assert decided.forks == 0


@given(
    st.integers(0, 12),
    st.lists(st.sampled_from("vwxyz").map(Free), unique=True),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_any_plan_keeps_the_rules(waiting: int, free: list[Free], more: int, maximum: int) -> None:
    """Each crawler at most once, and no forks while somebody is idle or there are enough."""
    crawlers = len(free) + more
    decided = plan([due(number) for number in range(waiting)], free, crawlers, maximum)
    assert [to for _, to in decided.assignments] == free[:waiting]
    assert 0 <= decided.forks <= max(0, maximum - crawlers)
    if decided.forks:
        assert len(decided.assignments) == len(free) < waiting


_CRAWLERS = [Free(f"{name}{machine}", machine) for name in "xyz" for machine in "12"]


@given(
    st.lists(st.sampled_from(_CRAWLERS), unique=True, min_size=1),
    st.sets(st.sampled_from(_CRAWLERS), max_size=3),
    st.booleans(),
)
def test_what_failed_goes_as_far_away_as_can_be(
    free: list[Free], tried: set[Free], patient: bool
) -> None:
    """To another machine, else to another crawler; while better ones are busy, to nobody yet."""
    crawl = evolve(
        due(1),
        since="2" if patient else "0",
        crawlers=frozenset(one.name for one in tried),
        machines=frozenset(one.machine for one in tried),
    )
    busy = [one for one in _CRAWLERS if one not in free]
    best = min(map(crawl.distrust, free))
    given_to = [to for _, to in plan([crawl], free, 9, 9, busy, "1").assignments]
    if tried and patient and any(crawl.distrust(one) < best for one in busy):
        assert given_to == []
    else:
        [one] = given_to
        assert crawl.distrust(one) == best
