"""What a scheduler tells of the portion of the web it looks after (*INA §1.5.1, §1.5.2*).

Answers of its methods for people, which its pages, its HTTP interface and `dlweb` show. Dates are
20 digits, UTC; every list has a limit.
"""

from typing import Any, Final

from attrs import field, frozen

ORDERS: Final = ("changed", "priority", "authority", "next", "name")  # of lists of sites


@frozen
class SiteLine:
    """A site in a list.

    Attributes:
        site: its name.
        start_url: where its crawls begin.
        standing: discovered, temporary, member, blacklisted or dormant.
        state: of its work; known, due, collecting, collected, depositing, idle or failed.
        relevance: of its last judgement, from 0 to 1.
        hub: its rank as a hub.
        authority: its rank as an authority.
        priority: the higher the sooner it is collected.
        next: when it falls due by itself, or none.
        changed: when state or standing last changed.
        crawls: so far.
        referrer: the site that led to it, or none.
        error: why its last crawl failed, or empty.
    """

    site: str
    start_url: str
    standing: str
    state: str
    relevance: float
    hub: float
    authority: float
    priority: float
    next: str | None
    changed: str
    crawls: int
    referrer: str | None = None
    error: str = ""


@frozen
class SitesFound:
    """A page of a list of sites.

    Attributes:
        sites: in the order asked for.
        after: what to ask with for those that come next; empty at the end.
    """

    sites: list[SiteLine]
    after: str = ""


@frozen
class Neighbour:
    """A site that links to another, or that another links to.

    Attributes:
        site: its name.
        standing: of it.
        relevance: from 0 to 1.
        hub: its rank as a hub.
        authority: its rank as an authority.
        documents: that had the link when their site was last collected.
        first: when the link was first seen.
        last: and last.
    """

    site: str
    standing: str
    relevance: float
    hub: float
    authority: float
    documents: int
    first: str
    last: str


@frozen
class Neighbours:
    """Sites at the other end of links.

    Attributes:
        sites: the foremost.
        number: how many there are; a lower bound if `more`.
        more: whether not all were counted.
    """

    sites: list[Neighbour] = field(factory=list)
    number: int = 0
    more: bool = False


@frozen
class Decided:
    """A line of a site's story.

    Attributes:
        date: when it was decided.
        who: "scheduler", or a person's name.
        what: an event of its standing, or what was corrected.
        before: the standing or value before.
        after: and after.
        why: for people.
    """

    date: str
    who: str
    what: str
    before: str
    after: str
    why: str


@frozen
class CrawlLine:
    """A crawl of a site.

    Attributes:
        crawl: its name.
        state: ordered, collecting, collected, depositing, deposited or failed.
        ordered: when it was asked for.
        changed: when its state last changed.
        captures: answers recorded.
        bytes: received.
        error: why it failed, or empty.
    """

    crawl: str
    state: str
    ordered: str
    changed: str
    captures: int
    bytes: int
    error: str


@frozen
class LevelLine:
    """How quickly one level of a site changes.

    Attributes:
        depth: page links from the start; the last one stands for all deeper ones.
        interval: mean time in seconds between two changes of a text.
        doubt: variance of the logarithm of that; the smaller the surer.
        seen: when the level was collected last.
        urls: that it had then.
    """

    depth: int
    interval: float
    doubt: float
    seen: str
    urls: int


@frozen
class CrawlAhead:
    """A crawl to come, if nothing new is learnt until then.

    Attributes:
        date: when it is due.
        maximum_depth: page links followed; none for all.
        quick: whether only what has changed is asked for.
        requests: that it will take, about.
        reason: why then and so deep.
    """

    date: str
    maximum_depth: int | None
    quick: bool
    requests: int
    reason: str


@frozen
class FeedLine:
    """A feed of a site.

    Attributes:
        feed: its URL.
        found: when it was found.
        heard: when it last told of something, or none.
    """

    feed: str
    found: str
    heard: str | None


@frozen
class StreamLine:
    """A live stream of a site (*INA §1.6*).

    Attributes:
        stream: its URL.
        site: that it belongs to.
        phase: candidate, ordered, receiving, broken or aside.
        hand: what a person said of it: "start", "stop" or nothing.
        agent: that listens to it; empty when none does.
        leaving: the agent that listened before, until the other receives it; or empty.
        page: address of the agent's page, or empty.
        name: of the station or channel.
        title: of what was on the air last.
        media_type: of what is received.
        protocol: how it is received.
        bitrate: kbit/s, as its server says; or 0.
        heard: date until which it was received, or empty.
        found: when a crawl, or a person, named it first.
        seen: and last.
        changed: when its phase last changed.
        again: when it is tried again, or none.
        why: it is in that phase, or what went wrong last; or empty.
    """

    stream: str
    site: str
    phase: str
    hand: str
    agent: str
    leaving: str
    page: str
    name: str
    title: str
    media_type: str
    protocol: str
    bitrate: int
    heard: str
    found: str
    seen: str
    changed: str
    again: str | None
    why: str


