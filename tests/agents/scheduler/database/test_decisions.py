"""Standings, corrections by hand, and the story of a site."""

from pathlib import Path

import pytest
from attrs import evolve

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.scheduler.database import Database, NewSite, Sequel
from agents.scheduler.life import CrawlState, NoSuchTransition, Standing, StandingEvent

DATE = "20261121073000000000"
LATER = "20261122073000000000"
LATEST = "20261123073000000000"
SITE = NewSite("a", "http://a/", "//a", "", 5, "a", why="a link of b led there", referrer="b")


@pytest.fixture
def database(place: Path | str):  # type: ignore[no-untyped-def]
    """A database that knows of one discovered site."""
    opened = Database(place)
    assert opened.discover([SITE], DATE) == ["a"]
    yield opened
    opened.close()


def judged(database: Database, event: StandingEvent, date: str = LATER) -> str:
    """Have the site collected and judged; return its crawl."""
    database.follow("a", Sequel(next=date), date)
    [crawl] = database.fall_due(date, 9)
    database.start(crawl, "crawler-1", date)
    database.finished(crawl, f"/crawls/{crawl}", CrawlFigures(captures=1), date)
    database.deposit_began(crawl, date)
    sequel = Sequel(event, "3 of 5 keywords", judgement='{"passes":true}', relevance=0.7)
    database.deposit_done(crawl, DepositFigures(done=True), date, sequel)
    return crawl


def test_a_site_is_discovered_once(database: Database) -> None:
    """A second link to it leaves it as it is; it waits for nothing and is not collected."""
    assert database.discover([evolve(SITE, priority=9.0)], LATER) == []
    assert database.fall_due(LATER, 9) == [] and database.due(9) == []
    [kept] = database.sites(9)
    assert (kept.state, database.standings()) == ("known", {"discovered": 1})
    [line] = database.story("a", 9)
    assert (line.who, line.what, line.after) == ("scheduler", "discovered", "discovered")
    assert line.why == "a link of b led there"


def test_a_candidate_that_passes_is_a_member(database: Database) -> None:
    """Admitted, collected and judged: its story tells each step, and pages can count them."""
    database.decide("a", StandingEvent.ADMITTED, DATE, "scheduler", "room for 5 candidates")
    judged(database, StandingEvent.PASSED)
    assert database.standings() == {"member": 1}
    assert [(line.what, line.why) for line in database.story("a", 9)] == [
        ("passed", "3 of 5 keywords"),
        ("admitted", "room for 5 candidates"),
        ("discovered", "a link of b led there"),
    ]
    assert database.decided(LATER[:8]) == {"passed": 1}
    judged(database, StandingEvent.PASSED, LATEST)
    assert len(database.story("a", 9)) == 3  # nothing was decided anew


def test_a_candidate_that_fails_is_never_collected_again(database: Database) -> None:
    """On the blacklist nothing falls due, whatever date the policy names."""
    database.decide("a", StandingEvent.ADMITTED, DATE, "scheduler", "")
    judged(database, StandingEvent.FAILED)
    database.follow("a", Sequel(next=LATER), LATER)
    assert database.fall_due(LATEST, 9) == []
    assert database.standings() == {"blacklisted": 1}


def test_what_a_person_ordered_is_no_matter_for_filters(database: Database) -> None:
    """A member by order stays one when its crawl fails the filters; a release changes that."""
    [crawl] = database.order([SITE], False, DATE, who="anna")
    database.start(crawl, "crawler-1", DATE)
    database.finished(crawl, "/crawls/1", CrawlFigures(), DATE)
    database.deposit_began(crawl, DATE)
    database.deposit_done(crawl, DepositFigures(), DATE, Sequel(StandingEvent.FAILED, "no keyword"))
    assert database.standings() == {"member": 1}
    database.release("a", frozenset({"standing"}), LATER, "anna", "let the filters judge")
    judged(database, StandingEvent.FAILED)
    assert database.standings() == {"blacklisted": 1}
    assert [line.who for line in database.story("a", 9)] == [
        "scheduler",
        "anna",
        "anna",
        "scheduler",
    ]


def test_a_ban_takes_a_waiting_crawl_back(database: Database) -> None:
    """Nobody collects a site that was banned while it waited; a pardon has it judged anew."""
    [crawl] = database.order([SITE], False, DATE)
    database.decide("a", StandingEvent.BANNED, DATE, "anna", "not ours")
    kept = database.crawl(crawl)
    assert kept is not None and kept.state is CrawlState.FAILED
    assert kept.error == "withdrawn, because banned: not ours"
    assert database.due(9) == []
    assert database.decide("a", StandingEvent.PARDONED, LATER, "anna", "") is Standing.TEMPORARY
    judged(database, StandingEvent.PASSED)
    assert database.standings() == {"member": 1}


def test_a_ban_while_collecting_sticks(database: Database) -> None:
    """The crawl ends, and what it is judged does not bring the site back."""
    [crawl] = database.order([SITE], False, DATE)
    database.start(crawl, "crawler-1", DATE)
    database.decide("a", StandingEvent.BANNED, DATE, "anna", "not ours")
    database.finished(crawl, "/crawls/1", CrawlFigures(), DATE)
    database.deposit_began(crawl, DATE)
    sequel = Sequel(StandingEvent.PASSED, next=LATER)
    database.deposit_done(crawl, DepositFigures(), DATE, sequel)
    assert database.standings() == {"blacklisted": 1}
    assert database.fall_due(LATEST, 9) == []


