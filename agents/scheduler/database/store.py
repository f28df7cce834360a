"""The database for coroutines: a thread that works in the order of jobs, and one that looks."""

import sqlite3
from collections.abc import Callable
from threading import Event
from typing import Any, Concatenate, ParamSpec, TypeVar

from twisted.application.service import Service
from twisted.internet.defer import Deferred

from agents.scheduler.database.database import Database
from agents.scheduler.database.queries import Queries
from anet.workers import Workers

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_PAUSE = 2.0  # seconds before the database is tried again


class Store(Service):
    """Runs methods of a `Database` in a thread: `await store.run(Database.crawl, "20261121-…")`.

    A disk that is full or fails for a while delays jobs and fails none: each is one transaction,
    so it is repeated until it is done, and the order of all is kept. Who only wants to tell a
    person how things are does not wait for that: `await store.look(Queries.sites, 50)`.

    Attributes:
        problem: why the database cannot be written now, or empty.
    """

    def __init__(self, reactor: Any, database: Database, pause: float = _PAUSE) -> None:
        self.problem = ""
        self._workers = Workers(reactor, 1, queue_limit=10_000, name="scheduler database")
        self._database = database
        self._lookers = Workers(reactor, 1, queue_limit=1000, name="scheduler database reader")
        self._view = database.reader()
        self._pause = pause
        self._stopping = Event()

    @property
    def waiting(self) -> int:
        """Jobs that run or wait."""
        return self._workers.waiting

    def startService(self) -> None:
        """Start the thread."""
        super().startService()
        self._workers.startService()
        self._lookers.startService()

    async def stopService(self) -> None:
        """Wait for all jobs, then close the database."""
        super().stopService()
        self._stopping.set()
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
        return self._workers.run(self._insist, lambda: method(self._database, *args, **kwargs))

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
        return self._lookers.run(method, self._view, *args, **kwargs)

    def _insist(self, job: Callable[[], _Result]) -> _Result:
        """Do a job in the thread; wait and repeat while the disk does not let it be done."""
        while True:
            try:
                result = job()
            except sqlite3.OperationalError as error:
                self.problem = str(error)
                if self._stopping.wait(self._pause):
                    raise
            else:
                self.problem = ""
                return result
