"""Many deadlines ring by one timer, each in its time."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from hip.deadlines import Deadline, Deadlines

TIMES = st.floats(0, 1000, allow_subnormal=False)


@given(st.lists(TIMES, min_size=1))
def test_each_rings_in_its_time_by_one_timer(times):
    """None rings early, none late, and there is never more than one timer."""
    clock = Clock()
    left = sorted(times)
    rung = []

    def look(now: float) -> float:
        while left and left[0] <= now:
            rung.append((left.pop(0), now))
        return left[0] if left else float("inf")

    deadlines = Deadlines(clock, look)
    for due in times:
        deadlines.expect(due)
        assert len(clock.getDelayedCalls()) == 1
    while clock.getDelayedCalls():
        clock.advance(clock.getDelayedCalls()[0].getTime() - clock.seconds())
    assert left == []
    assert all(abs(now - due) < 1e-9 for due, now in rung)


def test_a_deadline_that_is_over_rings_at_once():
    """And one that was ended does not."""
    clock = Clock()
    clock.advance(10)
    rung = []

    def look(now: float) -> float:
        rung.append(now)
        return float("inf")

    deadlines = Deadlines(clock, look)
    deadlines.expect(5)
    deadlines.end()
    clock.advance(100)
    assert rung == []
    deadlines.expect(5)
    clock.advance(0)
    assert rung == [110]
    assert clock.getDelayedCalls() == []


def test_a_method_is_told_how_long_its_caller_waits():
    """What is left shrinks with time, and never to nothing, so that it can be passed on."""
    clock = Clock()
    deadline = Deadline(clock, 5.0)
    clock.advance(2)
    assert (deadline.due, deadline.left) == (5.0, 3.0)
    clock.advance(20)
    assert deadline.left == 0.01
