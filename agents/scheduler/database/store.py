"""The database for coroutines: one thread of its own, jobs in the order they came."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from twisted.application.service import Service
from twisted.internet.defer import Deferred

from agents.scheduler.database.changes import Database
from anet.workers import Workers

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Store(Service):
    """Runs methods of a `Database` in a thread: `await store.run(Database.crawl, "20261121-…")`."""

    def __init__(self, reactor: Any, database: Database) -> None:
        self._workers = Workers(reactor, 1, name="scheduler database")
        self._database = database

    @property
    def waiting(self) -> int:
        """Jobs that run or wait."""
        return self._workers.waiting

    def startService(self) -> None:
        """Start the thread."""
        super().startService()
        self._workers.startService()

    async def stopService(self) -> None:
        """Wait for all jobs, then close the database."""
        super().stopService()
        await self._workers.stopService()
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
        return self._workers.run(method, self._database, *args, **kwargs)
