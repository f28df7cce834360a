"""Coroutines have an owner."""

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import globalLogPublisher

from anet.tasks import Tasks, every, sleep


async def fail() -> None:
    """Fail."""
    raise RuntimeError("a failure for a test")


@pytest.fixture
def logged():
    """What was logged meanwhile."""
    events: list[dict] = []
    globalLogPublisher.addObserver(events.append)
    yield events
    globalLogPublisher.removeObserver(events.append)


def test_a_failure_is_logged_and_counted(logged):
    """A coroutine that fails is not lost."""
    tasks = Tasks()
    assert tasks.start(fail(), "the test").called
    assert tasks.failures == 1
    assert any(event.get("name") == "the test" for event in logged)


def test_stop_cancels_and_waits():
    """After stop nothing runs, and nothing is started any more."""
    clock, tasks, ended = Clock(), Tasks(), []

    async def work() -> None:
        try:
            await sleep(clock, 100)
        finally:
            ended.append(True)

    tasks.start(work(), "work")
    assert len(tasks) == 1
    stopping = Deferred.fromCoroutine(tasks.stop())
    assert (stopping.called, ended, len(tasks)) == (True, [True], 0)
    tasks.start(work(), "late")
    assert (ended, len(tasks), clock.getDelayedCalls()) == ([True], 0, [])


def test_every_goes_on_after_a_failure(logged):
    """A regular task that fails once is run again."""
    clock, tasks, runs = Clock(), Tasks(), []

    def action() -> None:
        runs.append(clock.seconds())
        if len(runs) == 1:
            raise RuntimeError("a failure for a test")

    tasks.start(every(clock, 5, action), "regular")
    for _ in range(3):
        clock.advance(5)
    assert runs == [5, 10, 15]
    tasks.start(tasks.stop(), "stop")
