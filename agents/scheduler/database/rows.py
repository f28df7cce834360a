"""Rows of the database as values, and values as columns."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from attrs import field, fields, frozen

from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.schedule import SiteStatus
from agents.scheduler.database.engine import Row, Value
from agents.scheduler.life import CrawlState, SiteState, Standing, StandingEvent

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
        priority: of the site, unless a person fixed it; or as before.
        demand: what it asks of crawlers (`agents.scheduler.temporal.price`).
        requests: that the crawl will take, about.
    """

    event: StandingEvent | None = None
    why: str = ""
    judgement: str | None = None
    relevance: float | None = None
    rhythm: str | None = None
    next: str | None = None
    plan: str = "{}"
    priority: float | None = None
    demand: float = 0.0
    requests: int = 0


@frozen
class KeptSite:
    """A site as it is kept, for those who decide what follows for it.

    Attributes:
        site: its name.
        number: the graph's word for it.
        start_url: where its crawls begin.
        accept: expression of what is internal.
        reject: expression of what is not, although accepted.
        maximum_depth: page links followed from the start.
        host: that it is collected from.
        lane: sites of one are not collected at once.
        state: of its work.
        standing: in the portion.
        crawl: its present or last crawl, or none.
        crawls: so far.
        registered: when it was made known.
        changed: when state or standing last changed.
        error: why it failed, or empty.
        relevance: from 0 to 1.
        hub: its rank as a hub.
        authority: its rank as an authority.
        priority: the higher the sooner it is collected.
        next: when it falls due by itself, or none.
        plan: of the crawl made then, JSON.
        rhythm: what its updates taught, JSON.
        settings: the archivist's, JSON.
        guess: how its bounds were guessed, JSON.
        judgement: the last one, JSON.
        held: what a person fixed.
        referrer: the site that led to it, or none.
        private_networks: whether it may be collected from private networks by itself.
        demand: what it asks of crawlers.
        requests: that its next crawl takes, about.
        campaigns: settings of those that it takes part in and that have not ended, JSON.
    """

    site: str
    number: int
    start_url: str
    accept: str
    reject: str
    maximum_depth: int
    host: str
    lane: str
    state: SiteState = field(converter=SiteState)
    standing: Standing = field(converter=Standing)
    crawl: str | None
    crawls: int
    registered: str
    changed: str
    error: str
    relevance: float
    hub: float
    authority: float
    priority: float
    next: str | None
    plan: str
    rhythm: str
    settings: str
    guess: str
    judgement: str
    held: frozenset[str]
    referrer: str | None
    private_networks: bool = field(converter=bool)
    demand: float
    requests: int
    campaigns: tuple[str, ...] = ()


_KEPT = tuple(one.name for one in fields(KeptSite) if one.name != "campaigns")
Following = Callable[[KeptSite], Sequel]  # tells what follows for a site as it then is


@frozen
class CampaignRow:
    """A campaign as it is kept.

    Attributes:
        campaign: its name.
        settings: JSON.
        begins: date from which.
        ends: date until which.
        state: running, though it may be to come or over; or ended by a person.
    """

    campaign: str
    settings: str
    begins: str
    ends: str
    state: str


@frozen
class FeedRow:
    """A feed as it is kept.

    Attributes:
        feed: its URL.
        site: that it belongs to.
        found: when it was met.
        heard: of its last change, or none.
        state: what aggregators know of it, JSON.
        private_networks: whether its site may be collected from private networks by itself.
    """

    feed: str
    site: str
    found: str
    heard: str | None
    state: str
    private_networks: bool = field(converter=bool)


@frozen
class Assignment:
    """A crawl that goes to a crawler.

    Attributes:
        crawl: its name.
        crawler: who collects it.
        machine: that this crawler runs on; empty when not known.
        lane: that it is collected in; empty for the one that it waits in.
        keys: what no other site may be collected from meanwhile.
    """

    crawl: str
    crawler: str
    machine: str = ""
    lane: str = ""
    keys: frozenset[str] = frozenset()


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
        machine: that the crawler of its last attempt runs on; empty when not known.
        keys: what no other site may be collected from meanwhile (`agents.scheduler.places`), JSON.
        number: of its site.
        settings: of its site, JSON.
        held: what a person fixed of its site, JSON.
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
    machine: str
    keys: str
    start_url: str
    accept: str
    reject: str
    maximum_depth: int
    number: int
    settings: str
    held: str


CRAWL_COLUMNS = (
    "crawls.*, sites.start_url, sites.accept, sites.reject, sites.maximum_depth, sites.number,"
    " sites.settings, sites.held FROM crawls JOIN sites USING (site)"
)


def crawl_of(row: Row) -> Crawl:
    """Return the crawl that a row of `CRAWL_COLUMNS` holds."""
    columns = dict(row)
    del columns["learned"]
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


def kept_site_of(row: Row, campaigns: Sequence[str]) -> KeptSite:
    """Return the site that a row of `sites` holds, as far as it is kept."""
    columns = {name: row[name] for name in _KEPT}
    columns["held"] = frozenset(msgspec.json.decode(row["held"], type=list[str]))
    return KeptSite(**columns, campaigns=tuple(campaigns))


def column(value: Figures) -> Value:
    """Return a value as a column keeps it."""
    if isinstance(value, CrawlFigures | DepositFigures):
        return msgspec.json.encode(value).decode()
    return int(value) if isinstance(value, bool) else value
