"""What is made of two answers, and for how long it is kept: pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.dns.answers import Absent, Failed, Found
from anet.dns.cache import Cache
from anet.dns.policy import Keeping, Verdict, judge, outlive, usable
from anet.errors import ConnectFailed, TimedOut

KEEPING = Keeping(shortest=5, longest=100, longest_absence=50, failure=10, stale=60)
FOUR, SIX = Found(("192.0.2.1",), 60), Found(("2001:db8::1",), 30)
TTLS = st.integers(0, 2**31 - 1)
ANSWERS = (
    st.builds(Found, st.just(("192.0.2.1",)), TTLS)
    | st.builds(Absent, st.none() | TTLS)
    | st.builds(Failed, st.just("why"), st.booleans())
)


@pytest.mark.parametrize(
    ("routed", "addresses"),
    [
        ({4, 6}, ("2001:db8::1", "192.0.2.1")),
        ({4}, ("192.0.2.1",)),
        ({6}, ("2001:db8::1",)),
        (set(), ("192.0.2.1", "2001:db8::1")),
    ],
)
def test_addresses_that_can_be_reached(routed: set[int], addresses: tuple[str, ...]) -> None:
    """A family without a route is left out, unless there is none at all."""
    assert judge(FOUR, SIX, routed, KEEPING) == Verdict(addresses, 30)


def test_the_only_address_is_told_although_it_cannot_be_reached() -> None:
    """Connecting will say why; the name is known."""
    assert judge(Absent(9), SIX, {4}, KEEPING).addresses == SIX.addresses


@given(ANSWERS, ANSWERS)
def test_addresses_win_over_failure_and_failure_over_absence(four: object, six: object) -> None:
    """And all is kept within the bounds."""
    verdict = judge(four, six, {4, 6}, KEEPING)
    kinds = {type(four), type(six)}
    assert bool(verdict.addresses) == (Found in kinds)
    assert bool(verdict.failure) == (Found not in kinds and Failed in kinds)
    assert KEEPING.shortest <= verdict.seconds <= KEEPING.longest
    if Found not in kinds:
        assert verdict.seconds <= KEEPING.longest_absence


def test_verdicts_are_told() -> None:
    """Addresses, or the error that says what happened."""
    assert Verdict(("192.0.2.1",), 1).told_of("x") == ("192.0.2.1",)
    with pytest.raises(ConnectFailed, match="x is unknown"):
        Verdict((), 1).told_of("x")
    with pytest.raises(ConnectFailed, match="x could not be looked up: refused"):
        Verdict((), 1, "refused").told_of("x")
    with pytest.raises(TimedOut, match="about the name x: silence"):
        Verdict((), 1, "silence", late=True).told_of("x")


@given(st.lists(st.floats(0, 100), max_size=20))
def test_nothing_stale_is_kept_for_ever(waits: list[float]) -> None:
    """However often it is prolonged, an old verdict ends within its time and one prolongation."""
    verdict, total = Verdict(("192.0.2.1",), 1), 0.0
    for wait in waits:
        prolonged = outlive(Verdict((), 10, "failure"), verdict, wait, KEEPING)
        if prolonged.failure:
            assert total + wait > KEEPING.stale
            return
        total += wait + prolonged.seconds
        verdict = prolonged
        assert total <= KEEPING.stale + KEEPING.failure
        assert verdict.overdue == pytest.approx(total)


def test_only_failures_are_outlived() -> None:
    """That a name is gone is news, not a failure; and absence never stands in."""
    old, gone, failed = Verdict(("192.0.2.1",), 1), Verdict((), 1), Verdict((), 1, "failure")
    assert outlive(gone, old, 0, KEEPING) is gone
    assert outlive(failed, gone, 0, KEEPING) is failed
    assert not usable(gone, 0, KEEPING)


@given(st.integers(1, 5), st.lists(st.sampled_from("abcdefgh")))
def test_the_cache_keeps_what_was_used_last(size: int, names: list[str]) -> None:
    """And never more than its size."""
    cache: Cache[str] = Cache(size)
    order: list[str] = []
    for name in names:
        assert (cache.get(name) is not None) == (name in order[-size:])
        cache.put(name, name, 1.0)
        order = [*(each for each in order if each != name), name]
        assert len(cache) == min(size, len(order))
