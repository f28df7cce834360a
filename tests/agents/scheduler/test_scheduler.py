"""The scheduler with crawlers, connectivity and nursery linked in memory, under a clock."""

from typing import Any

import pytest

from agents.order import CrawlFigures
from hip import CallRefused, RemoteError

URL = "http://a.example/"
OTHER = "http://b.example/"


def test_a_site_goes_from_order_to_storage(world: Any) -> None:
    """Ordered, collected, deposited, its folder removed; each step by the agent it is for."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL, private_networks=True)
    assert crawler.order.start_url == URL
    assert crawler.order.accept == "//a.example OR //www.a.example"
    assert crawler.order.private_networks
    assert crawler.order.former is None
    assert world.state(crawl) == "collecting"
    assert crawler.finish()
    assert world.state(crawl) == "depositing"
    [asked] = connectivity.deposits
    assert asked == {"crawl": crawl, "site": "a.example", "directory": f"/crawls/{crawl}"}
    assert connectivity.discarded == []
    connectivity.succeed()
    assert world.state(crawl) == "deposited"
    assert connectivity.discarded == [f"/crawls/{crawl}"]
    assert world.database.discards(9) == []
    assert [site.state for site in world.database.sites(9)] == ["idle"]


def test_the_former_crawl_is_carried_in_the_next_order(world: Any) -> None:
    """When signatures and structure of the former crawl are there, the crawler is told where."""
    folder = world.directory / "sites" / "a.example"
    folder.mkdir(parents=True)
    (folder / "signatures").touch()
    crawler = world.crawler()
    world.order(URL)
    assert crawler.order.former is None  # half of it is none
    crawler.finish("stopped for the test")
    (folder / "structure").touch()
    world.order(URL)
    assert crawler.order.former == str(folder)


def test_two_sites_are_collected_at_once_but_not_of_one_host(world: Any) -> None:
    """Sites of different hosts go to different crawlers; a host is collected once at a time."""
    first, second = world.crawler("crawler-1"), world.crawler("crawler-2")
    crawls = world.order(URL, "http://a.example:81/", OTHER)
    assert [one.order.start_url for one in (first, second)] == [URL, OTHER]
    assert world.state(crawls[1]) == "ordered"
    second.finish()
    assert world.state(crawls[1]) == "ordered"
    first.finish()
    assert world.state(crawls[1]) == "collecting"


def test_a_crawl_that_nobody_has_begun_says_why(world: Any) -> None:
    """It waits for another site of its host, or for a crawler."""

    def why(crawl: str) -> str:
        [found] = [each for each in world.status().crawls if each.crawl == crawl]
        return str(found.figures.waiting_for)

    world.crawler("crawler-1")
    begun, same_host, other = world.order(URL, "http://a.example:81/", OTHER)
    assert why(begun) == ""
    assert why(same_host) == "another site of a.example is being collected"
    assert why(other) == "no crawler is free"
    world.crawler("crawler-2")
    assert why(other) == ""


def test_an_order_may_say_how_gently(world: Any) -> None:
    """The delay of an order stands before the configured one, for that crawl."""
    crawler = world.crawler()
    crawler.tell("order", urls=[URL], delay=0.0)
    assert crawler.order.politeness.delay == 0
    crawler.finish("enough")
    world.order(URL)
    assert crawler.order.politeness.delay == world.config.delay
    for delay in (-1.0, 1e9, float("nan")):
        with pytest.raises(RemoteError, match="bad-order"):
            crawler.tell("order", urls=[OTHER], delay=delay)


def test_an_order_may_say_what_belongs_to_a_site(world: Any) -> None:
    """Expressions and depth of an order are kept for the site; what it does not say is left."""
    crawler = world.crawler()
    crawler.tell("order", urls=[URL], accept="//a.example AND NOT *.zip$", maximum_depth=3)
    assert (crawler.order.accept, crawler.order.reject) == ("//a.example AND NOT *.zip$", "")
    assert crawler.order.maximum_depth == 3
    crawler.finish("enough")
    crawler.tell("order", urls=[URL], reject="/print/")
    assert (crawler.order.accept, crawler.order.reject) == (
        "//a.example AND NOT *.zip$",
        "/print/",
    )
    assert crawler.order.maximum_depth == 3
    crawler.tell("order", urls=[URL], accept="//b.example")  # it is being collected
    crawler.finish("enough")
    world.order(URL)
    assert crawler.order.accept == "//a.example AND NOT *.zip$"
    for wrong in ({"accept": "(//a"}, {"reject": "OR"}, {"maximum_depth": -1}):
        with pytest.raises(RemoteError, match="bad-order"):
            crawler.tell("order", urls=[OTHER], **wrong)


def test_a_site_being_collected_is_joined(world: Any) -> None:
    """Ordering a site at work gives its present crawl and nothing else happens."""
    crawler = world.crawler()
    assert world.order(URL) == world.order(URL)
    assert len(crawler.orders) == 1


def test_a_second_crawler_on_a_site_being_collected(world: Any) -> None:
    """It begins at once, there is one at most, and the deposits take turns."""
    first, second = world.crawler("crawler-1"), world.crawler("crawler-2")
    connectivity = world.connectivity()
    [crawl] = world.order("http://a.example/")
    [again] = world.order("http://a.example/", beside=True)
    assert world.order("http://a.example/", beside=True) == [again] != [crawl]
    assert (first.order.crawl, second.order.crawl) == (crawl, again)
    assert second.order.start_url == first.order.start_url
    assert first.finish() and second.finish()
    assert [one["crawl"] for one in connectivity.deposits] == [crawl]
    connectivity.succeed()
    assert [one["crawl"] for one in connectivity.deposits] == [crawl, again]
    connectivity.succeed()
    assert world.status().crawl_counts == {"deposited": 2}
    assert world.status().sites == {"idle": 1}


def test_a_second_crawler_on_a_site_that_is_not_being_collected(world: Any) -> None:
    """It is an order like any other then."""
    world.crawler("crawler-1")
    [crawl] = world.order("http://a.example/", beside=True)
    assert world.status().sites == {"collecting": 1}
    assert world.order("http://a.example/") == [crawl]


def test_crawlers_are_forked_when_there_is_work_for_them(world: Any) -> None:
    """The nursery is asked for what is missing, up to the maximum, and once."""
    nursery = world.nursery()
    world.order(*[f"http://host{number}.example/" for number in range(5)])
    assert nursery.asked == [3]
    world.pass_time(15)
    assert nursery.asked == [3]
    world.crawler("crawler-1")
    world.pass_time(25)
    assert nursery.asked == [3, 2]


def test_a_crawl_whose_crawler_is_killed_goes_to_another(world: Any) -> None:
    """After a grace time the attempt is given up with its reason; another crawler begins anew."""
    first, connectivity = world.crawler("crawler-1"), world.connectivity()
    [crawl] = world.order(URL)
    second = world.crawler("crawler-2")
    first.disconnect()
    assert second.orders == []
    world.pass_time(11)
    assert second.order.crawl == f"{crawl}.2"
    assert world.crawl(crawl)["attempt"] == 2
    assert any("crawler-1 went away" in error for error in world.status().errors)
    assert connectivity.discarded == [str(world.directory / "crawls" / crawl)]
    second.finish()
    assert connectivity.deposits[0]["crawl"] == f"{crawl}.2"


def test_a_crawler_that_is_started_again_without_its_crawl_is_not_waited_for(world: Any) -> None:
    """A crawler of the same name that says it is free has lost its crawl: it begins anew."""
    crawler = world.crawler()
    [crawl] = world.order(URL)
    crawler.disconnect()
    again = world.crawler()
    assert again.order.crawl == f"{crawl}.2"


def test_a_crawler_that_comes_back_keeps_its_crawl(world: Any) -> None:
    """A link that breaks for a moment costs nothing."""
    crawler = world.crawler()
    [crawl] = world.order(URL)
    crawler.disconnect()
    world.pass_time(5)
    crawler.connect()
    assert crawler.tell("ready", crawl=crawl) is True
    world.pass_time(60)
    assert crawler.finish()
    assert world.crawl(crawl)["attempt"] == 1


def test_a_crawler_that_comes_back_too_late_is_told_to_stop(world: Any) -> None:
    """What was given to another in the meantime is not wanted twice; its folder goes."""
    first, connectivity = world.crawler("crawler-1"), world.connectivity()
    [crawl] = world.order(URL)
    world.crawler("crawler-2")
    first.disconnect()
    world.pass_time(11)
    first.connect()
    assert first.tell("ready", crawl=crawl) is False
    assert first.finish() is False
    assert connectivity.discarded[-1] == f"/crawls/{crawl}"
    assert connectivity.deposits == []


def test_an_attempt_that_everybody_lost_track_of_is_made_again(world: Any) -> None:
    """Whatever went wrong, a crawl that no crawler works on does not wait for ever."""
    crawler = world.crawler()
    [crawl] = world.order(URL)
    world.scheduler.collecting.pool.finish("crawler-1", crawl, world.clock.seconds())
    world.pass_time(25)
    assert crawler.order.crawl == f"{crawl}.2"


def test_an_error_of_the_database_stops_no_loop(world: Any, monkeypatch: Any) -> None:
    """Work is given and deposits are made once the database answers again."""
    crawler, connectivity = world.crawler(), world.connectivity()
    with monkeypatch.context() as patch:
        for name in ("next_due", "discards"):
            patch.setattr(world.database, name, lambda *_: 1 / 0)
            patch.setattr(f"agents.scheduler.database.Database.{name}", lambda *_: 1 / 0)
        world.order(URL)
        world.pass_time(12)
        assert crawler.orders == []
        assert any("ZeroDivisionError" in error for error in world.status().errors)
    world.pass_time(12)
    crawler.finish()
    connectivity.succeed()
    assert world.state(world.order(URL)[0]) == "collecting"


def test_a_crawl_is_given_up_after_enough_attempts(world: Any) -> None:
    """A site that kills every crawler fails, with the last reason, and is not tried for ever."""
    [crawl] = world.order(URL)
    for _ in range(2):
        world.crawler().disconnect()
        world.pass_time(11)
    assert world.state(crawl) == "failed"
    assert "went away" in world.crawl(crawl)["error"]
    assert world.status().sites == {"failed": 1}
    [again] = world.order(URL)
    assert again != crawl


def test_a_site_that_cannot_be_collected_fails_at_once(world: Any) -> None:
    """An error that the crawler reports is no reason to try again."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    assert crawler.finish("no such host: a.example")
    assert world.state(crawl) == "failed"
    assert world.crawl(crawl)["error"] == "no such host: a.example"
    assert connectivity.discarded == [f"/crawls/{crawl}"]
    assert connectivity.deposits == []


