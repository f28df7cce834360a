"""What only a server does: it goes away, asks for a password, and is another program's."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Database, DatabaseRefused, NewSite, Queries, Store
from agents.scheduler.database.postgresql import _place_of

DATE = "20261121073000000000"


def site(name: str) -> NewSite:
    """Return a site."""
    return NewSite(name, f"http://{name}/", f"//{name}", "", 5, name)


@pytest.fixture
def url(postgresql: Any) -> Iterator[str]:
    """A fresh schema."""
    return postgresql.fresh()  # type: ignore[no-any-return]


@ensureDeferred
async def test_jobs_outlive_a_server_that_goes_away(postgresql: Any, url: str) -> None:
    """Sessions that end in the middle of a group delay its jobs; each is done once."""
    store = Store(reactor, Database(url), pause=0.01)
    store.startService()
    cuts = [1, 1, 1]

    def cutting(database: Database) -> list[str]:
        found = database.order([site("cut")], False, DATE)
        if cuts:
            cuts.pop()
            postgresql.cut_all()
        return found

    try:
        jobs = [store.run(Database.order, [site(f"s{n}")], False, DATE) for n in range(5)]
        jobs.append(store.run(cutting))
        jobs += [store.run(Database.order, [site(f"t{n}")], False, DATE) for n in range(5)]
        for job in jobs:
            [crawl] = await job
            assert crawl.startswith("20261121-073000-")
        assert not cuts and store.problem == ""
        assert await store.look(Queries.counts) == ({"due": 11}, {"ordered": 11})
        postgresql.cut_all()
        assert await store.look(Queries.standings) == {"member": 11}
    finally:
        await store.stopService()


def test_no_message_holds_the_password(caplog: pytest.LogCaptureFixture) -> None:
    """Neither the configuration as text nor a refusal shows what only the server should know."""
    caplog.set_level(logging.DEBUG)
    url = "postgresql://dlweb:sesame@127.0.0.1:1/archive"
    assert "sesame" not in repr(SchedulerConfig(database=url))
    with pytest.raises(
        DatabaseRefused, match="archive on 127.0.0.1: .*see that the server runs"
    ) as it:
        Database(url)
    assert "sesame" not in str(it.value) + caplog.text
    assert "sesame" not in _place_of("postgresql://dlweb:sesame@[/archive")


def test_a_newer_version_is_refused(url: str) -> None:
    """A program never touches what it does not know."""
    database = Database(url)
    database._engine.execute("UPDATE scheduler_version SET version = 99")
    database.close()
    with pytest.raises(DatabaseRefused, match="newer version of this program"):
        Database(url)


def test_tables_of_another_program_are_not_touched(postgresql: Any, url: str) -> None:
    """A schema that has a table of the same name is refused, and left as it was."""
    schema = url.rpartition("%3D")[2].rpartition("=")[2]
    postgresql.do(f"CREATE TABLE {schema}.sites (town TEXT)")
    with pytest.raises(DatabaseRefused, match="already exists"):
        Database(url)
    postgresql.do(f"SELECT town FROM {schema}.sites")


def test_another_database_system_is_no_configuration() -> None:
    """What is no PostgreSQL is refused where it is written, without being shown."""
    with pytest.raises(ValueError, match="postgresql://user:password@host/database"):
        SchedulerConfig(database="mysql://dlweb:sesame@host/archive")


def test_names_have_one_order_in_every_language(postgresql: Any) -> None:
    """A server of another language sorts names as SQLite does, so that searches find the same."""
    postgresql.do("CREATE DATABASE spoken TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
    database = Database(postgresql.url().replace("/postgres?", "/spoken?"))
    names = ["a/B", "a/a", "a-b", "ab", "b"]
    database.discover([site(name) for name in names], DATE)
    found = [row["site"] for row in database.sites_named("a", "", 9)]
    database.close()
    assert found == ["a-b", "a/B", "a/a", "ab"]
