"""Live streams in both kinds of database: met within limits, chosen, given, told of, moved."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.deposit import DepositFigures, Findings
from agents.order import CrawlFigures
from agents.scheduler.database import Database, NewSite, Part, met_streams, streams
from agents.scheduler.life import NoSuchTransition, StandingEvent
from agents.scheduler.streams.life import Hand, Phase
from agents.scheduler.streams.settings import StreamsConfig
from agents.stream import Outcome, StreamNews, StreamState

DATE, LATER, LATEST = "20261121073000000000", "20261122073000000000", "20261123073000000000"
RADIO, OTHER = "http://a/live.pls", "http://a/live.m3u8"
CONFIG = StreamsConfig(per_site=1)


def site(name: str) -> NewSite:
    """Return a site to be ordered."""
    return NewSite(name, f"http://{name}/", f"//{name}", "", 5, name)


@pytest.fixture
def database(place: Path | str) -> Iterator[Database]:
    """A database with two members."""
    opened = Database(place)
    opened.order([site("a"), site("b")], False, DATE)
    yield opened
    counts = {phase: len(opened.streams_after("", 9999, phase=phase)) for phase in Phase}
    assert opened.stream_counts() == {phase: count for phase, count in counts.items() if count}
    opened.close()


def attempt(database: Database, name: str, date: str = DATE) -> str:
    """Have a site collected; return its attempt."""
    [due] = [one for one in database.due(9) if one.site == name]
    started = database.start(due.crawl, f"crawler of {name}", date)
    database.finished(started.name or "", f"/crawls/{started.name}", CrawlFigures(), date)
    return started.name or ""


def learn(database: Database, name: str, *streams: str, date: str = DATE) -> str:
    """Have a site collected that leads to streams; return its attempt."""
    crawl = attempt(database, name, date)
    database.learn(crawl, Part(0, {}, streams=streams), date)
    return crawl


def judge(database: Database, site: str, relevance: float) -> None:
    """Find a site relevant."""
    database._engine.execute("UPDATE sites SET relevance = ? WHERE site = ?", [relevance, site])


def tell(
    database: Database, agent: str, outcome: Outcome, date: str = DATE, **state: Any
) -> tuple[tuple[str, ...], bool]:
    """Tell of the radio."""
    news = StreamNews(RADIO, outcome, StreamState(**state))
    heard = database.streams_told(agent, [news], CONFIG, date)
    return heard.strange, heard.changed


def phase(database: Database, stream: str = RADIO) -> str:
    """Return the phase of a stream."""
    kept = database.stream(stream)
    assert kept is not None
    return kept.phase


def test_streams_are_met_once(database: Database) -> None:
    """By their canonical URLs; a later crawl, or the end of a deposit, tells that they last."""
    crawl = learn(database, "a", "HTTP://A/live.pls", RADIO, "rtmp://a/live", "http://a/film.mp4")
    assert [row.stream for row in database.streams_of("a")] == [RADIO]
    database.deposit_began(crawl, LATER)
    figures = DepositFigures(done=True, findings=Findings(streams=[RADIO, OTHER]))
    database.deposit_done(crawl, figures, LATER)
    found, met = database.stream(OTHER), database.stream(RADIO)
    assert met is not None and (met.found, met.seen, met.source) == (DATE, LATER, crawl)
    assert found is not None and (found.phase, found.source) == (Phase.CANDIDATE, crawl)


def test_a_member_keeps_its_streams(database: Database) -> None:
    """Another site that names them does not get them, unless the first is no member."""
    learn(database, "a", RADIO)
    learn(database, "b", RADIO)
    assert database.streams_of("b") == []
    database.decide("a", StandingEvent.RESTED, DATE, "anna", "")
    [crawl] = database.order([site("b")], False, LATER)
    assert crawl  # it is at work still: the report is told once more, by its next part
    kept = database.crawl(crawl)
    assert kept is not None and kept.name
    database.learn(kept.name, Part(1, {}, streams=[RADIO]), LATER)
    assert [row.stream for row in database.streams_of("b")] == [RADIO]


def test_a_stream_is_the_most_relevant_sites(database: Database) -> None:
    """Of the members that name it, until it is listened to; so nobody hides it by naming it first.

    Both are trusted, so that 0.5 counts of the first.
    """
    crawls = [learn(database, name, RADIO) for name in ("a", "b")]
    judge(database, "b", 0.9)
    database.learn(crawls[1], Part(1, {}, streams=[RADIO]), LATER)
    assert [row.stream for row in database.streams_of("b")] == [RADIO]
    assert database.choose_streams(["b"], CONFIG, LATER)
    judge(database, "a", 1.0)
    database.learn(crawls[0], Part(1, {}, streams=[RADIO]), LATER)
    assert database.streams_of("a") == []


def test_a_site_takes_over_no_more_than_it_may_have(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From sites that are no members any more, too."""
    monkeypatch.setattr(met_streams, "OF_SITE", 2)
    learn(database, "a", RADIO, OTHER)
    crawl = learn(database, "b", "http://b/0.pls")
    database.decide("a", StandingEvent.RESTED, DATE, "anna", "")
    database.learn(crawl, Part(1, {}, streams=[RADIO, OTHER]), DATE)
    assert len(database.streams_of("b")) == 2


