"""Several index nodes that share the keys, over real sockets on loopback."""

from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import Capture, structure_key
from agents.configuration import load
from agents.deposit import ContentSize, Placement
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.holders import Holders
from agents.storage.index.service import IndexNode
from agents.storage.index.sharing import groups_of
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.service import StorageMaster
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode
from anet.http import HttpClient
from anet.tasks import sleep
from hip import Agent, Link, RemoteError, convert

ANY = "127.0.0.1:0"
NAMES = ("index-1", "index-2")
BODIES = [b"%d" % number for number in range(40)]
PATIENCE = 60.0  # seconds


class Several:
    """Two storage nodes, and index nodes that come and go."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.configuration = load(directory=directory, base_port=60000)
        self.running: list[Any] = []
        self.indexes: dict[str, IndexNode] = {}
        self.links: dict[str, Link] = {}
        self.nodes: list[StorageNode] = []
        self.client = HttpClient(reactor)

    async def start(self) -> None:
        """Start a master and two storage nodes."""
        config = StorageMasterConfig(hip=ANY, pages=ANY, scheduler="127.0.0.1:9")
        self.master = StorageMaster(reactor, self.configuration, config, "storage-master")
        await self.run(self.master)
        for name in ("storage-1", "storage-2"):
            node_config = StorageNodeConfig(
                storage_master=self.master.listener.address, reserve=0, multicast=False
            )
            folders = [self.directory / name]
            node = StorageNode(reactor, self.configuration, node_config, name, folders, ANY)
            self.nodes.append(node)
            await self.run(node)

    async def start_index(self, name: str, follow_every: float = 0.1) -> IndexNode:
        """Start an index node, and a client that is linked to it."""
        config = IndexNodeConfig(
            folder=self.directory / name,
            hip=ANY,
            pages=ANY,
            storage_master=self.master.listener.address,
            follow_every=follow_every,
            grace=0.3,
            settle=0.0,
        )
        index = self.indexes[name] = IndexNode(reactor, self.configuration, config, name)
        await self.run(index)
        agent = Agent(reactor, "connectivity", f"client-of-{name}")
        self.links[name] = agent.connect(index.listener.address)
        agent.startService()
        self.running.append(agent)
        return index

    async def shared(self) -> None:
        """Wait until all index nodes have read their shares, and are linked to each other."""
        names = list(self.indexes)
        for index in self.indexes.values():
            share = groups_of(index.agent.agent_name, names)
            await until(lambda i=index, s=share: i.store.groups == s and len(i.view.up) == 2)
            await until(lambda i=index, s=share: i.following.sure.bit_count() == len(s))
            await until(lambda i=index: all(i.siblings.peer(each.name) for each in i.view.siblings))

    async def run(self, service: Any) -> None:
        """Start a service, and wait until it is open."""
        service.startService()
        self.running.append(service)
        await until(lambda: service.opened)

    async def stop(self, service: Any) -> None:
        """Stop one service."""
        self.running.remove(service)
        await service.stopService()

    async def stop_following(self, index: IndexNode) -> None:
        """Have an index node read no more; one whose reading is cut short is sure of nothing."""
        await until(lambda: not index.following._busy)
        await index.following.stop()

    async def stop_all(self) -> None:
        """Stop all, the newest first."""
        await self.client.stopService()
        for service in reversed(list(self.running)):
            await self.stop(service)

    async def place(self, name: str, bodies: list[bytes]) -> list[Placement]:
        """Ask an index node for places."""
        contents = [ContentSize(sha256(body).hexdigest(), len(body)) for body in bodies]
        answer = await self.links[name].call("place", contents=contents)
        return convert(answer, list[Placement])

    async def deposit(self, name: str, bodies: list[bytes], make_capture: Any) -> list[Capture]:
        """Deposit through an index node, one URL for each body."""
        captures = []
        stored: dict[str, list[str]] = {}
        self.client.startService()
        secret = (self.directory / "secret").read_bytes().strip()
        for placement, body in zip(await self.place(name, bodies), bodies, strict=True):
            captures.append(make_capture(f"http://a.example/{body.decode()}", body=body))
            for node in placement.nodes:
                url = f"{node}/contents/{placement.key}"
                header = [(b"Authorization", b"Bearer " + secret)]
                response = await self.client.request("PUT", url, header, body)
                await response.read(1000)
                assert response.head.status == 201
                stored.setdefault(placement.key, []).append(node)
        call = self.links[name].call("record", captures=captures, stored=stored)
        assert await call == len(captures)
        return captures

    async def found(self, name: str, captures: list[Capture]) -> list[int]:
        """Return on how many nodes an index node finds contents and structure files."""
        places = [("contents", each.content) for each in captures]
        places += [("structures", structure_key(each.url)) for each in captures]
        return [
            len(await self.links[name].call("find", kind=kind, key=key)) for kind, key in places
        ]


async def until(condition: Any) -> None:
    """Wait until something is so; the test fails when it is not in time."""
    deadline = reactor.seconds() + PATIENCE
    while not condition():
        assert reactor.seconds() < deadline, "waited too long"
        await sleep(reactor, 0.02)


@pytest.fixture
def several(tmp_path: Path):
    """Give index nodes that are not started."""
    several = Several(tmp_path)
    yield several
    pytest_twisted.blockon(ensured(several.stop_all()))


@ensureDeferred
async def test_what_one_recorded_the_other_knows(several: Several, make_capture) -> None:
    """Each index node answers for all keys, at once, though it keeps its share only."""
    await several.start()
    for name in NAMES:
        await several.start_index(name)
    await several.shared()
    captures = await several.deposit("index-1", BODIES, make_capture)
    assert all(placement.known for placement in await several.place("index-2", BODIES))
    assert await several.found("index-2", captures) == [2] * 2 * len(captures)
    assert [index.asking.asked for index in several.indexes.values()] == [0, 0]
    again = await several.deposit("index-2", BODIES, make_capture)
    assert again == captures


@ensureDeferred
async def test_without_a_sibling_all_is_found_all_the_same(
    several: Several, make_capture, monkeypatch
) -> None:
    """Its share is asked of the storage nodes, then read from their logs; deposits go on."""
    await several.start()
    for name in NAMES:
        await several.start_index(name)
    await several.shared()
    captures = await several.deposit("index-1", BODIES, make_capture)
    left = several.indexes["index-1"]
    logged = 2 * 2 * len(captures)
    await until(lambda: left.following.taken >= logged)
    monkeypatch.setattr(left.view, "_grace", 1e9)
    left.placing._holders._notes = type(left.placing._holders._notes)(reactor)
    await several.stop(several.indexes.pop("index-2"))
    assert await several.found("index-1", captures) == [2] * 2 * len(captures)
    assert left.asking.asked > 0
    assert await several.deposit("index-1", [b"new"], make_capture)
    monkeypatch.setattr(left.view, "_grace", 0.0)
    await several.shared()
    asked = left.asking.asked
    assert await several.found("index-1", captures) == [2] * 2 * len(captures)
    assert all(placement.known for placement in await several.place("index-1", BODIES))
    assert left.asking.asked == asked


@ensureDeferred
async def test_one_that_comes_takes_its_share(several: Several, make_capture) -> None:
    """It reads its groups from the logs, and the other drops them."""
    await several.start()
    first = await several.start_index("index-1")
    await several.shared()
    assert len(first.store.groups) == 256
    captures = await several.deposit("index-1", BODIES, make_capture)
    second = await several.start_index("index-2")
    await several.shared()
    assert set(first.store.groups) | set(second.store.groups) == set(range(256))
    assert not set(first.store.groups) & set(second.store.groups)
    places = [("contents", each.content) for each in captures]
    for index in (first, second):
        own = [bytes.fromhex(key)[0] in index.store.groups for _, key in places]
        while [len(each) for each in await index.store.holders(places)] != [2 * one for one in own]:
            await sleep(reactor, 0.01)  # what it dropped is cleared away in the background
    for name in NAMES:
        assert await several.found(name, captures) == [2] * 2 * len(captures)


@ensureDeferred
async def test_one_that_knows_nothing_works(several: Several, make_capture) -> None:
    """Before it has read a log it asks the nodes, records, and refuses what nobody holds."""
    await several.start()
    await several.start_index("index-1")
    await several.shared()
    captures = await several.deposit("index-1", BODIES, make_capture)
    index = await several.start_index("index-2", follow_every=1e9)
    await until(lambda: len(index.view.up) == 2)
    await several.stop(several.indexes.pop("index-1"))
    assert await several.found("index-2", captures) == [2] * 2 * len(captures)
    later = make_capture("http://a.example/later", day=2, body=BODIES[0])
    link = several.links["index-2"]
    assert await link.call("record", captures=[later], stored={}) == 1
    nowhere = make_capture(body=b"nowhere")
    with pytest.raises(RemoteError, match="PUT it first"):
        await link.call("record", captures=[nowhere], stored={})
    assert await link.call("find", kind="contents", key=nowhere.content) == []
    assert index.following.taken == 0


@ensureDeferred
async def test_one_that_is_back_denies_nothing(several: Several, make_capture, monkeypatch) -> None:
    """What nodes have acknowledged from their journals is in no log, and found all the same."""
    for time in ("QUIET", "AGE"):
        monkeypatch.setattr(f"agents.storage.disk.ahead.{time}", 1e9)
    await several.start()
    await several.start_index("index-1")
    await several.shared()
    captures = await several.deposit("index-1", BODIES, make_capture)
    await several.stop(several.indexes.pop("index-1"))
    index = await several.start_index("index-1")
    await several.shared()
    held = await index.store.holders([("contents", each.content) for each in captures])
    assert not any(held), "a log tells of the contents, which proves nothing"
    assert await several.found("index-1", captures) == [2] * 2 * len(captures)
    new = make_capture("http://a.example/new", body=BODIES[0])
    assert await several.links["index-1"].call("record", captures=[new], stored={}) == 1


@ensureDeferred
async def test_one_that_is_not_told_is_not_sure(several: Several, make_capture) -> None:
    """Without a link to the other it asks the nodes before it denies; the other goes on."""
    await several.start()
    first, second = [await several.start_index(name) for name in NAMES]
    await several.shared()
    assert second.following.sure.bit_count() == len(second.store.groups)
    await several.stop_following(second)
    for index in (first, second):
        index.siblings.peer = lambda name: None  # type: ignore[method-assign]
    captures = await several.deposit("index-1", BODIES, make_capture)
    assert second.following.sure == 0
    assert await several.found("index-2", captures) == [2] * 2 * len(captures)


@ensureDeferred
async def test_one_that_takes_no_note_loses_its_link(
    several: Several, make_capture, monkeypatch
) -> None:
    """It is linked anew, and reads all logs, before it denies anything."""
    await several.start()
    first, second = [await several.start_index(name) for name in NAMES]
    await several.shared()
    former = first.siblings.peer("index-2")
    monkeypatch.setattr(Holders, "note_own", None)
    captures = await several.deposit("index-1", BODIES, make_capture)
    assert first.siblings.peer("index-2") is not former
    monkeypatch.undo()
    await several.shared()
    assert await several.found("index-2", captures) == [2] * 2 * len(captures)


@ensureDeferred
async def test_one_of_which_the_master_has_not_told_takes_note_too(
    several: Several, make_capture, monkeypatch
) -> None:
    """It is linked to one that the master does not reach, and that goes on with all keys."""
    await several.start()
    second = await several.start_index("index-2")
    await several.shared()
    monkeypatch.setattr(second.view, "change", lambda change: None)
    first = await several.start_index("index-1")
    share = groups_of("index-1", NAMES)
    await until(lambda: first.following.sure.bit_count() == len(share))
    assert second.siblings.links is None, "it is sure of nothing"
    await several.stop_following(first)
    captures = await several.deposit("index-2", BODIES, make_capture)
    assert first.following.sure
    assert await several.found("index-1", captures) == [2] * 2 * len(captures)


@ensureDeferred
async def test_one_that_is_not_told_of_a_newcomer_takes_note_too(
    several: Several, make_capture, monkeypatch
) -> None:
    """The master does not reach it when the third comes, and it goes on with what it had."""
    await several.start()
    first, second = [await several.start_index(name) for name in NAMES]
    await several.shared()
    had = groups_of("index-1", NAMES)
    monkeypatch.setattr(first.view, "change", lambda change: None)
    await several.start_index("index-3")
    await until(lambda: second.siblings.peer("index-3"))
    await until(lambda: second.store.groups == groups_of("index-2", [*NAMES, "index-3"]))
    await until(lambda: first.following.sure.bit_count() == len(had))
    await several.stop_following(first)
    second.view._since |= {"index-1": -inf, "index-3": inf}  # only the third is new
    captures = await several.deposit("index-2", BODIES, make_capture)
    assert first.following.sure.bit_count() == len(had)
    assert all(await several.found("index-1", captures))  # it denies nothing


@ensureDeferred
async def test_the_page_shows_the_share(several: Several) -> None:
    """Both index nodes are named, with their parts of the groups."""
    await several.start()
    for name in NAMES:
        await several.start_index(name)
    await several.shared()
    several.client.startService()
    port = several.indexes["index-2"].server.port
    response = await several.client.request("GET", f"http://127.0.0.1:{port}/")
    text = (await response.read(1 << 20)).decode()
    assert "of 256" in text and "this one" in text and "linked" in text