def test_a_crawl_that_the_disk_cut_short_is_made_again_and_again(world: Any) -> None:
    """A full disk is no fault of the site's: however long it lasts, the crawl is not given up."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    for attempt in range(2, 6):
        assert crawler.finish("no space left", fault="disk")
        assert crawler.order.crawl == f"{crawl}.{attempt}"
    assert len(connectivity.discarded) == 4
    crawler.disconnect()
    world.pass_time(11)
    assert world.state(crawl) == "ordered"


def test_the_end_of_a_crawl_may_be_told_twice(world: Any) -> None:
    """A crawler that did not hear the answer repeats itself without effect."""
    crawler, connectivity = world.crawler(), world.connectivity()
    world.order(URL)
    assert crawler.finish()
    assert crawler.finish()
    connectivity.succeed()
    assert crawler.finish()
    assert len(connectivity.deposits) == 1
    assert len(connectivity.discarded) == 1


def test_a_crawler_that_refuses_is_left_alone_for_a_while(world: Any) -> None:
    """A crawl refused by a busy crawler waits for another or for a while, and counts no attempt."""
    crawler = world.crawler()
    crawler.refusal = CallRefused("busy", "still at work")
    [crawl] = world.order(URL)
    assert world.state(crawl) == "ordered"
    crawler.refusal = None
    world.pass_time(4)
    assert crawler.orders == []
    world.pass_time(2)
    assert crawler.order.crawl == crawl


def test_an_order_that_a_crawler_finds_wrong_fails(world: Any) -> None:
    """A refusal for another reason than being busy is the end of the crawl."""
    crawler = world.crawler()
    crawler.refusal = CallRefused("bad-order", "such an expression is not understood")
    [crawl] = world.order(URL)
    assert world.state(crawl) == "failed"
    crawler.refusal = None
    world.order(OTHER)
    assert crawler.order.start_url == OTHER


def test_words_that_cross_do_not_lose_a_crawl(world: Any) -> None:
    """A crawler's "I am free" that crosses the next order on its way means nothing."""
    crawler = world.crawler()
    world.order(URL, OTHER)
    said = crawler.master.call(
        "finished",
        crawl=crawler.order.crawl,
        directory=f"/x/{crawler.order.crawl}",
        figures=CrawlFigures(),
        error=None,
    )
    free = crawler.master.call("ready", crawl=None)
    assert world.wait(said) is True
    assert world.wait(free) is True
    world.pass_time(20)
    assert [order.start_url for order in crawler.orders] == [URL, OTHER]
    assert world.status().errors == []


