"""Many small jobs done as few large ones."""

from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from agents.storage.batcher import Batcher
from anet.errors import Overloaded


class Work:
    """Runs batches when told to."""

    def __init__(self, **limits: Any) -> None:
        self.batches: list[list[int]] = []
        self.running: list[Deferred[list[Any]]] = []
        settings = {"batch_limit": 3, "waiting_limit": 5} | limits
        self.batcher: Batcher[int] = Batcher(self.run, **settings)

    def run(self, batch: list[int]) -> Deferred[list[Any]]:
        """Take a batch."""
        self.batches.append(batch)
        self.running.append(Deferred())
        return self.running[-1]

    def finish(self, *outcomes: Any) -> None:
        """End the oldest batch that runs."""
        self.running.pop(0).callback(list(outcomes))


@ensureDeferred
async def test_items_gather_while_a_batch_runs() -> None:
    """The first item goes at once; those that come meanwhile go together, up to the limit."""
    work = Work()
    results = [work.batcher.submit(number) for number in range(5)]
    assert work.batches == [[0]] and work.batcher.waiting == 4
    work.finish("a")
    assert work.batches == [[0], [1, 2, 3]]
    work.finish("b", ValueError("broken"), "d")
    assert work.batches[2:] == [[4]]
    work.finish("e")
    assert [await results[at] for at in (0, 1, 3, 4)] == ["a", "b", "d", "e"]
    with pytest.raises(ValueError, match="broken"):
        await results[2]


@ensureDeferred
async def test_a_batch_that_fails_fails_all_of_it() -> None:
    """An error of the whole is each item's, and the next batch is run."""
    work = Work()
    first, second = work.batcher.submit(1), work.batcher.submit(2)
    work.running.pop(0).errback(OSError("gone"))
    with pytest.raises(OSError, match="gone"):
        await first
    work.finish("fine")
    assert await second == "fine"


@ensureDeferred
async def test_a_batch_is_bounded_by_weight_too() -> None:
    """The item that reaches the limit is the last of its batch, also when it is alone."""
    work = Work(batch_weight=10, waiting_limit=1000, batch_limit=100)
    work.batcher._weigh = lambda item: item
    waiting = [work.batcher.submit(weight) for weight in (1, 50, 4, 5, 3, 9)]
    for outcome in ((1,), (50,), (4, 5, 3), (9,)):
        assert work.batches[-1] == list(outcome)
        work.finish(*outcome)
    assert [await each for each in waiting] == [1, 50, 4, 5, 3, 9]


@ensureDeferred
async def test_past_the_limit_items_are_refused() -> None:
    """What waits has a limit, and a caller past it is told at once."""
    work = Work(waiting_limit=2)
    waiting = [work.batcher.submit(number) for number in range(3)]
    with pytest.raises(Overloaded, match="try again"):
        await work.batcher.submit(9)
    work.finish(1)
    work.finish(2, 3)
    assert [await each for each in waiting] == [1, 2, 3]


@ensureDeferred
async def test_stopping_waits_for_what_was_taken() -> None:
    """Stop refuses new items, and ends when the last batch has."""
    work = Work()
    kept = work.batcher.submit(1)
    stopping = Deferred.fromCoroutine(work.batcher.stop())
    with pytest.raises(Overloaded, match="stopping"):
        await work.batcher.submit(2)
    assert not stopping.called
    work.finish("done")
    await stopping
    assert await kept == "done"


@ensureDeferred
async def test_a_cancelled_caller_does_not_disturb_the_batch() -> None:
    """The item of a caller who went away is done all the same, and so are the others."""
    work = Work()
    work.batcher.submit(0)
    gone, other = work.batcher.submit(1), work.batcher.submit(2)
    gone.addErrback(lambda failure: failure.trap(CancelledError))
    gone.cancel()
    work.finish(0)
    work.finish(1, "two")
    assert work.batches == [[0], [1, 2]]
    assert await other == "two"


def test_what_comes_in_one_turn_goes_together() -> None:
    """With a clock a batch begins at the end of the turn, and so does the one after it."""
    clock = Clock()
    work = Work(clock=clock)
    for number in range(2):
        work.batcher.submit(number)
    assert work.batches == []
    clock.advance(0)
    assert work.batches == [[0, 1]]
    work.batcher.submit(2)
    work.finish("a", "b")
    work.batcher.submit(3)
    clock.advance(0)
    assert work.batches[1:] == [[2, 3]]
