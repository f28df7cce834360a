"""One crawl: one site, once, from its order to its directory (*INA §1.4*)."""

import errno
from contextlib import suppress
from functools import partial
from pathlib import Path

from attrs import evolve
from twisted.logger import Logger

from agents import urls
from agents.crawler.directory import CrawlDirectory
from agents.crawler.errors import BadDisk, BadFormer, CrawlFailed, NoRoom
from agents.crawler.findings import Findings
from agents.crawler.monitor import Monitor
from agents.crawler.network.connections import Connections
from agents.crawler.network.proxies import read_proxy
from agents.crawler.network.revalidation import FormerStructure
from agents.crawler.parts import Means, Parts, Past, assemble
from agents.crawler.report import report
from agents.crawler.strategy.dynamic import looks_dynamic
from agents.crawler.strategy.frontier import Queues
from agents.crawler.strategy.stories import Story, story_of
from agents.crawler.waiting import Waiting
from agents.delimitation import Delimitation, InvalidExpression
from agents.order import CrawlFigures, Order
from agents.parsers import COMPONENT, PAGE
from anet.address import is_public
from anet.http import permit_all
from anet.tasks import sleep

_BREATH = 200  # URLs passed over without a wait before the reactor gets its turn
_HOSTS = 64  # of a site whose addresses are told of
_ANALYSIS = "the texts of what was collected are being analysed"
_log = Logger()


