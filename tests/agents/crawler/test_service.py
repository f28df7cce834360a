"""A site crawler on the tree: orders, progress, ends, and its pages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import pytest_twisted
from attrs import define, field
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.configuration import load
from agents.crawler.service import CrawlerService, Options, make_service
from agents.delimitation import guess
from agents.order import CrawlFigures, Fault, Order, Politeness, Strategy
from anet.http import HttpClient, Response
from anet.tasks import sleep
from hip import Agent, Peer, RemoteError, exposed


@define
class Scheduler:
    """What a scheduler answers, noting all it hears."""

    keep: bool = True
    heard: list[tuple[Any, ...]] = field(factory=list)
    waiting: dict[str, list[Deferred[Any]]] = field(factory=dict)

    def tell(self, kind: str, *what: Any) -> None:
        self.heard.append((kind, *what))
        for deferred in self.waiting.pop(kind, []):
            deferred.callback(what)

    def when(self, kind: str) -> Deferred[Any]:
        """Return what fires at the next word of this kind."""
        deferred: Deferred[Any] = Deferred()
        self.waiting.setdefault(kind, []).append(deferred)
        return deferred.addTimeout(20, reactor)

    @exposed
    def ready(self, peer: Peer, crawl: str | None = None, machine: str = "") -> bool:
        "Hear that a crawler is free or busy."
        self.tell("ready", crawl)
        return self.keep

    @exposed
    def progress(self, crawl: str, figures: CrawlFigures, addresses: list[str]) -> None:
        "Hear how far a crawl is."
        self.tell("progress", crawl, figures)

    @exposed
    def finished(
        self, crawl: str, directory: str, figures: CrawlFigures, error: str | None, fault: Fault
    ) -> bool:
        "Hear the end of a crawl."
        self.tell("finished", crawl, directory, figures, error)
        return True


@define
class Tree:
    """A scheduler, and a crawler linked to it."""

    scheduler: Scheduler
    master: Agent
    service: CrawlerService

    @property
    def crawler(self) -> Peer:
        return self.master.slaves["crawler-1"]


@pytest.fixture
def tree(tmp_path: Path) -> Any:
    """Start both."""
    scheduler = Scheduler()
    master = Agent(reactor, "scheduler", "scheduler", [scheduler])
    listener = master.listen("127.0.0.1:0")
    master.startService()
    config = tmp_path / "config.yaml"
    config.write_text(
        f"site-crawler:\n  scheduler: 127.0.0.1:{listener.port}\n  pages: 127.0.0.1:0\n"
        "  hosts: [127.0.0.1 web.test]\n  name_servers: ['127.0.0.1:9']\n"
    )
    service = CrawlerService(reactor, load(config, directory=tmp_path), "crawler-1")
    ready = scheduler.when("ready")
    service.startService()
    pytest_twisted.blockon(ready)
    yield Tree(scheduler, master, service)
    for one in (service, master):
        pytest_twisted.blockon(_stopped(one))


def _stopped(service: Any) -> Deferred[Any]:
    async def stop() -> None:
        if service.running:
            await service.stopService()

    return Deferred.fromCoroutine(stop())


def order(url: str, crawl: str = "c-1") -> Order:
    """Return an order for a site on loopback."""
    accept, reject = guess(url)
    polite = Politeness(delay=0.0)
    return Order(
        crawl,
        "site",
        url,
        accept,
        reject,
        politeness=polite,
        strategy=Strategy(sitemaps=False),
        private_networks=True,
    )


def hanging() -> tuple[Callable[[Any], Any], Deferred[None], Deferred[None]]:
    """Return a page that hangs, what fires when it is asked for, and what lets it go."""
    reached: Deferred[None] = Deferred()
    let_go: Deferred[None] = Deferred()

    async def hang(_: Any) -> Response:
        if not reached.called:
            reached.callback(None)
        await let_go
        return Response.html(200, "late")

    return hang, reached, let_go


@ensureDeferred
async def test_collect_and_finished(tree: Tree, web: Any, tmp_path: Path) -> None:
    """An order is answered at once, carried out, and its end told; then the crawler is free."""
    web.pages = {"/": "<a href=a>", "/a": "x"}
    finished = tree.scheduler.when("finished")
    assert await tree.crawler.call("collect", order=order(web.url)) is True
    crawl, directory, figures, error = await finished
    assert (crawl, error) == ("c-1", None)
    assert Path(directory) == tmp_path / "crawls/c-1"
    assert (Path(directory) / "report.xml").exists()
    assert figures.captures == 4  # with robots.txt and the icon
    free = tree.scheduler.when("ready")
    assert await free == (None,)
    report = await tree.crawler.call("progress")
    assert report["state"] == "free"
    assert report["crawl"] is None


@ensureDeferred
async def test_names_are_looked_up_by_its_own_client(tree: Tree, web: Any) -> None:
    """The configured table leads to the site; an unknown name costs no thread, and is counted."""
    assert reactor.nameResolver is tree.service.resolver
    web.pages = {"/": "<img src=http://gone.test/image>"}
    finished = tree.scheduler.when("finished")
    url = web.url.replace("127.0.0.1", "web.test")
    assert await tree.crawler.call("collect", order=order(url)) is True
    _, _, figures, error = await finished
    assert (figures.captures, error) == (3, None)
    assert tree.service.resolver is not None
    assert tree.service.resolver.figures.failures >= 1
    await tree.service.stopService()
    assert reactor.nameResolver is not tree.service.resolver


@ensureDeferred
async def test_busy(tree: Tree, web: Any) -> None:
    """A busy crawler refuses another order, takes the same one again, and tells its progress."""
    page, reached, let_go = hanging()
    web.pages = {"/": page}
    await tree.crawler.call("collect", order=order(web.url))
    await reached
    with pytest.raises(RemoteError) as refusal:
        await tree.crawler.call("collect", order=order(web.url, "c-2"))
    assert refusal.value.code == "busy"
    assert "c-1" in str(refusal.value)
    assert await tree.crawler.call("collect", order=order(web.url)) is True
    crawl, figures = await tree.scheduler.when("progress")
    assert crawl == "c-1"
    assert figures.captures == 1
    finished = tree.scheduler.when("finished")
    let_go.callback(None)
    await finished


@ensureDeferred
async def test_stop(tree: Tree, web: Any, tmp_path: Path) -> None:
    """A stopped crawl leaves nothing, its end is told, and the crawler is free again."""
    page, reached, let_go = hanging()
    web.pages = {"/": page}
    assert await tree.crawler.call("stop") is False
    await tree.crawler.call("collect", order=order(web.url))
    await reached
    free, finished = tree.scheduler.when("ready"), tree.scheduler.when("finished")
    assert await tree.crawler.call("stop") is True
    assert (await finished)[3] == "stopped by an operator"
    assert await free == (None,)
    assert not (tmp_path / "crawls/c-1").exists()
    let_go.callback(None)


@ensureDeferred
async def test_failure_is_told(tree: Tree, web: Any) -> None:
    """A crawl that can't be carried out ends with its reason."""
    web.pages = {"/robots.txt": Response.text(200, "User-agent: *\nDisallow: /")}
    finished = tree.scheduler.when("finished")
    await tree.crawler.call("collect", order=order(web.url))
    _, _, _, error = await finished
    assert "robots.txt asks not" in error


