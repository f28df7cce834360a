"""What a crawl is made of, put together for one order."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from attrs import frozen

from agents.crawler.analysing import Analysing
from agents.crawler.collector import Collector
from agents.crawler.directory import CrawlDirectory
from agents.crawler.findings import Findings
from agents.crawler.former import Former
from agents.crawler.former_texts import FormerTexts
from agents.crawler.limits import Limits
from agents.crawler.monitor import Monitor
from agents.crawler.network.connections import Connections
from agents.crawler.network.fetcher import Fetcher
from agents.crawler.network.health import Health
from agents.crawler.network.revalidation import FormerStructure
from agents.crawler.reading.heavy import HeavyParsers
from agents.crawler.record import Recorder
from agents.crawler.robots_files import RobotsFiles
from agents.crawler.strategy.frontier import Frontier
from agents.crawler.strategy.judge import Judge
from agents.crawler.strategy.sitemaps import Sitemaps
from agents.crawler.strategy.stories import Stories
from agents.crawler.waiting import Waiting
from agents.delimitation import Delimitation
from agents.order import Order
from anet.processes import Processes
from anet.workers import Workers


@frozen
class Means:
    """What a crawl is given.

    Attributes:
        reactor: which reactor.
        workers: threads for files.
        processes: workers for heavy parsers and analysis; without them neither is done.
        agent: name of the crawler.
        limits: of the crawl.
    """

    reactor: Any
    workers: Workers
    processes: Processes | None
    agent: str
    limits: Limits


@frozen
class Past:
    """What the former crawl of the site left; nothing at all for a first one.

    Attributes:
        crawl: its contents and URLs.
        texts: what was worked out of its texts.
        structure: its captures, when only what has changed since is wanted.
    """

    crawl: Former
    texts: FormerTexts
    structure: FormerStructure | None = None

    @classmethod
    def none(cls) -> "Past":
        """Return the past of a site that was never collected."""
        return cls(Former(), FormerTexts())

    @classmethod
    def load(cls, folder: Path, conditional: bool = False) -> "Past":
        """Read the folder of a former crawl; to be called in a worker.

        Args:
            folder: of the former crawl.
            conditional: whether only what has changed since is wanted.

        Raises:
            BadFormer: it can't be read.
        """
        with ExitStack() as opened:
            crawl = opened.enter_context(closing(Former.load(folder)))
            texts = opened.enter_context(closing(FormerTexts.load(folder / "analysis")))
            structure = FormerStructure(folder / "structure") if conditional else None
            opened.pop_all()
        return cls(crawl, texts, structure)

    def close(self) -> None:
        """Let go of its files."""
        self.crawl.close()
        self.texts.close()
        if self.structure is not None:
            self.structure.close()


@frozen
class Parts:
    """The parts of a crawl under way."""

    frontier: Frontier
    stories: Stories
    recorder: Recorder
    fetcher: Fetcher
    collector: Collector
    analysing: Analysing | None

    def close(self) -> None:
        """Let go of queues and files."""
        self.frontier.close()
        self.stories.close()
        if self.analysing is not None:
            self.analysing.close()


def assemble(
    means: Means,
    order: Order,
    delimitation: Delimitation,
    directory: CrawlDirectory,
    past: Past,
    connections: Connections,
    findings: Findings,
    monitor: Monitor,
    waiting: Waiting,
) -> Parts:
    """Put a crawl together.

    Raises:
        OSError: its directory can't be written.
    """
    strategy, politeness, temporary = order.strategy, order.politeness, directory.temporary
    frontier = Frontier(temporary, means.limits.urls)
    stories = Stories(temporary / "stories")
    analysing = None
    if order.analysis.enabled and means.processes is not None:
        path, terms = directory.path / "analysis", order.analysis.keywords
        analysing = Analysing(means.processes, path, past.texts, terms)
    recorder = Recorder(order, means.agent, directory, past.crawl, findings, monitor, analysing)
    fetcher = Fetcher(
        means.reactor,
        connections,
        politeness,
        longest_rest=means.limits.longest_rest,
        longest_exchange=means.limits.longest_exchange,
        wait=waiting.sleep,
        access=order.access,
        archive_date=order.archive_date,
    )
    collector = Collector(
        clock=means.reactor,
        workers=means.workers,
        order=order,
        delimitation=delimitation,
        temporary=temporary / "body",
        frontier=frontier,
        fetcher=fetcher,
        recorder=recorder,
        judge=Judge(delimitation, order.maximum_depth, frontier, findings, strategy, stories),
        findings=findings,
        health=Health(),
        stories=stories,
        robots=RobotsFiles(politeness.user_agent, means.workers) if politeness.robots else None,
        sitemaps=Sitemaps(frontier, delimitation, findings) if strategy.sitemaps else None,
        former=past.structure,
        heavy=None if means.processes is None else HeavyParsers(means.processes, waiting.doing),
    )
    return Parts(frontier, stories, recorder, fetcher, collector, analysing)
