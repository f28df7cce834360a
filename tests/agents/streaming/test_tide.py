"""Streams are read once a second each, spread over the second."""

from collections import Counter

from twisted.internet.task import Clock

from agents.streaming.tide import BEATS, Tide


def test_each_is_called_once_a_second_and_not_all_at_once() -> None:
    """Hundreds of streams share one timer, a few at each beat."""
    clock, tide, called = Clock(), None, Counter[int]()
    tide = Tide(clock)
    tide.startService()
    ebbs = [lambda number=number: called.update([number]) for number in range(200)]
    for ebb in ebbs:
        tide.add(ebb)
    clock.advance(1 / BEATS)
    assert called.total() == 25  # 200 in 8 beats
    clock.pump([1 / BEATS] * (10 * BEATS - 1))
    assert called == Counter(dict.fromkeys(range(200), 10))
    for ebb in ebbs[:100]:
        tide.remove(ebb)
    clock.pump([1 / BEATS] * BEATS)
    assert (called[0], called[199]) == (10, 11)
    tide.stopService()
    clock.pump([1 / BEATS] * BEATS)
    assert called[199] == 11


def test_a_pause_of_the_process_is_not_caught_up() -> None:
    """After ten seconds in which nothing ran, each is called once."""
    clock, called = Clock(), Counter[str]()
    tide = Tide(clock)
    tide.startService()
    tide.add(lambda: called.update(["a"]))
    clock.advance(10)
    assert called["a"] == 1


def test_a_fault_stops_nobody_else() -> None:
    """What one raises is logged, and the next is called."""
    clock, called = Clock(), Counter[str]()
    tide = Tide(clock)
    tide.startService()

    def fail() -> None:
        called.update(["failed"])
        raise RuntimeError("a fault")

    tide.add(fail)
    tide.add(lambda: called.update(["next"]))
    clock.pump([1 / BEATS] * (2 * BEATS))
    assert called == Counter({"failed": 2, "next": 2})
