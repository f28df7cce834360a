"""Groups of changes: durable together, undone one by one, applied once whatever happens."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.python.failure import Failure

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.scheduler.database import Database, DatabaseRefused, NewSite, postgresql
from agents.scheduler.life import NoSuchTransition

DATE = "20261121073000000000"
Place = Path | str
Step = Callable[[Database], Any]


def site(name: str, host: str = "") -> NewSite:
    """Return a site."""
    return NewSite(name, f"http://{name}/", f"//{name}", "", 5, host or name)


def ordering(name: str, host: str = "") -> Step:
    """Return a step that orders a site."""
    return lambda database: database.order([site(name, host)], False, DATE)


CRAWL = "20261121-073000-a"
LIFE: list[Step] = [
    ordering("a", "one"),
    ordering("b", "one"),
    lambda it: it.start(CRAWL, "crawler-1", DATE),
    lambda it: it.lost(CRAWL, "killed", "/crawls/1", DATE),
    lambda it: it.start(CRAWL, "crawler-2", DATE),
    lambda it: it.finished(f"{CRAWL}.2", "/crawls/2", CrawlFigures(captures=7), DATE),
    lambda it: it.deposit_began(CRAWL, DATE),
    lambda it: it.deposit_broke(CRAWL, "node down", DATE),
    lambda it: it.deposit_began(CRAWL, DATE),
    lambda it: it.deposit_done(CRAWL, DepositFigures(captures_recorded=7), DATE),
    lambda it: it.discarded(["/crawls/1"]),
]


def contents(database: Database) -> Any:
    """Return all that may be asked of a database."""
    return (
        sorted((one.site, one.state, one.crawls) for one in database.sites(99)),
        sorted((one.crawl, one.state, one.attempt) for one in database.latest(99)),
        sorted(one.crawl for one in database.due(99)),
        database.counts(),
        database.standings(),
        database.totals(),
        sorted(database.discards(99)),
        [line.what for line in database.story("a", 99)],
    )


def jobs_of(database: Database, steps: list[Step]) -> list[Callable[[], Any]]:
    """Return steps as the store gives them to a group."""
    return [partial(step, database) for step in steps]


def test_one_that_fails_leaves_the_others(place: Place) -> None:
    """What cannot happen is told to whoever asked for it, and undone; the rest is durable."""
    database = Database(place)
    started = partial(database.start, CRAWL, "crawler-1", DATE)

    def half() -> None:
        database.order([site("half")], False, DATE)
        raise RuntimeError("in the middle")

    outcomes = database.group([*jobs_of(database, LIFE[:2]), started, half, started])
    assert outcomes[0] == [CRAWL] and outcomes[2].name == CRAWL
    assert outcomes[3].check(RuntimeError) and outcomes[4].check(NoSuchTransition)
    assert database.counts()[0] == {"collecting": 1, "due": 1}
    assert database.crawl(CRAWL).state == "collecting"  # type: ignore[union-attr]
    database.close()


_STEPS = st.lists(st.tuples(st.sampled_from(LIFE), st.booleans()), max_size=30)


@settings(max_examples=25, deadline=None)
@given(steps=_STEPS)
def test_grouped_or_one_by_one_is_the_same_in_sqlite(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Step, bool]]
) -> None:
    """Any steps, possible or not, lead to the same database however they are grouped."""
    folder = tmp_path_factory.mktemp("scheduler")
    compare_grouped(folder / "one", folder / "two", steps)


@settings(max_examples=10, deadline=None)
@given(steps=_STEPS)
def test_grouped_or_one_by_one_is_the_same_in_postgresql(
    postgresql: Any, steps: list[tuple[Step, bool]]
) -> None:
    """So they do on a server, where an error ends a transaction."""
    compare_grouped(postgresql.fresh(), postgresql.fresh(), steps)


def compare_grouped(one: Place, two: Place, steps: list[tuple[Step, bool]]) -> None:
    """Do steps one by one, and in groups that end where a step says so."""
    single, grouped = Database(one, 2), Database(two, 2)
    failed, outcomes, group = [], [], []
    for step, is_last in steps:
        try:
            step(single)
            failed.append(False)
        except NoSuchTransition:
            failed.append(True)
        group.append(step)
        if is_last:
            outcomes += grouped.group(jobs_of(grouped, group))
            group.clear()
    outcomes += grouped.group(jobs_of(grouped, group))
    assert [isinstance(one, Failure) for one in outcomes] == failed
    assert contents(grouped) == contents(single)
    single.close()
    grouped.close()


@pytest.mark.parametrize("durable", [True, False])
def test_a_commit_whose_answer_is_lost_counts_once(
    place: Place, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    """Whether the commit was made or not, repeating the group has each job applied once."""
    database = Database(place)
    engine = database._engine
    commit = engine.commit

    def lose() -> None:
        if durable:
            commit()
        raise engine.passing[0]("the answer did not come")

    jobs = jobs_of(database, [LIFE[0], ordering("b", "two"), ordering("b", "two")])
    monkeypatch.setattr(engine, "commit", lose)
    for _ in range(1 if durable else 3):
        with pytest.raises(engine.passing):
            database.group(jobs)
    monkeypatch.undo()
    outcomes = database.group(jobs)
    assert outcomes == [[CRAWL], ["20261121-073000-b"], ["20261121-073000-b"]]
    assert database.counts() == ({"due": 2}, {"ordered": 2})
    assert database.group([lambda: 5]) == [5]
    database.close()


def killed_after(place: Place, steps: list[Step], last: Step) -> None:
    """Do steps in a process that is killed as `last` has been done, before its group is."""
    child = os.fork()
    if not child:
        try:
            database = Database(place)
            for step in steps:
                database.group(jobs_of(database, [step]))
            killing = partial(os.kill, os.getpid(), signal.SIGKILL)
            database.group([*jobs_of(database, [last]), killing])
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize("number", range(len(LIFE)))
def test_killed_at_any_step_it_goes_on_from_there(
    new_place: Callable[[], Place], number: int
) -> None:
    """All groups that were answered are there, nothing of the one under way, and life goes on."""
    place, other = new_place(), new_place()
    killed_after(place, LIFE[:number], LIFE[number])
    resumed, untroubled = Database(place), Database(other)
    for step in LIFE[:number]:
        step(untroubled)
    assert contents(resumed) == contents(untroubled)
    for step in LIFE[number:]:
        step(untroubled)
        step(resumed)
    assert contents(resumed) == contents(untroubled)
    resumed.close()
    untroubled.close()


def test_two_schedulers_on_one_database_are_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second is told so; when the first has ended, it may."""
    monkeypatch.setattr(postgresql, "_LET_GO", 0.1)
    first = Database(place)
    with pytest.raises(DatabaseRefused, match="in use: another scheduler"):
        Database(place)
    first.close()
    Database(place).close()


def test_a_scheduler_that_lost_its_database_changes_nothing_more(place: Place) -> None:
    """If another has taken it over all the same, what the first still wants is refused."""
    database = Database(place)
    with database._transaction():
        database._engine.execute("UPDATE commits SET owner = 'another'")
    with pytest.raises(DatabaseRefused, match="another scheduler has taken over"):
        database.group(jobs_of(database, LIFE[:1]))
    assert database.counts() == ({}, {})
    database.close()
