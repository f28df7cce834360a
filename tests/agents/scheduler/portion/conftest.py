"""A web that is made up, and agents that collect and deposit it under the clock of a scheduler."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from twisted.internet.defer import Deferred, execute

from agents.deposit import DepositFigures, Findings
from agents.filters import Filters
from agents.judgement import Judgement, LevelUpdate, Policy, Update
from agents.order import CrawlFigures, Order
from agents.scheduler.config import ExpansionConfig, SchedulerConfig
from agents.scheduler.portion.territory import FILE
from agents.scheduler.temporal import TemporalConfig
from hip import exposed

PART = 3  # links of one part


@frozen
class Pages:
    """A site of the web: where it leads, and whether it is of the topic.

    Attributes:
        links: URLs out of it.
        relevance: by which it passes; 0 when it fails.
        feeds: of it.
        streams: of it.
        rate: share of its text that is new each time.
    """

    links: tuple[str, ...] = ()
    relevance: float = 0.8
    feeds: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()
    rate: float | None = 0.5


class Worker:
    """A process that runs a function at once."""

    def startService(self) -> None:
        pass

    async def stopService(self) -> None:
        pass

    def run(self, function: Callable[..., Any], *args: Any, time: float = 0) -> Deferred[Any]:
        return execute(function, *args)


class Play:
    """A scheduler with one crawler and one connectivity agent that do as the web is."""

    def __init__(self, kit: Any, directory: Path, web: dict[str, Pages], **config: Any) -> None:
        self.kit, self.web = kit, web
        expansion = {"enabled": True, **config.pop("expansion", {})}
        temporal = TemporalConfig(**config.pop("temporal", {}))
        self.config = SchedulerConfig(
            maximum_crawlers=1,
            expansion=ExpansionConfig(**expansion),
            temporal=temporal,
            **config,
        )
        self.world = kit.World(directory, self.config, processes=lambda memory: Worker())
        self.orders: list[Order] = []  # all there ever were
        self.collecting: list[Order] = []
        self.deposits: list[tuple[str, Policy | None, Deferred[DepositFigures]]] = []
        self.link()

    def link(self) -> None:
        """Have the agents join."""
        play = self

        class Crawler(self.kit.Slave):  # type: ignore[name-defined,misc]
            kind = "site-crawler"

            @exposed
            def collect(self, order: Order) -> None:
                play.orders.append(order)
                play.collecting.append(order)

        class Connectivity(self.kit.Slave):  # type: ignore[name-defined,misc]
            kind = "connectivity"

            @exposed
            def serves(self) -> dict[str, str]:
                return {"machine": "", "directory": "/crawls"}

            @exposed
            def deposit(
                self,
                crawl: str,
                site: str,
                directory: str,
                policy: Policy | None = None,
                machine: str | None = None,
            ) -> Deferred[DepositFigures]:
                answer: Deferred[DepositFigures] = Deferred()
                play.deposits.append((crawl, policy, answer))
                return answer

            @exposed
            def discard(self, directory: str, machine: str | None = None) -> None:
                pass

        self.crawler, self.connectivity = (
            Crawler(self.world, "crawler"),
            Connectivity(self.world, "connectivity"),
        )
        self.crawler.tell("ready", crawl=None)

    def kill(self, index: bool = True) -> None:
        """Kill the scheduler and start it again on what it left; its agents begin anew, too.

        Without `index`, that of delimitations is lost.
        """
        self.world.stop()
        if not index:
            (self.world.directory / "scheduler" / FILE).unlink()
        self.collecting.clear()
        self.deposits.clear()
        self.world.start()
        self.link()

    def later(self, seconds: float) -> None:
        """Let much time pass, in which no agent is linked; then they work."""
        self.crawler.disconnect()
        self.connectivity.disconnect()
        self.world.clock.advance(seconds)
        self.link()
        self.run()

    def order(self, *urls: str) -> None:
        """Order sites."""
        self.world.order(*urls)

    def step(self) -> bool:
        """Let the agents do one thing, if there is one to do."""
        if self.deposits:
            self.deposit(*self.deposits.pop(0))
        elif self.collecting:
            self.finish(self.collecting.pop(0))
        else:
            return False
        self.world.pass_time(1)
        return True

    def run(self, seconds: int = 70) -> None:
        """Let the agents work until nothing happens for a while."""
        for _ in range(500):
            if not self.step():
                self.world.pass_time(seconds)
                if not self.collecting and not self.deposits:
                    return
        raise AssertionError("it never ends")

    def finish(self, order: Order) -> None:
        """End a crawl: well, if the site is there."""
        there = order.start_url in self.web
        self.crawler.tell(
            "finished",
            crawl=order.crawl,
            directory=f"/crawls/{order.crawl}",
            figures=CrawlFigures(captures=7),
            error=None if there else "nothing answers",
        )

    def deposit(self, crawl: str, policy: Policy | None, answer: Deferred[DepositFigures]) -> None:
        """Judge a crawl, tell where it leads, and answer."""
        [order] = [order for order in self.orders if order.crawl == crawl]
        pages = self.web[order.start_url]
        passes = pages.relevance > 0 or policy is None or not policy.filters.relevance
        judgement = Judgement(passes, pages.relevance, ("as the test wants",))
        if policy is not None and (passes or policy.trusted):
            self.tell_links(crawl, pages)
        level = LevelUpdate(0, captures=7, documents=7, chunks=70, rate=pages.rate)
        update = Update(rate=pages.rate, documents=7, levels=(level,), requests=7, bytes=700)
        findings = Findings(
            judgement=judgement if policy else None, update=update, streams=list(pages.streams[:1])
        )
        answer.callback(DepositFigures(captures_recorded=7, done=True, findings=findings))

    def tell_links(self, crawl: str, pages: Pages) -> None:
        """Tell the scheduler where a crawl leads, part by part, each twice."""
        feeds, streams = list(pages.feeds), list(pages.streams)
        for part, start in enumerate(range(0, max(1, len(pages.links)), PART)):
            links = [(url, 2) for url in pages.links[start : start + PART]]
            for _ in range(2):
                wanted = self.connectivity.tell(
                    "learn", crawl=crawl, part=part, links=links, feeds=feeds, streams=streams
                )
                assert wanted == part + 1
            feeds, streams = [], []

    # What there is

    def site(self, site: str) -> Any:
        """Return a site as it is kept."""
        kept = self.world.database.site(site)
        assert kept is not None, site
        return kept

    def standings(self) -> dict[str, str]:
        """Return the standing of each site."""
        sites = [site.site for site in self.world.database.sites(100)]
        return {site: self.site(site).standing.value for site in sites}

    def links(self) -> set[tuple[str, str, int]]:
        """Return all links, with how many documents have each."""
        database = self.world.database
        return {
            (database.names([source])[0], database.names([target])[0], count)
            for source, target, count in database.links_after(0, 0, 1000)
        }


@pytest.fixture
def play(tmp_path: Path, kit: Any) -> Iterator[Callable[..., Play]]:
    """Makes plays; one at a time."""
    made: list[Play] = []

    def make(web: dict[str, Pages], **config: Any) -> Play:
        config.setdefault("expansion", {}).setdefault("filters", Filters(relevance=0.5))
        made.append(Play(kit, tmp_path, web, **config))
        return made[-1]

    yield make
    for one in made:
        one.world.stop()
        assert one.world.means.tasks.failures == 0


@pytest.fixture
def pages() -> type[Pages]:
    """Sites of the web."""
    return Pages
