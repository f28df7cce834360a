"""The pool: jobs that wait, workers that do them, and what replaces a worker that ended."""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from anet.backoff import Backoff
from anet.errors import NotSendable, Overloaded, Stopped, WorkersUnavailable
from anet.processes.child import Limits
from anet.processes.forker import Forker
from anet.processes.job import Job, encoded
from anet.processes.messages import Answer
from anet.processes.worker import Worker, fate

_log = Logger()

_MIB = 2**20
_FAILED_STARTS = 5  # in a row, after which jobs wait no longer


class Processes(Service):
    """A pool of up to `size` worker processes with at most `queue_limit` jobs waiting.

    Workers start when they are needed, are used again, and are replaced when they end. When none
    starts, the pool tries again after growing waits of up to 30 seconds; from the fifth failure in
    a row on, each one fails all jobs that wait.
    """

    def __init__(
        self,
        reactor: Any,
        size: int,
        *,
        queue_limit: int = 1000,
        memory: int = 512 * _MIB,
        time: float = 60.0,
        value_limit: int = 16 * _MIB,
        tasks: int = 1000,
        grace: float = 10.0,
        preload: Sequence[str] = (),
        name: str = "workers",
    ) -> None:
        """Make a pool; nothing runs before its first job.

        Args:
            reactor: an `IReactorSocket` and `IReactorTime`.
            size: workers at once.
            queue_limit: jobs that may wait for a worker.
            memory: bytes that a job may take, beyond those its worker has when the job begins.
            time: seconds that a job may take, once a worker has it.
            value_limit: bytes of a job's arguments, and of its result.
            tasks: jobs that a worker does before it is replaced, so that leaks have an end.
            grace: seconds that running jobs have to end when the service stops.
            preload: modules that workers need and shall not import each by itself.
            name: of the workers in `ps`, and of the pool in the log.
        """
        self._reactor, self._size, self._queue_limit = reactor, size, queue_limit
        self._time, self._grace, self._name = time, grace, name
        self._limits = Limits(memory, value_limit, tasks)
        self._numbers = count(1)
        self._queue: deque[Job] = deque()
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._forker = Forker(
            reactor, preload, f"{name}-forker", self._process_ended, self._forker_lost
        )
        self._backoff = Backoff(first=0.1)
        self._failed_starts = 0
        self._pause: IDelayedCall | None = None
        self._emptied: Deferred[None] | None = None

    @property
    def waiting(self) -> int:
        """Jobs that wait for a worker."""
        return len(self._queue)

    @property
    def working(self) -> int:
        """Jobs that workers do now."""
        return sum(worker.job is not None for worker in self._workers)

    @property
    def pids(self) -> frozenset[int]:
        """The workers' processes."""
        return frozenset(worker.pid for worker in self._workers if worker.pid is not None)

    def run(
        self, function: Callable[..., Any], *args: Any, time: float | None = None
    ) -> Deferred[Any]:
        """Call a function in a worker.

        Cancelling the result takes the job off the queue, or kills the worker that does it.

        Args:
            function: of a module, not of `__main__` and not a closure: the worker imports it.
            args: MessagePack values. Bytes, text, integers of 64 bits, floats, dates, None and
                lists come through unharmed; a tuple or a set comes as a list.
            time: seconds that it may take, if not the pool's own.

        Raises:
            Overloaded: `queue_limit` jobs are waiting already.
            Stopped: the service does not run.
            NotSendable: function, arguments or result cannot go between processes, or are larger
                than `value_limit`.
            WorkerFailed: the function raised an exception.
            WorkerTooSlow: it took longer than it may.
            WorkerTooLarge: it took more memory than it may.
            WorkerDied: its process ended in the middle.
            WorkersUnavailable: no process could be started.
        """
        result: Deferred[Any] = Deferred(lambda _: self._cancel(result))
        try:
            job = self._admit(function, args, time, result)
        except (Overloaded, Stopped, NotSendable) as error:
            result.errback(error)
        else:
            self._queue.append(job)
            self._serve()
        return result

    async def stopService(self) -> None:
        """Refuse what waits, let what runs end within the grace, and end all processes."""
        super().stopService()
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._fail_waiting(Stopped(f"{self._name} have stopped"))
        for worker in [worker for worker in self._workers if worker.job is None]:
            worker.kill()
        if self._workers:
            late = self._reactor.callLater(self._grace, self._end_all)
            self._emptied = Deferred()
            await self._emptied
            if late.active():
                late.cancel()
        await self._forker.close()

    def worker_ready(self, worker: Worker) -> None:
        """Let a worker that has started work."""
        self._failed_starts = 0
        self._backoff.reset()
        self._idle.append(worker)
        self._serve()

    def worker_answered(self, worker: Worker, job: Job, answer: Answer) -> None:
        """Let a worker that is done do the next job, then say what came of the last."""
        if not self.running:
            worker.kill()
        elif not worker.ending:
            self._idle.append(worker)
            self._serve()
        job.end(answer.outcome)

    def worker_ended(self, worker: Worker) -> None:
        """Replace a worker if there is work for another."""
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if not worker.ready and self.running:
            self._start_failed(worker.fate)
        self._serve()
        if not self._workers and self._emptied is not None:
            emptied, self._emptied = self._emptied, None
            emptied.callback(None)

    def _admit(
        self, function: Callable[..., Any], args: Sequence[Any], time: float | None, result: Any
    ) -> Job:
        if not self.running:
            raise Stopped(f"{self._name} do not run")
        if len(self._queue) >= self._queue_limit:
            raise Overloaded(f"{self._name}: {len(self._queue)} jobs are waiting")
        number = next(self._numbers)
        path, payload = encoded(number, function, args, self._limits)
        seconds = self._time if time is None else time
        return Job(number, path, payload, seconds, self._limits, result)

    def _cancel(self, result: Deferred[Any]) -> None:
        for worker in self._workers:
            if worker.job is not None and worker.job.result is result:
                worker.take_away()
                worker.kill()
                return
        for job in self._queue:
            if job.result is result:
                self._queue.remove(job)
                return

    def _serve(self) -> None:
        """Give what waits to idle workers, and start workers for the rest."""
        while self._queue and self._idle:
            worker = self._idle.pop()
            if not worker.ending:
                worker.give(self._queue.popleft())
        starting = sum(not worker.ready for worker in self._workers)
        while (
            self.running
            and self._pause is None
            and len(self._queue) > starting
            and len(self._workers) < self._size
        ):
            self._start_worker()
            starting += 1

    def _start_worker(self) -> None:
        worker = Worker(self._reactor, self, self._limits)
        try:
            worker.start(self._forker.zygote(), self._name)
        except OSError as error:
            self._start_failed(str(error))
        else:
            self._workers.add(worker)

    def _start_failed(self, why: str) -> None:
        if self._pause is not None:
            return  # several at once are one failure
        self._failed_starts += 1
        self._pause = self._reactor.callLater(self._backoff.next(), self._resume)
        _log.warn("{name}: a worker could not start: {why}", name=self._name, why=why)
        if self._failed_starts >= _FAILED_STARTS:
            self._fail_waiting(WorkersUnavailable(f"{self._name}: no worker starts: {why}"))

    def _resume(self) -> None:
        self._pause = None
        self._serve()

    def _fail_waiting(self, error: Exception) -> None:
        failed, self._queue = self._queue, deque()
        for job in failed:
            job.fail(error)

    def _process_ended(self, pid: int, status: int) -> None:
        for worker in list(self._workers):
            if worker.pid == pid:
                worker.process_ended(fate(status))

    def _forker_lost(self) -> None:
        for worker in list(self._workers):
            worker.process_ended("ended with its fork server")

    def _end_all(self) -> None:
        """End what did not end within the grace."""
        for worker in list(self._workers):
            job = worker.take_away()
            worker.kill()
            if job is not None:
                job.fail(Stopped(f"{self._name} have stopped before {job.function} ended"))
        self._forker.kill()  # in case it hangs