@ensureDeferred
async def test_bad_names_are_refused(tree: Tree, web: Any, tmp_path: Path) -> None:
    """The name of a crawl can't lead out of the folder of crawls."""
    for name in ("../x", "a/b", "", ".", "a\n", "x" * 300):
        with pytest.raises(RemoteError) as refusal:
            await tree.crawler.call("collect", order=order(web.url, name))
        assert refusal.value.code == "bad-order"
    assert not (tmp_path / "crawls").exists()


@ensureDeferred
async def test_a_new_link(tree: Tree, web: Any) -> None:
    """On a new link the crawler says what it works on, and stops if that is not wanted."""
    page, reached, let_go = hanging()
    web.pages = {"/": page}
    await tree.crawler.call("collect", order=order(web.url))
    await reached
    again = tree.scheduler.when("ready")
    tree.crawler.close("test")
    assert await again == ("c-1",)
    assert (await tree.crawler.call("progress"))["state"] == "busy"
    tree.scheduler.keep = False
    again = tree.scheduler.when("ready")
    tree.crawler.close("test")
    assert await again == ("c-1",)
    assert await tree.scheduler.when("ready") == (None,)
    let_go.callback(None)


@ensureDeferred
async def test_stop_service_in_mid_crawl(tree: Tree, web: Any, tmp_path: Path) -> None:
    """A crawler that ends abandons its crawl cleanly."""
    page, reached, let_go = hanging()
    web.pages = {"/": page}
    await tree.crawler.call("collect", order=order(web.url))
    await reached
    await tree.service.stopService()
    assert not (tmp_path / "crawls/c-1").exists()
    let_go.callback(None)