class Crawl:
    """Collects the site of one order.

    Args:
        means: what it is given.
        order: what to collect.
        path: its directory.

    Attributes:
        order: what is collected.
        path: the crawl's directory.
        findings: what the report will tell.
        current: the URL being collected, or empty.
        waiting: why nothing is being fetched.
        monitor: what people watch.
    """

    def __init__(self, means: Means, order: Order, path: Path) -> None:
        self.order = order
        self.path = path
        self.findings = Findings()
        self.current = ""
        self.waiting = Waiting(means.reactor)
        self.monitor = Monitor()
        self._means = means
        self._begun = float(means.reactor.seconds())
        self._connections = Connections(
            means.reactor,
            permit_all if order.private_networks else is_public,
            means.limits.connect_timeout,
            means.limits.silence,
            proxy=read_proxy(order.access.proxy),
            http2=order.access.http2,
            tell=self.waiting.doing,
            whole_urls=bool(order.archive_date),
        )
        self._parts: Parts | None = None
        self._hosts: set[str] = set()  # of the site, that were asked

    def addresses(self) -> frozenset[str]:
        """Return the addresses of the site's hosts that were asked so far, a bounded number."""
        return self._connections.addresses(self._hosts)

    def figures(self) -> CrawlFigures:
        """Return how far the crawl is."""
        figures = CrawlFigures()
        if self._parts is not None:
            frontier = self._parts.frontier
            figures = self._parts.recorder.now(len(frontier), frontier.depth)
        server = urls.authority(self.current) if self.current else ""
        reason, until = self.waiting.now(server)
        return evolve(
            figures,
            seconds=self._means.reactor.seconds() - self._begun,
            waiting_for=reason,
            waiting_until=until,
        )

    @property
    def queues(self) -> Queues | None:
        """How many URLs wait, and for what; None before the crawl is under way."""
        return None if self._parts is None else self._parts.frontier.queues

    async def story(self, url: str) -> Story:
        """Return what is known of a URL: who linked to it, what was decided, what came of it.

        Raises:
            ValueError: it is no URL that can be collected, or nothing is being collected.
        """
        found, stories = _canonical(url), self._under_way().stories
        stories.flush()
        return await self._means.workers.run(story_of, stories.path, found)

    def add(self, url: str) -> bool:
        """Collect a URL next, whatever the delimitation says; tell whether that is news.

        Raises:
            ValueError: it is no URL that can be collected, or nothing is being collected.
        """
        parts, found = self._under_way(), _canonical(url)
        added = parts.frontier.add_component(found, True, 0, 0)
        if added:
            parts.stories.met(found, "", COMPONENT, 0, "followed: an operator asked for it")
        return added

    def _under_way(self) -> Parts:
        if self._parts is None or not self.current:
            raise ValueError("the crawl is not under way")
        return self._parts

    async def run(self) -> CrawlFigures:
        """Collect the site; return the final figures once everything is durable.

        Cancelled, or failed, it leaves no directory behind.

        Raises:
            CrawlFailed: the order can't be carried out; the message says why.
        """
        delimitation, start = self._read_order()
        past = await self._past()
        directory: CrawlDirectory | None = None
        try:
            self.waiting.begin("the crawl's directory is being made")
            directory = await self._means.workers.run(CrawlDirectory, self.path)
            directory.write_order(self.order)
            self._parts = parts = assemble(
                self._means, self.order, delimitation, directory, past,
                self._connections, self.findings, self.monitor, self.waiting,
            )  # fmt: skip
            parts.frontier.start(start)
            parts.stories.met(start, "", PAGE, 0, "followed: the start of the crawl")
            self._begin_besides(parts, delimitation)
            if past.structure is not None:
                await self._take_up(parts, past.structure)
            await self._collect_all(parts, start, delimitation)
            return await self._finish(parts, directory, past)
        except OSError as error:
            await self._abandon(directory)
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise (NoRoom if full else BadDisk)(_explained(error)) from error
        except BaseException:
            await self._abandon(directory)
            raise
        finally:
            self._connections.stop()
            past.close()

    def _read_order(self) -> tuple[Delimitation, str]:
        try:
            delimitation = Delimitation.parse(self.order.accept, self.order.reject)
        except InvalidExpression as error:
            raise CrawlFailed(f"the delimitation can't be read: {error}") from None
        start = urls.canonical(self.order.start_url)
        if start is None:
            raise CrawlFailed(f"the start URL {self.order.start_url[:200]!r} is not one")
        return delimitation, start

    def _begin_besides(self, parts: Parts, delimitation: Delimitation) -> None:
        """Queue what the order names besides the start, as far as it belongs to the site."""
        for url in self.order.urls:
            known = parts.frontier.knows(url)
            if not known and urls.canonical(url) == url and delimitation.internal(url):
                parts.frontier.start(url)
                parts.stories.met(url, "", PAGE, 0, "followed: the order names it")

    async def _past(self) -> Past:
        if self.order.former is None:
            return Past.none()
        self.waiting.begin("the former crawl is being read")
        try:
            folder, conditional = Path(self.order.former), self.order.access.conditional
            return await self._means.workers.run(Past.load, folder, conditional)
        except (BadFormer, OSError) as error:
            # Without it the crawl is whole all the same, only larger.
            _log.warn("the former crawl is left aside: {error}", error=error)
            return Past.none()

    async def _take_up(self, parts: Parts, structure: FormerStructure) -> None:
        """Queue what the former crawl had; what has not changed will not name it (*INA §1.5.2*)."""
        self.waiting.begin("the URLs of the former crawl are being queued")
        for count, capture in enumerate(structure.captures()):
            if capture.depth > self.order.maximum_depth:
                continue
            if urls.target(capture.url) == "/robots.txt" and self.order.politeness.robots:
                continue  # it is asked for before anything else of its server
            if capture.kind == PAGE:
                parts.frontier.add_page(capture.url, capture.depth, looks_dynamic(capture.url))
            else:
                parts.frontier.add_component(capture.url, True, capture.depth, 0)
            if count % _BREATH == 0:
                await sleep(self._means.reactor, 0)

    async def _collect_all(self, parts: Parts, start: str, delimitation: Delimitation) -> None:
        self.waiting.begin()
        turns = 0
        while (task := parts.frontier.next()) is not None:
            self.current = task.url
            if len(self._hosts) < _HOSTS and delimitation.internal(task.url):
                self._hosts.add(urls.endpoint(task.url)[1])
            await self.waiting.gate()
            self.waiting.begin()
            requests = parts.fetcher.requests
            await parts.collector.collect(task)
            if parts.analysing is not None and parts.analysing.full:
                self.waiting.begin(_ANALYSIS)
                await parts.analysing.room()
            turns = 0 if parts.fetcher.requests != requests else turns + 1
            if turns >= _BREATH:
                turns = 0
                await sleep(self._means.reactor, 0)
        self.current = ""
        if start in self.findings.failures.entries:
            raise CrawlFailed(f"{start}: {self.findings.failures.entries[start]}")
        if start in self.findings.excluded.entries:
            raise CrawlFailed(f"{start}: the server's robots.txt asks not to fetch it")

    async def _finish(self, parts: Parts, directory: CrawlDirectory, past: Past) -> CrawlFigures:
        texts = None
        if parts.analysing is not None:
            self.waiting.begin(_ANALYSIS)
            await parts.analysing.finish()
            texts = parts.analysing.summary.told()
        self.waiting.begin()
        parts.close()
        figures = self.figures()
        make = partial(
            report,
            self.order,
            figures,
            self.findings,
            texts,
            urls_gone=max(0, past.crawl.urls - figures.urls_changed - figures.urls_unchanged),
            urls_met=parts.frontier.met,
            urls_refused=parts.frontier.refused,
            requests=parts.fetcher.requests,
        )
        self.waiting.begin("the crawl is being made durable")
        await self._means.workers.run(lambda: directory.finish(make()))
        self.waiting.begin()
        return figures

    async def _abandon(self, directory: CrawlDirectory | None) -> None:
        self.current = ""
        self.waiting.begin("the crawl's directory is being removed")
        if self._parts is not None:
            with suppress(OSError):  # what was not written yet may find the disk full
                self._parts.close()
        if directory is not None:
            await self._means.workers.run(directory.abandon)


def _canonical(url: str) -> str:
    found = urls.canonical(url)
    if found is None:
        raise ValueError(f"{url[:200]!r} is not a whole http or https URL")
    return found


def _explained(error: OSError) -> str:
    place = f" ({error.filename})" if error.filename else ""
    return f"the crawl's directory can't be written: {error.strerror or error}{place}"
