"""A master and real storage nodes: what one asks of the other is what the other does."""

from hashlib import sha256
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import Capture, structure_key
from agents.storage.disk import disks as disks_module
from agents.storage.disk.structures import read_captures
from agents.storage.master.progress import DrainStatus
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode

URL = "http://a.example/"
BODIES = [b"%d" % number * 100 for number in range(12)]


def _capture(day: int) -> Capture:
    return Capture(
        url=URL,
        date=f"202601{day:02}120000000000",
        content=sha256(BODIES[day]).hexdigest(),
        size=len(BODIES[day]),
        status=200,
        head=b"HTTP/1.1 200 OK\r\n\r\n",
    )


class RealNodes:
    """Storage nodes in this process, each with two disks."""

    def __init__(self, household: Any) -> None:
        self.household = household
        self.services: dict[str, StorageNode] = {}

    async def start(self, count: int) -> None:
        """Start so many."""
        for number in range(1, count + 1):
            name = f"storage-{number}"
            config = StorageNodeConfig(
                storage_master=self.household.master.listener.address, reserve=0, multicast=False
            )
            folders = [self.household.directory / name / disk for disk in "ab"]
            self.services[name] = StorageNode(
                reactor, self.household.configuration, config, name, folders, "127.0.0.1:0"
            )
            self.services[name].startService()
        await self.household.until(lambda: len(self.household.master.registry.up) == count)

    async def stop(self) -> None:
        """Stop all."""
        for service in self.services.values():
            await service.stopService()

    def holders(self, body: bytes) -> set[str]:
        """Return the nodes on whose disks a content is."""
        key = sha256(body).hexdigest()
        return {
            name
            for name, service in self.services.items()
            if any(disk.layout.content(key).exists() for disk in service.store.disks)
        }

    def copies(self) -> dict[str, list[Capture]]:
        """Return the captures of the URL on every node that has some."""
        found = {
            name: [
                capture
                for disk in service.store.disks
                for capture in read_captures(disk.layout, structure_key(URL))
            ]
            for name, service in self.services.items()
        }
        return {name: captures for name, captures in found.items() if captures}


@pytest.fixture
def nodes(household):
    """Give nodes that are not started."""
    nodes = RealNodes(household)
    yield nodes
    pytest_twisted.blockon(ensured(nodes.stop()))


@ensureDeferred
async def test_nodes_remove_what_is_one_too_many_and_fill_in_for_a_drain(household, nodes) -> None:
    """Of three replicas one goes, contents and structure file alike; a drain brings it back."""
    await household.start()
    await nodes.start(3)
    for service in nodes.services.values():
        for body in BODIES:
            await service.store.put(sha256(body).hexdigest(), body)
        await service.store.append([_capture(1), _capture(2)])
    await household.until(lambda: all(len(nodes.holders(body)) == 2 for body in BODIES))
    await household.until(lambda: len(nodes.copies()) == 2)
    assert all(captures == [_capture(1), _capture(2)] for captures in nodes.copies().values())
    await household.ask("drain", node="storage-1")

    async def may_go() -> bool:
        return (await household.status()).drains == [DrainStatus("storage-1", "", 0)]

    await household.until(may_go)
    others = {"storage-2", "storage-3"}
    assert all(others <= nodes.holders(body) for body in BODIES)
    assert others <= set(nodes.copies())


@ensureDeferred
async def test_nodes_begin_an_audit_when_the_master_says_so(household, nodes) -> None:
    """A content that rotted since is found, and mended from the other node."""
    await household.start()
    await nodes.start(2)
    key = sha256(BODIES[0]).hexdigest()
    for service in nodes.services.values():
        await service.store.put(key, BODIES[0])
    await household.until(lambda: nodes.holders(BODIES[0]) == {"storage-1", "storage-2"})
    [path] = [
        disk.layout.content(key)
        for disk in nodes.services["storage-1"].store.disks
        if disk.layout.content(key).exists()
    ]
    path.write_bytes(b"rot" + BODIES[0][3:])
    assert [it["name"] for it in await household.ask("audit", node="storage-1")] == ["storage-1"]

    def is_mended() -> bool:
        disks = nodes.services["storage-1"].store.disks
        paths = [disk.layout.content(key) for disk in disks]
        return [path.read_bytes() for path in paths if path.exists()] == [BODIES[0]]

    await household.until(is_mended)


