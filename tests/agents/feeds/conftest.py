"""A feed aggregator between a scheduler of the tests and a web of theirs."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from pytest_twisted import async_yield_fixture
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.collected import Collected
from agents.configuration import load
from agents.feed import FeedNews, FollowedFeed
from agents.feeds.service import FeedService, make_service
from anet.http import HttpServer, Request, Response
from hip import Agent, Peer, exposed
from tests.anet.servers import free_port

LONG = 20.0  # seconds that a test waits for what must come


@define
class Scheduler:
    """Hears of feeds, and keeps what it is told of each."""

    news: list[FeedNews] = field(factory=list)
    directories: list[Collected] = field(factory=list)
    states: dict[str, FollowedFeed] = field(factory=dict)
    refusals: int = 0
    waiting: list[tuple[Callable[[], bool], Deferred[None]]] = field(factory=list)

    @exposed
    def feeds_heard(self, news: list[FeedNews]) -> None:
        "Hear what came of feeds."
        if self.refusals:
            self.refusals -= 1
            raise RuntimeError("not now")
        for each in news:
            url = each.moved_to or each.feed
            self.states[url] = FollowedFeed(url, each.state, private_networks=True)
        self.news += news
        self.ring()

    @exposed
    def collected(self, collected: Collected) -> bool:
        "Hear of bodies of feeds that are to be deposited."
        self.directories.append(collected)
        self.ring()
        return True

    def ring(self) -> None:
        for condition, deferred in list(self.waiting):
            if condition():
                self.waiting.remove((condition, deferred))
                deferred.callback(None)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds of what was heard."""
        if not condition():
            deferred: Deferred[None] = Deferred()
            self.waiting.append((condition, deferred))
            await deferred.addTimeout(LONG, reactor)

    async def heard(self, count: int) -> FeedNews:
        """Return the news of that number, from 1."""
        await self.until(lambda: len(self.news) >= count)
        return self.news[count - 1]


@define
class Web:
    """A web server whose answers tests write: by path, taken in turn, the last one for ever."""

    url: str = ""
    answers: dict[str, list[Response]] = field(factory=dict)
    asked: list[Request] = field(factory=list)

    async def answer(self, request: Request) -> Response:
        self.asked.append(request)
        listed = self.answers.get(request.target)
        if listed is None:
            return Response.text(404, "")
        return listed.pop(0) if len(listed) > 1 else listed[0]

    def paths(self) -> list[str]:
        """Return what was asked for, without robots.txt."""
        return [each.target for each in self.asked if each.target != "/robots.txt"]


@async_yield_fixture
async def web() -> AsyncIterator[Web]:
    """A web server."""
    web = Web()
    server = HttpServer(reactor, "127.0.0.1:0", web.answer, name="web")
    server.startService()
    web.url = f"http://{server.address}"
    yield web
    await server.stopService()


@define
class Tree:
    """A scheduler, and the aggregator that is its slave.

    Attributes:
        scheduler: what the aggregator tells goes there.
        service: the aggregator.
        peer: the aggregator as the scheduler sees it.
        ear: the URL at which hubs reach the aggregator.
    """

    directory: Path
    scheduler: Scheduler = field(factory=Scheduler)
    service: Any = None
    ear: str = ""
    _agent: Any = None
    _listener: Any = None
    _joined: Deferred[Peer] = field(factory=Deferred)
    peer: Any = None

    async def start(self, **settings: Any) -> None:
        """Start both, with settings of the aggregator."""
        self._agent = Agent(reactor, kind="scheduler", name="scheduler")
        self._agent.methods.add(self.scheduler)
        self._listener = self._agent.listen("127.0.0.1:0")
        self._agent.on_join = self._note
        self._agent.startService()
        await self.start_aggregator(**settings)

    async def start_aggregator(self, **settings: Any) -> None:
        """Start the aggregator, again if it was stopped."""
        port = free_port()
        self.ear = f"http://127.0.0.1:{port}/hubs"
        values = {
            "scheduler": f"127.0.0.1:{self._listener.port}",
            "pages": "127.0.0.1:0",
            "pause": 0.0,
            "gather": 0.1,
            "names": "system",
            "hub_address": f"127.0.0.1:{port}",
            "hub_callback": self.ear,
            **settings,
        }
        file = self.directory / "dlweb.yaml"
        lines = "".join(f"  {name}: {value}\n" for name, value in values.items())
        file.write_text(f"feed-aggregator:\n{lines}".replace("None", "null"))
        self._joined = Deferred()
        configuration = load(file, directory=self.directory / "archive")
        self.service: FeedService = make_service(reactor, configuration, "feed-aggregator")
        self.service.startService()
        self.peer = await self._joined.addTimeout(LONG, reactor)

    def _note(self, peer: Peer) -> None:
        self._joined.callback(peer)

    async def follow(self, *urls: str) -> None:
        """Have feeds followed, from what is known of each."""
        unknown = {url: FollowedFeed(url, private_networks=True) for url in urls}
        known = self.scheduler.states
        await self.peer.call("follow", feeds=[known.get(url, unknown[url]) for url in urls])

    async def stop(self) -> None:
        """Stop both."""
        await self.service.stopService()
        await self._agent.stopService()


@async_yield_fixture
async def tree(tmp_path: Path) -> AsyncIterator[Tree]:
    """A scheduler and an aggregator that is not started yet."""
    tree = Tree(tmp_path)
    yield tree
    if tree.service is not None:
        await tree.stop()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let directories of captures be offered at once."""
    monkeypatch.setattr("agents.collected.offering.EVERY", 0.05)
