"""A programmable web site on loopback, and one call that crawls it."""

import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_twisted
from attrs import define, field
from lxml import etree
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.crawler.crawl import Crawl
from agents.crawler.limits import Limits
from agents.crawler.parts import Means
from agents.delimitation import guess
from agents.order import CrawlFigures, Order, Politeness, Strategy
from anet.http import HttpServer, Request, Response
from anet.workers import Workers

ROOT = Path(__file__).parents[3]
WEBSITE = ROOT / "tests/websites/static"
SCHEMA = ROOT / "docs/reference/report.xsd"

Page = Response | bytes | str | Callable[[Request], Response | Awaitable[Response]]


@define
class Web:
    """A web site made of a dictionary: target to page; it notes every request."""

    pages: dict[str, Page]
    hits: list[str] = field(factory=list)
    requests: list[Request] = field(factory=list)
    server: Any = None

    async def answer(self, request: Request) -> Response:
        if request.target != "/favicon.ico" or request.target in self.pages:
            self.hits.append(request.target)
        self.requests.append(request)
        page = self.pages.get(request.target) or self.pages.get(request.target.partition("?")[0])
        if page is None:
            return Response.html(404, "nothing here")
        if callable(page):
            answer = page(request)
            page = answer if isinstance(answer, Response) else await answer
        return page if isinstance(page, Response) else Response.html(200, page)

    def add_folder(self, folder: Path) -> None:
        """Serve the files of a folder; `index.html` for `/` too."""
        for path in folder.rglob("*"):
            if path.is_file():
                kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                target = f"/{path.relative_to(folder)}"
                page = Response(200, [(b"Content-Type", kind.encode())], path.read_bytes())
                self.pages[target.replace("é", "%C3%A9")] = page
        self.pages["/"] = self.pages["/index.html"]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/"


def content_of(directory: Path, line: dict[str, Any]) -> bytes:
    """Return the content that a line of a crawl's structure brought."""
    if "place" in line:
        return (directory / "pack").read_bytes()[line["place"] :][: line["size"]]
    key = line["content"]
    return (directory / "contents" / key[:2] / key).read_bytes()


@define
class Crawled:
    """What a crawl left."""

    figures: CrawlFigures
    directory: Path
    lines: list[dict[str, Any]]
    report: Any

    @property
    def urls(self) -> set[str]:
        return {line["url"] for line in self.lines}

    def found(self, path: str, attribute: str = "url") -> list[str]:
        return [element.get(attribute) for element in self.report.findall(path)]

    def content(self, url: str) -> bytes:
        """Return the content of a URL, if this crawl brought it."""
        key = next(line["content"] for line in self.lines if line["url"] == url)
        brought = (line for line in self.lines if line["content"] == key and line["new"])
        return content_of(self.directory, next(brought))


@pytest.fixture
def web() -> Any:
    """Serve a new, empty site."""
    site = Web({})
    site.server = HttpServer(reactor, "127.0.0.1:0", site.answer, name="web")
    site.server.startService()
    yield site
    pytest_twisted.blockon(Deferred.fromCoroutine(_done(site.server.stopService())))


@pytest.fixture
def workers() -> Any:
    """Threads for the disk."""
    pool = Workers(reactor, 2)
    pool.startService()
    yield pool
    pytest_twisted.blockon(Deferred.fromCoroutine(_done(pool.stopService())))


@pytest.fixture
def new_crawl(tmp_path: Path, workers: Workers) -> Callable[..., Crawl]:
    """Return what makes a crawl of a site: any field of an order by name.

    Sitemaps are not asked for unless the strategy says so.
    """

    def make(url: str, name: str = "crawl", limits: Limits | None = None, **fields: Any) -> Crawl:
        processes = fields.pop("processes", None)
        accept, reject = guess(url)
        polite = {"delay": 0.0} | fields.pop("politeness", {})
        strategy = {"sitemaps": False} | fields.pop("strategy", {})
        values = {"accept": accept, "reject": reject, "private_networks": True} | fields
        order = Order(
            crawl=name,
            site="site",
            start_url=url,
            politeness=Politeness(**polite),
            strategy=Strategy(**strategy),
            **values,
        )
        means = Means(reactor, workers, processes, "crawler-1", limits or Limits())
        return Crawl(means, order, tmp_path / name)

    return make


@pytest.fixture
def crawl(new_crawl: Callable[..., Crawl]) -> Callable[..., Awaitable[Crawled]]:
    """Return what crawls a site and reads what the crawl left."""

    async def run(url: str, **fields: Any) -> Crawled:
        crawl = new_crawl(url, **fields)
        figures = await crawl.run()
        lines = (crawl.path / "structure").read_bytes().splitlines()
        report = etree.parse(crawl.path / "report.xml")
        etree.XMLSchema(etree.parse(SCHEMA)).assertValid(report)
        return Crawled(figures, crawl.path, [msgspec.json.decode(line) for line in lines], report)

    return run


async def _done(result: Any) -> None:
    if result is not None:
        await result
