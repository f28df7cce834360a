"""Which crawl goes to whom."""

from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.policy import Due, plan


def due(number: int, host: str) -> Due:
    """Return a crawl that waits."""
    return Due(f"crawl-{number}", f"site-{number}", host, f"crawl-{number}")


def test_first_come_first_served() -> None:
    """The crawl that waits longest goes to the crawler free for longest."""
    decided = plan([due(1, "a"), due(2, "b")], ["x", "y"], (), 2, 4)
    assert [(one.crawl, to) for one, to in decided.assignments] == [
        ("crawl-1", "x"),
        ("crawl-2", "y"),
    ]
    assert decided.forks == 0


def test_sites_of_one_host_take_turns() -> None:
    """Neither a busy host nor one just given away is collected twice at once."""
    decided = plan([due(1, "a"), due(2, "b"), due(3, "b")], ["x", "y"], {"a"}, 3, 9)
    assert [one.crawl for one, _ in decided.assignments] == ["crawl-2"]
    assert decided.forks == 0


def test_a_second_crawl_of_a_site_does_not_wait_for_the_first() -> None:
    """It was asked for as such; it takes a crawler of its own all the same."""
    second = Due("crawl-2", "site-1", "a", "crawl-2", beside=True)
    decided = plan([second], [], {"a"}, 1, 9)
    assert (decided.assignments, decided.forks) == ((), 1)
    assert plan([second], ["x"], {"a"}, 2, 9).assignments == ((second, "x"),)


_HOSTS = st.sampled_from("abcdef")


@given(
    st.lists(_HOSTS, max_size=12),
    st.lists(st.sampled_from("vwxyz"), unique=True),
    st.sets(_HOSTS),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_any_plan_keeps_the_rules(
    hosts: list[str], free: list[str], busy: set[str], more: int, maximum: int
) -> None:
    """Each crawler and each host at most once, and no forks while somebody is idle or over."""
    crawlers = len(free) + more
    decided = plan([due(*one) for one in enumerate(hosts)], free, busy, crawlers, maximum)
    given_hosts = [one.host for one, _ in decided.assignments]
    given_to = [to for _, to in decided.assignments]
    assert len(set(given_hosts)) == len(given_hosts) and not busy & set(given_hosts)
    assert given_to == free[: len(given_to)]
    assert 0 <= decided.forks <= max(0, maximum - crawlers)
    if decided.forks:
        assert len(given_to) == len(free)
