"""Work that many wait for, and workers whose askers go away."""

import threading
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.defer import ensureDeferred as run

from anet.shared import Shared
from anet.tasks import Tasks
from anet.workers import Workers


def results_of(deferred: Deferred[Any]) -> list[Any]:
    """Return the list into which a result will come."""
    results: list[Any] = []
    deferred.addBoth(results.append)
    return results


def test_all_who_wait_get_the_result_and_one_who_leaves_ends_nothing() -> None:
    """A waiter that is cancelled leaves the work to the others; a late one gets the result."""
    going: Deferred[int] = Deferred()

    async def work() -> int:
        return await going

    shared = Shared(Tasks(), work(), "work")
    leaving, staying = shared.wait(), shared.wait()
    left, stayed = results_of(leaving), results_of(staying)
    leaving.cancel()
    assert left[0].check(CancelledError) and not shared.ended
    going.callback(7)
    assert stayed == [7] == results_of(shared.wait())
    assert shared.ended


def test_a_failure_reaches_who_waits() -> None:
    """The error of the work is the waiter's, and does not count as unheard."""
    going: Deferred[int] = Deferred()

    async def work() -> int:
        return await going

    tasks = Tasks()
    waiting = results_of(Shared(tasks, work(), "work").wait())
    going.errback(ValueError("broken"))
    assert waiting[0].check(ValueError)
    assert tasks.failures == 0


@pytest.mark.parametrize("stopped_before", [True, False])
def test_stopped_tasks_end_the_work(stopped_before: bool) -> None:
    """Who waits for work that was stopped, or never begun, is told."""
    tasks = Tasks()

    async def work() -> None:
        await Deferred()

    if stopped_before:
        run(tasks.stop())
    waiting = results_of(Shared(tasks, work(), "work").wait())
    run(tasks.stop())
    assert waiting[0].check(CancelledError)


@ensureDeferred
async def test_a_job_whose_asker_has_gone_ends_quietly() -> None:
    """A thread cannot be interrupted: its job ends, and its result is let go."""
    workers = Workers(reactor, 1)
    workers.startService()
    go = threading.Event()
    job = workers.run(go.wait)
    job.addErrback(lambda failure: failure.trap(CancelledError))
    job.cancel()
    go.set()
    assert await workers.run(lambda: 7) == 7
    await workers.stopService()
