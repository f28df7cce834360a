"""A storage node whose contents live in a bucket, beside one that has them on its disk."""

import json
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured
from twisted.protocols.portforward import ProxyFactory

from agents.archive.holdings import NotArchived, content_of
from agents.capture import structure_key
from agents.configuration import load
from agents.storage.disk import shipping
from agents.storage.disk.layout import Layout
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode
from agents.storage.stores import bucket, depot
from agents.storage.stores.bucket import Bucket
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.depot_map import bucket_of
from agents.storage.stores.errors import NotHeld
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.places import store_at
from anet.http import HttpClient
from anet.tasks import sleep

BODY = bytes(range(256)) * 40
KEY = sha256(BODY).hexdigest()
LARGE = bytes(range(251)) * 4000
LARGE_KEY = sha256(LARGE).hexdigest()
URL = "http://a.example/"


class Node:
    """A storage node, and a client for it."""

    def __init__(self, directory: Path, contents: str | None) -> None:
        self.directory = directory
        self._config = StorageNodeConfig(
            contents=contents, storage_master="127.0.0.1:9", reserve=0, multicast=False
        )
        self.client = HttpClient(reactor)

    async def start(self) -> None:
        """Start, and wait until it is open."""
        configuration = load(directory=self.directory, base_port=60000)
        folder = self.directory / "storage-1"
        self.service = StorageNode(
            reactor, configuration, self._config, "storage-1", [folder], "127.0.0.1:0"
        )
        self.service.startService()
        await until(lambda: self.service.opened)
        [self.disk] = self.service.store.disks

    async def stop(self) -> None:
        """Stop, in good order."""
        await self.service.stopService()

    async def ask(self, method: str, path: str, body: bytes = b"", **fields: str) -> Any:
        """Return status, length said and body of an answer."""
        secret = (self.directory / "secret").read_text().strip()
        headers = [(b"Authorization", f"Bearer {secret}".encode())]
        headers += [
            (name.replace("_", "-").encode(), each.encode()) for name, each in fields.items()
        ]
        url = f"http://{self.service.server.address}{path}"
        response = await self.client.request(method, url, headers, body)
        length = response.head.headers.get(b"content-length")
        return response.head.status, int(length or -1), await response.read(1 << 26)

    async def figure(self, name: str) -> float:
        """Return one of the node's figures, as Prometheus reads it."""
        _, _, text = await self.ask("GET", "/metrics")
        [found] = re.findall(rf"^dlweb_storage_node_{name} (\S+)$", text.decode(), re.M)
        return float(found)

    async def settle(self) -> None:
        """Wait until the bucket has all that the node took, if there is one."""
        await self.disk.ahead.settle()
        if self.disk.shipping is not None:
            await until(lambda: not self.disk.shipping.behind)

    def files(self) -> list[str]:
        """Return the names of the contents that are on the disk."""
        return [each.name for each in (self.disk.layout.root / "contents").glob("*/*/*")]


async def until(condition: Any) -> None:
    """Wait until something is so."""
    deadline = reactor.seconds() + 30
    while not condition():
        assert reactor.seconds() < deadline, "it never came so"
        await sleep(reactor, 0.02)


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a bucket that is away tried again soon."""
    monkeypatch.setattr(bucket, "_ATTEMPTS", 1)
    monkeypatch.setattr(shipping, "AGAIN", 0.1)
    monkeypatch.setattr(shipping, "_TICK", 0.02)


@pytest.fixture(params=["disk", "bucket"])
def node(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Node]:
    """Give a node that runs, with its contents on its disk or in a bucket."""
    contents = None
    if request.param == "bucket":
        seaweed = request.getfixturevalue("seaweed")
        contents = seaweed.address("archives", f"of/{tmp_path.name}")
    yield from running(Node(tmp_path, contents))


@pytest.fixture
def in_bucket(seaweed: Any, tmp_path: Path) -> Iterator[Node]:
    """Give a node that runs, with its contents in a bucket."""
    yield from running(Node(tmp_path, seaweed.address("archives", f"of/{tmp_path.name}")))


def running(node: Node) -> Iterator[Node]:
    """Start a node, and stop it afterwards."""
    pytest_twisted.blockon(ensured(node.start()))
    yield node
    pytest_twisted.blockon(ensured(node.client.stopService()))
    pytest_twisted.blockon(ensured(node.stop()))


def objects(seaweed: Any, node: Node) -> Bucket:
    """Return the objects of a node's only disk."""
    prefix = f"of/{node.directory.name}/{node.disk.name}"
    return Bucket(BucketAddress.parse(seaweed.address("archives", prefix)))


def name_of(key: str) -> str:
    """Return the name of a content's object."""
    return f"contents/{key[:2]}/{key[2:4]}/{key}"


