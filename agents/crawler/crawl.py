"""One crawl: one site, once, from its order to its directory (*INA §1.4*)."""

import errno
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve
from twisted.logger import Logger

from agents import urls
from agents.crawler.collector import Collector
from agents.crawler.connections import Connections
from agents.crawler.directory import CrawlDirectory
from agents.crawler.errors import BadFormer, CrawlFailed, NoRoom
from agents.crawler.fetcher import Fetcher
from agents.crawler.findings import Findings
from agents.crawler.former import Former
from agents.crawler.frontier import Frontier, Queues
from agents.crawler.health import Health
from agents.crawler.heavy import HeavyParsers
from agents.crawler.judge import Judge
from agents.crawler.limits import Limits
from agents.crawler.monitor import Monitor
from agents.crawler.proxies import read_proxy
from agents.crawler.record import Recorder
from agents.crawler.report import report
from agents.crawler.robots_files import RobotsFiles
from agents.crawler.sitemaps import Sitemaps
from agents.crawler.stories import Stories, Story, story_of
from agents.crawler.waiting import Waiting
from agents.delimitation import Delimitation, InvalidExpression
from agents.order import CrawlFigures, Order
from anet.address import is_public
from anet.http import permit_all
from anet.tasks import sleep
from anet.workers import Workers

_BREATH = 200  # URLs passed over without a wait before the reactor gets its turn
_log = Logger()


