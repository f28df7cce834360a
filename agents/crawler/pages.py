"""What a site crawler shows a person, and figures for Prometheus."""

from attrs import asdict
from prometheus_client import CollectorRegistry, Gauge

from agents import dates, urls
from agents.crawler.crawl import Crawl
from agents.crawler.crawler import SiteCrawler
from agents.order import CrawlFigures
from agents.page import (
    Badge,
    Cell,
    Curve,
    Figures,
    Log,
    Page,
    Section,
    Table,
    human_bytes,
    human_number,
    human_seconds,
)
from agents.page.serving import serve_page
from anet.dns import Resolver
from anet.http import Router
from hip import Link

_SHOWN = 20  # rows of failures


class CrawlerPages:
    """Answers for a site crawler over HTTP."""

    def __init__(
        self, name: str, crawler: SiteCrawler, scheduler: Link, resolver: Resolver | None
    ) -> None:
        self._name, self._crawler, self._scheduler = name, crawler, scheduler
        self._resolver = resolver
        self._registry = CollectorRegistry()
        self._gauge = Gauge(
            "dlweb_site_crawler", "figures of the current crawl", ["of"], registry=self._registry
        )
        self._names_gauge = Gauge(
            "dlweb_site_crawler_names", "look-ups of names", ["of"], registry=self._registry
        )

    def router(self) -> Router:
        """Return the handler of all pages."""
        return serve_page(Router(), self.page, self._registry, self._measure)

    def page(self) -> Page:
        """Return the page as it is now."""
        crawler = self._crawler
        sections: list[Section] = []
        if crawler.crawl is not None:
            sections += _now(crawler.crawl, crawler.figures())
        sections += [
            Curve("Answers", crawler.captures, "answers/s"),
            Curve("Received", crawler.bytes, "bytes/s"),
            Table(
                "Crawls ended",
                ["crawl", "ended", "how", *_COLUMNS],
                [
                    [crawl, dates.to_iso(date), how, *_row(figures)]
                    for date, crawl, how, figures in crawler.ended
                ],
            ),
            *self._names(),
            Log("Errors", list(reversed(crawler.errors)), "None."),
            Table("Place in the tree", ["master", "link"], [["scheduler", self._scheduler.state]]),
        ]
        return Page("Site crawler", "site-crawler", self._name, sections, (), self._doing())

    def _names(self) -> list[Section]:
        if self._resolver is None:
            return []
        figures = self._resolver.figures
        cells: dict[str, Cell] = {
            "known already": human_number(figures.hits),
            "asked for": human_number(figures.misses),
            "questions to servers": human_number(figures.queries),
            "without an answer": human_number(figures.failures),
            "kept": human_number(figures.size),
        }
        return [Figures("Names", cells)]

    def _doing(self) -> str:
        crawl = self._crawler.crawl
        if crawl is None:
            return "Free: waiting for the scheduler's next order."
        waiting_for = crawl.figures().waiting_for
        if waiting_for:
            return f"Collecting {crawl.order.start_url}; waiting: {waiting_for}."
        return f"Collecting {crawl.order.start_url}."

    def _measure(self) -> None:
        figures = asdict(self._crawler.figures())
        del figures["waiting_for"]
        for name, value in (figures | {"busy": self._crawler.crawl is not None}).items():
            self._gauge.labels(name).set(value)
        if self._resolver is not None:
            for name, value in asdict(self._resolver.figures).items():
                self._names_gauge.labels(name).set(value)


_COLUMNS = ["answers", "pages", "contents new / known", "received", "failures", "for"]


def _row(figures: CrawlFigures) -> list[Cell]:
    return [
        human_number(figures.captures),
        human_number(figures.pages),
        f"{human_number(figures.contents_new)} / {human_number(figures.contents_known)}",
        human_bytes(figures.bytes_received),
        human_number(figures.failures),
        human_seconds(figures.seconds),
    ]


def _now(crawl: Crawl, figures: CrawlFigures) -> list[Section]:
    order, findings = crawl.order, crawl.findings
    return [
        Figures(
            "The crawl",
            dict(zip(_COLUMNS, _row(figures), strict=True))
            | {
                "waiting URLs": human_number(figures.queued),
                "level": f"{figures.depth} of {order.maximum_depth}",
            },
        ),
        Table(
            "The order",
            ["what", "value"],
            [
                ["crawl", order.crawl],
                ["site", order.site],
                ["accept", order.accept],
                ["reject", order.reject or "nothing"],
                ["now", urls.readable(crawl.current) or "–"],
                ["waiting for", Badge(figures.waiting_for or "nothing")],
            ],
        ),
        Table(
            "Answers by status",
            ["status", "answers"],
            [[status, count] for status, count in sorted(findings.statuses.items())],
        ),
        Table(
            "URLs without an answer",
            ["URL", "reason"],
            [list(entry) for entry in list(findings.failures.entries.items())[-_SHOWN:]],
            "None.",
        ),
    ]
