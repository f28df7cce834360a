"""Sites that share an address are not collected at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred

from agents.order import CrawlFigures
from agents.scheduler.places import Places, hosts_of
from agents.scheduler.policy import Due
from anet.errors import ConnectFailed

NAMES = {
    "a.example": ("192.0.2.1", "2001:db8::1"),
    "www.a.example": ("192.0.2.9",),
    "b.example": ("192.0.2.2", "2001:db8::1"),
    "c.example": ("192.0.2.3",),
    "d.example": ("192.0.2.9",),
}


class Names:
    """A name server whose answers take their time where a test says so."""

    def __init__(self) -> None:
        self.slow: dict[str, Deferred[Any]] = {}
        self.asked: list[str] = []

    async def look_up(self, host: str) -> Any:
        """Return the addresses of a host."""
        self.asked.append(host)
        if host in self.slow:
            return await self.slow[host]
        if host not in NAMES:
            raise ConnectFailed(f"the name {host} is unknown")
        return NAMES[host]


@pytest.fixture
def named(world: Any) -> Iterator[Any]:
    """A world with names."""
    world.names = Names()
    world.look_up = world.names.look_up
    world.stop()
    world.start()
    yield world


def urls(letters: str) -> list[str]:
    """Return where sites begin."""
    return [f"http://{letter}.example/" for letter in letters]


def test_two_names_of_one_address_take_turns(named: Any) -> None:
    """One address of several is enough; sites elsewhere are collected meanwhile."""
    crawlers = [named.crawler(f"crawler-{number}") for number in range(3)]
    first, second, third = named.order(*urls("abc"))
    assert [named.state(one) for one in (first, second, third)] == [
        "collecting",
        "ordered",
        "collecting",
    ]
    [told] = [one for one in named.status().crawls if one.crawl == second]
    assert told.figures.waiting_for == "another site at 192.0.2.1 is being collected"
    crawlers[1].finish()
    assert named.state(second) == "ordered"
    crawlers[0].finish()
    assert named.state(second) == "collecting"
    assert named.crawl(second)["lane"] == "192.0.2.2"


def test_all_hosts_that_bounds_name_count(named: Any) -> None:
    """The twin with `www.` is of the site, and another site may be at its address."""
    named.crawler("crawler-1"), named.crawler("crawler-2")
    first, second = named.order(*urls("ad"))
    assert (named.state(first), named.state(second)) == ("collecting", "ordered")


def test_it_holds_after_a_restart(named: Any) -> None:
    """Where running crawls fetch from is kept with them."""
    first, second = named.crawler("crawler-1"), named.crawler("crawler-2")
    [running] = named.order(*urls("a"))
    named.stop()
    named.start()
    first.connect()
    assert first.tell("ready", crawl=running) is True
    second.connect()
    second.tell("ready", crawl=None)
    [waiting] = named.order(*urls("b"))
    assert named.state(waiting) == "ordered"
    first.finish()
    assert named.state(waiting) == "collecting"


def test_what_a_crawler_meets_is_held_too(named: Any) -> None:
    """No other crawl begins at an address that a crawler told of; who is there is told of."""
    first, second = named.crawler("crawler-1"), named.crawler("crawler-2")
    [crawl] = named.order(*urls("a"))
    first.master.notify(
        "progress", crawl=crawl, figures=CrawlFigures(), addresses=["192.0.2.3", "no address"]
    )
    named.pass_time(1)
    [waiting] = named.order(*urls("c"))
    assert named.state(waiting) == "ordered" and second.orders == []
    first.finish()
    assert named.state(waiting) == "collecting"
    [other] = named.order(*urls("b"))
    met = {"figures": CrawlFigures(), "addresses": ["192.0.2.2"]}
    crawler = first if first.order.crawl == waiting else second
    crawler.master.notify("progress", crawl=waiting, **met)
    named.pass_time(1)
    assert named.state(other) == "collecting"
    assert any("where another is at work" in line for line in named.status().errors)


def test_a_name_that_nobody_knows_is_in_nobodys_way(named: Any) -> None:
    """A look-up that takes long delays its own site only, and not for ever."""
    named.names.slow["slow.example"] = Deferred()
    crawlers = [named.crawler(f"crawler-{number}") for number in range(3)]
    slow, unknown, quick = named.order(
        "http://slow.example/", "http://unknown.example/", *urls("c")
    )
    assert [named.state(one) for one in (slow, unknown, quick)] == [
        "ordered",
        "collecting",
        "collecting",
    ]
    named.pass_time(6)
    assert named.state(slow) == "collecting"
    assert sum(len(one.orders) for one in crawlers) == 3


def test_names_are_not_asked_for_again_and_again(named: Any) -> None:
    """While crawls wait for a crawler, what is known of their hosts is not looked up anew."""
    named.crawler()
    named.order(*urls("abc"))
    named.pass_time(25)
    assert len(named.names.asked) == len(set(named.names.asked))


def test_a_site_that_an_archivist_put_in_a_lane_stays_there(named: Any) -> None:
    """Sites of one lane take turns, whatever their addresses."""
    named.order(*urls("ac"))
    for site in ("a.example", "c.example"):
        named.database.correct(site, {"lane": "museum"}, named.means.now(), "me", "one server")
    crawlers = [named.crawler(f"crawler-{number}") for number in range(2)]
    assert sum(len(one.orders) for one in crawlers) == 1
    crawlers[0].finish()
    assert sum(len(one.orders) for one in crawlers) == 2
    assert named.database.site("a.example").lane == "museum"


@given(st.lists(st.tuples(st.sampled_from("hre"), st.integers(0, 4), st.sets(st.integers(0, 5)))))
def test_places_are_those_of_running_crawls(steps: list[tuple[str, int, set[int]]]) -> None:
    """Whatever is held, extended and released, a holder is one that has the key now."""
    places, model = Places(), dict[str, set[str]]()
    for step, number, numbers in steps:
        attempt, keys = f"attempt-{number}", {str(one) for one in numbers}
        if step == "h":
            places.hold(attempt, attempt, "lane", keys)
            model[attempt] = keys
        elif step == "e":
            places.extend(attempt, keys)
            if attempt in model:
                model[attempt] |= keys
        else:
            places.release(attempt)
            model.pop(attempt, None)
    for key in map(str, range(6)):
        found = places.holder([key], "another site")
        holders = [attempt for attempt, keys in model.items() if key in keys]
        assert (found is not None) == bool(holders)
        assert found is None or found.site in holders


def test_hosts_of_a_site() -> None:
    """Those that start and bounds name; patterns and paths name none."""
    accept = "//www.a.example OR https://(no) OR //b.example:81/x/ OR .c.example OR /d/ OR //*.e"
    due = Due("crawl", "site", "a.example", "crawl", start_url="http://a.example:8/", accept=accept)
    assert hosts_of(due) == ["a.example", "www.a.example", "b.example"]
