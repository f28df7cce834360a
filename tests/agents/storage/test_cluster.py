"""Master, index node and storage nodes together, over real sockets on loopback."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import Capture, structure_key
from agents.configuration import load
from agents.deposit import ContentSize, Placement
from agents.storage.disk.ahead import WriteAhead
from agents.storage.disk.layout import Layout
from agents.storage.disk.structures import read_captures
from agents.storage.errors import DamagedStructure
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.service import IndexNode
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.service import StorageMaster
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode
from agents.storage.status import Followed
from anet.http import HttpClient
from anet.tasks import sleep
from hip import Agent, Link, RemoteError, convert

ANY = "127.0.0.1:0"
URL = "http://a.example/"
PATIENCE = 60.0  # seconds


class Cluster:
    """Agents of one archive in this process, each started and stopped as a test likes."""

    def __init__(self, directory: Path) -> None:
        self.configuration = load(directory=directory, base_port=60000)
        self.directory = directory
        self.client = HttpClient(reactor)
        self.running: list[Any] = [self.client]
        self.master: StorageMaster
        self.index: IndexNode
        self.nodes: dict[str, StorageNode] = {}
        self.client_agent = Agent(reactor, "connectivity", "connectivity")
        self.link: Link

    async def start(self, nodes: int = 2, **master: Any) -> None:
        """Start everything, and link a depositor to the index node."""
        config = {"settle": 0.1, "grace": 0.3, "sweep_every": 1.0} | master
        await self.start_master(ANY, **config)
        for number in range(1, nodes + 1):
            await self.start_node(f"storage-{number}")
        await self.start_clients()

    async def start_clients(self) -> None:
        """Start the index node, and link a depositor to it."""
        await self.start_index()
        self.link = self.client_agent.connect(self.master.listener.address)
        self.client_agent.startService()
        self.running.append(self.client_agent)
        await until(lambda: self.link.peer is not None and self.link.peer.kind == "index-node")
        await until(lambda: len(self.index.view.up) == len(self.nodes))

    async def start_master(self, hip: str, **settings: Any) -> None:
        """Start the master."""
        config = StorageMasterConfig(hip=hip, pages=ANY, scheduler="127.0.0.1:9", **settings)
        self.master = StorageMaster(reactor, self.configuration, config, "storage-master")
        await self.run(self.master)

    async def start_index(self) -> None:
        """Start the index node."""
        master = self.master.listener.address
        config = IndexNodeConfig(
            hip=ANY, pages=ANY, storage_master=master, follow_every=0.1, settle=0.0
        )
        self.index = IndexNode(reactor, self.configuration, config, "index-1")
        await self.run(self.index)

    async def start_node(self, name: str, disks: int = 1) -> StorageNode:
        """Start a storage node, on the disks it had."""
        config = StorageNodeConfig(
            storage_master=self.master.listener.address, reserve=0, multicast=False
        )
        folders = [self.directory / name]
        folders += [self.directory / f"{name}-{number}" for number in range(2, disks + 1)]
        node = StorageNode(reactor, self.configuration, config, name, folders, ANY)
        self.nodes[name] = node
        await self.run(node)
        return node

    async def run(self, service: Any) -> None:
        """Start a service and wait until it is open."""
        service.startService()
        self.running.append(service)
        await until(lambda: service.opened)

    async def stop(self, service: Any) -> None:
        """Stop one service."""
        self.running.remove(service)
        await service.stopService()

    async def stop_all(self) -> None:
        """Stop all, the newest first."""
        for service in reversed(list(self.running)):
            await self.stop(service)

    async def deposit(self, *captures: tuple[Capture, bytes]) -> int:
        """Deposit captures as a connectivity agent does."""
        sizes = {each.content: ContentSize(each.content, each.size) for each, _ in captures}
        bodies = {each.content: body for each, body in captures}
        placed = convert(
            await self.link.call("place", contents=list(sizes.values())), list[Placement]
        )
        stored: dict[str, list[str]] = {}
        for placement in placed:
            for node in placement.nodes:
                url = f"{node}/contents/{placement.key}"
                response = await self.client.request(
                    "PUT", url, self.credential, bodies[placement.key]
                )
                assert response.head.status in (200, 201), await response.read(1000)
                await response.read(1000)
                stored.setdefault(placement.key, []).append(node)
        wanted = [each for each, _ in captures]
        return int(await self.link.call("record", captures=wanted, stored=stored))

    @property
    def credential(self) -> list[tuple[bytes, bytes]]:
        """The header for writes."""
        secret = (self.directory / "secret").read_text().strip()
        return [(b"Authorization", f"Bearer {secret}".encode())]

    def copies(self, url: str = URL) -> dict[str, list[Capture]]:
        """Return the captures of a URL on every disk that has some."""
        found = {
            name: list(read_captures(node.store.disks[0].layout, structure_key(url)))
            for name, node in self.nodes.items()
        }
        return {name: captures for name, captures in found.items() if captures}

    def holders(self, body: bytes) -> set[str]:
        """Return the nodes on whose disk a content is."""
        key = sha256(body).hexdigest()
        return {name for name, node in self.nodes.items() if node.store.holds("contents", key)}


async def until(condition: Callable[[], Any | Awaitable[Any]]) -> None:
    """Wait until something is so; the test fails when it is not in time."""
    deadline = reactor.seconds() + PATIENCE
    while not condition():
        assert reactor.seconds() < deadline, "waited too long"
        await sleep(reactor, 0.02)


@pytest.fixture
def cluster(tmp_path: Path):
    """Give a cluster that is not started."""
    cluster = Cluster(tmp_path)
    yield cluster
    pytest_twisted.blockon(ensured(cluster.stop_all()))


@ensureDeferred
async def test_a_deposit_is_on_two_nodes(cluster: Cluster, make_capture) -> None:
    """Content and structure file are on both nodes when the deposit is acknowledged."""
    await cluster.start()
    assert await cluster.deposit((make_capture(), b"body")) == 1
    assert cluster.holders(b"body") == {"storage-1", "storage-2"}
    assert cluster.copies() == {name: [make_capture()] for name in cluster.nodes}
    again = convert(
        await cluster.link.call("place", contents=[ContentSize(make_capture().content, 4)]),
        list[Placement],
    )
    assert again[0].known and again[0].nodes == []
    assert await cluster.deposit((make_capture(), b"body")) == 1
    assert len(cluster.copies()["storage-1"]) == 1


@ensureDeferred
async def test_find_names_the_nodes(cluster: Cluster, make_capture) -> None:
    """Both kinds are found on the nodes that hold them, and nothing where there is nothing."""
    await cluster.start()
    await cluster.deposit((make_capture(), b"body"))
    urls = {node.url for node in cluster.nodes.values()}
    wanted = [("contents", make_capture().content), ("structures", structure_key(URL))]
    for kind, key in wanted:
        assert set(await cluster.link.call("find", kind=kind, key=key)) == urls
    assert await cluster.link.call("find", kind="contents", key="0" * 64) == []


@ensureDeferred
async def test_what_only_nodes_that_are_down_hold_is_not_called_unknown(
    cluster: Cluster, make_capture
) -> None:
    """The archive knows the key and cannot reach it now, which is another answer than none."""
    await cluster.start()
    await cluster.deposit((make_capture(), b"body"))
    await until(lambda: cluster.index.following.sure)
    for node in list(cluster.nodes.values()):
        await cluster.stop(node)
    await until(lambda: not cluster.index.view.up)
    for kind, key in (("contents", make_capture().content), ("structures", structure_key(URL))):
        with pytest.raises(RemoteError, match="storage-1, storage-2") as refused:
            await cluster.link.call("find", kind=kind, key=key)
        assert refused.value.code == "holders-down"
    assert await cluster.link.call("find", kind="structures", key="0" * 64) == []
    with pytest.raises(RemoteError, match="one may hold it"):  # in its journal, for one
        await cluster.link.call("find", kind="contents", key="0" * 64)


@ensureDeferred
async def test_a_node_that_comes_back_with_old_data_is_made_whole(
    cluster: Cluster, make_capture
) -> None:
    """A disk put back from a copy of yesterday lacks what was added since, and gets it again."""
    await cluster.start()
    await cluster.deposit((make_capture(day=1), b"body"))
    await cluster.stop(cluster.nodes.pop("storage-2"))
    yesterday = cluster.directory / "yesterday"
    copytree(cluster.directory / "storage-2", yesterday)
    node = await cluster.start_node("storage-2")
    await until(lambda: node.url in {each.status.url for each in cluster.index.view.up})
    other = make_capture(day=2, body=b"other")
    await cluster.deposit((other, b"other"))
    await until(lambda: cluster.holders(b"other") == {"storage-1", "storage-2"})
    await cluster.stop(cluster.nodes.pop("storage-2"))
    rmtree(cluster.directory / "storage-2")
    yesterday.rename(cluster.directory / "storage-2")
    node = await cluster.start_node("storage-2")
    await until(lambda: cluster.copies().get("storage-2") == [make_capture(day=1), other])
    await until(lambda: cluster.holders(b"other") == {"storage-1", "storage-2"})
    disk, log = node.store.disks[0].name, node.store.disks[0].additions

    async def followed() -> list[Followed]:
        by_master = await cluster.master.catalogue.register("storage-2", node.url, [disk])
        by_index = cluster.index.store.disks["storage-2", disk].readings
        return [by_master[disk], *(reading.followed for reading in by_index)]

    deadline = reactor.seconds() + PATIENCE
    while await followed() != [Followed(log.log, log.position)] * 2:
        assert reactor.seconds() < deadline, "the log is not followed to its end"
        await sleep(reactor, 0.05)


@ensureDeferred
async def test_a_capture_without_its_content_is_refused(cluster: Cluster, make_capture) -> None:
    """No structure file ever names a content that nobody holds."""
    await cluster.start()
    with pytest.raises(RemoteError, match="PUT it first") as refused:
        await cluster.link.call("record", captures=[make_capture()], stored={})
    assert refused.value.code == "invalid-capture"
    assert cluster.copies() == {}


@ensureDeferred
async def test_deposits_go_on_without_a_node_and_it_comes_back_whole(
    cluster: Cluster, make_capture
) -> None:
    """A node that was away while others recorded gets contents and captures when it is back."""
    await cluster.start()
    await cluster.deposit((make_capture(day=1), b"body"))
    away = cluster.nodes["storage-2"]
    await cluster.stop(away)
    await until(lambda: len(cluster.index.view.up) == 1)
    other = make_capture(day=2, body=b"other")
    assert await cluster.deposit((other, b"other")) == 1
    assert cluster.holders(b"other") == {"storage-1"}
    await cluster.start_node("storage-2")
    both = [make_capture(day=1), other]
    await until(lambda: cluster.copies().get("storage-2") == both)
    await until(lambda: cluster.holders(b"other") == {"storage-1", "storage-2"})


@ensureDeferred
async def test_what_was_acknowledged_survives_a_disk_while_a_holder_is_silent(
    cluster: Cluster, make_capture
) -> None:
    """A capture recorded while one holder did not answer is on two nodes when that is said.

    So it outlives the disk of the other holder, and all copies come to have all captures; the one
    that stands in has them from the beginning, so that no reader is misled.
    """
    await cluster.start(nodes=3, settle=3.0)
    await cluster.deposit((make_capture(day=1), b"body"))
    lost, silent = cluster.copies()
    cluster.index.view.suspect(silent)
    await cluster.deposit((make_capture(day=2), b"body"))
    holders = {name for name, held in cluster.copies().items() if make_capture(day=2) in held}
    assert len(holders) == 2 and silent not in holders
    assert all(len(cluster.copies()[name]) == 2 for name in holders)
    await cluster.stop(cluster.nodes.pop(lost))
    rmtree(cluster.directory / lost)
    both = [make_capture(day=day) for day in (1, 2)]
    await until(lambda: cluster.copies() == dict.fromkeys(cluster.nodes, both))


@ensureDeferred
async def test_copies_that_went_apart_are_merged_both_ways(cluster: Cluster, make_capture) -> None:
    """Captures recorded on different nodes, each while the other was away, come together."""
    await cluster.start()
    await cluster.deposit((make_capture(day=1), b"body"))
    await cluster.nodes["storage-1"].store.append([make_capture(day=2)])
    await cluster.nodes["storage-2"].store.append([make_capture(day=3)])
    wanted = [make_capture(day=day) for day in (1, 2, 3)]
    await until(lambda: cluster.copies() == dict.fromkeys(cluster.nodes, wanted))


@ensureDeferred
async def test_one_damaged_file_does_not_cost_a_node(cluster: Cluster, make_capture) -> None:
    """Deposits go on on the sound copy, and the node with the damaged one still takes the rest."""
    await cluster.start()
    await cluster.deposit((make_capture(day=1), b"body"))
    heads = cluster.nodes["storage-1"].store.disks[0].layout.heads(structure_key(URL))
    heads.write_bytes(b"rot" + heads.read_bytes()[3:])
    other = make_capture(f"{URL}other", day=2)
    assert await cluster.deposit((make_capture(day=2), b"body"), (other, b"body")) == 2
    assert len(cluster.index.view.up) == 2
    assert cluster.copies(other.url) == dict.fromkeys(cluster.nodes, [other])
    assert heads.read_bytes()[:3] == b"rot"


@ensureDeferred
async def test_a_lost_node_is_made_up_for(cluster: Cluster, make_capture) -> None:
    """After its grace, what a lost node held is copied from the other holder to a third node."""
    await cluster.start(nodes=3)
    found = [(make_capture(f"{URL}{n}", body=b"%d" % n), b"%d" % n) for n in range(12)]
    await cluster.deposit(*found)
    lost = cluster.nodes.pop("storage-3")
    await cluster.stop(lost)
    left = {"storage-1", "storage-2"}
    await until(lambda: all(cluster.holders(body) == left for _, body in found))
    await until(lambda: all(set(cluster.copies(each.url)) == left for each, _ in found))


@ensureDeferred
async def test_a_lost_index_comes_back_from_the_nodes(cluster: Cluster, make_capture) -> None:
    """An index node that lost its database knows again what the archive has."""
    await cluster.start()
    await cluster.deposit((make_capture(), b"body"))
    await cluster.stop(cluster.index)
    for file in (cluster.directory / "index").iterdir():
        file.unlink()
    with pytest.raises(RemoteError, match="no-index"):
        await until(lambda: cluster.link.peer and cluster.link.peer.kind == "storage-master")
        await cluster.link.call("find", kind="contents", key="0" * 64)
    await cluster.start_index()
    await until(lambda: cluster.link.peer and cluster.link.peer.kind == "index-node")
    await until(lambda: cluster.index.following.taken >= 4)
    found = await cluster.link.call("find", kind="contents", key=make_capture().content)
    assert len(found) == 2
    assert await cluster.deposit((make_capture(day=2), b"body")) == 1


@ensureDeferred
async def test_a_lost_master_learns_all_again(cluster: Cluster, make_capture) -> None:
    """A master without its database is told everything by the nodes, and deposits never stop."""
    await cluster.start()
    await cluster.deposit((make_capture(), b"body"))
    address = cluster.master.listener.address
    await cluster.stop(cluster.master)
    for file in (cluster.directory / "storage-master").iterdir():
        file.unlink()
    assert await cluster.deposit((make_capture(day=2), b"body")) == 1
    await cluster.start_master(address, settle=0.1, grace=0.3)
    catalogue = cluster.master.catalogue
    await until(lambda: len(cluster.master.registry.up) == 2)
    key = make_capture().content
    deadline = reactor.seconds() + PATIENCE
    while len(await catalogue.holders("contents", key)) < 2:
        assert reactor.seconds() < deadline
        await sleep(reactor, 0.05)


@ensureDeferred
async def test_without_storage_nodes_there_is_no_place(cluster: Cluster) -> None:
    """A typed refusal says that no node is up."""
    await cluster.start(nodes=0)
    with pytest.raises(RemoteError) as refused:
        await cluster.link.call("place", contents=[ContentSize("0" * 64, 1)])
    assert refused.value.code == "no-storage"


@ensureDeferred
async def test_every_agent_has_its_pages(cluster: Cluster) -> None:
    """Page, JSON and figures are served by master, index node and storage node."""
    await cluster.start()
    for service in (cluster.master, cluster.index, cluster.nodes["storage-1"]):
        for path in ("/", "/status.json", "/metrics"):
            url = f"http://127.0.0.1:{service.server.port}{path}"
            response = await cluster.client.request("GET", url)
            body = await response.read(1 << 20)
            assert response.head.status == 200 and body
    assert b"dlweb_storage_node_contents" in body


@ensureDeferred
async def test_what_rots_is_mended(cluster: Cluster, make_capture) -> None:
    """An audit finds damage on one node, and the master has it made good from the other."""
    await cluster.start()
    await cluster.deposit((make_capture(day=1), b"body"), (make_capture(day=2), b"body"))
    node = cluster.nodes["storage-1"]
    layout = node.store.disks[0].layout
    content, heads = layout.content(make_capture().content), layout.heads(structure_key(URL))
    await node.store.disks[0].ahead.settle()
    content.write_bytes(b"rot!")
    heads.write_bytes(heads.read_bytes()[:-3] + b"rot")
    assert len(_readable(layout)) == 0
    node.auditing.hurry()
    await until(lambda: node.auditing.found == 2)
    await until(lambda: content.exists() and content.read_bytes() == b"body")
    await until(lambda: _readable(layout) == [make_capture(day=day) for day in (1, 2)])
    status = node.status().disks[0]
    assert status.damaged == 2 and status.audited > 0


def _readable(layout: Layout) -> list[Capture]:
    try:
        return list(read_captures(layout, structure_key(URL)))
    except DamagedStructure:
        return []


@ensureDeferred
async def test_a_node_loses_one_of_its_disks(cluster: Cluster, make_capture) -> None:
    """What was on the disk is forgotten, made good on the disks that are left, and served."""
    await cluster.start_master(ANY, settle=0.1, grace=0.3, sweep_every=1.0)
    one, two = (
        await cluster.start_node("storage-1", disks=3),
        await cluster.start_node("storage-2", disks=1),
    )
    await cluster.start_clients()
    bodies = [b"%d" % number for number in range(20)]
    found = [(make_capture(f"{URL}{n}", body=body), body) for n, body in enumerate(bodies)]
    await cluster.deposit(*found)
    lost = one.store.disks[1]
    held = await lost.listing("contents", "", 100)
    lost.layout.root.rename(cluster.directory / "away")
    await one.store.look()
    assert held and len(one.status().disks) == 2 and len(one.status().missing) == 1

    def whole() -> bool:
        keys = [sha256(body).hexdigest() for body in bodies]
        urls = [structure_key(capture.url) for capture, _ in found]
        return all(one.store.holds("contents", key) for key in keys) and all(
            one.store.holds("structures", key) for key in urls
        )

    await until(whole)
    assert two.status().contents == len(bodies)


async def _lose_disk_untold(cluster: Cluster, monkeypatch, deposit: Any) -> StorageNode:
    """Have a deposit acknowledged from journals, and lose a disk before any log tells of it."""
    await until(lambda: len(cluster.index.store.disks) == len(cluster.nodes))
    with monkeypatch.context() as patch:
        patch.setattr(WriteAhead, "_make", lambda ahead: None)
        await cluster.deposit(deposit)
        logs = [node.store.disks[0].additions for node in cluster.nodes.values()]
        entries = [entry for log in logs for entry in log.read("", 0).entries]
        assert not any(entry.kind == "contents" for entry in entries)
        await cluster.stop(cluster.nodes["storage-1"])
    rmtree(cluster.directory / "storage-1")
    (cluster.directory / "storage-1.disks").unlink()
    return await cluster.start_node("storage-1")


@ensureDeferred
async def test_a_disk_is_lost_before_its_log_tells(
    cluster: Cluster, make_capture, monkeypatch
) -> None:
    """What was acknowledged from two journals has two replicas again, though one was never told."""
    await cluster.start()
    await _lose_disk_untold(cluster, monkeypatch, (make_capture(), b"body"))
    await cluster.nodes["storage-2"].store.disks[0].ahead.settle()
    await until(lambda: len(cluster.holders(b"body")) == 2 and len(cluster.copies()) == 2)


@ensureDeferred
async def test_what_only_a_lost_disk_had_is_not_known_any_more(
    cluster: Cluster, make_capture, monkeypatch
) -> None:
    """With one node up, its disk is the only one; whoever brings the content again is welcome."""
    await cluster.start(nodes=1)
    await _lose_disk_untold(cluster, monkeypatch, (make_capture(), b"body"))
    await until(
        lambda: (
            [disk.name for node in cluster.index.view.up for disk in node.status.disks]
            == [cluster.nodes["storage-1"].store.disks[0].name]
        )
    )
    asked = [ContentSize(make_capture().content, 4)]

    async def is_known() -> bool:
        [placement] = convert(await cluster.link.call("place", contents=asked), list[Placement])
        return placement.known

    deadline = reactor.seconds() + PATIENCE
    while await is_known():
        assert reactor.seconds() < deadline, "the index believes in a disk that is lost"
        await sleep(reactor, 0.05)
    await cluster.deposit((make_capture(), b"body"))
    assert cluster.holders(b"body") == {"storage-1"}
