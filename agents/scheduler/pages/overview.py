"""The front page: what the scheduler does now, and the portion as a whole."""

from typing import Any

from agents import dates
from agents.page import (
    Bars,
    Branch,
    Cell,
    Curve,
    Figures,
    LinkTo,
    Log,
    Section,
    Table,
    Tree,
    human_bytes,
    human_number,
    human_seconds,
)
from agents.portion import Portion
from agents.schedule import CRAWL_ENDS, CrawlStatus, SchedulerStatus, Totals
from agents.scheduler.live import Live
from agents.scheduler.pages.cells import badge, site_link


def sections_of(
    status: SchedulerStatus, portion: Portion, live: Live, tree: dict[str, Any]
) -> list[Section]:
    """Return the front page's sections."""
    return [
        _now(status),
        *portion_of(portion),
        crawls_of("Crawls under way", [c for c in status.crawls if c.state not in CRAWL_ENDS]),
        Curve("Captures", live.captures, "captures/s"),
        Curve("Received", live.bytes, "bytes/s"),
        crawlers_of(status),
        _totals(status.totals),
        crawls_of("Crawls that ended", [c for c in status.crawls if c.state in CRAWL_ENDS]),
        Log("Errors", list(reversed(status.errors)), "None."),
        Tree("Agents", _branch(tree)),
    ]


def portion_of(portion: Portion) -> list[Section]:
    """Return what the portion consists of, and how it grew."""
    counts = {
        words: LinkTo(
            human_number(portion.standings.get(standing, 0)), f"/sites?standing={standing}"
        )
        for standing, words in (
            ("member", "members"),
            ("temporary", "being judged"),
            ("discovered", "candidates"),
            ("blacklisted", "blacklisted"),
            ("dormant", "dormant"),
        )
    }
    return [
        Figures("The portion", counts),
        _by_day(portion, "Discovered a day", "discovered"),
        _by_day(portion, "Taken in a day", "passed"),
        _by_day(portion, "Rejected a day", "failed"),
        _by_day(portion, "Let in to be judged a day", "admitted"),
    ]


def _by_day(portion: Portion, title: str, event: str) -> Bars:
    bars = [
        (f"{each.day[4:6]}-{each.day[6:8]}", each.events.get(event, 0)) for each in portion.days
    ]
    return Bars(title, bars)


def summary(status: SchedulerStatus) -> str:
    """Return in one sentence what the scheduler is doing."""
    counts = status.crawl_counts
    collecting, depositing = counts.get("collecting", 0), counts.get("depositing", 0)
    waiting = counts.get("ordered", 0) + counts.get("collected", 0)
    if not collecting + depositing + waiting:
        return "There is nothing to do; order a site to have it collected."
    return f"Sites: {collecting} being collected, {depositing} being deposited, {waiting} waiting."


def _now(status: SchedulerStatus) -> Figures:
    busy = sum(crawler.state == "busy" for crawler in status.crawlers)
    return Figures(
        "Now",
        {
            "crawlers at work": f"{busy} of {len(status.crawlers)}",
            "sites known": human_number(sum(status.sites.values())),
            "crawls deposited": human_number(status.crawl_counts.get("deposited", 0)),
            "crawls failed": human_number(status.crawl_counts.get("failed", 0)),
        },
    )


def crawls_of(title: str, crawls: list[CrawlStatus]) -> Table:
    """Return a table of crawls."""
    rows: list[list[Cell]] = [
        [
            site_link(crawl.site),
            badge(crawl.state),
            LinkTo(crawl.crawler, crawl.page) if crawl.crawler else "",
            human_number(crawl.figures.captures),
            f"{crawl.captures_per_second:.1f}",
            human_number(crawl.figures.queued),
            human_bytes(crawl.figures.bytes_received),
            f"{human_number(crawl.figures.contents_new)} / "
            f"{human_number(crawl.figures.contents_known)}",
            human_number(crawl.figures.failures),
            human_seconds(crawl.figures.seconds),
            _deposit(crawl),
            _note(crawl),
        ]
        for crawl in crawls
    ]
    columns = ["site", "state", "crawler", "captures", "a second", "queued", "received"]
    columns += ["new / known", "failures", "for", "deposited", "note"]
    return Table(title, columns, rows, "None.")


def _note(crawl: CrawlStatus) -> str:
    """Return what went wrong with a crawl, or else what it waits for and until when."""
    until = crawl.figures.waiting_until
    when = f", until {dates.to_iso(dates.from_timestamp(until))[11:19]} UTC" if until else ""
    return crawl.error or f"{crawl.figures.waiting_for}{when}"


def _deposit(crawl: CrawlStatus) -> str:
    if crawl.deposit is None:
        return ""
    return f"{human_number(crawl.deposit.captures_recorded)} {crawl.deposit.waiting_for}".strip()


def crawlers_of(status: SchedulerStatus) -> Table:
    """Return a table of crawlers."""
    rows: list[list[Cell]] = [
        [
            LinkTo(crawler.name, crawler.page),
            badge(crawler.state),
            crawler.machine,
            crawler.crawl or "",
            dates.to_iso(crawler.since),
        ]
        for crawler in status.crawlers
    ]
    columns = ["crawler", "state", "machine", "crawl", "since"]
    return Table("Crawlers", columns, rows, "None has joined yet.")


def _totals(totals: Totals) -> Figures:
    return Figures(
        "All crawls",
        {
            "captures": human_number(totals.captures),
            "received": human_bytes(totals.bytes_received),
            "failures": human_number(totals.failures),
            "captures deposited": human_number(totals.captures_deposited),
            "contents stored": human_number(totals.contents_stored),
            "stored": human_bytes(totals.bytes_stored),
        },
    )


def _branch(tree: dict[str, Any]) -> Branch:
    note = str(tree.get("error") or f"{tree['kind']}, process {tree.get('pid', '?')}")
    return Branch(str(tree["name"]), note, [_branch(slave) for slave in tree.get("slaves", [])])
