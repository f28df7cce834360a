"""What the scheduler shows a person, and figures for Prometheus."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Gauge

from agents import dates
from agents.page import (
    HEADERS,
    Badge,
    Branch,
    Cell,
    Curve,
    Figures,
    LinkTo,
    Log,
    Page,
    Section,
    Table,
    Tree,
    human_bytes,
    human_number,
    human_seconds,
    render,
)
from agents.page.values import Tone
from agents.schedule import CRAWL_ENDS, CrawlStatus, SchedulerStatus, Totals
from agents.scheduler.live import Live
from agents.scheduler.overview import Overview
from anet.http import Request, Response, Router, metrics_response

_TONES: dict[str, Tone] = {
    "collecting": "good",
    "depositing": "good",
    "deposited": "good",
    "busy": "good",
    "failed": "bad",
    "away": "bad",
    "stopping": "warning",
    "joining": "warning",
}
_SITES_SHOWN = 50


class SchedulerPages:
    """Answers for the scheduler over HTTP."""

    def __init__(
        self,
        name: str,
        overview: Overview,
        live: Live,
        tree: Callable[[], Awaitable[dict[str, Any]]],
    ) -> None:
        """Show what is given.

        Args:
            name: the scheduler's name.
            overview: what it tells of itself.
            live: its curves.
            tree: gives the tree of agents, as `hip.tree` does.
        """
        self._name, self._overview, self._live, self._tree = name, overview, live, tree
        self._registry = CollectorRegistry()
        self._gauges = _Gauges(self._registry)

    def router(self) -> Router:
        """Return the handler of all pages."""
        router = Router()
        router.route("GET", "/", self._page)
        router.route("GET", "/sites", self._sites)
        router.route("GET", "/status.json", self._status)
        router.route("GET", "/metrics", self._metrics)
        return router

    async def _page(self, _request: Request) -> Response:
        status = await self._overview.status()
        tree = await self._tree()
        sections: list[Section] = [
            _now(status),
            _crawls("Crawls under way", [c for c in status.crawls if c.state not in CRAWL_ENDS]),
            Curve("Captures", self._live.captures, "captures/s"),
            Curve("Received", self._live.bytes, "bytes/s"),
            _crawlers(status),
            _totals(status.totals),
            _crawls("Crawls that ended", [c for c in status.crawls if c.state in CRAWL_ENDS]),
            Log("Errors", list(reversed(status.errors)), "None."),
            Tree("Agents", _branch(tree)),
        ]
        links = [LinkTo("sites", "/sites"), LinkTo("figures", "/metrics")]
        links += [LinkTo(agent.name, agent.page) for agent in status.agents if agent.page]
        page = Page("Scheduler", "scheduler", self._name, sections, links, summary(status))
        return Response(200, HEADERS, render(page))

    async def _sites(self, _request: Request) -> Response:
        sites = await self._overview.sites(_SITES_SHOWN)
        rows: list[list[Cell]] = [
            [
                LinkTo(site.site, site.start_url),
                _badge(site.state),
                site.crawls,
                site.accept,
                dates.to_iso(site.changed),
                site.error,
            ]
            for site in sites
        ]
        columns = ["site", "state", "crawls", "accepts", "changed", "error"]
        sections = [Table(f"The {_SITES_SHOWN} sites that changed last", columns, rows)]
        links = [LinkTo("scheduler", "/")]
        page = Page("Sites", "scheduler", self._name, sections, links)
        return Response(200, HEADERS, render(page))

    async def _status(self, _request: Request) -> Response:
        return Response.json(200, msgspec.to_builtins(await self._overview.status()))

    async def _metrics(self, _request: Request) -> Response:
        self._gauges.take(await self._overview.status())
        return metrics_response(self._registry)


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


def _crawls(title: str, crawls: list[CrawlStatus]) -> Table:
    rows: list[list[Cell]] = [
        [
            LinkTo(crawl.site, crawl.start_url),
            _badge(crawl.state),
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


def _crawlers(status: SchedulerStatus) -> Table:
    rows: list[list[Cell]] = [
        [
            LinkTo(crawler.name, crawler.page),
            _badge(crawler.state),
            crawler.crawl or "",
            dates.to_iso(crawler.since),
        ]
        for crawler in status.crawlers
    ]
    return Table("Crawlers", ["crawler", "state", "crawl", "since"], rows, "None has joined yet.")


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


def _badge(state: str) -> Badge:
    return Badge(state, _TONES.get(state, "quiet"))


class _Gauges:
    """The scheduler's figures for Prometheus."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, words: str, *labels: str) -> Gauge:
            return Gauge(f"dlweb_scheduler_{name}", words, labels, registry=registry)

        self._sites = gauge("sites", "sites by state", "state")
        self._crawls = gauge("crawls", "crawls by state", "state")
        self._crawlers = gauge("crawlers", "crawlers by state", "state")
        self._totals = gauge("total", "sums over all crawls", "of")

    def take(self, status: SchedulerStatus) -> None:
        """Set all of them."""
        crawlers = [crawler.state for crawler in status.crawlers]
        counts = {state: crawlers.count(state) for state in crawlers}
        for gauge, values in (
            (self._sites, status.sites),
            (self._crawls, status.crawl_counts),
            (self._crawlers, counts),
            (self._totals, msgspec.to_builtins(status.totals)),
        ):
            gauge.clear()
            for label, value in values.items():
                gauge.labels(label).set(value)
