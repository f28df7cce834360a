"""What a site crawler shows a person, and figures for Prometheus."""

from attrs import asdict
from prometheus_client import CollectorRegistry, Gauge

from agents import dates, urls
from agents.crawler import crawl_page
from agents.crawler.crawl_page import story_path
from agents.crawler.crawler import SiteCrawler
from agents.crawler.strategy.stories import Story
from agents.page import (
    HEADERS,
    Cell,
    Curve,
    Figures,
    LinkTo,
    Log,
    Note,
    Page,
    Question,
    Section,
    Table,
    human_number,
    render,
)
from agents.page.serving import serve_page
from anet.dns import Resolver
from anet.errors import AnetError
from anet.http import Request, Response, Router
from hip import Link


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
        router = Router()
        router.route("GET", crawl_page.STORY, self._story)
        return serve_page(router, self.page, self._registry, self._measure)

    def page(self) -> Page:
        """Return the page as it is now."""
        crawler = self._crawler
        sections: list[Section] = [
            Curve("Answers", crawler.captures, "answers/s"),
            Curve("Received", crawler.bytes, "bytes/s"),
        ]
        if crawler.crawl is not None:
            sections += crawl_page.sections(crawler.crawl, crawler.figures())
        sections += [
            Table(
                "Crawls ended",
                ["crawl", "ended", "how", *crawl_page.COLUMNS],
                [
                    [crawl, dates.to_iso(date), how, *crawl_page.row(figures)]
                    for date, crawl, how, figures in crawler.ended
                ],
            ),
            *self._names(),
            Log("Errors", list(reversed(crawler.errors)), "None."),
            Table("Place in the tree", ["master", "link"], [["scheduler", self._scheduler.state]]),
        ]
        links = [LinkTo("a URL's story", crawl_page.STORY)]
        return Page("Site crawler", "site-crawler", self._name, sections, links, self._doing())

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
        return crawl_page.doing(crawl, crawl.figures())

    async def _story(self, request: Request) -> Response:
        """Answer with the page that tells a URL's story."""
        url = request.query.get("url", "")
        sections: list[Section] = [Question("A URL", crawl_page.STORY, "url", "URL", url)]
        if url:
            sections += await self._told(url)
        page = Page(
            "A URL's story",
            "site-crawler",
            self._name,
            sections,
            [LinkTo("the crawler", "/")],
            live=False,
        )
        return Response(200, HEADERS, render(page))

    async def _told(self, url: str) -> list[Section]:
        if self._crawler.crawl is None:
            return [Note("No story", "No crawl is under way.")]
        try:
            return _told(await self._crawler.crawl.story(url))
        except (ValueError, OSError, AnetError) as error:
            return [Note("No story", f"{error}", "warning")]

    def _measure(self) -> None:
        figures = asdict(self._crawler.figures())
        del figures["waiting_for"], figures["waiting_until"]
        for name, value in (figures | {"busy": self._crawler.crawl is not None}).items():
            self._gauge.labels(name).set(value)
        if self._resolver is not None:
            for name, value in asdict(self._resolver.figures).items():
                self._names_gauge.labels(name).set(value)


def _told(story: Story) -> list[Section]:
    """Return a URL's story."""
    linked = LinkTo(urls.readable(story.page), story_path(story.page)) if story.page else "–"
    return [
        Table(
            urls.readable(story.url),
            ["what", "value"],
            [
                ["linked by", linked],
                ["as", story.kind or "–"],
                ["level", f"level {story.depth}"],
                ["decided", story.verdict or "no link to it has been met"],
                *(["then", event] for event in story.events),
            ],
        )
    ]
