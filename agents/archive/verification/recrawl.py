"""Our own site crawler, sent into the archive instead of the web; nothing of it is deposited."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import evolve
from twisted.internet.defer import Deferred

from agents.archive.errors import ArchiveError
from agents.archive.verification.collected import Bounds, Collection, read_collection
from agents.crawler.crawl import Crawl
from agents.crawler.crawler import PARSER_MEMORY, PARSER_TIME, PARSERS
from agents.crawler.errors import CrawlFailed
from agents.crawler.limits import Limits
from agents.crawler.parts import Means
from agents.crawler.reading.heavy import BODY_LIMIT
from agents.order import Analysis, CrawlFigures, Order, Politeness
from agents.scheduler.config import SchedulerConfig
from anet.processes import Processes
from anet.tasks import Tasks, every
from anet.workers import Workers

SHOW_EVERY = 0.5  # seconds
_AT_ONCE = Limits(longest_rest=0.0)  # nobody suffers: what answered 503 then, does so now


def order_of(bounds: Bounds, config: SchedulerConfig, site: str, proxy: str, date: str) -> Order:
    """Return the order of a crawl that was made, to be made again out of the archive.

    Args:
        bounds: of that crawl.
        config: what is followed, and how; as for all crawls of this archive.
        site: its name.
        proxy: "host:port" of the archive's.
        date: at which the archive is read.
    """
    return Order(
        crawl="verification",
        site=site,
        start_url=bounds.start_url,
        accept=bounds.accept,
        reject=bounds.reject,
        maximum_depth=bounds.maximum_depth,
        politeness=Politeness(
            delay=0.0, slow_down=0.0, robots=config.robots, user_agent=config.user_agent
        ),
        strategy=config.strategy,
        access=evolve(config.access, proxy=f"http://{proxy}", conditional=False),
        analysis=Analysis(enabled=False),
        private_networks=True,  # all are names in the archive, and no address is connected to
        content_limit=config.content_limit,
        archive_date=date,
    )


async def recrawl(
    reactor: Any, order: Order, folder: Path, show: Callable[[CrawlFigures], None]
) -> Collection:
    """Crawl the archive; return what came out.

    Args:
        reactor: runs it.
        order: see `order_of`.
        folder: an empty one, for what comes out; the caller removes it.
        show: called now and then with how far it is.

    Raises:
        ArchiveError: nothing came out at all; the message says why.
    """
    workers = Workers(reactor, 2, name="verification files")
    processes = Processes(
        reactor, PARSERS, memory=PARSER_MEMORY, time=PARSER_TIME,
        value_limit=BODY_LIMIT + 2**20, preload=["agents.parsers.worker"], name="parsers",
    )  # fmt: skip
    tasks = Tasks()
    for service in (workers, processes):
        service.startService()
    crawl = Crawl(
        Means(reactor, workers, processes, "verification", _AT_ONCE), order, folder / "crawl"
    )
    tasks.start(every(reactor, SHOW_EVERY, lambda: show(crawl.figures())), "progress")
    try:
        await Deferred.fromCoroutine(crawl.run())
        return await workers.run(read_collection, crawl.path)
    except CrawlFailed as error:
        raise ArchiveError(f"the site cannot be crawled out of the archive: {error}") from None
    finally:
        await tasks.stop()
        await processes.stopService()
        await workers.stopService()
