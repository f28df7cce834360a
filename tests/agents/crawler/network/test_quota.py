"""At most so much in any period."""

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.network.quota import SLICES, Quota
from agents.order import Politeness


def test_no_quota_by_default() -> None:
    """An order that limits nothing costs nothing."""
    assert Quota.of(Politeness()) is None
    assert Quota.of(Politeness(requests_per_period=1)) is not None
    assert Quota.of(Politeness(bytes_per_period=1)) is not None


def test_waiting_until_the_first_leave() -> None:
    """What was asked first makes room first."""
    quota = Quota(2, 0, 100.0)
    quota.note(0.0, 5)
    assert quota.wait(1.0) == 0
    quota.note(10.0, 5)
    assert quota.wait(20.0) == 80.0
    assert quota.wait(100.0) == 0


@given(
    st.lists(st.tuples(st.floats(0, 30), st.integers(0, 50)), max_size=80),
    st.integers(0, 10),
    st.integers(0, 200),
)
def test_no_period_sees_more(steps: list[tuple[float, int]], requests: int, size: int) -> None:
    """Whatever the pauses: requests never pass the limit, bytes only by the last body."""
    period, now, done = 60.0, 0.0, []
    quota = Quota(requests, size, period)
    for pause, got in steps:
        now += pause
        now += quota.wait(now)
        assert quota.wait(now) <= 1e-6
        quota.note(now, got)
        done.append((now, got))
        recent = [each for at, each in done if at > now - period + 1e-6]
        assert not requests or len(recent) <= requests
        assert not size or sum(recent[:-1]) < size
    assert len(quota._slices) <= SLICES + 2
