"""Puts together what the scheduler tells of itself, for `status`, pages and metrics."""

from collections.abc import Callable, Mapping

from attrs import evolve

from agents import dates
from agents.order import CrawlFigures
from agents.schedule import AgentStatus, CrawlerStatus, CrawlStatus, SchedulerStatus, SiteStatus
from agents.scheduler.database import Crawl, Queries
from agents.scheduler.life import CrawlState
from agents.scheduler.means import Means
from agents.scheduler.pool import Crawler, Peer, Pool

CRAWLER = "site-crawler"
_CONSOLE = "console"  # the kind of a person's own link
_UNFINISHED = 500  # crawls told of at once
_ENDED = 50


class Overview:
    """Everything a scheduler is doing, as values."""

    def __init__(
        self,
        means: Means,
        pool: Pool,
        agents: Callable[[], Mapping[str, Peer]],
        page_of: Callable[[str, str], str],
    ) -> None:
        """Look at what is given.

        Args:
            means: the scheduler's.
            pool: its crawlers.
            agents: gives the agents linked now, by name.
            page_of: gives the address of an agent's page from its kind and name.
        """
        self._means, self._pool, self._agents, self._page_of = means, pool, agents, page_of
        self._started = means.now()

    async def status(self) -> SchedulerStatus:
        """Return everything."""
        store, live = self._means.store, self._means.live
        unfinished = await store.look(Queries.unfinished, _UNFINISHED)
        ended = await store.look(Queries.ended, _ENDED)
        sites, crawls = await store.look(Queries.counts)
        totals = await store.look(Queries.totals)
        collecting = [crawl for crawl in unfinished if crawl.state is CrawlState.COLLECTING]
        problem = [f"the database cannot be written: {store.problem}"] if store.problem else []
        return SchedulerStatus(
            started=self._started,
            sites=sites,
            crawl_counts=crawls,
            crawls=[self.crawl(crawl) for crawl in [*unfinished, *ended]],
            crawlers=[self._crawler(crawler) for crawler in self._pool],
            agents=self._others(),
            totals=live.totals(totals, collecting),
            errors=problem + self._means.journal.lines(),
        )

    async def sites(self, limit: int) -> list[SiteStatus]:
        """Return sites, those that changed last first."""
        return await self._means.store.look(Queries.sites, limit)

    async def crawls(self, limit: int) -> list[CrawlStatus]:
        """Return crawls, the newest order first."""
        return [self.crawl(crawl) for crawl in await self._means.store.look(Queries.latest, limit)]

    def crawl(self, kept: Crawl) -> CrawlStatus:
        """Return a crawl with its latest figures."""
        live = self._means.live
        captures, received = live.rates(kept.name, self._means.clock.seconds())
        crawl = live.of(kept)
        return CrawlStatus(
            crawl=crawl.crawl,
            site=crawl.site,
            start_url=crawl.start_url,
            state=crawl.state,
            attempt=crawl.attempt,
            crawler=crawl.crawler,
            page=self._page_of(CRAWLER, crawl.crawler) if crawl.crawler else "",
            figures=self._figures(crawl),
            deposit=crawl.deposit,
            ordered=crawl.ordered,
            changed=crawl.changed,
            error=crawl.error,
            captures_per_second=captures,
            bytes_per_second=received,
        )

    def _figures(self, crawl: Crawl) -> CrawlFigures:
        """Return how far a crawl is, with why no crawler has begun it."""
        why = ""
        if crawl.state is not CrawlState.ORDERED:
            return crawl.figures
        if crawl.host in self._pool.busy_hosts() and not crawl.beside:
            why = f"another site of {crawl.host} is being collected"
        elif crawl.lane in self._pool.busy_lanes() and not crawl.beside:
            why = f"another site at {crawl.lane} is being collected"
        elif not self._pool.free():
            why = "no crawler is free"
        return evolve(crawl.figures, waiting_for=why)

    def _crawler(self, crawler: Crawler) -> CrawlerStatus:
        return CrawlerStatus(
            name=crawler.name,
            state=crawler.state,
            crawl=crawler.work.crawl if crawler.work else None,
            since=dates.now(self._means.clock, crawler.since),
            page=self._page_of(CRAWLER, crawler.name),
            machine=crawler.machine,
        )

    def _others(self) -> list[AgentStatus]:
        return [
            AgentStatus(peer.name, peer.kind, self._page_of(peer.kind, peer.name))
            for _, peer in sorted(self._agents().items())
            if peer.kind not in (CRAWLER, _CONSOLE)
        ]