@ensureDeferred
async def test_pages(tree: Tree, web: Any) -> None:
    """The page, its values and the metrics tell of the crawl under way and of those ended."""
    client = HttpClient(reactor)
    client.startService()
    base = f"http://127.0.0.1:{tree.service.server.port}"

    async def get(path: str) -> str:
        response = await client.request("GET", base + path)
        assert response.head.status == 200
        return (await response.read(10**6)).decode()

    try:
        assert "waiting for the scheduler" in await get("/")
        page, reached, let_go = hanging()
        web.pages = {"/": page}
        await tree.crawler.call("collect", order=order(web.url))
        await reached
        shown = await get("/")
        assert web.url in shown
        assert "c-1" in shown
        assert '"site-crawler"' in await get("/status.json")
        metrics = await get("/metrics")
        assert 'dlweb_site_crawler{of="captures"} 1.0' in metrics
        assert 'dlweb_site_crawler_names{of="queries"} 0.0' in metrics
        finished = tree.scheduler.when("ready")
        let_go.callback(None)
        await finished
        assert "whole" in await get("/")
    finally:
        await client.stopService()


def test_make_service_by_options(tmp_path: Path) -> None:
    """A nursery makes a crawler from options; the number in its name picks its port."""
    options = Options()
    options.parseOptions(["--archive", str(tmp_path), "--name", "crawler-3", "-p", "8200"])
    service = make_service(options, reactor)
    assert service.agent.agent_name == "crawler-3"
    assert service.agent.kind == "site-crawler"
    assert service.server.address.endswith(":8223")


@ensureDeferred
async def test_pause_add_and_resume(tree: Tree, web: Any) -> None:
    """An operator pauses a crawl, which says so, adds a URL that nothing links to, and resumes."""
    hang, reached, let_go = hanging()
    web.pages = {"/": "<a href=/next>", "/robots.txt": hang, "/added": "", "/next": ""}
    finished = tree.scheduler.when("finished")
    await tree.crawler.call("collect", order=order(web.url))
    await reached
    assert await tree.crawler.call("pause") is True
    assert await tree.crawler.call("pause") is False
    let_go.callback(None)
    while not (await tree.crawler.call("progress"))["figures"]["waiting_for"].startswith("paused"):
        await sleep(reactor, 0.01)
    hits = list(web.hits)
    assert await tree.crawler.call("add_url", url=web.url + "added") is True
    with pytest.raises(RemoteError, match="not a whole http or https URL"):
        await tree.crawler.call("add_url", url="mailto:nobody")
    assert web.hits == hits
    assert await tree.crawler.call("resume") is True
    _, _, figures, error = await finished
    assert error is None and figures.waiting_for == ""
    assert web.hits.index("/added") < web.hits.index("/next")


@ensureDeferred
async def test_nothing_to_pause(tree: Tree) -> None:
    """A free crawler refuses, with a word why."""
    with pytest.raises(RemoteError, match="no crawl is under way"):
        await tree.crawler.call("pause")


@ensureDeferred
async def test_a_story_of_each_url(tree: Tree, web: Any) -> None:
    """While a crawl runs, a page tells who linked to a URL, what was decided, what came of it."""
    hang, reached, let_go = hanging()
    web.pages = {"/": "<a href=/next><a href=http://b.org/>", "/next": "<a href=/last>"}
    web.pages |= {"/last": hang}
    finished = tree.scheduler.when("finished")
    await tree.crawler.call("collect", order=order(web.url))
    await reached
    client = HttpClient(reactor)
    client.startService()

    async def get(path: str) -> str:
        url = f"http://127.0.0.1:{tree.service.server.port}{path}"
        return (await (await client.request("GET", url)).read(10**6)).decode()

    async def told(url: str) -> str:
        return await get(f"/story?url={quote(url)}")

    story = await told(web.url + "next")
    assert "answered 200, 14 bytes" in story and "level 1" in story
    assert f'href="/story?url={quote(web.url, safe="")}"' in story
    assert "external" in await told("http://b.org/")
    assert "no link to it has been met" in await told("http://c.org/?<script>")
    assert "not a whole http or https URL" in await told("<script>")
    assert await tree.crawler.call("add_url", url=web.url + "added") is True
    assert "an operator asked for it" in await told(web.url + "added")
    overview = await get("/")
    assert "pages of the next level" in overview and "text/html" in overview
    let_go.callback(None)
    await finished
    await client.stopService()
