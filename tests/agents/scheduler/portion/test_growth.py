"""A portion of the web grows from one site over crawls that are made up, and is kept in step."""

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.task import Clock

from agents import urls
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.temporal import FIRST_PRICE
from hip import RemoteError

SEED = "http://seed.example/"
GOOD, BAD, FAR = "http://good.example/", "http://bad.example/", "http://far.example/"
GONE = "http://gone.example/"


def small(pages: Any) -> dict[str, Any]:
    """Return a web of a topic, with a site that is of another and one that is not there."""
    return {
        SEED: pages((f"{GOOD}a", f"{BAD}b", f"{GOOD}c", f"{GONE}d", "mailto:nobody"), 0.0),
        GOOD: pages((f"{FAR}x", f"{SEED}y"), feeds=(f"{GOOD}feed",)),
        BAD: pages((f"{FAR}only",), relevance=0.0),
        FAR: pages(),
    }


def test_a_portion_grows_from_one_site(play: Callable[..., Any], pages: Any) -> None:
    """Whoever passes becomes a member, is collected as a whole and leads on; others do not."""
    portion = play(small(pages))
    portion.order(SEED)
    portion.run()
    assert portion.standings() == {
        "seed.example": "member",  # though it fails: a person wants it
        "good.example": "member",
        "bad.example": "blacklisted",
        "far.example": "member",
        "gone.example": "temporary",  # it is tried again
    }
    assert portion.links() == {
        ("seed.example", "good.example", 4),
        ("seed.example", "bad.example", 2),
        ("seed.example", "gone.example", 2),
        ("good.example", "far.example", 2),
        ("good.example", "seed.example", 2),
    }
    depths = [order.maximum_depth for order in portion.orders if order.site == "good.example"]
    assert depths == [portion.config.expansion.first_depth, portion.config.expansion.maximum_depth]
    good = portion.site("good.example")
    assert (good.referrer, good.relevance) == ("seed.example", 0.8)
    assert "host" in good.guess
    assert [row.feed for row in portion.world.database.feeds_of("good.example")] == [f"{GOOD}feed"]
    portion.world.pass_time(200)
    assert portion.site("seed.example").hub > 0
    assert portion.site("far.example").authority > portion.site("bad.example").authority > 0


def test_what_is_not_there_is_tried_some_times(play: Callable[..., Any], pages: Any) -> None:
    """A candidate that nobody can collect is tried ever later, and then left alone."""
    portion = play(small(pages))
    portion.order(SEED)
    portion.run()
    for _ in range(4):
        portion.later(5 * 86_400)
    assert portion.standings()["gone.example"] == "blacklisted"
    tries = [order for order in portion.orders if order.site == "gone.example"]
    assert len(tries) == portion.config.expansion.patience
    [story] = [
        told
        for told in portion.world.database.story("gone.example", 9)
        if told.after == "blacklisted"
    ]
    assert "nothing answers" in story.why


def test_it_goes_on_where_it_was_killed_at_every_step(play: Callable[..., Any], pages: Any) -> None:
    """With a kill before every single step, the same comes of it, and nothing is learned twice."""
    portion = play(small(pages), restart_absence=0.0)
    portion.order(SEED)
    for step in range(100):
        portion.kill(index=step % 3 > 0)
        portion.world.pass_time(3)
        if not portion.step():
            portion.world.pass_time(70)
            if not (portion.collecting or portion.deposits):
                break
    else:
        raise AssertionError("it never ends")
    assert portion.standings()["far.example"] == "member"
    assert portion.standings()["bad.example"] == "blacklisted"
    assert ("seed.example", "good.example", 4) in portion.links()
    assert ("good.example", "far.example", 2) in portion.links()


def test_candidates_are_let_in_by_priority_as_there_is_room(
    play: Callable[..., Any], pages: Any
) -> None:
    """Only so many a day, and first the one of which most speaks."""
    web = small(pages)
    web[SEED] = pages((BAD, FAR, GOOD))
    web[GOOD] = pages((FAR,))
    web["http://other.example/"] = pages((GOOD,))
    portion = play(web, expansion={"candidates_per_day": 0})
    portion.order(SEED, "http://other.example/")
    portion.run()
    assert portion.standings() == {
        "seed.example": "member",
        "other.example": "member",
        "bad.example": "discovered",
        "far.example": "discovered",
        "good.example": "discovered",
    }
    found = {site: portion.site(site).priority for site in portion.standings()}
    assert found["good.example"] > found["far.example"] == found["bad.example"] > 0


def test_a_correction_sticks_through_the_next_crawl(play: Callable[..., Any], pages: Any) -> None:
    """What an archivist decides outlasts crawls that say otherwise, until it is released."""
    portion = play(small(pages))
    portion.order(SEED)
    portion.run()
    tell = portion.connectivity.tell
    assert tell("decide", site="bad.example", decision="pardon", why="look again") == "temporary"
    portion.run()
    assert portion.standings()["bad.example"] == "blacklisted"  # a pardon is a second chance
    assert tell("decide", site="far.example", decision="ban", who="anna", why="no") == "blacklisted"
    portion.order(GOOD)
    portion.run()
    assert portion.standings()["far.example"] == "blacklisted"
    assert ("good.example", "far.example", 2) in portion.links()
    story = portion.world.database.story("far.example", 1)[0]
    assert (story.who, story.what, story.after, story.why) == (
        "anna",
        "banned",
        "blacklisted",
        "no",
    )
    tell("prioritise", site="gone.example", priority=0.125, why="later")
    portion.world.pass_time(200)  # ranks are worked out meanwhile
    assert portion.site("gone.example").priority == 0.125
    tell("bound", site="good.example", accept="//good.example/a/", start_url=f"{GOOD}a/")
    assert portion.site("good.example").held >= {"accept", "start_url"}
    for wrong in (
        {"site": "good.example", "accept": "(//a"},
        {"site": "nobody.example", "accept": "//a"},
        {"site": "good.example", "accept": "//good.example OR //far.example"},
    ):
        with pytest.raises(RemoteError, match="bad-decision"):
            tell("bound", **wrong)


