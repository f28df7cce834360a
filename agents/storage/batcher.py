"""Many small jobs done as few large ones, because a commit costs the same for one as for many."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorTime

from anet.errors import Overloaded
from anet.tasks import sleep

Item = TypeVar("Item")


class Batcher(Generic[Item]):
    """Gathers items while a batch runs, and runs all of them as the next batch.

    Args:
        run: does a batch, and returns one outcome an item, in order; an outcome that is an
            exception is raised to whoever submitted the item.
        batch_limit: items of one batch.
        batch_weight: weight of one batch, of which only the last item passes it; no limit without.
        waiting_limit: weight of all items that may wait.
        weigh: the weight of an item.
        name: what the message of `Overloaded` calls this.
        clock: whose turns are waited for the end of, so that all that comes in one goes together;
            without it the first item goes at once.
    """

    def __init__(
        self,
        run: Callable[[list[Item]], Awaitable[Sequence[Any]]],
        *,
        batch_limit: int,
        batch_weight: float = inf,
        waiting_limit: int,
        weigh: Callable[[Item], int] = lambda item: 1,
        name: str = "writes",
        clock: IReactorTime | None = None,
    ) -> None:
        self._run, self._name, self._weigh, self._clock = run, name, weigh, clock
        self._batch_limit, self._batch_weight = batch_limit, batch_weight
        self._waiting_limit = waiting_limit
        self._waiting: deque[tuple[Item, int, Deferred[Any]]] = deque()
        self._weight = 0
        self._stopping = False
        self._working: Deferred[None] | None = None

    @property
    def waiting(self) -> int:
        """Items that wait for the batch that runs now to end."""
        return len(self._waiting)

    def submit(self, item: Item) -> Deferred[Any]:
        """Do an item with the next batch; the result is its outcome.

        Raises:
            Overloaded: too much is waiting already, or `stop` was called.
        """
        if self._stopping or self._weight >= self._waiting_limit:
            why = "stopping" if self._stopping else f"{len(self._waiting)} are waiting"
            return fail(Overloaded(f"{self._name}: {why}; try again in a moment"))
        done: Deferred[Any] = Deferred()  # one that is cancelled takes its outcome in silence
        weight = self._weigh(item)
        self._waiting.append((item, weight, done))
        self._weight += weight
        if self._working is None:
            self._working = Deferred()
            Deferred.fromCoroutine(self._work())
        return done

    async def stop(self) -> None:
        """Take nothing more, and wait until all that was taken is done."""
        self._stopping = True
        if self._working is not None:
            ended: Deferred[None] = Deferred()
            self._working.chainDeferred(ended)
            await ended

    def _next(self) -> list[tuple[Item, int, Deferred[Any]]]:
        """Take what fits into a batch from those that wait."""
        batch: list[tuple[Item, int, Deferred[Any]]] = []
        weight = 0
        while self._waiting and len(batch) < self._batch_limit and weight < self._batch_weight:
            batch.append(self._waiting.popleft())
            weight += batch[-1][1]
        self._weight -= weight
        return batch

    async def _work(self) -> None:
        while self._waiting:
            if self._clock is not None:
                await sleep(self._clock, 0)
            batch = self._next()
            outcomes: Sequence[Any]
            try:
                outcomes = await self._run([item for item, _, _ in batch])
            except Exception as error:  # whatever it is, it belongs to those who wait
                outcomes = [error] * len(batch)
            for (_, _, done), outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    done.errback(outcome)
                else:
                    done.callback(outcome)
        working, self._working = self._working, None
        if working is not None:
            working.callback(None)