def test_running_crawls_are_taken_up_after_a_restart(world: Any) -> None:
    """Crawlers that come back to a new scheduler keep their crawls; orders are not lost."""
    first = world.crawler("crawler-1")
    [crawl, waiting] = world.order(URL, "http://a.example:81/")
    world.stop()
    world.start()
    assert world.state(crawl) == "collecting"
    first.connect()
    assert first.tell("ready", crawl=crawl) is True
    world.pass_time(60)
    assert first.finish()
    assert world.state(crawl) == "collected"
    assert world.state(waiting) == "collecting"


def test_crawlers_that_do_not_come_back_after_a_restart_are_replaced(world: Any) -> None:
    """After a grace time the crawl is given to another."""
    world.crawler("crawler-1")
    [crawl] = world.order(URL)
    world.stop()
    world.start()
    other = world.crawler("crawler-2")
    world.pass_time(29)
    assert other.orders == []
    world.pass_time(2)
    assert other.order.crawl == f"{crawl}.2"


def test_stopping_the_archive_in_mid_crawl_does_not_use_up_attempts(world: Any) -> None:
    """However often the whole archive is stopped and started, the crawl is made again."""
    world.crawler("crawler-1")
    [crawl] = world.order(URL)
    for _ in range(5):
        world.stop()
        world.start()
        crawler = world.crawler("crawler-1")
        world.pass_time(60)
        assert world.state(crawl) == "collecting"
    assert crawler.finish()
    assert world.state(crawl) == "collected"


