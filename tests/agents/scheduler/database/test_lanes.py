"""Who is next: any history leads to the choice that a look at all crawls would make."""

import re
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.scheduler.database import Crawl, Database, NewSite, Sequel
from agents.scheduler.database.tallies import count_all
from agents.scheduler.life import CrawlState, NoSuchTransition, StandingEvent

_SITES = "abcde"
_DEEDS = st.sampled_from(
    [
        "order",
        "beside",
        "due",
        "start",
        "refused",
        "lost",
        "finished",
        "raise",
        "move",
        "ban",
        "end",
    ]
)


def site(name: str) -> NewSite:
    """Return a site; two hosts have two each."""
    host = {"a": "one", "b": "one", "c": "two", "d": "two"}.get(name, name)
    return NewSite(name, f"http://{name}/", f"//{name}", "", 5, host)


def chosen(crawls: list[Crawl]) -> list[str]:
    """Return who is next, by a look at all crawls."""
    busy = {one.lane for one in crawls if one.state == "collecting" and not one.beside}
    waiting = [one for one in crawls if one.state == "ordered"]
    waiting.sort(key=lambda one: (-one.priority, one.ordered))
    found = []
    for one in waiting:
        if one.beside or one.lane not in busy:
            found.append(one.crawl)
            busy |= set() if one.beside else {one.lane}
    return found


def do(database: Database, deed: str, name: str, date: str, number: float) -> None:
    """Do something with a site, if it can be done."""
    crawls = [one for one in database.latest(999) if one.site == name]
    attempt = crawls[0].name or "" if crawls else ""
    if deed in ("order", "beside"):
        database.order([site(name)], False, date, beside=deed == "beside")
    elif deed == "due":
        database.follow(name, Sequel(next=date), date)
        database.fall_due(date, 9)
    elif deed == "start" and crawls:
        database.start(crawls[0].crawl, "crawler-1", date)
    elif deed == "refused":
        database.refused(attempt, "busy", date)
    elif deed == "lost":
        database.lost(attempt, "gone", f"/{attempt}", date)
    elif deed == "finished":
        database.finished(attempt, f"/{attempt}", CrawlFigures(captures=3), date)
    elif deed == "raise":
        database.correct(name, {"priority": number}, date, "anna", "")
    elif deed == "move":
        database.correct(name, {"lane": f"lane-{number}"}, date, "anna", "")
    elif deed == "ban":
        database.decide(name, StandingEvent.BANNED, date, "anna", "")
    elif crawls:
        database.deposit_began(crawls[0].crawl, date)
        database.deposit_done(crawls[0].crawl, DepositFigures(bytes_stored=5), date)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(_DEEDS, st.sampled_from(_SITES), st.integers(0, 2)), max_size=50),
)
def test_whatever_happened_the_right_one_is_next(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, str, int]]
) -> None:
    """Lanes never hold two crawls at once, hide none, and sums are those of a count."""
    database = Database(tmp_path_factory.mktemp("d") / "s.sqlite")
    database._engine.execute("PRAGMA synchronous = OFF")
    for second, (deed, name, number) in enumerate(deeds):
        with suppress(NoSuchTransition):
            do(database, deed, name, f"2026112107{second:04d}000000", float(number))
        assert [one.crawl for one in database.due(999)] == chosen(database.latest(999))
    counted = count_all(database._engine)._changes
    kept = database._tallied("")
    for title in ("site ", "crawl ", "standing ", "total "):
        expected = {name: number for name, number in counted.items() if number}
        assert {name: kept[name] for name in kept if name.startswith(title)} == {
            name: expected[name] for name in expected if name.startswith(title)
        }
    database.close()


def test_no_step_looks_at_all_sites_or_crawls(tmp_path: Path) -> None:
    """Each statement in the life of an order, and each that pages ask, goes by an index."""
    database = Database(tmp_path / "s.sqlite")
    statements: set[str] = set()
    connection: sqlite3.Connection = database._engine._connection
    connection.set_trace_callback(statements.add)
    [crawl] = database.order([site("a")], False, "20261121070000000000")
    database.start(crawl, "crawler-1", "20261121070001000000")
    database.finished(crawl, "/1", CrawlFigures(), "20261121070002000000")
    database.deposit_began(crawl, "20261121070003000000")
    sequel = Sequel(next="20261121070005000000")
    database.deposit_done(crawl, DepositFigures(), "20261121070004000000", sequel)
    assert len(database.next_due(9, "20261121070006000000")) == 1
    database.decide("a", StandingEvent.BANNED, "20261121070007000000", "anna", "")
    for asked in (database.counts, database.standings, database.totals):
        asked()
    for listed in (database.ended, database.latest, database.sites, database.discards):
        listed(9)
    database.in_state(CrawlState.COLLECTED, 9)
    database.story("a", 9)
    connection.set_trace_callback(None)
    whole = re.compile(r"SCAN (sites|crawls|attempts|decisions|discards)(?! USING INDEX)")
    assert len(statements) > 20
    for statement in statements:
        if statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "\nSELECT", "\nINSERT")):
            plan: list[Any] = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            steps = "\n".join(str(step["detail"]) for step in plan)
            assert not whole.search(steps), f"{statement}\n{steps}"
            assert "TEMP B-TREE" not in steps, f"{statement}\n{steps}"
    database.close()