def test_a_correction_sticks(database: Database) -> None:
    """What a person set, the scheduler leaves alone and does not even write down."""
    database.correct("a", {"priority": 7.0, "accept": "//a/b/"}, DATE, "anna", "only b")
    database.correct("a", {"priority": 1.0, "maximum_depth": 3}, LATER, "scheduler", "ranks")
    [kept] = database.sites(9)
    assert (kept.accept, kept.maximum_depth) == ("//a/b/", 3)
    assert [(line.what, line.before, line.after) for line in database.story("a", 3)] == [
        ("maximum_depth", "5", "3"),
        ("accept", "//a", "//a/b/"),
        ("priority", "0.0", "7.0"),
    ]
    with pytest.raises(ValueError, match="state cannot be corrected"):
        database.correct("a", {"state": "idle"}, DATE, "anna", "")


def test_a_corrected_priority_counts_for_the_crawl_that_waits(database: Database) -> None:
    """What a person raises goes first at once, and a corrected lane is waited for."""
    database.order([evolve(SITE, site="first", host="first")], False, DATE)
    [crawl] = database.order([SITE], False, LATER)
    database.correct("a", {"priority": 5.0}, LATER, "anna", "urgent")
    assert [one.site for one in database.due(9)] == ["a", "first"]
    database.correct("a", {"lane": "first"}, LATER, "anna", "one server")
    assert [one.site for one in database.due(9)] == ["a"]
    database.start(crawl, "crawler-1", LATER)
    assert database.due(9) == []


def test_what_cannot_be_is_refused(database: Database) -> None:
    """A site that nobody knows, or an event without a place, changes nothing."""
    with pytest.raises(NoSuchTransition, match="no site z"):
        database.decide("z", StandingEvent.BANNED, DATE, "anna", "")
    with pytest.raises(NoSuchTransition, match="discovered"):
        database.decide("a", StandingEvent.PASSED, DATE, "scheduler", "")
    assert len(database.story("a", 9)) == 1


def test_sites_fall_due_in_batches(database: Database) -> None:
    """As many as are asked for, the most belated first; each once."""
    sites = [evolve(SITE, site=f"s{number}", host=f"h{number}") for number in range(5)]
    database.discover(sites, DATE)
    for number, one in enumerate(sites):
        database.decide(one.site, StandingEvent.ADMITTED, DATE, "scheduler", "")
        following = Sequel(next=f"202611210800{number:02d}000000", plan='{"depth":2}')
        database.follow(one.site, following, DATE)
    crawls = database.fall_due("20261121080003000000", 3)
    assert [crawl.rpartition("-")[2] for crawl in crawls] == ["s0", "s1", "s2"]
    kept = database.crawl(crawls[0])
    assert kept is not None and kept.plan == '{"depth":2}'
    assert len(database.fall_due("20261121080003000000", 3)) == 1
    assert database.fall_due("20261121080003000000", 3) == []


@pytest.mark.parametrize("event", [StandingEvent.BANNED, StandingEvent.RESTED])
def test_what_a_person_took_out_while_it_was_collected_is_not_tried_again(
    database: Database, event: StandingEvent
) -> None:
    """Its crawler is lost, or gave it back: no other gets it, and nothing waits for ever."""
    ways = [
        lambda name: database.lost(name, "its crawler is gone", "/crawls/x", LATER),
        lambda name: database.refused(name, "it is busy", LATER),
        lambda name: database.put_off(name, "its disk is full", "/crawls/x", LATER),
    ]
    for number, way in enumerate(ways):
        [crawl] = database.order([SITE], False, f"{LATER[:-1]}{number}")
        begun = database.start(crawl, "crawler-1", LATER)
        database.decide("a", event, LATER, "anna", "enough")
        assert way(begun.name or "").state is CrawlState.FAILED
        assert database.due(9) == [] and database.next_due(9, LATEST) == []


def test_who_falls_due_is_who_was_chosen(database: Database) -> None:
    """Of many that fall due at one moment some are taken, and all the others later."""
    names = [f"b{number:02}" for number in range(40)]
    database.discover([evolve(SITE, site=name, lane=name) for name in names], DATE)
    for name in names:
        database.decide(name, StandingEvent.ADMITTED, DATE, "scheduler", "")
        database.follow(name, Sequel(next=LATER), LATER)
    taken = [database.fall_due(LATER, 7) for _ in range(6)]
    assert [len(each) for each in taken] == [7, 7, 7, 7, 7, 5]
    assert len({crawl for each in taken for crawl in each}) == 40


def test_any_words_are_kept(database: Database) -> None:
    """What a crawler says may hold what no database takes as text."""
    database.decide("a", StandingEvent.BANNED, DATE, "anna", "a\0b")
    assert database.story("a", 1)[0].why in ("a\0b", "a\N{REPLACEMENT CHARACTER}b")
