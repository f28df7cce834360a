"""Sparing servers that slow down."""

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.network.pace import LONGEST, TOLERANCE, Pace, owed_for

TIMES = st.floats(0, 100)


def test_a_server_that_suffers_is_spared() -> None:
    """Late answers cost, as long as they are later than usual."""
    pace = Pace()
    assert [pace.late(0.5) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert pace.late(3.0) == 2.5
    assert owed_for(2.5, 5.0) == 12.5
    assert owed_for(100.0, 5.0) == LONGEST
    assert owed_for(2.5, 0.0) == 0.0


def test_a_server_that_has_become_slow_is_not_spared_for_ever() -> None:
    """What is usual follows, slowly; a server that gets faster again is believed at once."""
    pace = Pace()
    pace.late(0.5)
    late = [pace.late(3.0) > 0 for _ in range(200)]
    assert late[20]
    assert not late[-1]
    for _ in range(20):
        pace.late(0.5)
    assert pace.late(3.0) > 0


@given(st.lists(TIMES, min_size=1), st.floats(0, 1))
def test_any_times(times: list[float], jitter: float) -> None:
    """Nothing is owed twice over, nothing for an answer within the usual time and tolerance."""
    pace = Pace()
    for seconds in times:
        usual = pace.usual
        late = pace.late(seconds)
        assert 0 <= late <= seconds
        if usual is None or seconds <= 2 * usual + TOLERANCE:
            assert late == 0
        assert min(times) - 1e-6 <= (pace.usual or 0) <= max(times) + 1e-6


@given(st.floats(0, 10), st.integers(2, 50))
def test_an_even_server_owes_nothing(seconds: float, count: int) -> None:
    """Slow or fast, a server that answers as usual is asked at the same pace."""
    pace = Pace()
    assert not any(pace.late(seconds) for _ in range(count))
