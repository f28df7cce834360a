"""One running coroutine that many may wait for, and that none of them can end."""

from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from anet.tasks import Tasks

_Result = TypeVar("_Result")


class Shared(Generic[_Result]):
    """A coroutine owned by `tasks`; a waiter that is cancelled leaves it running.

    For work that must come to its end although whoever asked for it has gone, and for work
    that a second asker joins.
    """

    def __init__(
        self, tasks: Tasks, coroutine: Coroutine[Deferred[Any], Any, _Result], name: str
    ) -> None:
        self._waiting: set[Deferred[_Result]] = set()
        self._outcome: _Result | Failure = Failure(CancelledError())
        self._ended = False
        self._coroutine = coroutine
        tasks.start(self._run(), name).addBoth(self._end)

    @property
    def ended(self) -> bool:
        """Whether it has come to its end."""
        return self._ended

    def wait(self) -> Deferred[_Result]:
        """Return what fires with the result, or fails as the coroutine did."""
        waiter: Deferred[_Result] = Deferred(lambda it: self._waiting.discard(it))
        self._waiting.add(waiter)
        if self._ended:
            self._tell()
        return waiter

    async def _run(self) -> None:
        try:
            self._outcome = await self._coroutine
        except Exception:
            self._outcome = Failure()
            if not self._waiting:
                raise

    def _end(self, _: object) -> None:
        self._coroutine.close()  # it was never begun if the tasks had stopped before
        self._ended = True
        self._tell()

    def _tell(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for waiter in waiting:
            waiter.callback(self._outcome)
