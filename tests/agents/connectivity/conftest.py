"""Crawl folders, and a storage that fails when told to."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import async_yield_fixture
from twisted.internet import reactor

from agents.bundle import unpack
from agents.capture import Capture
from agents.configuration import load, secret
from agents.connectivity.service import ConnectivityService, make_service
from agents.deposit import ContentSize, DepositFigures, Placement
from agents.judgement import LEARNED_AT_ONCE
from anet.http import HttpServer, Request, Response, Router
from hip import Agent, CallRefused, Link, Peer, exposed

DATE = "20261121073000000000"
REPORT = (
    b"<?xml version='1.0'?><report><external><link url='http://x.example/'/></external></report>"
)


def key_of(body: bytes | memoryview) -> str:
    """Return the name of a content."""
    return sha256(body).hexdigest()


def line(url: str, body: bytes, **other: Any) -> dict[str, Any]:
    """Return a line of a crawl's structure."""
    return {
        "url": url,
        "date": DATE,
        "content": key_of(body),
        "size": len(body),
        "status": 200,
        "head": "HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\n\r\n",
        "origin": "crawl: c\nsite: s\n",
        "depth": 1,
        "new": True,
        "change": "new",
        **other,
    }


def write_crawl(
    path: Path,
    pages: dict[str, bytes],
    *,
    without: tuple[bytes, ...] = (),
    packed: bool = False,
    report: bytes = REPORT,
) -> Path:
    """Write the folder of a crawl that met `pages`; it leaves out the contents `without`.

    Contents have files of their own, or lie in the pack where the first line that has one says.
    """
    path.mkdir(parents=True)
    pack = b""
    lines = []
    for url, body in pages.items():
        file = path / "contents" / key_of(body)[:2] / key_of(body)
        other: dict[str, Any] = {}
        if packed and body not in list(pages.values())[: len(lines)]:
            other["place"] = len(pack)
            pack += body
        elif not packed and body not in without:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        lines.append(json.dumps(line(url, body, **other)) + "\n")
    if packed:
        (path / "pack").write_bytes(pack)
    (path / "structure").write_text("".join(lines))
    keys = sorted({key_of(body) for body in pages.values()})
    (path / "signatures").write_text("".join(f"{key}\n" for key in keys))
    (path / "report.xml").write_bytes(report)
    return path


class FakeNode:
    """A storage node that keeps contents in memory.

    Attributes:
        contents: what it holds.
        puts: how many contents came.
        answers: statuses to answer before any other.
    """

    def __init__(self, credential: str) -> None:
        self.contents: dict[str, bytes] = {}
        self.puts = 0
        self.answers: list[int] = []
        self._credential = f"Bearer {credential}".encode()
        router = Router()
        router.route("PUT", "/contents/{key}", self._put)
        router.route("POST", "/contents", self._take_bundle)
        self.server = HttpServer(reactor, "127.0.0.1:0", router, name="fake node")

    @property
    def url(self) -> str:
        return f"http://{self.server.address}"

    def _refusal(self, request: Request) -> Response | None:
        if self.answers:
            return Response.text(self.answers.pop(0), "told to")
        if request.headers.get(b"Authorization") != self._credential:
            return Response.text(401, "who are you?")
        return None

    async def _take_bundle(self, request: Request) -> Response:
        contents = unpack(await request.read(10_000_000))
        self.puts += len(contents)
        if refusal := self._refusal(request):
            return refusal
        refused = {key: "not what its name says" for key, body in contents if key_of(body) != key}
        self.contents |= {key: bytes(body) for key, body in contents if key not in refused}
        return Response.json(200, {"node": "fake", "refused": refused})

    async def _put(self, request: Request, key: str) -> Response:
        body = await request.read(10_000_000)
        self.puts += 1
        if refusal := self._refusal(request):
            return refusal
        if key_of(body) != key:
            return Response.text(409, "not what its name says")
        status = 200 if key in self.contents else 201
        self.contents[key] = body
        return Response.json(status, {"node": "fake", "key": key, "size": len(body)})


class FakeIndex:
    """An index node that keeps captures in memory, and refuses what it is told to.

    Attributes:
        captures: what was recorded, each once.
        records: calls of `record`.
        refusals: codes to refuse calls with before any other answer.
        poison: a URL whose captures are invalid.
        forgets: whether it knows no content any more once a batch is recorded.
        avoided: base URLs of nodes for which others were to stand in.
    """

    def __init__(self, nodes: list[FakeNode]) -> None:
        self.nodes = nodes
        self.known: set[str] = set()
        self.captures: dict[tuple[str, str, str], Capture] = {}
        self.records = 0
        self.refusals: list[str] = []
        self.poison = ""
        self.forgets = False
        self.avoided: set[str] = set()

    @exposed
    def place(self, contents: list[ContentSize], avoid: list[str] | None = None) -> list[Placement]:
        self._refuse()
        self.avoided |= set(avoid or [])
        urls = [node.url for node in self.nodes]
        return [
            Placement(each.key, True)
            if each.key in self.known
            else Placement(each.key, False, urls)
            for each in contents
        ]

    @exposed
    def record(self, captures: list[Capture], stored: dict[str, list[str]]) -> int:
        self._refuse()
        self.records += 1
        if any(capture.url == self.poison for capture in captures):
            raise CallRefused("invalid-capture", f"{self.poison} is poison")
        for key, nodes in stored.items():
            assert all(key in node.contents for node in self.nodes if node.url in nodes), (
                "a content that no node has"
            )
            self.known.add(key)
        for capture in captures:
            assert capture.content in self.known, "a structure before its content"
            self.captures[capture.url, capture.date, capture.content] = capture
        if self.forgets:
            self.known.clear()
        return len(captures)

    def _refuse(self) -> None:
        if self.refusals:
            raise CallRefused(self.refusals.pop(0), "told to")