@ensureDeferred
async def test_a_disk_that_is_drained_takes_nothing_new(household, nodes) -> None:
    """What is deposited meanwhile goes to the node's other disk."""
    await household.start()
    await nodes.start(2)
    one, other = nodes.services["storage-1"].store.disks
    await household.ask("drain", node="storage-1", disk=one.name)
    for body in BODIES:
        await nodes.services["storage-1"].store.put(sha256(body).hexdigest(), body)
    keys = [sha256(body).hexdigest() for body in BODIES]
    assert not any(one.holds("contents", key) for key in keys)
    assert all(other.holds("contents", key) for key in keys)


@pytest.mark.parametrize("count", [1, 2])
@ensureDeferred
async def test_a_disk_is_drained_onto_the_other_of_its_node(household, nodes, count: int) -> None:
    """Also where there is no other node; and where there is one, it takes nothing for that."""
    await household.start()
    await nodes.start(count)
    node = nodes.services["storage-1"]
    one, other = node.store.disks
    keys = [sha256(body).hexdigest() for body in BODIES]
    for key, body in zip(keys, BODIES, strict=True):
        for service in nodes.services.values():
            await service.store.put(key, body)
    await one.append([_capture(1), _capture(2)])
    if count == 2:
        await nodes.services["storage-2"].store.append([_capture(1), _capture(2)])
    before = sum(service.fetcher.contents for service in nodes.services.values())
    await household.until(lambda: node.reporter.told >= 13)
    await household.ask("drain", node="storage-1", disk=one.name)
    wanted = [DrainStatus("storage-1", one.name, 0)]

    async def may_go() -> bool:
        return (await household.status()).drains == wanted

    await household.until(may_go)
    assert not sum(one.holdings.counts.values())
    assert not list(one.layout.root.glob("[cs]*/*/*/*"))
    assert all(other.layout.content(key).exists() for key in keys)
    assert nodes.copies()["storage-1"] == [_capture(1), _capture(2)]
    assert sum(service.fetcher.contents for service in nodes.services.values()) == before


@ensureDeferred
async def test_what_a_disk_that_comes_back_holds_is_known_again(
    household, nodes, monkeypatch
) -> None:
    """The master forgets what went with the disk, and is told of all of it once it is back."""
    monkeypatch.setattr(disks_module, "LOOK_EVERY", 0.1)
    await household.start()
    await nodes.start(1)
    node = nodes.services["storage-1"]
    lost, other = node.store.disks
    for body in BODIES:
        await lost.put(sha256(body).hexdigest(), body)
    await lost.ahead.settle()
    catalogue = household.master.catalogue
    keys = [sha256(body).hexdigest() for body in BODIES]

    async def known() -> bool:
        return all([await catalogue.holders("contents", key) for key in keys])

    async def unknown() -> bool:
        return not any([await catalogue.holders("contents", key) for key in keys])

    await household.until(known)
    root = lost.layout.root
    root.rename(root.with_name("away"))
    await household.until(unknown)
    root.with_name("away").rename(root)
    await household.until(known)
    [back] = [disk for disk in node.store.disks if disk is not other]
    assert back is not lost and back.name == lost.name
    assert node.auditing.status(back).name == lost.name and back in node.auditing._audits
    assert lost not in node.auditing._audits


@ensureDeferred
async def test_a_node_tells_again_what_the_master_could_not_take_in(
    household, nodes, monkeypatch
) -> None:
    """It links anew, and goes on where the master says."""
    await household.start()
    await nodes.start(2)

    async def broken(*_: Any) -> Any:
        monkeypatch.undo()
        raise OSError("the disk of the database is full")

    monkeypatch.setattr(household.master.catalogue, "add", broken)
    for body in BODIES:
        await nodes.services["storage-1"].store.put(sha256(body).hexdigest(), body)
    await household.until(lambda: all(len(nodes.holders(body)) == 2 for body in BODIES))
