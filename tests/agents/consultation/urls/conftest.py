"""Real storage nodes on real disks, and an index of their URLs."""

from pathlib import Path
from typing import Any

import pytest
import pytest_twisted

from agents.capture import Capture, content_key
from agents.consultation.access.rules import Rules
from agents.consultation.lookup.fuzzy import Fuzzy
from agents.consultation.lookup.structures import Nodes
from agents.consultation.lookup.url_rules import read_rules
from agents.consultation.urls.following import Following
from agents.consultation.urls.index import UrlIndex
from agents.consultation.urls.service import make_index
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.node.routes import NodeRoutes
from agents.storage.status import DiskStatus, NodeStatus
from anet.http import HttpClient, HttpServer
from anet.workers import Workers

DATE = "20260101000000000000"


def capture(url: str, date: str = DATE, body: bytes = b"body") -> Capture:
    """Return a capture of a URL."""
    return Capture(url, date, content_key(body), len(body), 200, b"HTTP/1.1 200 OK\r\n\r\n")


class Node:
    """A storage node of one disk."""

    def __init__(self, reactor: Any, folder: Path) -> None:
        self.workers = Workers(reactor, 2)
        self.disk = DiskStore(folder, self.workers, reserve=0, waiting_limit=1 << 26)
        self.store = NodeStore(reactor, [self.disk])
        routes = NodeRoutes("storage-1", self.store, self.status, "secret", 1 << 20, 20_000)
        self.server = HttpServer(reactor, "127.0.0.1:0", routes.router(), name="storage-1")

    def status(self) -> NodeStatus:
        return NodeStatus("storage-1", self.url, disks=[DiskStatus(self.disk.name, "disk")])

    @property
    def url(self) -> str:
        return f"http://{self.server.address}"

    async def start(self) -> None:
        self.workers.startService()
        await self.store.open()
        self.server.startService()

    async def stop(self) -> None:
        await self.server.stopService()
        await self.store.close()
        await self.workers.stopService()

    async def add(self, *urls: str) -> None:
        await self.store.append([capture(url) for url in urls])


class Urls:
    """An index in a folder, and what follows nodes for it."""

    def __init__(self, reactor: Any, folder: Path, nodes: list[Node], rules: Any = None) -> None:
        fuzzy = Fuzzy(read_rules())
        path = folder / "urls.mdb"
        self.index, self.workers = make_index(path, reactor, fuzzy, rules or Rules(), "1")
        self.client = HttpClient(reactor, connect_timeout=2.0, response_timeout=5.0)
        self.nodes, self.down = nodes, 0
        self.following = Following(reactor, self.index, self.up, self.client, 0.05)

    async def up(self) -> Nodes:
        return Nodes([node.url for node in self.nodes], self.down)

    async def start(self) -> UrlIndex:
        for each in self.workers:
            each.startService()
        await self.index.open()
        return self.index

    async def stop(self) -> None:
        await self.following.stop()
        await self.index.close()
        await self.client.stopService()
        for each in self.workers:
            await each.stopService()


@pytest.fixture
def reactor() -> Any:
    """The real reactor."""
    from twisted.internet import reactor

    return reactor


@pytest_twisted.async_yield_fixture
async def nodes(reactor: Any, tmp_path: Path) -> Any:
    """Two storage nodes."""
    made = [Node(reactor, tmp_path / name) for name in ("storage-1", "storage-2")]
    for node in made:
        await node.start()
    yield made
    for node in made:
        if node.server.running:
            await node.stop()


@pytest_twisted.async_yield_fixture
async def begin(reactor: Any, tmp_path: Path, nodes: list[Node]) -> Any:
    """Return what opens an index of the nodes in the same folder."""
    made: list[Urls] = []

    async def begin(rules: Any = None) -> Urls:
        made.append(Urls(reactor, tmp_path / "consultation", nodes, rules))
        await made[-1].start()
        return made[-1]

    yield begin
    for each in made:
        if each.workers[0].running:
            await each.stop()
