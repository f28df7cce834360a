"""The index of delimitations at work: every URL is of one site at most."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as some

from agents import urls
from agents.scheduler.config import ExpansionConfig
from agents.scheduler.database import Queries
from agents.scheduler.database.portion import Extent
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.placing import Row
from agents.scheduler.portion.territory import Territory

HOSTS = some.sampled_from(
    ["a.example", "www.a.example", "b.a.example", "tom.blogspot.com", "github.com", "c.example:81"]
)
PATHS = some.lists(some.sampled_from(["~ann", "~bob", "blog", "x", "users", "1"]), max_size=3)
URLS = some.builds(
    lambda host, path, end: f"http://{host}/{'/'.join(path)}{end}",
    HOSTS,
    PATHS,
    some.sampled_from(["", "/", "?q=1", ".html"]),
)


class Table:
    """A table of sites."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.mark = 0

    def extent(self) -> Extent:
        return Extent(len(self.rows), len(self.rows), self.mark)

    def bounds_after(self, number: int, limit: int) -> list[Row]:
        return self.rows[number : number + limit]


def learned(territory: Territory, table: Table, links: list[str]) -> set[int]:
    """Look links up, keep the sites that are new, and return whose the others were."""
    found = territory.look_up([(link, 1) for link in links])
    fresh = [
        (len(table.rows) + count, site.start_url, site.accept, site.reject)
        for count, (site, _) in enumerate(found.new, 1)
    ]
    table.rows += fresh
    assert territory.register(fresh, table.mark) == {}
    return set(found.known)


def on(table: Table, check: Callable[[Territory], Any]) -> None:
    """Do something with an index of a table, made anew from it."""
    with TemporaryDirectory() as folder:
        territory = Territory(Path(folder) / "index", ExpansionConfig(enabled=True))
        assert territory.open(cast(Queries, table)) == {}
        check(territory)
        territory.close()


@given(some.lists(some.lists(URLS, max_size=8), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_no_url_is_of_two_sites(parts: list[list[str]]) -> None:
    """However links come, by the bounds that crawls are ordered with; and each leads to a site."""
    table = Table()

    def learn(territory: Territory) -> None:
        for links in parts:
            learned(territory, table, links)
        rejects = territory.rejects(range(1, len(table.rows) + 1))
        claims = [Claim.read(n, start, accept, rejects[n]) for n, start, accept, _ in table.rows]
        for link in (link for links in parts for link in links):
            url = urls.canonical(link)
            assert url is not None
            owners = [claim.number for claim in claims if claim.has(url)]
            assert len(owners) <= 1, url
            assert owners == list(territory.look_up([(link, 1)]).known)

    on(table, learn)
    on(table, lambda territory: [learned(territory, table, links) for links in parts])
    assert len({row[1] for row in table.rows}) == len(table.rows)


def test_what_cannot_be_collected_is_left_out() -> None:
    """Neither mail nor nonsense is a site, and the same URL counts once."""
    table = Table()

    def learn(territory: Territory) -> None:
        found = territory.look_up([("mailto:a@b.example", 1), ("http://[", 2), ("x", 3)])
        assert (found.known, found.new) == ({}, [])
        [(site, count)] = territory.look_up(
            [("http://a.example/x", 2), ("HTTP://a.example/y", 3)]
        ).new
        assert (site.site, site.start_url, count) == ("a.example", "http://a.example/", 5)

    on(table, learn)


def test_a_site_that_another_is_in_the_way_of() -> None:
    """Its bounds are refused in words, and a site that is known may keep what it has."""
    table = Table()

    def ask(territory: Territory) -> None:
        learned(territory, table, ["http://a.example/", "http://b.example/"])
        first, second = table.rows
        assert territory.against([first]) == []
        [reason] = territory.against([(0, "http://a.example/x", "//a.example", "")])
        assert "http://a.example/" in reason
        wider = (second[0], second[1], "//b.example OR //a.example", "")
        assert territory.against([wider])

    on(table, ask)
