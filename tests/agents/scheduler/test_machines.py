"""Crawlers, nurseries and connectivity agents of several machines, linked in memory."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scheduler.policy import shares
from hip import RemoteError

URL, OTHER, THIRD = (f"http://{letter}.example/" for letter in "abc")


def machines(world: Any) -> dict[str, Any]:
    """Return what the scheduler tells of each machine."""
    return {one.machine: one for one in world.run(world.scheduler.collecting.machines.status())}


def test_a_crawl_is_deposited_on_its_machine(world: Any) -> None:
    """Deposits and discards go to an agent that reaches the folder; others are not asked."""
    here, there = world.connectivity("here", "here"), world.connectivity("there", "there")
    world.crawler("crawler-1", "there")
    crawler = world.crawler("crawler-1", "there")
    world.order(URL)
    crawler.finish()
    assert (len(here.deposits), len(there.deposits)) == (0, 1)
    there.succeed()
    assert here.discarded == []
    assert there.discarded == [f"/crawls/{crawler.order.crawl}"]


def test_a_machine_that_nobody_serves_is_a_problem_that_is_told(world: Any) -> None:
    """Its crawls wait, in nobody's way, until a connectivity agent is started there."""
    first, second = world.crawler("crawler-1", "far"), world.crawler("crawler-2", "here")
    here = world.connectivity()
    far, near = world.order(URL, OTHER)
    assert first.finish() and second.finish()
    assert world.state(far) == "collected"
    assert [one["crawl"] for one in here.deposits] == [near]
    told = machines(world)
    assert "no connectivity agent serves" in told["far"].problem
    assert (told["far"].undeposited, told["here"].problem) == (1, "")
    world.connectivity("second", "far").succeed()
    assert world.state(far) == "deposited"
    assert machines(world)["far"].problem == ""


def test_a_machine_is_drained(world: Any) -> None:
    """No new work; who is busy goes on, and is ended when it is free; what it brought is kept."""
    nursery, connectivity = world.nursery("nursery", "here"), world.connectivity()
    nursery.kept = ["crawler-1"]
    nursery.disconnect()
    nursery.connect()
    crawler = world.crawler("crawler-1", "here")
    [crawl] = world.order(URL)
    nursery.tell("drain", machine="here")
    [waiting] = world.order(OTHER)
    assert machines(world)["here"].state == "draining"
    assert nursery.retired == [] and not machines(world)["here"].idle
    crawler.finish()
    assert world.state(waiting) == "ordered"
    assert nursery.retired == ["crawler-1"] and nursery.asked == []
    connectivity.succeed()
    assert world.state(crawl) == "deposited"
    assert machines(world)["here"].idle
    world.stop()
    world.start()
    crawler.connect()
    crawler.tell("ready", crawl=None, machine="here")
    assert world.state(waiting) == "ordered"  # it is draining after a restart, too
    crawler.tell("undrain", machine="here")
    assert world.state(waiting) == "collecting"
    with pytest.raises(RemoteError, match="no-machine"):
        crawler.tell("drain", machine="elsewhere")


def test_a_machine_is_forgotten(world: Any) -> None:
    """Only when it is drained, nothing runs there, and nothing lies there that is not lost."""
    crawler, operator = world.crawler("crawler-1", "burnt"), world.crawler("crawler-2")
    [crawl] = world.order(URL)
    crawler.finish()
    with pytest.raises(RemoteError, match="no-machine"):
        operator.tell("forget", machine="burnt")
    operator.tell("drain", machine="burnt")
    with pytest.raises(RemoteError, match="crawler-1; stop its agents first"):
        operator.tell("forget", machine="burnt", lost=True)
    crawler.disconnect()
    with pytest.raises(RemoteError, match="1 crawls on burnt are not deposited"):
        operator.tell("forget", machine="burnt")
    assert operator.tell("forget", machine="burnt", lost=True) == [crawl]
    assert machines(world) == {}
    assert operator.order.crawl == f"{crawl}.2"
    assert world.status().totals.captures == 0
    assert operator.finish()
    assert world.status().totals.captures == 7