@frozen
class MissedLine:
    """A link of a site that led readers of the archive nowhere.

    Attributes:
        url: that they asked for.
        page: that links there, or empty.
        times: asked for, as one consultation agent counts.
        first: when it was first told.
        last: when it was last asked for.
        ordered: when a crawl was asked for that is to bring it, or none.
    """

    url: str
    page: str
    times: int
    first: str
    last: str
    ordered: str | None


@frozen
class SiteDetails:
    """All that is known of a site, and why it is so.

    Attributes:
        line: as in a list.
        registered: when it was made known.
        accept: expression of what is internal.
        reject: expression of what is not, although accepted.
        maximum_depth: page links followed from the start.
        lane: sites of one are not collected at once.
        guess: how its bounds were guessed, in sentences.
        judgement: why it passed the filters or did not, in sentences.
        passed: whether it did; none if it was never judged.
        priority: why it ranks where it does, in a sentence.
        held: what a person fixed, which the scheduler leaves as it is.
        settings: what an archivist settled for it.
        levels: how quickly it changes.
        ahead: its next crawls.
        story: what was decided, the latest first.
        crawls: the latest first.
        from_sites: sites that link to it.
        to_sites: sites that it links to.
        feeds: of it.
        campaigns: that it takes part in.
        private_networks: whether it may be collected from private networks by itself.
        missed: links of it that led readers nowhere, the last first.
    """

    line: SiteLine
    registered: str
    accept: str
    reject: str
    maximum_depth: int
    lane: str
    guess: list[str]
    judgement: list[str]
    passed: bool | None
    priority: str
    held: list[str]
    settings: dict[str, Any]
    levels: list[LevelLine]
    ahead: list[CrawlAhead]
    story: list[Decided]
    crawls: list[CrawlLine]
    from_sites: Neighbours
    to_sites: Neighbours
    feeds: list[FeedLine]
    campaigns: list[str]
    private_networks: bool = False
    missed: list[MissedLine] = field(factory=list)


@frozen
class DayDecided:
    """What became of standings on one day.

    Attributes:
        day: YYYYMMDD.
        events: how often each was decided: discovered, admitted, passed, failed, ordered, banned,
            pardoned, rested, woken.
    """

    day: str
    events: dict[str, int]


@frozen
class Portion:
    """The portion of the web as a whole.

    Attributes:
        standings: how many sites there are of each.
        states: how many sites are in each state of work.
        days: what was decided on each of the last days, the earliest first.
    """

    standings: dict[str, int]
    states: dict[str, int]
    days: list[DayDecided]


@frozen
class Node:
    """A site in the graph.

    Attributes:
        site: its name.
        standing: of it.
        relevance: from 0 to 1.
        hub: its rank as a hub.
        authority: its rank as an authority.
    """

    site: str
    standing: str
    relevance: float
    hub: float
    authority: float


@frozen
class SiteGraph:
    """Some sites and the links between them.

    Attributes:
        nodes: the foremost first.
        links: source and target, as places in `nodes`, and the documents that have the link.
    """

    nodes: list[Node]
    links: list[tuple[int, int, int]]


@frozen
class Day:
    """What falls due on one day.

    Attributes:
        day: YYYYMMDD.
        sites: how many fall due; a lower bound if `more`.
        requests: that their crawls will take, about; likewise.
        more: whether not all were counted.
    """

    day: str
    sites: int
    requests: int
    more: bool = False


@frozen
class SiteAhead:
    """When a site is collected next.

    Attributes:
        site: its name.
        standing: of it.
        crawls: the soonest first, within the days asked for.
    """

    site: str
    standing: str
    crawls: list[CrawlAhead]


@frozen
class Timeline:
    """The schedule ahead.

    Attributes:
        begins: now.
        belated: sites whose time has come and that still wait; a lower bound if `more`.
        days: load of each day; each site counts on the day of its next crawl.
        sites: those that fall due first, with their crawls of all these days.
    """

    begins: str
    belated: Day
    days: list[Day]
    sites: list[SiteAhead]


@frozen
class CampaignStatus:
    """A campaign: sites that are collected more often for some time.

    Attributes:
        name: for people.
        begins: when.
        ends: when.
        state: coming, running or over.
        interval: seconds between two crawls at most.
        maximum_depth: page links followed; none for all.
        priority: what is due for it goes before what has less.
        sites: some of those that take part.
        number: how many do.
    """

    name: str
    begins: str
    ends: str
    state: str
    interval: float
    maximum_depth: int | None
    priority: float
    sites: list[str]
    number: int