def test_what_finds_no_room_keeps_nothing_else_from_being_met(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the crawl has found again is not forgotten for something new of it."""
    monkeypatch.setattr(met_streams, "OF_SITE", 1)
    crawl = learn(database, "b", "http://b/0.pls")
    database.learn(crawl, Part(1, {}, streams=["http://b/1.pls", "http://b/0.pls"]), LATER)
    [kept] = database.streams_of("b")
    assert (kept.stream, kept.seen) == ("http://b/0.pls", LATER)


def test_urls_that_are_too_long_for_an_index_are_left_out(database: Database) -> None:
    """The rest of what a crawl led to is learned all the same."""
    noise = hashlib.shake_256(b"").hexdigest(4000)
    url = f"http://a/{noise}.pls"
    crawl = attempt(database, "a")
    database.learn(crawl, Part(0, {}, feeds=[url], streams=[url, RADIO]), DATE)
    assert [row.stream for row in database.streams_of("a")] == [RADIO]
    assert database.feeds_of("a") == []
    with pytest.raises(NoSuchTransition, match="longer than 2000"):
        database.add_stream(url, "a", DATE, "anna", "")


def test_a_site_has_so_many(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """More promising ones displace what nobody listens to; what a person decided of stays."""
    monkeypatch.setattr(met_streams, "OF_SITE", 3)
    files = [f"http://a/{number}.mp3" for number in range(5)]
    crawl = learn(database, "a", *files)
    assert [row.stream for row in database.streams_of("a")] == files[:3]
    database.say_of_stream(files[0], Hand.STOP, DATE, "anna", "")
    database.choose_streams(["a"], CONFIG, DATE)
    assert phase(database, files[1]) == "ordered"
    database.learn(crawl, Part(1, {}, streams=[RADIO, OTHER]), DATE)
    assert {row.stream for row in database.streams_of("a")} == {files[0], files[1], RADIO}


def test_people_may_add_more(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to a number at which they are told what to do."""
    monkeypatch.setattr(met_streams, "OF_SITE", 1)
    monkeypatch.setattr(streams, "MOST", 2)
    for number in range(2):
        database.add_stream(f"http://a/{number}", "a", DATE, "anna", "")
    with pytest.raises(NoSuchTransition, match="forget some"):
        database.add_stream(RADIO, "a", DATE, "anna", "")


def test_all_sites_together_have_so_many(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that crawls met longest ago are forgotten first."""
    monkeypatch.setattr(met_streams, "IN_ALL", 3)
    learn(database, "a", *(f"http://a/{number}.pls" for number in range(3)), date=DATE)
    learn(database, "b", "http://b/0.pls", "http://b/1.pls", date=LATER)
    kept = {row.stream for row in database.streams_after("", 9)}
    assert len(kept) == 3 and {"http://b/0.pls", "http://b/1.pls"} < kept


def test_what_is_set_aside_waits_and_makes_way(database: Database) -> None:
    """Ever longer; a crawl that meets it again makes that no sooner, and the next is tried."""
    learn(database, "a", RADIO, OTHER)
    assert database.choose_streams(["a"], CONFIG, DATE)
    assert (phase(database, OTHER), phase(database)) == ("ordered", "candidate")
    database.say_of_stream(OTHER, Hand.STOP, DATE, "anna", "too loud")
    database.choose_streams(["a"], CONFIG, DATE)
    database.give_streams({RADIO: "one"}, DATE)
    assert tell(database, "one", "failing", failures=3, problem="404") == ((), False)
    assert phase(database) == "ordered"
    database.say_of_stream(OTHER, Hand.NOTHING, DATE, "anna", "")
    assert tell(database, "one", "gone", problem="no such mount") == ((), True)
    assert (phase(database), phase(database, OTHER)) == ("aside", "ordered")
    kept = database.stream(RADIO)
    assert kept is not None and kept.agent == "" and kept.why == "no such mount"
    assert kept.again == "20261121083000000000"
    assert database.streams_again(DATE, 9) == []
    assert database.streams_again(LATER, 9) == ["a"]
    database.choose_streams(["a"], CONFIG, LATER)
    assert (phase(database), database.streams_again(LATER, 9)) == ("candidate", [])


def test_news_count_from_whoever_has_the_stream(database: Database) -> None:
    """Whoever else tells of it shall not listen to it, but for who leaves it to another."""
    learn(database, "a", RADIO)
    database.choose_streams(["a"], CONFIG, DATE)
    database.give_streams({RADIO: "one"}, DATE)
    assert tell(database, "two", "receiving") == ((RADIO,), False)
    assert tell(database, "one", "receiving", title="News") == ((), False)
    assert phase(database) == "receiving"
    database.move_stream(RADIO, "two", LATEST, LATER, "anna", "one is to be stopped")
    assert tell(database, "one", "receiving") == ((), False)
    assert database.stream_loads() == {"one": 1, "two": 1}
    assert database.streams_at("one") == database.streams_at("two") == [RADIO]
    assert tell(database, "two", "receiving", LATER) == ((), False)
    assert database.hand_over(LATER, ["one", "two"]) == database.streams_left(LATER) == []
    soon = f"{LATER[:12]}03{LATER[14:]}"
    assert len(database.streams_left(soon)) == 1
    assert database.hand_over(soon, ["one", "two"]) == []
    assert (database.streams_at("one"), database.streams_at("two")) == ([], [RADIO])
    [moved, *_] = database.story("a", 9)
    assert (moved.before, moved.after, moved.who) == (RADIO, "moved to two", "anna")


@pytest.mark.parametrize(
    ("linked", "owner", "doubted"),
    [(["one", "two"], "two", []), (["two"], "two", []), (["one"], "one", ["one"]), ([], "two", [])],
)
def test_moves_that_take_too_long_end(
    database: Database, linked: list[str], owner: str, doubted: list[str]
) -> None:
    """The new agent has the stream then; the former only if the new one has gone meanwhile."""
    learn(database, "a", RADIO)
    database.choose_streams(["a"], CONFIG, DATE)
    database.give_streams({RADIO: "one"}, DATE)
    database.move_stream(RADIO, "two", LATER, DATE, "anna", "")
    assert database.hand_over(DATE, linked) == []
    assert database.hand_over(LATER, linked) == doubted
    assert database.stream_loads() == {owner: 1}


def test_a_stream_that_moves_on_stays_with_who_receives_it(database: Database) -> None:
    """Moved again before the new agent was heard, or back, it is never with two that are deaf."""
    learn(database, "a", RADIO)
    database.choose_streams(["a"], CONFIG, DATE)
    database.give_streams({RADIO: "one"}, DATE)
    tell(database, "one", "receiving")
    for agent, both in (("two", {"one", "two"}), ("three", {"one", "three"})):
        database.move_stream(RADIO, agent, LATER, DATE, "anna", "")
        assert database.stream_loads().keys() == both
    database.move_stream(RADIO, "one", LATER, DATE, "anna", "")
    assert database.stream_loads().keys() == {"one", "three"}
    database.give_streams({RADIO: "two"}, DATE)
    assert database.stream_loads().keys() == {"two", "three"}
    database.give_streams({RADIO: "three"}, DATE)
    assert database.stream_loads() == {"three": 1}


def test_no_stream_of_a_site_that_is_no_member(database: Database) -> None:
    """Not even one that a person started; that one goes on when its site is a member again."""
    database.add_stream(RADIO, "a", DATE, "anna", "our own radio")
    database.choose_streams(["a"], CONFIG, DATE)
    database.give_streams({RADIO: "one"}, DATE)
    database.decide("a", StandingEvent.BANNED, DATE, "bob", "")
    assert database.choose_streams(["a"], CONFIG, DATE)
    assert (phase(database), database.stream_loads()) == ("candidate", {})
    database.decide("a", StandingEvent.ORDERED, DATE, "bob", "")
    assert database.choose_streams(["a"], CONFIG, DATE)
    assert phase(database) == "ordered"


def test_what_people_say_sticks_and_is_written_down(database: Database) -> None:
    """Who and why; what is unknown is refused; what is forgotten may be met again."""
    learn(database, "a", RADIO)
    database.choose_streams(["a"], CONFIG, DATE)
    database.say_of_stream(RADIO, Hand.STOP, DATE, "anna", "advertisements")
    assert database.choose_streams(["a"], CONFIG, DATE)
    assert not database.choose_streams(["a"], CONFIG, LATER)
    [line, *_] = database.story("a", 9)
    assert (line.what, line.before, line.after) == ("stream", RADIO, "stopped")
    assert (line.who, line.why) == ("anna", "advertisements")
    with pytest.raises(NoSuchTransition):
        database.move_stream(RADIO, "two", LATER, DATE, "anna", "")
    assert database.forget_stream(RADIO, DATE, "anna", "") == "a"
    for unknown in (
        lambda: database.say_of_stream(RADIO, Hand.START, DATE, "anna", ""),
        lambda: database.forget_stream(RADIO, DATE, "anna", ""),
        lambda: database.add_stream(RADIO, "nowhere", DATE, "anna", ""),
    ):
        with pytest.raises(NoSuchTransition):
            unknown()


def test_the_first_by_rank_get_what_room_there_is(database: Database) -> None:
    """And an agent that can take less than it had gives the last by rank back."""
    learn(database, "a", RADIO)
    database.add_stream("http://b/live", "b", LATER, "anna", "")
    database.choose_streams(["a", "b"], CONFIG, LATER)
    assert database.streams_waiting([""], 9) == ["http://b/live", RADIO]
    assert database.streams_waiting([""], 1) == ["http://b/live"]
    database.give_streams({RADIO: "one", "http://b/live": "one"}, LATER)
    assert database.streams_waiting(["", "one"], 9) == ["http://b/live", RADIO]
    database.take_streams_back("one", 1, LATEST)
    assert database.streams_waiting([""], 9) == [RADIO]
    assert database.streams_at("one") == ["http://b/live"]


def test_an_index_leads_to_every_stream(tmp_path: Path) -> None:
    """No question about streams looks at all of them, nor sorts them."""
    database = Database(tmp_path / "s.sqlite")
    database.order([site("a")], False, DATE)
    for number in range(30):
        database.add_stream(f"http://a/{number}.pls", "a", DATE, "anna", "")
    statements: set[str] = set()
    connection: sqlite3.Connection = database._engine._connection
    connection.set_trace_callback(statements.add)
    for _ in (
        database.stream(RADIO),
        database.streams_after("x", 9),
        database.streams_after("x", 9, "a"),
        database.streams_after("x", 9, phase="aside"),
        database.streams_named([RADIO]),
        database.streams_waiting(["", "one"], 9),
        database.streams_left(DATE),
        database.streams_again(DATE, 9),
        database.sites_with_streams("", 9),
        database._room_at("a", 0, DATE),
        database._make_room(),
        database.stream_counts(),
    ):
        pass
    connection.set_trace_callback(None)
    for statement in (one for one in statements if one.startswith("SELECT")):
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        steps = "\n".join(str(step["detail"]) for step in plan)
        assert not re.search(r"SCAN (streams|sites)(?! USING)|TEMP B-TREE", steps), (
            statement + steps
        )
    database.close()
