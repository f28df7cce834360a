"""What a scheduler tells of its work: the answers of `status`, `sites` and `crawls`."""

from attrs import field, frozen

from agents.deposit import DepositFigures
from agents.order import CrawlFigures

CRAWL_ENDS = frozenset({"deposited", "failed"})


@frozen
class SiteStatus:
    """A site, the unit of collection (*INA §1.4.1*).

    Attributes:
        site: its name.
        start_url: where its crawls begin.
        accept: expression of what is internal.
        reject: expression of what is not, although accepted.
        maximum_depth: page links followed from the start.
        state: known, due, collecting, collected, depositing, idle or failed.
        crawl: its present or last crawl, or none.
        crawls: crawls so far.
        registered: when it was made known.
        changed: when its state last changed.
        error: why it failed, or empty.
    """

    site: str
    start_url: str
    accept: str
    reject: str
    maximum_depth: int
    state: str
    crawl: str | None
    crawls: int
    registered: str
    changed: str
    error: str = ""


@frozen
class CrawlStatus:
    """A crawl: one collection of one site, through all its attempts.

    Attributes:
        crawl: its name; it never changes, whoever collects.
        site: the site's name.
        start_url: where it begins.
        state: ordered, collecting, collected, depositing, deposited or failed; the last two
            are ends.
        attempt: which attempt this is; 0 before the first.
        crawler: who collects it, or did, or none.
        page: address of that crawler's monitoring page, or empty when not known.
        figures: how far the collection is.
        deposit: how far the deposit is; none before it.
        ordered: when it was asked for.
        changed: when its state last changed.
        error: why it failed, or why the last attempt or deposit did, or empty.
        captures_per_second: how quickly captures came lately.
        bytes_per_second: how quickly bytes came lately.
    """

    crawl: str
    site: str
    start_url: str
    state: str
    attempt: int
    crawler: str | None
    page: str
    figures: CrawlFigures
    deposit: DepositFigures | None
    ordered: str
    changed: str
    error: str = ""
    captures_per_second: float = 0.0
    bytes_per_second: float = 0.0


@frozen
class CrawlerStatus:
    """A site crawler in the pool.

    Attributes:
        name: its name.
        state: joining, free, busy, stopping or away.
        crawl: the crawl it works for, or none.
        since: when it came to this state.
        page: address of its monitoring page, or empty when not known.
        machine: that it runs on, or empty when not known.
    """

    name: str
    state: str
    crawl: str | None
    since: str
    page: str = ""
    machine: str = ""


@frozen
class AgentStatus:
    """An agent linked to the scheduler.

    Attributes:
        name: its name.
        kind: what it is.
        page: address of its monitoring page, or empty when not known.
    """

    name: str
    kind: str
    page: str = ""


@frozen
class Totals:
    """Sums over all finished crawls and the running ones.

    Attributes:
        captures: answers recorded by crawlers.
        pages: of these, the ones reached by page links.
        contents_new: contents that no former crawl of their site had.
        contents_known: answers whose content was known.
        bytes_received: bytes of bodies.
        failures: URLs that gave no answer.
        captures_deposited: captures durable in storage.
        contents_stored: contents that were new to the archive.
        bytes_stored: bytes of these.
    """

    captures: int = 0
    pages: int = 0
    contents_new: int = 0
    contents_known: int = 0
    bytes_received: int = 0
    failures: int = 0
    captures_deposited: int = 0
    contents_stored: int = 0
    bytes_stored: int = 0


@frozen
class SchedulerStatus:
    """Everything a scheduler is doing.

    Attributes:
        started: when this scheduler started.
        sites: how many sites there are, by state.
        crawl_counts: how many crawls there are, by state.
        crawls: unfinished crawls, then the latest finished ones, newest first.
        crawlers: the pool.
        agents: the other agents linked to the scheduler.
        totals: sums over all crawls.
        errors: what went wrong lately, newest first, `date text`.
    """

    started: str
    sites: dict[str, int]
    crawl_counts: dict[str, int]
    crawls: list[CrawlStatus]
    crawlers: list[CrawlerStatus]
    agents: list[AgentStatus]
    totals: Totals = field(factory=Totals)
    errors: list[str] = field(factory=list)