@pytest.mark.parametrize(
    ("wanted", "status", "part"),
    [
        ("bytes=0-9", 206, slice(0, 10)),
        ("bytes=9000-", 206, slice(9000, None)),
        ("bytes=-5", 206, slice(-5, None)),
        ("bytes=9999999-", 416, None),
        ("bytes=5-2", 200, slice(None)),
    ],
)
@ensureDeferred
async def test_contents_come_out_as_they_went_in(
    node: Node, wanted: str, status: int, part: slice | None
) -> None:
    """PUT, GET, HEAD, ranges, tags and listings say the same, wherever contents live."""
    for key, body in ((KEY, BODY), (LARGE_KEY, LARGE)):
        path = f"/contents/{key}"
        assert (await node.ask("PUT", path, body))[0] == 201
        await node.settle()
        assert (await node.ask("PUT", path, body))[0] == 200
        assert (await node.ask("PUT", path, b"other"))[0] == 409
        assert await node.ask("GET", path) == (200, len(body), body)
        assert await node.ask("HEAD", path) == (200, len(body), b"")
        assert (await node.ask("GET", path, If_None_Match=f'"{key}"'))[0] == 304
        found, _, answer = await node.ask("GET", path, Range=wanted)
        assert found == status
        assert part is None or answer == body[part]
    await node.settle()
    assert bool(node.files()) == (node.disk.shipping is None)
    listing = json.loads((await node.ask("GET", "/listing/contents"))[2])
    assert dict(zip(listing["keys"], listing["sizes"], strict=True)) == {
        KEY: len(BODY),
        LARGE_KEY: len(LARGE),
    }
    assert node.disk.holdings.counts["contents"] == 2


@ensureDeferred
async def test_what_is_removed_is_gone_and_may_come_again(node: Node) -> None:
    """A removed content is held no more, not after a restart either; it can be put anew."""
    await node.ask("PUT", f"/contents/{KEY}", BODY)
    await node.settle()
    assert await node.service.store.remove("contents", KEY)
    await node.settle()
    assert (await node.ask("GET", f"/contents/{KEY}"))[0] == 404
    await node.stop()
    await node.start()
    assert (await node.ask("GET", f"/contents/{KEY}"))[0] == 404
    assert (await node.ask("PUT", f"/contents/{KEY}", BODY))[0] == 201
    await node.settle()
    assert (await node.ask("GET", f"/contents/{KEY}"))[2] == BODY


@ensureDeferred
async def test_damage_is_found_and_mended(node: Node, seaweed: Any) -> None:
    """An audit says that a damaged content is gone; a sound copy then takes its place."""
    await node.ask("PUT", f"/contents/{KEY}", BODY)
    await node.settle()
    damaged = b"?" + BODY[1:]
    if node.disk.shipping is None:
        node.disk.layout.content(KEY).write_bytes(damaged)
    else:
        objects(seaweed, node).put(name_of(KEY), damaged)
    assert not await node.disk.is_sound(KEY)
    node.service.auditing.hurry()
    await until(lambda: node.service.auditing.found)
    assert (await node.ask("GET", f"/contents/{KEY}"))[0] == 404
    entries = node.disk.additions.read("", 0).entries
    assert [each.gone for each in entries if each.key == KEY][-1]
    await node.ask("PUT", f"/contents/{KEY}", BODY)
    await node.settle()
    assert await node.disk.is_sound(KEY)


@ensureDeferred
async def test_a_bucket_that_is_away_costs_nothing_acknowledged(
    seaweed: Any, tmp_path: Path
) -> None:
    """Contents are taken and given while the bucket is away, over a restart too, and go there."""
    where = seaweed.endpoint.rpartition(":")[2]
    port = reactor.listenTCP(0, ProxyFactory("127.0.0.1", int(where)), interface="127.0.0.1")
    number = port.getHost().port
    address = seaweed.address("archives", f"of/{tmp_path.name}")
    node = Node(tmp_path, address.replace(f":{where}", f":{number}"))
    await node.start()
    await node.ask("PUT", f"/contents/{KEY}", BODY)
    await node.settle()
    await node.client.stopService()
    node.client = HttpClient(reactor)
    await port.stopListening()
    node.disk.depot._bucket.close()
    assert (await node.ask("PUT", f"/contents/{LARGE_KEY}", LARGE))[0] == 201
    await until(lambda: node.disk.shipping.problem)
    assert await node.figure("bucket_failing") == 1
    assert await node.figure("bucket_behind_bytes") > 80
    assert b"Contents stay on the disk" in (await node.ask("GET", "/"))[2]
    assert (await node.ask("GET", f"/contents/{LARGE_KEY}"))[2] == LARGE
    assert (await node.ask("HEAD", f"/contents/{KEY}"))[:2] == (200, len(BODY))
    status, _, words = await node.ask("GET", f"/contents/{KEY}")
    assert (status, b"does not answer" in words) == (503, True)
    await node.stop()
    await node.start()  # which asks the bucket for nothing
    assert (await node.ask("GET", f"/contents/{LARGE_KEY}"))[2] == LARGE
    port = reactor.listenTCP(number, ProxyFactory("127.0.0.1", int(where)), interface="127.0.0.1")
    await node.settle()
    assert not node.files()
    assert await node.figure("bucket_behind_bytes") == 0
    for key, body in ((KEY, BODY), (LARGE_KEY, LARGE)):
        assert (await node.ask("GET", f"/contents/{key}"))[2] == body
    await node.client.stopService()
    await node.stop()
    await port.stopListening()