def test_a_member_is_collected_again_when_its_time_has_come(
    play: Callable[..., Any], pages: Any
) -> None:
    """At the date that its rhythm gives, by itself, and only where that is wanted."""
    portion = play(small(pages), temporal={"enabled": True})
    portion.order(SEED)
    portion.run()
    due = portion.site("good.example")
    assert due.next is not None and "of its text" in due.plan
    before = len([order for order in portion.orders if order.site == "good.example"])
    portion.later(200 * 86_400)
    again = [order for order in portion.orders if order.site == "good.example"][before:]
    assert again
    assert portion.site("good.example").next > due.next
    assert 0 < portion.world.database.remembered("price") < FIRST_PRICE  # there is room for more


def test_nothing_is_collected_again_by_default(play: Callable[..., Any], pages: Any) -> None:
    """Members are collected again by themselves if that is configured, or settled for one."""
    portion = play(small(pages), expansion={"enabled": False})
    portion.order(SEED)
    portion.run()
    assert portion.standings() == {"seed.example": "member"}
    portion.later(1000 * 86_400)
    assert len(portion.orders) == 1
    portion.connectivity.tell("settle", site="seed.example", settings={"interval": 3600.0})
    portion.run()
    assert len(portion.orders) == 2
    portion.later(3700)
    assert len(portion.orders) == 3
    portion.connectivity.tell("settle", site="seed.example", settings={})
    portion.run()
    assert portion.site("seed.example").next is None


def test_a_campaign_has_its_sites_collected_as_often_as_it_says(
    play: Callable[..., Any], pages: Any
) -> None:
    """While it lasts, and not when it has ended."""
    portion = play(small(pages), expansion={"enabled": False})
    portion.order(SEED)
    portion.run()
    tell = portion.connectivity.tell
    campaign = {"name": "election", "begins": "2026", "ends": "2030", "interval": 86_400.0}
    tell("put_campaign", campaign=campaign)
    tell("join_campaign", campaign="election", sites=["seed.example"], why="they vote")
    for _ in range(3):
        portion.later(86_400)
    assert len(portion.orders) == 4
    assert "election" in portion.site("seed.example").plan
    portion.connectivity.tell("end_campaign", campaign="election")
    portion.later(10 * 86_400)
    assert len(portion.orders) == 4


def test_forbidden_hours_hold_when_work_is_given(play: Callable[..., Any], pages: Any) -> None:
    """A site that fell due while nobody could collect it waits until its hours allow it."""
    portion = play(small(pages), expansion={"enabled": False})
    portion.order(SEED)
    portion.run()
    portion.crawler.disconnect()
    clock: Clock = portion.world.clock
    midnight = (clock.seconds() // 86_400 + 1) * 86_400
    night = {"forbidden": {"hours": [{"begins": "00:00", "ends": "06:00"}]}}
    settings = {"interval": 3600.0, **night}
    portion.connectivity.tell("settle", site="seed.example", settings=settings)
    clock.advance(midnight + 3600 - clock.seconds())
    portion.link()
    portion.world.pass_time(20)
    assert len(portion.orders) == 1
    clock.advance(5 * 3600)
    portion.world.pass_time(20)
    assert len(portion.orders) == 2


def test_no_url_is_of_two_sites(play: Callable[..., Any], pages: Any) -> None:
    """Sites that are found beside each other, and the bounds by which they are ordered, part."""
    host = "http://many.example/"
    web = small(pages)
    links = [f"{host}~ann/x", f"{host}~bob/", host, f"{host}blog/1", "http://www.many.example/y"]
    web[SEED] = pages(tuple(links))
    for url in (host, f"{host}~ann/", f"{host}~bob/"):
        web[url] = pages()
    portion = play(web)
    portion.order(SEED)
    portion.run()
    last = {order.site: order for order in portion.orders}
    claims = [
        Claim.read(number, order.start_url, order.accept, order.reject)
        for number, order in enumerate(last.values(), 1)
    ]
    assert len(claims) >= 4
    for link in [*links, f"{host}~ann/", f"{host}~bob/z", f"{host}about", GOOD]:
        url = urls.canonical(link)
        assert url is not None
        assert sum(claim.has(url) for claim in claims) <= 1, url


def test_an_order_where_another_site_is_is_refused(play: Callable[..., Any], pages: Any) -> None:
    """A site within another is ordered with bounds of its own, or not at all."""
    portion = play(small(pages))
    portion.order(SEED)
    portion.run()
    with pytest.raises(RemoteError, match="belongs to site"):
        portion.connectivity.tell("order", urls=[f"{GOOD}deep/"])
    portion.connectivity.tell("order", urls=[f"{GOOD}deep/"], accept="//good.example/deep/")
    portion.order(GOOD)
    portion.run()
    good = [order for order in portion.orders if order.start_url == GOOD][-1]
    assert "//good.example/deep/" in good.reject