def test_nurseries_are_asked_where_there_is_room(world: Any) -> None:
    """The one with most room first, none of a draining machine, and no more than there is."""
    small = world.nursery("small", "one", 1)
    large = world.nursery("large", "two", 2)
    world.order(URL, OTHER, THIRD)
    assert (small.asked, large.asked) == ([1], [2])
    world.pass_time(40)
    assert (small.asked, large.asked) == ([1], [2])
    large.tell("drain", machine="one")
    small.kept, large.kept = [], []
    for nursery in (small, large):
        nursery.disconnect()
        nursery.connect()
    world.pass_time(40)
    assert (small.asked, large.asked) == ([1], [2, 2])


@given(st.integers(0, 30), st.dictionaries(st.sampled_from("abcde"), st.integers(0, 9)))
def test_shares(count: int, rooms: dict[str, int]) -> None:
    """Nobody is asked for more than there is room for, and what is left is level."""
    asked = shares(count, rooms)
    assert asked.total() == min(count, sum(rooms.values()))
    left = {name: room - asked[name] for name, room in rooms.items()}
    assert all(room >= 0 for room in left.values())
    for name in asked:
        assert left[name] >= max(left.values()) - 1


def test_a_crawl_that_failed_goes_to_another_machine(world: Any) -> None:
    """What its crawler or its disk spoiled is given to another, and the reasons are kept."""
    first, second = world.crawler("crawler-1", "one"), world.crawler("crawler-2", "one")
    third = world.crawler("crawler-3", "two")
    [crawl] = world.order(URL)
    assert first.finish("the disk is broken", fault="crawler")
    assert (second.orders, third.order.crawl) == ([], f"{crawl}.2")
    third.disconnect()
    world.pass_time(11)
    assert world.state(crawl) == "failed"  # after as many attempts as are configured
    tried = world.database.tried(crawl)
    assert [one[:2] for one in tried] == [("crawler-1", "one"), ("crawler-3", "two")]
    assert tried[0][2] == "the disk is broken" and "went away" in tried[1][2]


def test_a_crawl_that_failed_waits_for_another_crawler_a_while(world: Any) -> None:
    """While others are busy; if none becomes free within a minute, the same may try again."""
    first, second = world.crawler("crawler-1", "one"), world.crawler("crawler-2", "two")
    crawl, _ = world.order(URL, OTHER)
    assert first.finish("a crash", fault="crawler")
    world.pass_time(50)
    assert world.state(crawl) == "ordered"
    second.finish()
    assert second.order.crawl == f"{crawl}.2"


def test_a_crawl_that_failed_does_not_wait_for_ever(world: Any) -> None:
    """If no other crawler becomes free within a minute, the same may try again."""
    first, second = world.crawler("crawler-1", "one"), world.crawler("crawler-2", "two")
    crawl, _ = world.order(URL, OTHER)
    first.finish("a crash", fault="crawler")
    [third] = world.order(THIRD)  # is in nobody's way meanwhile
    assert world.state(third) == "collecting"
    first.finish("full", fault="disk")
    world.pass_time(50)
    assert (world.state(crawl), world.state(third)) == ("ordered", "ordered")
    world.pass_time(25)
    assert first.order.crawl == f"{crawl}.2"
    assert len(second.orders) == 1


def test_reports_of_crawlers_that_were_not_asked(world: Any) -> None:
    """Nobody ends, or speaks of, what was given to another."""
    first, second = world.crawler("crawler-1"), world.crawler("crawler-2")
    [crawl] = world.order(URL)
    figures = {"captures": 99}
    with pytest.raises(RemoteError, match="not-yours"):
        second.tell("finished", crawl=crawl, directory=f"/crawls/{crawl}", figures=figures)
    with pytest.raises(RemoteError, match="not-yours"):
        first.tell("finished", crawl=crawl, directory="/crawls/another", figures=figures)
    second.master.notify("progress", crawl=crawl, figures=figures)
    world.pass_time(1)
    [told] = world.status().crawls
    assert (told.state, told.figures.captures) == ("collecting", 0)
    assert second.tell("ready", crawl=crawl) is False
    assert first.finish()
