"""The scheduler's memory: real files."""

import os
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.deposit import DepositFigures, Findings
from agents.order import CrawlFigures
from agents.scheduler.database import Bounds, Database, DatabaseRefused, NewSite
from agents.scheduler.life import SITE_AT_WORK, CrawlState, NoSuchTransition

DATE = "20261121073000000000"


def site(name: str, host: str = "a.example") -> NewSite:
    """Return a site."""
    return NewSite(name, f"http://{name}/", f"//{name}", "", 5, host)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is."""
    return tmp_path / "scheduler" / "scheduler.sqlite"


@pytest.fixture
def database(place: Path | str):  # type: ignore[no-untyped-def]
    """An open database whose crawls are tried twice."""
    opened = Database(place, attempts_allowed=2)
    yield opened
    opened.close()


def collect(database: Database, crawl: str) -> None:
    """Bring a crawl to the end of its collection."""
    name = database.start(crawl, "crawler-1", DATE).name or ""
    database.finished(name, f"/crawls/{name}", CrawlFigures(captures=3), DATE)


def test_an_order_makes_sites_due(database: Database) -> None:
    """Each ordered site has a crawl that waits, the oldest first, one of each host."""
    first = database.order([site("a"), site("b")], False, DATE)
    second = database.order([site("c", "c.example")], True, "20261121073001000000")
    assert [one.crawl for one in database.due(9)] == [first[0], second[0]]
    assert [one.site for one in database.due(1)] == ["a"]
    assert database.counts() == ({"due": 3}, {"ordered": 3})
    kept = database.crawl(second[0])
    assert kept is not None and kept.private_networks


def test_an_order_that_joins_a_site_still_waiting_is_honoured(database: Database) -> None:
    """Until a crawler has been told, a later order may change how; afterwards it may not."""
    [crawl] = database.order([site("a")], False, DATE, 0.5)
    assert database.order([site("a")], True, DATE, 2.0) == [crawl]
    assert database.order([site("a")], False, DATE) == [crawl]
    kept = database.crawl(crawl)
    assert kept is not None and kept.private_networks and kept.delay == 2.0
    database.start(crawl, "crawler-1", DATE)
    database.order([site("a")], True, DATE, 9.0)
    kept = database.crawl(crawl)
    assert kept is not None and kept.delay == 2.0


def test_bounds_of_an_order_that_joins(database: Database) -> None:
    """What it says of where the site ends counts until a crawler has been told."""
    [crawl] = database.order([site("a")], False, DATE)
    database.order([evolve(site("a"), bounds=Bounds("/x/", None, 7))], False, DATE)
    kept = database.crawl(crawl)
    assert kept is not None
    assert (kept.accept, kept.reject, kept.maximum_depth) == ("/x/", "", 7)
    database.start(crawl, "crawler-1", DATE)
    database.order([evolve(site("a"), bounds=Bounds("/y/"))], False, DATE, beside=True)
    kept = database.crawl(crawl)
    assert kept is not None and kept.accept == "/x/"


def test_a_site_at_work_is_joined(database: Database) -> None:
    """Until a site is idle again, every order for it gives the same crawl."""
    [crawl] = database.order([site("a")], False, DATE)
    assert database.order([site("a")], False, DATE) == [crawl]
    collect(database, crawl)
    assert database.order([site("a")], False, DATE) == [crawl]
    database.deposit_began(crawl, DATE)
    assert database.order([site("a")], False, DATE) == [crawl]
    database.deposit_done(crawl, DepositFigures(done=True), DATE)
    [other] = database.order([site("a")], False, DATE)
    assert other == f"{crawl}-2"
    assert database.sites(9)[0].crawls == 2


def test_a_lost_crawl_is_tried_again_and_then_given_up(database: Database) -> None:
    """Each attempt has a name; the reasons of all are kept, their folders are to be removed."""
    [crawl] = database.order([site("a")], False, DATE)
    first = database.start(crawl, "crawler-1", DATE)
    assert (first.name, first.attempt, first.crawler) == (crawl, 1, "crawler-1")
    waiting = database.lost(crawl, "killed", "/crawls/1", DATE)
    assert waiting.state is CrawlState.ORDERED
    assert waiting.error == "killed"
    second = database.start(crawl, "crawler-2", DATE)
    assert second.name == f"{crawl}.2"
    with pytest.raises(NoSuchTransition):
        database.lost(crawl, "late news of the first", "/crawls/1", DATE)
    given_up = database.lost(f"{crawl}.2", "killed too", "/crawls/2", DATE)
    assert given_up.state is CrawlState.FAILED
    assert database.sites(9)[0].state == "failed"
    assert database.sites(9)[0].error == "killed too"
    assert database.discards(9) == ["/crawls/1", "/crawls/2"]
    database.discarded(["/crawls/1"])
    assert database.discards(9) == ["/crawls/2"]


def test_a_refused_attempt_does_not_count(database: Database) -> None:
    """A crawler that refuses leaves the crawl as it was."""
    [crawl] = database.order([site("a")], False, DATE)
    for _ in range(5):
        database.start(crawl, "crawler-1", DATE)
        assert database.refused(crawl, "busy", DATE).state is CrawlState.ORDERED
    assert database.start(crawl, "crawler-1", DATE).attempt == 1


def test_a_crawl_goes_through_its_whole_life(database: Database) -> None:
    """What crawler and connectivity say is kept, and summed up."""
    [crawl] = database.order([site("a")], False, DATE)
    collect(database, crawl)
    [collected] = database.in_state(CrawlState.COLLECTED)
    assert collected.directory == f"/crawls/{crawl}"
    database.deposit_began(crawl, DATE)
    assert database.deposit_broke(crawl, "node down", DATE).error == "node down"
    database.deposit_began(crawl, DATE)
    findings = Findings(external_links=2, feeds=["http://a/feed"])
    figures = DepositFigures(captures_recorded=3, bytes_stored=9, done=True, findings=findings)
    database.deposit_done(crawl, figures, DATE)
    [ended] = database.ended(9)
    assert (ended.deposit, ended.error) == (figures, "")
    assert database.totals().captures == 3
    assert database.totals().bytes_stored == 9
    assert database.discards(9) == [f"/crawls/{crawl}"]
    assert database.unfinished(9) == []
    assert [one.crawl for one in database.latest(9)] == [crawl]


def test_what_ended_with_an_error_has_failed(database: Database) -> None:
    """A site that its crawler could not collect is not tried again by itself."""
    [crawl] = database.order([site("a")], False, DATE)
    database.start(crawl, "crawler-1", DATE)
    ended = database.erred(crawl, CrawlFigures(failures=1), "no such host", "/crawls/1", DATE)
    assert (ended.state, ended.error, ended.figures.failures) == ("failed", "no such host", 1)
    assert database.due(9) == []


def test_a_former_run_is_taken_up(place: Path | str) -> None:
    """After a restart deposits are to be repeated, and running crawls are known."""
    database = Database(place)
    crawls = database.order([site("a"), site("b", "b.example")], False, DATE)
    collect(database, crawls[0])
    database.deposit_began(crawls[0], DATE)
    database.start(crawls[1], "crawler-2", DATE)
    database.close()
    database = Database(place)
    assert [one.crawl for one in database.recover(DATE)] == [crawls[1]]
    assert [one.crawl for one in database.in_state(CrawlState.COLLECTED)] == [crawls[0]]
    database.close()


def test_an_order_survives_kill_9(path: Path) -> None:
    """What a method returned is on the disk, whatever happens next."""
    script = f"""
