"""`kill -9` of a master in mid-repair, on real processes; its database may be lost with it."""

import shutil
import signal
import socket
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import Capture, structure_key
from agents.storage.disk.layout import Kind, Layout
from agents.storage.master.operating import MasterStatus
from anet.http import HttpClient
from anet.multicast import Groups, MulticastLocator, probe
from anet.tasks import sleep
from hip import Agent, HipError, Link, convert

ROOT = Path(__file__).parents[4]
PATIENCE = 120.0  # seconds
CONTENTS, URLS = 60, 20
NODES = ("storage-1", "storage-2", "storage-3")
CONFIG = """
storage-master:
  {settle: 0.2, grace: 1.0, sweep_every: 2.0, repair_rate: 8.0, repairs_at_once: 2}
storage-node: {reserve: 0}
index-node: {follow_every: 0.2}
"""
BODIES = [b"%d" % number * 500 for number in range(CONTENTS)]
CAPTURES = [
    Capture(
        url=f"http://a.example/{number}",
        date=f"20260101000000{number:06}",
        content=sha256(BODIES[number]).hexdigest(),
        size=len(BODIES[number]),
        status=200,
        head=b"HTTP/1.1 200 OK\r\n\r\n",
    )
    for number in range(URLS)
]
KEYS: list[tuple[Kind, str]] = [("contents", sha256(body).hexdigest()) for body in BODIES]
KEYS += [("structures", structure_key(capture.url)) for capture in CAPTURES]


class Processes:
    """Master, index node and three storage nodes, as processes, and a person who asks them."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.base = directory, _free_base()
        (directory / "config.yaml").write_text(CONFIG)
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.client = HttpClient(reactor, connect_timeout=2.0)
        self.person: Agent | None = None
        self.master: Link
        self.reader = Agent(reactor, "console", "reader")
        self.index = self.reader.connect(f"127.0.0.1:{self.base + 4}")

    def start(self, name: str, plugin: str) -> None:
        """Start an agent."""
        command = [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--pidfile="]
        command += [plugin, "--config", str(self.directory / "config.yaml")]
        command += ["--archive", str(self.directory), "--base-port", str(self.base)]
        with (self.directory / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                [*command, "--name", name], stdout=log, stderr=log, cwd=ROOT
            )

    def start_all(self) -> None:
        """Start everything."""
        self.start("index-1", "index-node")
        for node in NODES:
            self.start(node, "storage-node")
        self.reader.startService()

    async def start_master(self) -> None:
        """Start the master, and link to it as soon as it listens: a link that failed waits long."""
        self.start("storage-master", "storage-master")
        deadline = reactor.seconds() + PATIENCE
        while not _listens(self.base + 2):
            assert reactor.seconds() < deadline, "the master does not start"
            await sleep(reactor, 0.05)
        if self.person is not None:
            await self.person.stopService()
        self.person = Agent(reactor, "console", "console")
        self.master = self.person.connect(f"127.0.0.1:{self.base + 2}")
        self.person.startService()

    def kill(self, name: str) -> None:
        """Kill an agent, as the kernel does."""
        self.children[name].kill()
        self.children[name].wait()

    async def status(self) -> MasterStatus:
        """Return what the master says."""
        return convert(await _ask(self.master, "status"), MasterStatus)

    async def until(self, condition: Any, words: str) -> None:
        """Wait until the master's status is so."""
        deadline = reactor.seconds() + PATIENCE
        while not condition(status := await self.status()):
            assert reactor.seconds() < deadline, f"{words}: {status}"
            await sleep(reactor, 0.05)

    async def fill(self, *numbers: int) -> None:
        """Put all contents and captures on nodes."""
        secret = (self.directory / "secret").read_text().strip()
        headers = [(b"Authorization", f"Bearer {secret}".encode())]
        posted = [*headers, (b"Content-Type", b"application/msgpack")]
        captures = msgspec.msgpack.encode({"captures": CAPTURES})
        for number in numbers:
            url = f"http://127.0.0.1:{self.base + 10 + number}"
            for (_, key), body in zip(KEYS, BODIES, strict=False):
                await self._send("PUT", f"{url}/contents/{key}", headers, body)
            await self._send("POST", f"{url}/structures", posted, captures)

    async def _send(self, method: str, url: str, headers: Any, body: bytes) -> None:
        response = await self.client.request(method, url, headers, body)
        answer = await response.read(10_000)
        assert response.head.status in (200, 201), answer

    def missing(self, node: str) -> int:
        """Return how many of all keys are not on the disk of a node."""
        layout = Layout(self.directory / node)
        path = {"contents": layout.content, "structures": layout.captures}
        return sum(not path[kind](key).exists() for kind, key in KEYS)

    async def read_all(self) -> None:
        """Read everything by index node, and by multicast if this machine carries it."""
        secret = (self.directory / "secret").read_text().strip()
        groups = Groups(self.base, secret=secret)
        multicast = MulticastLocator(reactor, groups) if await probe(reactor, groups) else None
        if multicast is not None:
            multicast.startService()
        for kind, key in KEYS:
            found = await _ask(self.index, "find", kind=kind, key=key)
            assert found
            if multicast is not None:
                assert await multicast.find(kind, bytes.fromhex(key), 2.0)
            if kind == "contents":
                response = await self.client.request("GET", f"{found[0]}/contents/{key}")
                assert sha256(await response.read(10_000)).hexdigest() == key
        if multicast is not None:
            await multicast.stopService()

    async def stop(self) -> None:
        """End all."""
        if self.person is not None:
            await self.person.stopService()
        await self.reader.stopService()
        await self.client.stopService()
        for child in self.children.values():
            child.send_signal(signal.SIGTERM)
        for child in self.children.values():
            child.wait(PATIENCE)


