"""Rows of the database as values, and values as columns."""

from sqlite3 import Row

import msgspec
from attrs import fields, frozen

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.schedule import SiteStatus
from agents.scheduler.life import CrawlState


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
    """

    site: str
    start_url: str
    accept: str
    reject: str
    maximum_depth: int
    host: str
    bounds: Bounds = Bounds()


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


def to_json(value: CrawlFigures | DepositFigures) -> str:
    """Return figures as a column keeps them."""
    return msgspec.json.encode(value).decode()