import os, signal
from pathlib import Path
from agents.scheduler.database import Database, NewSite
database = Database(Path({str(path)!r}))
database.order([NewSite("a", "http://a/", "//a", "", 5, "a")], False, {DATE!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    database = Database(path)
    assert len(database.due(9)) == 1
    database.close()


def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    """An order of which one site is impossible registers none."""
    broken = NewSite("b", "http://b/", "//b", "", None, "b")  # type: ignore[arg-type]
    with pytest.raises((sqlite3.IntegrityError, psycopg.IntegrityError)):
        database.order([site("a"), broken], False, DATE)
    assert database.counts() == ({}, {})
    assert len(database.order([site("a")], False, DATE)) == 1


def test_files_that_are_not_ours_are_refused(path: Path) -> None:
    """Another program's database, garbage and a newer version each get a clear answer."""
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE notes (text)")
    other.close()
    with pytest.raises(DatabaseRefused, match="not a scheduler's database"):
        Database(path)
    path.write_bytes(os.urandom(4096))
    with pytest.raises(DatabaseRefused, match="move it away"):
        Database(path)
    path.unlink()
    Database(path).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(DatabaseRefused, match="newer version"):
        Database(path)


def test_a_damaged_file_is_refused_before_it_is_used(path: Path) -> None:
    """A page of garbage in the middle is found when the file is opened, not days later."""
    database = Database(path)
    database.order([site(f"site{number}") for number in range(500)], False, DATE)
    database.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"garbage" * 1000)
    with pytest.raises(DatabaseRefused, match="put back a copy of it, or move it away"):
        Database(path)


def test_a_file_that_cannot_be_opened_or_written_is_refused(path: Path) -> None:
    """What stands in the way is said, with what to look at."""
    path.mkdir(parents=True)
    with pytest.raises(DatabaseRefused, match="see that this user may write there"):
        Database(path)


@pytest.mark.skipif(not Path("/usr/bin/setpriv").exists(), reason="needs setpriv")
def test_a_file_that_may_only_be_read_is_refused(path: Path) -> None:
    """SQLite would open it and say nothing until the first order."""
    Database(path).close()
    path.chmod(0o444)
    code = (
        "import sys; from pathlib import Path; from agents.scheduler.database import Database;"
        " Database(Path(sys.argv[1]))"
    )
    without_rights = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", "--"]
    python = [*(without_rights if os.getuid() == 0 else []), sys.executable, "-c", code]
    ended = subprocess.run([*python, path], capture_output=True, text=True, check=False)
    assert "readonly database; see that this user may write there" in ended.stderr


_STEPS = st.sampled_from(
    ["order", "start", "refused", "lost", "erred", "finished", "began", "broke", "done", "never"]
)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(_STEPS, st.integers(0, 1)), max_size=40))
def test_whatever_happens_a_site_at_work_has_one_crawl_at_work(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    """No sequence of events doubles a crawl, loses one, or parts it from its site."""
    database = Database(tmp_path_factory.mktemp("d") / "s.sqlite", attempts_allowed=2)
    database._engine.execute("PRAGMA synchronous = OFF")
    crawls = database.order([site("a"), site("b")], False, DATE)
    for step, which in steps:
        name = (database.crawl(crawls[which]) or pytest.fail("lost")).name or ""
        deeds = {
            "order": lambda: None,
            "start": lambda which=which: database.start(crawls[which], "crawler-1", DATE),
            "refused": lambda name=name: database.refused(name, "busy", DATE),
            "lost": lambda name=name: database.lost(name, "gone", f"/{name}", DATE),
            "erred": lambda n=name: database.erred(n, CrawlFigures(), "x", f"/{n}", DATE),
            "finished": lambda n=name: database.finished(n, f"/{n}", CrawlFigures(), DATE),
            "began": lambda which=which: database.deposit_began(crawls[which], DATE),
            "broke": lambda which=which: database.deposit_broke(crawls[which], "x", DATE),
            "done": lambda w=which: database.deposit_done(crawls[w], DepositFigures(), DATE),
            "never": lambda w=which: database.deposit_impossible(crawls[w], "x", DATE),
        }
        with suppress(NoSuchTransition):
            deeds[step]()
        if step == "order":
            crawls[which] = database.order([site("ab"[which])], False, DATE)[0]
    for one in database.sites(9):
        working = [crawl for crawl in database.unfinished(99) if crawl.site == one.site]
        assert len(working) == (one.state in SITE_AT_WORK)
        assert all(crawl.crawl == one.crawl for crawl in working)
    database.close()
