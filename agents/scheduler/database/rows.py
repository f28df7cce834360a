"""Rows of the database as values, and values as columns."""

from collections.abc import Mapping

import msgspec
from attrs import fields, frozen

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.schedule import SiteStatus
from agents.scheduler.database.engine import Row, Value
from agents.scheduler.life import CrawlState, StandingEvent

Figures = Value | CrawlFigures | DepositFigures
Correction = Mapping[str, Value]


@frozen
class Bounds:
    """What an order says of where a site ends; None leaves that as it was, or is guessed.

    Attributes:
        accept: what is internal.
        reject: what is not, although accepted.
        maximum_depth: page links followed from the start.
    """

    accept: str | None = None
    reject: str | None = None
    maximum_depth: int | None = None


@frozen
class NewSite:
    """A site that somebody orders: its name, where it begins, and what belongs to it.

    Attributes:
        bounds: what the order itself says of the latter; it counts for a site that is known, too.
        lane: sites of one are not collected at once; the host when empty.
        priority: the higher the sooner it is collected.
        guess: how its bounds were guessed, JSON.
        referrer: the site that led to it, or none.
        private_networks: whether it may be collected from private networks by itself.
        why: how it came to be known, for its story.
    """

    site: str
    start_url: str
    accept: str
    reject: str
    maximum_depth: int
    host: str
    bounds: Bounds = Bounds()
    lane: str = ""
    priority: float = 0.0
    guess: str = "{}"
    referrer: str | None = None
    private_networks: bool = False
    why: str = "ordered"


@frozen
class Sequel:
    """What follows for a site from the end of a crawl.

    Attributes:
        event: what that means for its standing, or nothing.
        why: of that, for its story.
        judgement: what the crawl was judged, JSON; or as before.
        relevance: of the site, from 0 to 1; or as before.
        rhythm: what its updates taught so far, JSON; or as before.
        next: when it falls due by itself; none for never.
        plan: of the crawl that is made then, JSON.
    """

    event: StandingEvent | None = None
    why: str = ""
    judgement: str | None = None
    relevance: float | None = None
    rhythm: str | None = None
    next: str | None = None
    plan: str = "{}"


@frozen
class Decision:
    """A line of a site's story.

    Attributes:
        site: its name.
        date: when it was decided.
        who: "scheduler", or a person's name.
        what: an event of its standing, or what was corrected.
        before: the standing or value before.
        after: and after.
        why: for people.
    """

    site: str
    date: str
    who: str
    what: str
    before: str
    after: str
    why: str


@frozen
class Crawl:
    """A crawl as it is kept; see `agents.schedule.CrawlStatus` for the common attributes.

    Attributes:
        name: of the present or last attempt, by which crawler and connectivity know it.
        directory: where what was collected lies.
        accept: what is internal to its site.
        reject: what is not, although accepted.
        maximum_depth: page links followed from the start.
        private_networks: whether addresses of private networks may be fetched.
        delay: seconds owed for each request, or none for the configured.
        beside: whether it is a second crawl of a site that another collects meanwhile.
        lane: crawls of one lane are not collected at once.
        priority: the higher the sooner.
        plan: how it differs from what is usual for its site, JSON.
    """

    crawl: str
    site: str
    host: str
    state: CrawlState
    private_networks: bool
    delay: float | None
    beside: bool
    attempt: int
    name: str | None
    crawler: str | None
    directory: str | None
    figures: CrawlFigures
    deposit: DepositFigures | None
    ordered: str
    changed: str
    error: str
    lane: str
    priority: float
    plan: str
    start_url: str
    accept: str
    reject: str
    maximum_depth: int


CRAWL_COLUMNS = (
    "crawls.*, sites.start_url, sites.accept, sites.reject, sites.maximum_depth"
    " FROM crawls JOIN sites USING (site)"
)


def crawl_of(row: Row) -> Crawl:
    """Return the crawl that a row of `CRAWL_COLUMNS` holds."""
    columns = dict(row)
    columns["state"] = CrawlState(columns["state"])
    columns["private_networks"] = bool(columns["private_networks"])
    columns["beside"] = bool(columns["beside"])
    columns["figures"] = msgspec.json.decode(columns["figures"], type=CrawlFigures)
    if columns["deposit"] is not None:
        columns["deposit"] = msgspec.json.decode(columns["deposit"], type=DepositFigures)
    return Crawl(**columns)


def site_of(row: Row) -> SiteStatus:
    """Return the site that a row of `sites` holds."""
    names = {attribute.name for attribute in fields(SiteStatus)}
    return SiteStatus(**{name: row[name] for name in row.keys() if name in names})  # noqa: SIM118


def column(value: Figures) -> Value:
    """Return a value as a column keeps it."""
    if isinstance(value, CrawlFigures | DepositFigures):
        return msgspec.json.encode(value).decode()
    return int(value) if isinstance(value, bool) else value
