"""Databases that former versions wrote come up with all they held."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agents.deposit import DepositFigures
from agents.missed import MissedLink
from agents.order import CrawlFigures
from agents.scheduler.database import Database, NewSite, engine
from agents.scheduler.life import CrawlState

DATE = "20261122000000000000"
SCHEMAS = Path(engine.__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that version 2 wrote: a site in each state, b2 waiting behind b."""
    written = tmp_path / "scheduler.sqlite"
    old = sqlite3.connect(written)
    old.executescript(Path(__file__).with_name("version-2.sql").read_text("utf-8"))
    old.close()
    return written


def test_what_version_2_held_is_there(path: Path) -> None:
    """Sites are members, counted by state, and the sums over their crawls are right."""
    database = Database(path)
    sites, crawls = database.counts()
    assert sites == {"idle": 1, "collecting": 1, "due": 2, "depositing": 1, "failed": 1}
    assert crawls == {
        "deposited": 1,
        "collecting": 1,
        "ordered": 3,
        "depositing": 1,
        "failed": 1,
    }
    assert database.standings() == {"member": 6}
    totals = database.totals()
    assert (totals.captures, totals.pages, totals.bytes_stored) == (8, 2, 30)
    database.close()


def test_what_version_2_began_goes_on(path: Path) -> None:
    """Running crawls are known, waiting ones come in their turn, and deposits are repeated."""
    database = Database(path)
    assert [one.site for one in database.recover(DATE)] == ["b"]
    assert [one.site for one in database.in_state(CrawlState.COLLECTED)] == ["c"]
    assert [(one.site, one.beside) for one in database.due(9)] == [("e", False), ("b", True)]
    database.finished("20261121-073000-b", "/crawls/b", CrawlFigures(captures=1), DATE)
    assert [one.site for one in database.due(9)] == ["b2", "e", "b"]
    database.deposit_began("20261121-073000-c", DATE)
    database.deposit_done("20261121-073000-c", DepositFigures(captures_recorded=5), DATE)
    assert database.totals().captures == 9
    [crawl] = database.order([NewSite("c", "http://c/", "//c", "", 5, "c")], False, DATE)
    assert crawl == "20261122-000000-c"
    database.close()


def test_a_database_of_the_first_version_is_upgraded(path: Path) -> None:
    """What it holds stays, and second crawls can be kept from then on."""
    path.unlink()
    old = sqlite3.connect(path)
    old.executescript((SCHEMAS / "schema-1.sql").read_text())
    old.executescript(f"PRAGMA application_id = {0x646C7763}; PRAGMA user_version = 1")
    old.execute(
        "INSERT INTO sites (site, start_url, accept, reject, maximum_depth, host, state,"
        " registered, changed) VALUES ('a', 'http://a/', '//a', '', 5, 'a', 'known', ?, ?)",
        [DATE, DATE],
    )
    old.commit()
    old.close()
    database = Database(path)
    [crawl] = database.order([NewSite("a", "http://a/", "//a", "", 5, "a")], False, DATE)
    kept = database.crawl(crawl)
    assert kept is not None and not kept.beside
    database.close()


def test_an_upgrade_that_is_killed_is_made_again(path: Path) -> None:
    """Killed between the new tables and the counts that follow from the old, nothing is lost."""
    script = (
        "import os, signal, sys; from pathlib import Path;"
        "from agents.scheduler.database import Database, changes;"
        "changes.count_all = lambda _: os.kill(os.getpid(), signal.SIGKILL);"
        "Database(Path(sys.argv[1]))"
    )
    killed = subprocess.run([sys.executable, "-c", script, path], check=False, env=os.environ)
    assert killed.returncode == -9
    database = Database(path)
    assert database.counts()[0]["due"] == 2
    assert [one.site for one in database.due(9)] == ["e", "b"]
    database.close()


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("engine_name", ["sqlite", "postgresql"])
def test_what_later_versions_held_is_there(
    engine_name: str,
    version: int,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With either engine, missed links and streams are kept then, beside all that was there."""
    is_file = engine_name == "sqlite"
    where = tmp_path / "s" if is_file else request.getfixturevalue("postgresql").fresh()
    with monkeypatch.context() as former:
        former.setattr(f"agents.scheduler.database.{engine_name}.VERSION", version)
        old = Database(where)
        sites = [NewSite(name, f"http://{name}/", f"//{name}", "", 5, name) for name in "ab"]
        crawls = old.order(sites, False, DATE)
        before = (old.counts(), old.standings(), old.totals())
        old.close()
    database = Database(where)
    assert (database.counts(), database.standings(), database.totals()) == before
    assert [each.crawl for each in database.due(9)] == sorted(crawls)
    link = MissedLink("http://a/gone", "", 1, DATE)
    for _ in range(2):
        database.note_missed([(link, "a")], DATE)
    database.add_stream("http://a/live", "a", DATE, "anna", "")
    database.close()
    again = Database(where)
    assert [row["url"] for row in again.missed_of("a", 9)] == ["http://a/gone"]
    assert [row.stream for row in again.streams_of("a")] == ["http://a/live"]
    again.close()
