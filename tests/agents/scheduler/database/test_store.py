"""The database for coroutines, with real threads and a real file."""

import sqlite3
from pathlib import Path
from typing import Any

from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.scheduler.database import Database, NewSite, Queries, Store

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