def test_a_crawl_that_ended_while_the_scheduler_was_away_is_heard(world: Any) -> None:
    """`finished` counts for what was running when the scheduler stopped."""
    crawler = world.crawler()
    [crawl] = world.order(URL)
    world.stop()
    world.start()
    crawler.connect()
    assert crawler.finish() is True
    crawler.tell("ready", crawl=None)
    assert world.state(crawl) == "collected"
    world.pass_time(60)
    assert world.state(crawl) == "collected"


def test_a_deposit_that_breaks_is_repeated(world: Any) -> None:
    """A connectivity agent that dies or gives up is asked again, after a while."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    crawler.finish()
    connectivity.fail("no-storage")
    assert world.state(crawl) == "collected"
    assert "no-storage" in world.crawl(crawl)["error"]
    world.pass_time(3)
    assert len(connectivity.deposits) == 2
    connectivity.disconnect()
    assert world.state(crawl) == "collected"
    world.pass_time(20)
    other = world.connectivity()
    world.pass_time(20)
    other.succeed()
    assert world.state(crawl) == "deposited"
    assert world.crawl(crawl)["error"] == ""


def test_a_deposit_that_cannot_be_noted_is_asked_for_again(world: Any, monkeypatch: Any) -> None:
    """An error between the deposit and the database leaves no crawl behind."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    with monkeypatch.context() as patch:
        patch.setattr("agents.scheduler.database.Database.deposits_began", lambda *_: 1 / 0)
        crawler.finish()
        assert connectivity.deposits == []
    world.pass_time(20)
    connectivity.succeed()
    assert world.state(crawl) == "deposited"


