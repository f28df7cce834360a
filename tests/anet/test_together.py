"""Several coroutines run side by side, and end as one."""

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from anet.tasks import sleep
from anet.together import together


async def after(clock: Clock, seconds: float, value: int) -> int:
    """Give a value later; zero is a mistake."""
    await sleep(clock, seconds)
    return 10 // value


def test_results_come_in_order_and_mistakes_among_them():
    """Each coroutine runs to its end, whatever the others do."""
    clock, results = Clock(), []
    all_of_them = together([after(clock, 2, 1), after(clock, 1, 0), after(clock, 3, 5)])
    Deferred.fromCoroutine(all_of_them).addCallback(results.extend)
    clock.pump([1, 1, 1])
    assert results[0::2] == [10, 2]
    assert isinstance(results[1], ZeroDivisionError)


def test_cancelling_the_whole_cancels_all():
    """Who awaits them is cancelled too, and does not go on."""
    clock = Clock()
    whole = Deferred.fromCoroutine(together([after(clock, 1, 1), after(clock, 2, 1)]))
    whole.cancel()
    assert clock.getDelayedCalls() == []
    failures = []
    whole.addErrback(failures.append)
    with pytest.raises(CancelledError):
        failures[0].raiseException()