@ensureDeferred
async def test_who_reads_a_bare_disk_is_told_of_its_bucket(
    in_bucket: Node, threads: Any, tmp_path: Path
) -> None:
    """A content that is not on the disk is not simply lost."""
    node = in_bucket
    await node.ask("PUT", f"/contents/{KEY}", BODY)
    await node.settle()
    root = node.disk.layout.root
    await node.stop()
    wanted = f"s3://archives/of/{tmp_path.name}/"
    assert bucket_of(root).startswith(wanted) and bucket_of(tmp_path) == ""
    with pytest.raises(NotArchived, match=wanted):
        content_of([Layout(root)], KEY)
    store = FolderStore([root], threads)
    await store.open()
    with pytest.raises(NotHeld, match=wanted):
        await store.fetch(KEY, tmp_path)
    with pytest.raises(NotHeld, match=wanted):
        await anext(store.content(KEY))
    await node.start()


@ensureDeferred
async def test_the_bucket_alone_suffices(
    in_bucket: Node, seaweed: Any, make_capture: Any, threads: Any, tmp_path: Path
) -> None:
    """The bucket is a store by itself; a node with its small objects on a new disk goes on."""
    node = in_bucket
    captures = [make_capture(URL, day, BODY) for day in (2, 3, 1)]
    await node.ask("PUT", f"/contents/{KEY}", BODY)
    for capture in captures:
        await node.service.store.append([capture])
    await node.settle()
    prefix = f"of/{tmp_path.name}/{node.disk.name}"
    store = store_at(reactor, seaweed.address("archives", prefix), threads, load)
    await store.open()
    assert await store.fetch(KEY, tmp_path) == BODY
    [found] = [page async for page in store.captures(structure_key(URL))]
    assert found == sorted(captures, key=lambda each: each.date)
    await store.close()
    await node.stop()
    root = node.disk.layout.root
    for lost in root.iterdir():
        if lost.name not in ("layout", "disk", "structures"):
            shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    await node.start()
    assert (await node.ask("GET", f"/contents/{KEY}"))[2] == BODY
    await until(lambda: node.disk.holdings.surveyed)
    assert node.disk.holdings.counts == {"contents": 1, "structures": 1}
    assert len(node.disk.additions.read("", 0).entries) == 2


@ensureDeferred
async def test_a_client_that_goes_away_leaves_the_node_well(
    in_bucket: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large content is given in small pieces; one that is left half-way harms nobody."""
    monkeypatch.setattr(depot, "_PIECE", 1000)
    node = in_bucket
    await node.ask("PUT", f"/contents/{LARGE_KEY}", LARGE)
    await node.settle()
    url = f"http://{node.service.server.address}/contents/{LARGE_KEY}"
    response = await node.client.request("GET", url)
    response.abandon()
    assert (await node.ask("GET", f"/contents/{LARGE_KEY}"))[2] == LARGE


@ensureDeferred
async def test_a_disk_is_not_served_without_its_bucket(
    in_bucket: Node, seaweed: Any, tmp_path: Path
) -> None:
    """A node that is not told of the bucket any more, or of another one, refuses the disk."""
    await in_bucket.stop()
    for contents in (None, seaweed.address("archives", "elsewhere")):
        disk = Node(tmp_path, contents)
        other = StorageNode(
            reactor,
            load(directory=tmp_path, base_port=60000),
            disk._config,
            "storage-1",
            [tmp_path / "storage-1"],
            "127.0.0.1:0",
        )
        [configured] = other.store._configured
        await _refused(configured)
    await in_bucket.start()


async def _refused(disk: Any) -> None:
    from agents.storage.errors import LayoutRefused

    disk.workers.startService()
    with pytest.raises(LayoutRefused, match="storage-node.contents|are in s3"):
        await disk.open()
    disk._lock.release()
    await disk.workers.stopService()


@pytest.mark.parametrize("text", ["", "/folder", "s3://", "s3://key:secret@b/"])
def test_what_is_no_bucket_is_refused(text: str) -> None:
    """A configuration that names no bucket is refused when it is read."""
    with pytest.raises(ValueError, match="s3://bucket"):
        StorageNodeConfig(contents=text)
    with pytest.raises(ValueError, match="mirror"):
        StorageNodeConfig(contents="s3://bucket", mirror="s3://bucket")
