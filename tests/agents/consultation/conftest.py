"""Storage nodes in memory on real HTTP servers, and an archive to consult made of them."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import pytest_twisted
from attrs import evolve
from twisted.internet.defer import Deferred

from agents.capture import Capture, content_key, structure_key
from agents.consultation.access.rules import Rules
from agents.consultation.errors import LookupFailed
from agents.consultation.lookup.remembered import Remembered
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Nodes, Structures
from anet.http import HttpClient, HttpServer, PipelinedClient, Request, Response, Router
from anet.tasks import sleep


class FakeNode:
    """A storage node that keeps everything in memory and answers as docs/reference says."""

    def __init__(self, reactor: Any) -> None:
        self.reactor = reactor
        self.captures: dict[str, list[Capture]] = {}
        self.contents: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.cut_after: int | None = None
        self.reached: Deferred[None] = Deferred()
        self.held: Deferred[None] | None = None
        self.gives_content = False  # with its capture
        self.slow = 0.0  # seconds until it tells of a capture
        router = Router()
        router.route("GET", "/structures/{key}", self.structure)
        router.route("GET", "/nearest/{key}", self.nearest)
        router.route("GET", "/contents/{key}", self.content)
        router.route("GET", "/urls", self.urls)
        self.server = HttpServer(reactor, "127.0.0.1:0", router, name="node")
        self.server.startService()

    @property
    def url(self) -> str:
        return f"http://{self.server.address}"

    def add(self, capture: Capture, body: bytes | None = None) -> None:
        self.captures.setdefault(structure_key(capture.url), []).append(capture)
        self.captures[structure_key(capture.url)].sort(key=lambda it: it.date)
        if body is not None:
            self.contents[capture.content] = body

    async def structure(self, request: Request, key: str) -> Response:
        self.asked.append(request.target)
        captures = self.captures.get(key)
        if not captures:
            return Response.text(404, "no")
        first, last = request.query.get("from", ""), request.query.get("to", "~")
        captures = [it for it in captures if first <= it.date <= last]
        captures = captures[: int(request.query.get("limit", "1000000"))]
        if request.query.get("heads") == "1":
            return Response.json(200, captures)
        return Response.json(200, [evolve(it, head=b"", origin="") for it in captures])

    async def nearest(self, request: Request, key: str) -> Response:
        self.asked.append(request.target)
        captures, date = self.captures.get(key), request.query["date"]
        await sleep(self.reactor, self.slow)
        if not captures:
            return Response.text(404, "no")
        nearest = min(captures, key=lambda it: abs(int(it.date) - int(date)))
        at, end = captures.index(nearest), len(captures) - 1
        previous = captures[at - 1].date if at else None
        following = captures[at + 1].date if at < end else None
        values = {"capture": nearest, "count": end + 1, "previous": previous, "next": following}
        packed = msgspec.msgpack.encode(
            {**values, "first": captures[0].date, "last": captures[-1].date}
        )
        content = self.contents.get(nearest.content, b"") if self.gives_content else b""
        return Response(200, [], len(packed).to_bytes(4, "big") + packed + content)

    async def content(self, request: Request, key: str) -> Response:
        self.asked.append(request.target)
        if self.held is not None:
            self.reached.callback(None)
            await self.held
        body = self.contents.get(key)
        if body is None:
            return Response.text(404, "no")
        wanted = request.headers.get(b"range")
        first, _, last = (wanted or b"bytes=0-")[6:].partition(b"-")
        rest = body[int(first) : int(last) + 1 if last else None]
        status = 206 if wanted else 200
        if self.cut_after is not None:
            return Response(status, [], self._cut(rest), length=len(rest))
        return Response(status, [], rest)

    async def _cut(self, body: bytes) -> Any:
        yield body[: self.cut_after]
        raise ConnectionError("the disk has gone")

    async def urls(self, request: Request) -> Response:
        after, limit = request.query.get("after", ""), int(request.query["limit"])
        keys = sorted(key for key in self.captures if key > after)
        urls = [{"url": self.captures[key][0].url, "key": key} for key in keys[:limit]]
        return Response.json(
            200, {"urls": urls, "after": keys[limit - 1] if len(keys) > limit else None}
        )


class FakeLocator:
    """Knows which fake node holds what; `broken` is an index that does not answer."""

    lookup = "index"

    def __init__(self, nodes: list[FakeNode]) -> None:
        self.nodes = nodes
        self.broken = False
        self.extra: list[str] = []
        self.down = 0

    async def locate(self, kind: str, key: str) -> list[str]:
        if self.broken:
            raise LookupFailed("no index node answers")
        held = [node.url for node in self.nodes if key in getattr(node, _STORES[kind])]
        return [*self.extra, *held] if held or kind == "contents" else held

    async def all_nodes(self) -> Nodes:
        if self.broken:
            raise LookupFailed("no index node answers")
        return Nodes([node.url for node in self.nodes], self.down)


_STORES = {"contents": "contents", "structures": "captures"}


class FakeArchive:
    """Two nodes, a locator, and the retrieval over them."""

    def __init__(self, reactor: Any) -> None:
        self.first, self.second = FakeNode(reactor), FakeNode(reactor)
        self.locator = FakeLocator([self.first, self.second])
        self.client = HttpClient(reactor, connect_timeout=2.0, response_timeout=2.0)
        self.quick = PipelinedClient(reactor, connect_timeout=2.0, silence=2.0)
        self.retrieval = Retrieval(
            Remembered(reactor, self.locator),
            Structures(self.client, self.quick),
            self.client,
            Rules(),
        )

    def add(self, url: str, body: bytes, **given: Any) -> Capture:
        """Put a capture on both nodes."""
        head = given.pop("head", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        date = given.pop("date", "20260101000000000000")
        status = int(head.split(b" ")[1])
        capture = Capture(url, date, content_key(body), len(body), status, head, **given)
        for node in (self.first, self.second):
            node.add(capture, body)
        return capture


@pytest.fixture
def reactor() -> Any:
    """The real reactor."""
    from twisted.internet import reactor

    return reactor


@pytest_twisted.async_yield_fixture
async def archive(reactor: Any) -> Any:
    """An archive of two nodes."""
    archive = FakeArchive(reactor)
    yield archive
    await archive.client.stopService()
    archive.quick.stopService()
    for node in (archive.first, archive.second):
        if node.server.running:
            await node.server.stopService()


@pytest_twisted.async_yield_fixture
async def serve(reactor: Any) -> Any:
    """Return a function that serves a handler and gives its address."""
    servers: list[HttpServer] = []

    def start(handler: Callable[[Request], Any]) -> str:
        server = HttpServer(reactor, "127.0.0.1:0", handler, name="test")
        server.startService()
        servers.append(server)
        return server.address

    yield start
    for server in servers:
        await server.stopService()