def test_a_deposit_whose_end_cannot_be_noted_is_repeated(world: Any, monkeypatch: Any) -> None:
    """An error after it leaves no crawl behind that is neither deposited nor tried again."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    crawler.finish()
    with monkeypatch.context() as patch:
        patch.setattr("agents.scheduler.database.Database.deposit_done", lambda *_: 1 / 0)
        connectivity.succeed()
        assert world.state(crawl) == "collected"
    world.pass_time(20)
    assert len(connectivity.deposits) == 2
    connectivity.succeed()
    assert world.state(crawl) == "deposited"


def test_a_deposit_is_repeated_after_a_restart(world: Any) -> None:
    """A deposit that nobody heard the end of is asked for again."""
    crawler = world.crawler()
    world.connectivity()
    [crawl] = world.order(URL)
    crawler.finish()
    assert world.state(crawl) == "depositing"
    world.stop()
    world.start()
    connectivity = world.connectivity()
    connectivity.succeed()
    assert world.state(crawl) == "deposited"


def test_a_crawl_that_cannot_be_deposited_fails_and_is_left_for_a_person(world: Any) -> None:
    """What is unreadable is neither tried for ever nor removed."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    crawler.finish()
    connectivity.fail("bad-crawl")
    assert world.state(crawl) == "failed"
    assert connectivity.discarded == []
    world.pass_time(100)
    assert len(connectivity.deposits) == 1


def test_deposits_are_limited(world: Any) -> None:
    """A connectivity agent is given a few crawls at once."""
    crawler, connectivity = world.crawler(), world.connectivity()
    world.order(*[f"http://host{number}.example/" for number in range(3)])
    for _ in range(3):
        crawler.finish()
    assert len(connectivity.deposits) == 2
    connectivity.succeed()
    assert len(connectivity.deposits) == 3


def test_status_tells_how_far_everything_is(world: Any) -> None:
    """Figures of running crawls come from their crawlers, with rates and sums."""
    crawler, connectivity = world.crawler(), world.connectivity()
    [crawl] = world.order(URL)
    for captures in (10, 30):
        crawler.master.notify(
            "progress", crawl=crawl, figures=CrawlFigures(captures=captures, bytes_received=500)
        )
        world.pass_time(1)
    [told] = world.status().crawls
    assert (told.state, told.figures.captures, told.crawler) == ("collecting", 30, "crawler-1")
    assert told.captures_per_second > 5
    assert told.page == "http://crawler-1/"
    assert world.status().totals.captures == 30
    assert [one.state for one in world.status().crawlers] == ["busy"]
    crawler.finish()
    connectivity.master.notify("deposit_progress", crawl=crawl, figures={"captures_recorded": 4})
    world.pass_time(1)
    [told] = world.status().crawls
    assert (told.figures.captures, told.deposit.captures_recorded) == (7, 4)
    connectivity.succeed()
    status = world.status()
    assert status.totals.captures_deposited == status.totals.captures == 7
    assert [agent.name for agent in status.agents] == ["connectivity"]


def test_hostile_callers_get_clear_answers(world: Any) -> None:
    """What is no URL, and who is no crawler, is refused by a code."""
    crawler, nursery = world.crawler(), world.nursery()
    for urls in ([], ["javascript:alert(1)"], ["x" * 100_000], ["http://"]):
        with pytest.raises(RemoteError, match="bad-order"):
            crawler.tell("order", urls=urls)
    with pytest.raises(RemoteError, match="not-yours"):
        nursery.tell("ready", crawl=None)
    assert crawler.tell("ready", crawl="../../etc") is False
    assert world.database.counts() == ({}, {})


def test_lists(world: Any) -> None:
    """Sites and crawls are listed, newest first, within a limit."""
    world.crawler()
    world.order(URL)
    world.pass_time(2)
    world.order(OTHER)
    nursery = world.nursery()
    assert [one["start_url"] for one in nursery.tell("crawls", limit=1)] == [OTHER]
    assert {one["site"] for one in nursery.tell("sites")} == {"a.example", "b.example"}
