"""The scheduler as a service: real sockets, real threads, a real database."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor

from agents.configuration import load
from agents.order import CrawlFigures
from agents.scheduler.service import make_service
from anet.http import HttpClient
from hip import Agent, exposed


def configuration(directory: Path) -> Any:
    """Return a configuration whose ports the system chooses."""
    file = directory / "archive.yaml"
    file.write_text("scheduler:\n  address: 127.0.0.1:0\n  pages: 127.0.0.1:0\n")
    return load(file, directory=str(directory / "var"), base_port=None)


class Crawler:
    """A site crawler that has nothing to do."""

    def __init__(self) -> None:
        self.orders: list[Any] = []

    @exposed
    def collect(self, order: dict[str, Any]) -> None:
        self.orders.append(order)


@async_yield_fixture
async def service(tmp_path: Path) -> AsyncIterator[Any]:
    """A running scheduler."""
    running = make_service(reactor, configuration(tmp_path), "scheduler")
    running.startService()
    yield running
    await running.stopService()


@ensureDeferred
async def test_a_crawl_over_real_links(service: Any) -> None:
    """A crawler joins, is given a site, and its end is in the database and on the pages."""
    methods = Crawler()
    crawler = Agent(reactor, kind="site-crawler", name="crawler-1", methods=[methods])
    link = crawler.connect(service.listener.address)
    crawler.startService()
    client = HttpClient(reactor)
    try:
        assert await link.call("ready", crawl=None) is True
        [crawl] = await link.call("order", urls=["http://a.example/"])
        while not methods.orders:
            await link.call("status")
        figures = CrawlFigures(captures=3)
        assert await link.call(
            "finished",
            crawl=crawl,
            directory=f"/x/{crawl}",
            figures=figures,
            error="it is only a <test>",
        )
        pages = {}
        for path in ("/", "/sites", "/status.json", "/metrics"):
            answer = await client.request("GET", f"http://{service.server.address}{path}")
            assert answer.head.status == 200
            pages[path] = (await answer.read(1_000_000)).decode()
        assert "it is only a &lt;test&gt;" in pages["/"]
        assert "a.example" in pages["/sites"]
        assert json.loads(pages["/status.json"])["crawls"][0]["state"] == "failed"
        assert 'dlweb_scheduler_crawls{state="failed"} 1.0' in pages["/metrics"]
    finally:
        await client.stopService()
        await crawler.stopService()


@ensureDeferred
async def test_a_scheduler_starts_where_the_former_stopped(tmp_path: Path) -> None:
    """What was ordered is there after a stop and a start."""
    for expected in ({}, {"due": 1}):
        running = make_service(reactor, configuration(tmp_path), "scheduler")
        running.startService()
        agent = Agent(reactor, kind="console", name="console")
        link = agent.connect(running.listener.address)
        agent.startService()
        assert (await link.call("status"))["sites"] == expected
        await link.call("order", urls=["http://a.example/"])
        await agent.stopService()
        await running.stopService()