def _free_base() -> int:
    """Return a base port whose ports of the storage layer are free."""
    for base in range(32100, 45000, 100):
        try:
            for offset in (2, 3, 4, 5, 11, 12, 13):
                with socket.socket() as tried:
                    tried.bind(("127.0.0.1", base + offset))
        except OSError:
            continue
        return base
    raise AssertionError("no free ports")


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


async def _ask(link: Link, method: str, **arguments: Any) -> Any:
    """Call an agent as soon as it is there."""
    deadline = reactor.seconds() + PATIENCE
    while True:
        try:
            return await link.call(method, timeout=5.0, **arguments)
        except HipError as error:
            assert reactor.seconds() < deadline, f"{method} is not answered: {error}"
            await sleep(reactor, 0.05)


@pytest.fixture
def processes(tmp_path: Path):
    """Give processes that are not started."""
    processes = Processes(tmp_path)
    yield processes
    pytest_twisted.blockon(ensured(processes.stop()))


@pytest.mark.slow
@ensureDeferred
async def test_a_master_killed_in_mid_repair_goes_on(processes: Processes) -> None:
    """Also when its database is lost; and while it is dead everything is read without it."""
    processes.start_all()
    await processes.start_master()
    await processes.until(lambda s: sum(n.up for n in s.nodes) == 3, "nodes do not come up")
    await processes.fill(1, 3)
    await processes.until(lambda s: s.below == s.waiting == 0, "additions are not counted")
    for node in ("storage-1", "storage-3"):
        assert processes.missing(node) == 0
    processes.kill("storage-3")
    for database in ("kept", "lost"):
        await processes.until(lambda s: s.copied >= 5 and s.below, "no repair begins")
        processes.kill("storage-master")
        assert processes.missing("storage-2") > 0
        await processes.read_all()
        if database == "lost":
            shutil.rmtree(processes.directory / "storage-master")
        await processes.start_master()
    await processes.until(
        lambda s: s.below == s.waiting == 0 and sum(n.up for n in s.nodes) == 2, "no end of repair"
    )
    assert processes.missing("storage-1") == processes.missing("storage-2") == 0
