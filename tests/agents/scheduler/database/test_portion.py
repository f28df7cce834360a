"""Where sites lead, who is let in, campaigns and feeds, on every kind of database."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.collected import Collected
from agents.order import CrawlFigures
from agents.scheduler.database import CampaignRow, Database, NewSite, Part, Sequel
from agents.scheduler.database.rows import Assignment
from agents.scheduler.life import (
    CrawlState,
    MachineEvent,
    NoSuchTransition,
    Standing,
    StandingEvent,
)

DATE, LATER, LATEST = "20261121073000000000", "20261122073000000000", "20261123073000000000"
FEED = "http://a/feed"


def new(name: str) -> NewSite:
    """Return a site that nobody knows."""
    return NewSite(name, f"http://{name}/", f"//{name}", "", 5, name)


@pytest.fixture
def database(place: Path | str) -> Iterator[Database]:
    """A database with a member."""
    opened = Database(place)
    opened.order([new("a")], False, DATE)
    yield opened
    opened.close()


def collected(database: Database, date: str = DATE) -> str:
    """Have what waits first collected; return its attempt."""
    [due] = database.due(1)
    crawl = database.start(due.crawl, "crawler", date)
    attempt = crawl.name or ""
    database.finished(attempt, f"/crawls/{attempt}", CrawlFigures(), date)
    return attempt


def again(database: Database, date: str) -> str:
    """Have the member collected once more; return its attempt."""
    database.decide("a", StandingEvent.ORDERED, date, "anna", "")
    [crawl] = database.in_state(CrawlState.COLLECTED)
    database.deposit_began(crawl.crawl, date)
    database.deposit_impossible(crawl.crawl, "for the test", date)
    database.order([new("a")], False, date)
    return collected(database, date)


def test_each_part_is_learned_once(database: Database) -> None:
    """Told twice it counts once; told out of turn it has no effect, and the answer says what is."""
    attempt = collected(database)
    first = database.learn(attempt, Part(0, {}, [(new("b"), 2), (new("c"), 1)], [FEED]), DATE)
    assert first.wanted == 1
    [b, c] = first.new
    assert [row[1:] for row in (b, c)] == [("http://b/", "//b", ""), ("http://c/", "//c", "")]
    assert database.learn(attempt, Part(0, {}, [(new("d"), 1)]), DATE).wanted == 1
    assert database.learn(attempt, Part(2, {b[0]: 9}), DATE).wanted == 1
    assert database.learn(attempt, Part(1, {b[0]: 3, 1: 5, 99: 1}), LATER).wanted == 2
    assert database.links_after(0, 0, 9) == [(1, b[0], 5), (1, c[0], 1)]
    assert database.links_after(1, b[0], 9) == [(1, c[0], 1)]
    assert (database.links(), database.links_learned()) == (2, 3)
    assert [row.feed for row in database.feeds_of("a")] == [FEED]
    assert database.standings() == {"member": 1, "discovered": 2}
    kept = database.site("b")
    assert kept is not None and kept.referrer == "a"
    with pytest.raises(NoSuchTransition):
        database.learn("nothing", Part(0, {}), DATE)


def test_a_later_crawl_counts_anew(database: Database) -> None:
    """The number of documents is that of the last crawl that had the link."""
    [b] = database.learn(collected(database), Part(0, {}, [(new("b"), 7)]), DATE).new
    assert database.learn(again(database, LATER), Part(0, {b[0]: 2}), LATER).wanted == 1
    assert database.links_after(0, 0, 9) == [(1, b[0], 2)]


def test_blacklisted_sites_do_not_link_and_are_not_linked(database: Database) -> None:
    """Links to one are not kept, nor those of one, and what it had is forgotten."""
    attempt = collected(database)
    [b] = database.learn(attempt, Part(0, {}, [(new("b"), 1)]), DATE).new
    database.decide("b", StandingEvent.BANNED, DATE, "anna", "")
    assert database.learn(attempt, Part(1, {b[0]: 1}, [(new("c"), 1)]), DATE).wanted == 2
    assert database.links() == 2
    database.decide("a", StandingEvent.BANNED, DATE, "anna", "")
    assert database.links() == 0
    assert database.learn(attempt, Part(2, {}, [(new("d"), 1)]), DATE).wanted == 3
    assert database.site("d") is None


def test_the_first_by_priority_are_let_in(database: Database) -> None:
    """They are due at once; a priority that a person fixed is not worked out."""
    found = [(new(name), 1) for name in "bcd"]
    rows = database.learn(collected(database), Part(0, {}, found), DATE).new
    database.correct("d", {"priority": 0.9}, DATE, "anna", "")
    database.ranked([(rows[0][0], 0.0, 0.5)])
    assert database.candidates_after(0, 9) == [row[0] for row in rows]
    database.renew_priorities([row[0] for row in rows])
    assert database.admit(2, LATER, "{}") == ["d", "b"]
    assert database.admitted_on(LATER[:8]) == 2
    assert {due.site for due in database.next_due(9, LATER)} >= {"d", "b"}
    database.follow("a", Sequel(relevance=1.0), LATER)
    database.judged("a")
    kept = database.site("c")
    assert kept is not None and kept.priority == pytest.approx(0.5)
    assert [each.site for each in database.referrers(kept.number)] == ["a"]


def test_how_far_an_index_has_to_go(database: Database) -> None:
    """The mark changes whenever bounds of a known site do."""
    before = database.extent()
    assert (before.sites, before.last) == (1, 1)
    database.discover([new("b")], DATE)
    assert (database.extent().last, database.bounds_mark()) == (2, before.mark)
    database.correct("b", {"accept": "//b/x"}, DATE, "anna", "")
    assert database.bounds_mark() > before.mark
    assert database.bounds_after(1, 9) == [(2, "http://b/", "//b/x", "")]
    assert database.bounds_of("b") == (2, "http://b/", "//b/x", "")
    assert database.names([2, 1, 7]) == ["a", "b"] and database.names([]) == []


def test_campaigns(database: Database) -> None:
    """They begin, are changed, are joined and left, and end."""
    for settings in ("{}", '{"x":1}'):
        kept = CampaignRow("vote", settings, DATE, LATER, "running")
        database.put_campaign(kept, DATE, "anna", "soon")
    database.join_campaign("vote", ["a"], DATE, "anna", "they vote")
    assert database.campaigns() == [kept]
    assert [told.after for told in database.story("", 9)] == ['{"x":1}', "{}"]
    assert database.campaigns_of("a") == ['{"x":1}']
    assert database.sites_of_campaign("vote") == ["a"]
    assert database.story("a", 1)[0].after == "vote"
    database.end_campaign("vote", LATER)
    assert database.campaigns_of("a") == []
    database.leave_campaign("vote", ["a"], LATER, "anna", "no more")
    assert database.sites_of_campaign("vote") == []
    with pytest.raises(NoSuchTransition):
        database.join_campaign("no", ["a"], DATE, "anna", "")
    with pytest.raises(NoSuchTransition):
        database.end_campaign("no", LATER)


def test_feeds(database: Database) -> None:
    """Their state is kept, also under a new URL, and their pages make a member due."""
    database.add_feed(FEED, "a", DATE)
    database.feed_told(FEED, '{"etag":"x"}', LATER)
    database.feed_told(FEED, '{"etag":"y"}', None)
    database.feed_moved(FEED, "http://a/new")
    long = f"http://a/{hashlib.shake_256(b'').hexdigest(4000)}"  # more than an index takes
    database.feed_moved("http://a/new", long)
    with pytest.raises(NoSuchTransition, match="longer than 2000"):
        database.add_feed(long, "a", DATE)
    [row] = database.feeds_after("", 9)
    assert (row.feed, row.state, row.heard) == ("http://a/new", '{"etag":"y"}', LATER)
    assert database.look_soon("a", "{}", LATER) is None  # at work
    collected(database)
    [crawl] = database.in_state(CrawlState.COLLECTED)
    database.deposit_began(crawl.crawl, LATER)
    database.deposit_impossible(crawl.crawl, "for the test", LATER, Sequel(next=LATEST))
    assert database.look_soon("a", '{"quick":true}', LATER) is not None
    [due] = database.due(1)
    kept = database.crawl(due.crawl)
    assert kept is not None and kept.plan == '{"quick":true}'
    site = database.site("a")
    assert site is not None and site.next == LATEST
    database.forget_feed("http://a/new", LATEST, "anna", "dull")
    assert database.feed("http://a/new") is None
    assert database.story("a", 1)[0].before == "http://a/new"


def test_bodies_of_feeds_are_a_crawl(database: Database) -> None:
    """It waits for its deposit; of a site that is no candidate and never due."""
    told = Collected("feeds-1", "/crawls/feeds-1", CrawlFigures(captures=3))
    assert database.gathered(told, "feeds", "aggregator", DATE)
    assert database.gathered(told, "feeds", "aggregator", DATE)
    [crawl] = database.in_state(CrawlState.COLLECTED)
    assert (crawl.crawl, crawl.site, crawl.directory) == ("feeds-1", "feeds", "/crawls/feeds-1")
    site = database.site("feeds")
    assert site is not None and site.standing is Standing.DORMANT and site.next is None


def test_what_is_worked_out_for_all_is_remembered(database: Database) -> None:
    """The price, say; and what all sites ask for, as far as they are collected."""
    assert database.remembered("price") is None
    for price in (1.5, 2.5):
        database.remember("price", price)
    assert database.remembered("price") == 2.5
    collected(database)
    [crawl] = database.in_state(CrawlState.COLLECTED)
    database.deposit_began(crawl.crawl, DATE)
    sequel = Sequel(next=LATER, demand=3.5, requests=7, priority=2.0)
    database.deposit_impossible(crawl.crawl, "for the test", DATE, lambda site: sequel)
    assert database.demand() == 3.5
    assert (database.overdue(DATE), database.overdue(LATER)) == (0, 7)
    kept = database.site("a")
    assert kept is not None and kept.priority == 2.0
    assert database.unplanned_after(0, 9) == []
    database.replan(["a"], lambda site: Sequel(next=None), LATER)
    assert database.unplanned_after(0, 9) == [(1, "a")]


def test_what_may_not_be_collected_now_waits_on(database: Database) -> None:
    """Until the date that its settings give, or for ever."""
    database.discover([new("b"), new("c")], DATE)
    database.admit(2, DATE, "{}")
    for name in "bc":
        database.correct(name, {"settings": f'{{"{name}":1}}'}, DATE, "anna", "")
    opens = {'{"b":1}': LATEST, '{"c":1}': None}
    assert database.fall_due(LATER, 9, lambda settings, date: opens[settings]) == []
    due = {name: database.site(name) for name in "bc"}
    assert [site.next for site in due.values() if site] == [LATEST, None]


def test_a_crawl_that_is_made_again_is_learned_from_the_beginning(database: Database) -> None:
    """Its machine is gone with what it held: the next attempt leads elsewhere, part by part."""
    [due] = database.due(1)
    [begun] = database.start_all([Assignment(due.crawl, "crawler", machine="m1")], DATE)
    attempt = begun.name or ""
    database.finished(attempt, f"/crawls/{attempt}", CrawlFigures(), DATE)
    assert database.learn(attempt, Part(0, {}, [(new("b"), 1)]), DATE).wanted == 1
    database.happen("m1", MachineEvent.MET, DATE)
    database.happen("m1", MachineEvent.DRAINED, DATE)
    [crawl] = database.forget("m1", LATER, lost=True)
    second = database.start(crawl, "crawler-2", LATER).name or ""
    assert database.learn(second, Part(0, {}, [(new("c"), 1)]), LATER).wanted == 1
    assert database.site("c") is not None


def test_a_feed_is_not_lost_to_who_is_banned(database: Database) -> None:
    """A site may link to another's feed first; that is the other's once the first is no member."""
    [b] = database.learn(collected(database), Part(0, {}, [(new("b"), 1)], [FEED]), DATE).new
    database.order([new("b")], False, DATE)
    database.decide("a", StandingEvent.BANNED, DATE, "anna", "")
    [due] = database.due(9)
    attempt = database.start(due.crawl, "crawler-1", DATE).name or ""
    database.learn(attempt, Part(0, {}, [], [FEED]), DATE)
    assert [row.feed for row in database.feeds_of("b")] == [FEED]


def test_a_site_has_so_many_feeds(database: Database) -> None:
    """Those that are there take no room from new ones, and there is a limit."""
    attempt = collected(database)
    feeds = [f"http://a/{number:02}" for number in range(60)]
    database.learn(attempt, Part(0, {}, [], feeds[:49]), DATE)
    database.learn(attempt, Part(1, {}, [], feeds), DATE)
    assert [row.feed for row in database.feeds_of("a")] == feeds[:50]