class Crawl:
    """Collects the site of one order.

    Attributes:
        order: what is collected.
        path: the crawl's directory.
        findings: what the report will tell.
        current: the URL being collected, or empty.
        waiting: why nothing is being fetched.
        monitor: what people watch.
    """

    def __init__(
        self,
        reactor: Any,
        workers: Workers,
        order: Order,
        path: Path,
        agent: str,
        limits: Limits | None = None,
        heavy: HeavyParsers | None = None,
    ) -> None:
        self.order = order
        self.path = path
        self.findings = Findings()
        self.current = ""
        self.waiting = Waiting(reactor)
        self.monitor = Monitor()
        self._reactor = reactor
        self._workers = workers
        self._agent = agent
        self._limits = limits or Limits()
        self._heavy = heavy
        self._begun = float(reactor.seconds())
        self._connections = Connections(
            reactor,
            permit_all if order.private_networks else is_public,
            self._limits.connect_timeout,
            self._limits.silence,
            proxy=read_proxy(order.access.proxy),
            http2=order.access.http2,
        )
        self._frontier: Frontier | None = None
        self._recorder: Recorder | None = None
        self._fetcher: Fetcher | None = None
        self._stories: Stories | None = None

    def figures(self) -> CrawlFigures:
        """Return how far the crawl is."""
        figures = CrawlFigures()
        if self._recorder is not None and self._frontier is not None:
            figures = self._recorder.now(len(self._frontier), self._frontier.depth)
        reason = self.waiting.reason
        if not reason and self.current:
            reason = self.waiting.slow(urls.authority(self.current))
        return evolve(
            figures,
            seconds=self._reactor.seconds() - self._begun,
            waiting_for=reason,
            waiting_until=self.waiting.until,
        )

    @property
    def queues(self) -> Queues | None:
        """How many URLs wait, and for what; None before the crawl is under way."""
        return None if self._frontier is None else self._frontier.queues

    async def story(self, url: str) -> Story:
        """Return what is known of a URL: who linked to it, what was decided, what came of it.

        Raises:
            ValueError: it is no URL that can be collected, or nothing is being collected.
        """
        found = urls.canonical(url)
        if found is None:
            raise ValueError(f"{url[:200]!r} is not a whole http or https URL")
        if self._stories is None or not self.current:
            raise ValueError("the crawl is not under way")
        self._stories.flush()
        return await self._workers.run(story_of, self._stories.path, found)

    def add(self, url: str) -> bool:
        """Collect a URL next, whatever the delimitation says; tell whether that is news.

        Raises:
            ValueError: it is no URL that can be collected, or nothing is being collected.
        """
        found = urls.canonical(url)
        if found is None:
            raise ValueError(f"{url[:200]!r} is not a whole http or https URL")
        if self._frontier is None or not self.current:
            raise ValueError("the crawl is not under way")
        return self._frontier.add_component(found, True, 0, 0)

    async def run(self) -> CrawlFigures:
        """Collect the site; return the final figures once everything is durable.

        Cancelled, or failed, it leaves no directory behind.

        Raises:
            CrawlFailed: the order can't be carried out; the message says why.
        """
        delimitation, start = self._read_order()
        former = await self._former()
        directory: CrawlDirectory | None = None
        try:
            self.waiting.begin("the crawl's directory is being made")
            directory = await self._workers.run(CrawlDirectory, self.path)
            collector = self._prepare(directory, former, delimitation)
            await self._collect_all(collector, start)
            return await self._finish(directory, former)
        except OSError as error:
            await self._abandon(directory)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise (NoRoom if full else CrawlFailed)(_explained(error)) from error
        except BaseException:
            await self._abandon(directory)
            raise
        finally:
            self._connections.stop()
            former.close()

    def _read_order(self) -> tuple[Delimitation, str]:
        try:
            delimitation = Delimitation.parse(self.order.accept, self.order.reject)
        except InvalidExpression as error:
            raise CrawlFailed(f"the delimitation can't be read: {error}") from None
        start = urls.canonical(self.order.start_url)
        if start is None:
            raise CrawlFailed(f"the start URL {self.order.start_url[:200]!r} is not one")
        return delimitation, start

    async def _former(self) -> Former:
        if self.order.former is None:
            return Former()
        self.waiting.begin("the former crawl is being read")
        try:
            return await self._workers.run(Former.load, Path(self.order.former))
        except (BadFormer, OSError) as error:
            # Without it the crawl is whole all the same, only larger.
            _log.warn("the former crawl is left aside: {error}", error=error)
            return Former()

    def _prepare(
        self, directory: CrawlDirectory, former: Former, delimitation: Delimitation
    ) -> Collector:
        order, findings = self.order, self.findings
        directory.write_order(order)
        self._frontier = frontier = Frontier(directory.temporary, self._limits.urls)
        self._recorder = recorder = Recorder(
            order, self._agent, directory, former, findings, self.monitor
        )
        self._stories = stories = Stories(directory.temporary / "stories")
        self._fetcher = fetcher = Fetcher(
            self._reactor,
            self._connections,
            order.politeness,
            longest_rest=self._limits.longest_rest,
            longest_exchange=self._limits.longest_exchange,
            wait=self.waiting.sleep,
            access=order.access,
        )
        return Collector(
            clock=self._reactor,
            order=order,
            delimitation=delimitation,
            temporary=directory.temporary,
            frontier=frontier,
            fetcher=fetcher,
            recorder=recorder,
            judge=Judge(
                delimitation, order.maximum_depth, frontier, findings, order.strategy, stories
            ),
            findings=findings,
            health=Health(),
            robots=self._robots(),
            stories=stories,
            sitemaps=Sitemaps(frontier, delimitation) if order.strategy.sitemaps else None,
            heavy=self._heavy,
        )

    def _robots(self) -> RobotsFiles | None:
        politeness = self.order.politeness
        return RobotsFiles(politeness.user_agent, self._workers) if politeness.robots else None

    async def _collect_all(self, collector: Collector, start: str) -> None:
        frontier = collector.frontier
        frontier.start(start)
        self.waiting.begin()
        turns = 0
        while (task := frontier.next()) is not None:
            self.current = task.url
            await self.waiting.gate()
            self.waiting.begin()
            requests = collector.fetcher.requests
            await collector.collect(task)
            turns = 0 if collector.fetcher.requests != requests else turns + 1
            if turns >= _BREATH:
                turns = 0
                await sleep(self._reactor, 0)
        self.current = ""
        if start in self.findings.failures.entries:
            raise CrawlFailed(f"{start}: {self.findings.failures.entries[start]}")
        if start in self.findings.excluded.entries:
            raise CrawlFailed(f"{start}: the server's robots.txt asks not to fetch it")

    async def _finish(self, directory: CrawlDirectory, former: Former) -> CrawlFigures:
        assert self._frontier is not None and self._fetcher is not None
        self._close()
        figures = self.figures()
        make = partial(
            report,
            self.order,
            figures,
            self.findings,
            urls_gone=max(0, former.urls - figures.urls_changed - figures.urls_unchanged),
            urls_met=self._frontier.met,
            urls_refused=self._frontier.refused,
            requests=self._fetcher.requests,
        )
        self.waiting.begin("the crawl is being made durable")
        await self._workers.run(lambda: directory.finish(make()))
        self.waiting.begin()
        return figures

    async def _abandon(self, directory: CrawlDirectory | None) -> None:
        self._close()
        if directory is not None:
            await self._workers.run(directory.abandon)

    def _close(self) -> None:
        for files in (self._frontier, self._stories):
            if files is not None:
                files.close()


def _explained(error: OSError) -> str:
    place = f" ({error.filename})" if error.filename else ""
    return f"the crawl's directory can't be written: {error.strerror or error}{place}"
