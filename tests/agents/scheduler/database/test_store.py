"""The database for coroutines, with real threads and a real file."""

import sqlite3
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred

from agents.scheduler.database import Database, NewSite, Queries, Store
from anet.errors import Overloaded

DATE = "20261121073000000000"
SITE = NewSite("a", "http://a/", "//a", "", 5, "a")


@ensureDeferred
async def test_a_full_disk_delays_changes_and_hides_nothing(tmp_path: Path) -> None:
    """While a change is tried again and again, people still see what there is, and why."""
    full = [True]

    def order(database: Database) -> list[str]:
        if full:
            raise sqlite3.OperationalError("database or disk is full")
        return database.order([SITE], False, DATE)

    store = Store(reactor, Database(tmp_path / "s.sqlite"), pause=0.01)
    store.startService()
    try:
        ordered: Any = store.run(order)
        while not store.problem:
            assert await store.look(Queries.counts) == ({}, {})
        assert store.problem == "database or disk is full" and not ordered.called
        full.clear()
        [crawl] = await ordered
        assert store.problem == ""
        assert [found.crawl for found in await store.look(Queries.latest, 9)] == [crawl]
    finally:
        await store.stopService()


class Slow:
    """A database whose groups wait until they may end."""

    passing = (sqlite3.OperationalError,)

    def __init__(self) -> None:
        self.groups: list[int] = []
        self.go_on = Event()
        self.closed = False

    def reader(self) -> "Slow":
        return self

    def group(self, jobs: list[Any]) -> list[Any]:
        assert self.go_on.wait(10)
        self.groups.append(len(jobs))
        return [job() for job in jobs]

    def close(self) -> None:
        self.closed = True


@ensureDeferred
async def test_what_waits_is_committed_together_and_bounded() -> None:
    """Jobs that came meanwhile are one group, up to a size; too many are refused, none is lost."""
    slow: Any = Slow()
    store = Store(reactor, slow)
    store.startService()
    told: list[int] = []
    answers = [store.run(lambda _, n=n: told.append(n) or n) for n in range(10_001)]
    with pytest.raises(Overloaded, match="10000 jobs are waiting"):
        await store.run(lambda _: None)
    slow.go_on.set()
    stopping = Deferred.fromCoroutine(store.stopService())
    assert [await answer for answer in answers] == list(range(10_001)) == told
    await stopping
    assert slow.groups == [1, *[500] * 20] and slow.closed


@ensureDeferred
async def test_a_job_that_is_cancelled_is_done_all_the_same(tmp_path: Path) -> None:
    """Who asked may have gone; what was asked happens, and the next is answered."""
    store = Store(reactor, Database(tmp_path / "s.sqlite"))
    store.startService()
    gone = store.run(Database.order, [SITE], False, DATE)
    gone.cancel()
    with pytest.raises(CancelledError):
        await gone
    assert (await store.run(Database.counts))[0] == {"due": 1}
    await store.stopService()
