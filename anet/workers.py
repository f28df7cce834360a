"""A bounded pool for system calls that block: fsync, scans of folders, SQLite.

Such calls let go of Python's lock while they wait, so threads serve as well as processes and
cost less. Work that computes belongs in a process of its own: `anet.processes`.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFromThreads
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from anet.errors import Overloaded, Stopped

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Workers(Service):
    """A pool of `size` threads with at most `queue_limit` jobs waiting.

    With a size of one, jobs run one after another in the order they came, which is how one
    thread owns a database connection.
    """

    def __init__(
        self,
        reactor: IReactorFromThreads,
        size: int,
        queue_limit: int = 1000,
        name: str = "workers",
    ) -> None:
        self._reactor = reactor
        self._queue_limit = queue_limit
        self._pool = ThreadPool(size, size, name)
        # A process that ends without stopping its services does not wait for them.
        self._pool.threadFactory = partial(Thread, daemon=True)  # type: ignore[assignment]
        self._waiting = 0
        self._results: set[Deferred[Any]] = set()  # of jobs that run or wait
        self._abandoned: Exception | None = None
        self._round = 0  # jobs of a round that was abandoned are not begun any more
        self._idle: deque[Deferred[None]] = deque()

    @property
    def clock(self) -> Any:
        """The reactor in whose thread results arrive, for those who wait for a time too."""
        return self._reactor

    @property
    def waiting(self) -> int:
        """Jobs that run or wait."""
        return self._waiting

    def startService(self) -> None:
        """Start the threads."""
        super().startService()
        self._pool.start()

    async def stopService(self) -> None:
        """Wait for all jobs, then end the threads; those that are stuck end with the process."""
        super().stopService()
        if self._abandoned is not None and self._waiting:
            return
        if self._pool.started:
            await self.idle()
        self._pool.stop()

    async def idle(self) -> None:
        """Wait until no job runs or waits, also of those that were abandoned."""
        if self._waiting:
            idle: Deferred[None] = Deferred()
            self._idle.append(idle)
            await idle

    def abandon(self, error: Exception) -> None:
        """Have all jobs fail now, and all that come, because the system calls do not return.

        A thread that is stuck stays so, for nothing can end its call; what it returns at last is
        dropped. Jobs that waited are not begun any more.
        """
        self._abandoned = error
        self._round += 1
        results, self._results = self._results, set()
        for result in results:
            result.errback(error)

    def resume(self) -> None:
        """Take jobs again; once `idle` has returned, all threads are there again."""
        self._abandoned = None

    def run(
        self,
        function: Callable[_Arguments, _Result],
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> Deferred[_Result]:
        """Call `function` in a thread.

        Raises:
            Overloaded: `queue_limit` jobs are waiting already.
            Stopped: the threads have ended.
            Exception: what was given to `abandon`.
        """
        result: Deferred[_Result] = Deferred()  # once cancelled it takes no notice of the job's end
        if self._abandoned is not None:
            result.errback(self._abandoned)
            return result
        if self._waiting >= self._queue_limit:
            result.errback(Overloaded(f"{self._pool.name}: {self._waiting} jobs are waiting"))
            return result
        if self._pool.joined:
            result.errback(Stopped(f"{self._pool.name} have stopped"))
            return result
        self._waiting += 1
        self._results.add(result)
        begun = self._round

        def done(success: bool, value: Any) -> None:
            self._reactor.callFromThread(self._deliver, result, value)

        def job() -> _Result:
            if begun != self._round:
                raise Stopped(f"{self._pool.name}: given up before it began")
            return function(*args, **kwargs)

        self._pool.callInThreadWithCallback(done, job)
        return result

    def _deliver(self, result: Deferred[Any], value: Any) -> None:
        self._waiting -= 1
        if result in self._results:
            self._results.remove(result)
            if isinstance(value, Failure):
                result.errback(value)
            else:
                result.callback(value)
        while self._idle and not self._waiting:  # what took the result may have asked for more
            self._idle.popleft().callback(None)