class Scheduler:
    """Hears of progress, and learns where sites lead.

    Attributes:
        heard: progress, of all crawls.
        links: what was learned, with the sum of all that was told for each.
        feeds: likewise.
        streams: likewise.
        parts: the number of the next part of each crawl.
        calls: of `learn`.
        refusals: codes to refuse calls of `learn` with before any other answer.
    """

    def __init__(self) -> None:
        self.heard: list[DepositFigures] = []
        self.links: Counter[str] = Counter()
        self.feeds: Counter[str] = Counter()
        self.streams: Counter[str] = Counter()
        self.parts: Counter[str] = Counter()
        self.calls = 0
        self.refusals: list[str] = []

    @exposed
    def learn(
        self,
        crawl: str,
        part: int,
        links: list[tuple[str, int]],
        feeds: list[str],
        streams: list[str],
    ) -> int:
        self.calls += 1
        assert len(links) + len(feeds) + len(streams) <= LEARNED_AT_ONCE
        if self.refusals:
            raise CallRefused(self.refusals.pop(0), "told to")
        if part == self.parts[crawl]:
            self.links.update(dict(links))
            self.feeds.update(feeds)
            self.streams.update(streams)
            self.parts[crawl] += 1
        return self.parts[crawl]

    @exposed
    def deposit_progress(self, crawl: str, figures: DepositFigures) -> None:
        self.heard.append(figures)


class Tree:
    """A connectivity agent between a scheduler and an index node, all on loopback."""

    def __init__(self, directory: Path, patience: float) -> None:
        self.directory = directory
        self.crawls, self.sites = directory / "crawls", directory / "sites"
        credential = secret(directory)
        self.nodes = [FakeNode(credential), FakeNode(credential)]
        self.index = FakeIndex(self.nodes)
        self.scheduler = Scheduler()
        self.root = Agent(reactor, kind="scheduler", name="scheduler", methods=[self.scheduler])
        self.master = Agent(reactor, kind="storage-master", name="storage-master")
        self.indexer = Agent(reactor, kind="index-node", name="index-1", methods=[self.index])
        self.listeners = [
            agent.listen("127.0.0.1:0") for agent in (self.root, self.master, self.indexer)
        ]
        self.master.on_join = lambda peer: peer.redirect(self.listeners[2].address)
        self._patience = patience

    async def start(self) -> None:
        """Start everything."""
        for service in (*[node.server for node in self.nodes], self.root, self.master):
            service.startService()
        self.indexer.startService()
        file = self.directory / "archive.yaml"
        file.write_text(
            "connectivity:\n"
            f"  scheduler: {self.listeners[0].address}\n"
            f"  storage_master: {self.listeners[1].address}\n"
            "  pages: 127.0.0.1:0\n"
            "  machine: machine-1\n"
            "  batch_captures: 3\n"
            f"  patience: {self._patience}\n"
        )
        configuration = load(file, directory=str(self.directory), base_port=None)
        self.service: ConnectivityService = make_service(reactor, configuration, "connectivity")
        self.service.startService()
        links: list[Link] = self.service.agent.links
        await links[0].connected()

    async def stop(self) -> None:
        """Stop everything."""
        await self.service.stopService()
        for service in (self.root, self.master, self.indexer, *[n.server for n in self.nodes]):
            if service.running:
                await service.stopService()

    @property
    def connectivity(self) -> Peer:
        """The connectivity agent as its scheduler sees it."""
        return self.root.slaves["connectivity"]

    def crawl(self, name: str, pages: dict[str, bytes], **how: Any) -> Path:
        """Write the folder of a crawl."""
        return write_crawl(self.crawls / name, pages, **how)

    async def deposit(self, name: str = "c", site: str = "s", **more: Any) -> dict[str, Any]:
        """Have a crawl deposited by call; return the figures."""
        answer: dict[str, Any] = await self.connectivity.call(
            "deposit", crawl=name, site=site, directory=str(self.crawls / name), **more
        )
        return answer

    async def discard(self, name: str = "c", **more: Any) -> None:
        """Have the folder of a crawl removed by call."""
        await self.connectivity.call("discard", directory=str(self.crawls / name), **more)


@pytest.fixture
def patience() -> float:
    """Seconds that a deposit bears without progress."""
    return 20.0


@async_yield_fixture
async def tree(tmp_path: Path, patience: float) -> AsyncIterator[Tree]:
    """A running tree."""
    made = Tree(tmp_path / "var", patience)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def pages() -> dict[str, bytes]:
    """Ten pages, of which two are the same."""
    bodies = {f"http://a.example/{number}": b"page %d" % number for number in range(9)}
    return {**bodies, "http://a.example/again": b"page 0"}


@pytest.fixture
def make_line() -> Callable[..., dict[str, Any]]:
    """Return `line`."""
    return line


@pytest.fixture
def make_crawl() -> Callable[..., Path]:
    """Return `write_crawl`."""
    return write_crawl
