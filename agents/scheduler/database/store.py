"""The database for coroutines: a thread that works in the order of jobs, and one that looks."""

from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any, Concatenate, ParamSpec, TypeVar

from twisted.application.service import Service
from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure

from agents.scheduler.database.database import Database
from agents.scheduler.database.queries import Queries
from anet.errors import Overloaded
from anet.workers import Workers

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_PAUSE = 2.0  # seconds before the database is tried again
_LIMIT = 10_000  # jobs that may wait
_GROUP = 500  # jobs that are committed together
_ANSWERS = 20  # jobs answered in one turn of the reactor; what they wake up has work of its own


class Store(Service):
    """Runs methods of a `Database` in a thread: `await store.run(Database.crawl, "20261121-…")`.

    Jobs that wait are committed together, in the order they came, and answered when they are
    durable. A disk that is full or fails for a while, or a server that is away, delays jobs and
    fails none: they are repeated until they are done. Who only wants to tell a person how things
    are does not wait for that: `await store.look(Queries.sites, 50)`.

    Attributes:
        problem: why the database cannot be written now, or empty.
    """

    def __init__(self, reactor: Any, database: Database, pause: float = _PAUSE) -> None:
        self.problem = ""
        self._reactor, self._database, self._pause = reactor, database, pause
        self._workers = Workers(reactor, 1, name="scheduler database")
        self._lookers = Workers(reactor, 1, queue_limit=1000, name="scheduler database reader")
        self._view = database.reader()
        self._jobs: deque[tuple[Callable[[], Any], Deferred[Any]]] = deque()
        self._answers: deque[tuple[Deferred[Any], Any]] = deque()
        self._at_work = False
        self._stopping = Event()
        self._idle: Deferred[None] | None = None

    @property
    def waiting(self) -> int:
        """Jobs that wait to be run."""
        return len(self._jobs)

    def startService(self) -> None:
        """Start the threads."""
        super().startService()
        self._workers.startService()
        self._lookers.startService()

    async def stopService(self) -> None:
        """Wait for all jobs and their answers, then close the database."""
        super().stopService()
        self._stopping.set()
        if self._at_work or self._answers:
            self._idle = Deferred()
            await self._idle
        await self._workers.stopService()
        await self._lookers.stopService()
        self._view.close()
        self._database.close()

    def run(
        self,
        method: Callable[Concatenate[Database, _Arguments], _Result],
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> Deferred[_Result]:
        """Call a method of the database and return its result.

        Raises:
            Overloaded: too many jobs are waiting.
            NoSuchTransition: see the method.
        """
        if len(self._jobs) >= _LIMIT:
            return fail(Overloaded(f"scheduler database: {_LIMIT} jobs are waiting"))
        answer: Deferred[_Result] = Deferred()
        self._jobs.append((partial(method, self._database, *args, **kwargs), answer))
        if not self._at_work:
            self._work()
        return answer

    def look(
        self,
        method: Callable[Concatenate[Queries, _Arguments], _Result],
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> Deferred[_Result]:
        """Return what the database holds now, though jobs may wait to change it.

        Raises:
            Overloaded: too many look.
        """
        return self._lookers.run(self._see, partial(method, self._view, *args, **kwargs))

    def reader(self) -> Queries:
        """Return the database for another thread that only looks; to be closed there."""
        return self._database.reader()

    def _work(self) -> None:
        """Have the thread run what waits, up to the size of a group."""
        self._at_work = True
        group = [self._jobs.popleft() for _ in range(min(_GROUP, len(self._jobs)))]
        answers = [answer for _, answer in group]
        done = self._workers.run(self._insist, [job for job, _ in group])
        done.addErrback(lambda failure: [failure] * len(answers))
        done.addCallback(self._done, answers)

    def _done(self, outcomes: list[Any], answers: list[Deferred[Any]]) -> None:
        """Take the outcomes of a group; while they are told, the next is at work."""
        self._at_work = False
        busy = bool(self._answers)
        self._answers.extend(zip(answers, outcomes, strict=True))
        if self._jobs:
            self._work()
        if not busy:
            self._answer()

    def _answer(self) -> None:
        """Tell some outcomes, in the order of jobs, and the others in the reactor's next turn."""
        for _ in range(min(_ANSWERS, len(self._answers))):
            answer, outcome = self._answers[0]
            if isinstance(outcome, Failure):
                answer.errback(outcome)
            else:
                answer.callback(outcome)
            self._answers.popleft()
        if self._answers:
            self._reactor.callLater(0, self._answer)
        elif self._idle is not None and not self._at_work:
            self._idle.callback(None)

    def _insist(self, jobs: list[Callable[[], Any]]) -> list[Any]:
        """Run a group in the thread; wait and repeat while the disk or server does not let us."""
        while True:
            try:
                outcomes = self._database.group(jobs)
            except self._database.passing as error:
                self.problem = str(error)
                if self._stopping.wait(self._pause):
                    raise
            else:
                self.problem = ""
                return outcomes

    def _see(self, question: Callable[[], _Result]) -> _Result:
        """Ask in the thread that looks; once more if the connection was lost meanwhile."""
        try:
            return question()
        except self._view.passing:
            self._view.mend()
            return question()
