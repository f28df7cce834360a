"""What pages ask of the database, of both kinds: bounded, led to by an index, and right."""

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler import telling
from agents.scheduler.database import Database, NewSite
from agents.scheduler.database.pages import LINKS_AT_MOST, Place, all_standings

DATE = "20261121070000000000"
NewPlace = Callable[[], Path | str]


def site(name: str) -> NewSite:
    """Return a site to be registered."""
    return NewSite(name, f"http://{name}/", f"//{name}", "", 9, name)


def filled(database: Database, count: int) -> None:
    """Register sites and have them all link to the first."""
    database.discover([site(f"s{number:04}.example") for number in range(count)], DATE)
    engine: Any = database._engine
    with database._transaction():
        for number in range(2, count + 1):
            engine.execute("INSERT INTO links VALUES (?, 1, ?, ?, 1)", [number, DATE, DATE])
        engine.execute("UPDATE sites SET next = ?, requests = 5", ["20261122070000000000"])


def asked(database: Database) -> list[Callable[[], object]]:
    """Return every question that pages ask."""
    standings = all_standings()
    place, numbered = Place("20260000000000000000", "a"), Place(0.5, "a")
    return [
        lambda: database.sites_named("s0", "s0003.example", 9),
        *(
            lambda order=order, after=after: database.sites_by(order, standings, after, 9)
            for order, after in (
                ("changed", None),
                ("changed", place),
                ("priority", numbered),
                ("authority", numbered),
            )
        ),
        lambda: database.sites_by_next("", None, 9),
        lambda: database.sites_by_next("", place, 9),
        lambda: database.sites_at_work("ordered", place, 9),
        lambda: database.links_of(1, to_it=True),
        lambda: database.links_of(1, to_it=False),
        lambda: database.crawls_of("s0001.example", 9),
        lambda: database.numbered([1, 2, 3]),
        lambda: list(database.links_between([1, 2, 3])),
        lambda: database.neighbours_of(1, 9),
        lambda: database.due_between("20261122", "20261123"),
        lambda: database.decided_since("20261101"),
        lambda: database.number_in_campaign("x"),
        lambda: database.campaigns_with("s0001.example", 9),
    ]


def test_no_question_of_pages_looks_at_all_rows(tmp_path: Path) -> None:
    """An index leads to what is asked for, and nothing that grows with the sites is sorted."""
    database = Database(tmp_path / "s.sqlite")
    filled(database, 40)
    statements: set[str] = set()
    connection: sqlite3.Connection = database._engine._connection
    connection.set_trace_callback(statements.add)
    for question in asked(database):
        question()
    connection.set_trace_callback(None)
    whole = re.compile(r"SCAN (sites|crawls|links|decisions)(?! USING (COVERING )?INDEX)")
    looked = [one.strip() for one in statements if one.strip().startswith("SELECT")]
    assert len(looked) > 15
    for statement in looked:
        plan: list[Any] = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        steps = "\n".join(str(step["detail"]) for step in plan)
        assert not whole.search(steps), f"{statement}\n{steps}"
        sorts = re.findall(r"USE TEMP B-TREE FOR (?!LAST|RIGHT PART|last)[^\n]*", steps)
        assert not sorts or "UNION" in statement, f"{statement}\n{steps}"
    database.close()


@pytest.mark.parametrize("order", ["changed", "priority", "authority", "next", "name"])
def test_pages_go_on_where_the_former_ended(new_place: NewPlace, order: str) -> None:
    """Ties are told apart by names, so that no site is left out or comes twice."""
    database = Database(new_place())
    filled(database, 30)
    seen: list[str] = []
    after: Any = None
    while True:
        if order == "name":
            rows = database.sites_named("", after.site if after else "", 7)
        elif order == "next":
            rows = database.sites_by_next("", after, 7)
        else:
            rows = database.sites_by(order, all_standings(), after, 7)
        if not rows:
            break
        seen += [row["site"] for row in rows]
        after = Place("" if order == "name" else rows[-1][order], rows[-1]["site"])
    assert len(seen) == len(set(seen)) == 30
    database.close()


def test_counts_are_right_and_bounded(new_place: NewPlace) -> None:
    """A day's load is counted, links of a famous site up to a limit, neighbours both ways."""
    database = Database(new_place())
    for question in asked(database):
        question()
    filled(database, LINKS_AT_MOST + 10)
    assert database.due_between("20261122", "20261123") == (1010, 5050, False)
    assert database.due_between("20261123", "20261124") == (0, 0, False)
    assert len(database.links_of(1, to_it=True)) == LINKS_AT_MOST
    assert database.neighbours_of(7, 9) == [1]
    assert list(database.links_between([1, 2])) == [(2, 1, 1)]
    assert database.decided_since("20261121") == {"20261121": {"discovered": 1010}}
    assert database.decided_since("20261122") == {}
    neighbours = telling.neighbours_of(database.links_of(1, to_it=True))
    assert neighbours.more and len(neighbours.sites) == 50
    database.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)


@given(JSON)
def test_whatever_is_kept_can_be_told(value: Any) -> None:
    """JSON of any form gives short sentences; of another version, no value."""
    text = msgspec.json.encode(value).decode()
    for sentence in telling.sentences(text):
        assert len(sentence) <= 1000
    assert telling.passed(text) in (None, True, False)


@given(st.text(max_size=30))
def test_what_is_no_json_tells_nothing(text: str) -> None:
    """A damaged column raises nothing."""
    telling.sentences(text)
    telling.passed(text)
