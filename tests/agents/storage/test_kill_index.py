"""`kill -9` of index nodes that share the keys, on real processes; and one that lost its folder."""

import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import Capture, structure_key
from agents.deposit import ContentSize, Placement
from anet.errors import AnetError
from anet.http import HttpClient
from anet.tasks import sleep
from anet.together import together
from hip import Agent, HipError, convert

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0  # seconds
NODES = ("storage-1", "storage-2")
PORTS = {"index-1": (4, 5), "index-2": (50, 51), "index-3": (52, 53)}
CONFIG = """
storage-master: {settle: 0.2, grace: 1.0}
storage-node: {reserve: 0, multicast: false}
"""
INDEX = """
index-node: {{folder: {folder}, hip: "127.0.0.1:{hip}", pages: "127.0.0.1:{pages}", {more}}}
"""


def _free_base() -> int:
    """Return a base port whose ports of the storage layer are free."""
    for base in range(20050, 32000, 100):
        try:
            for offset in (2, 3, 4, 5, 11, 12, 50, 51, 52, 53):
                with socket.socket() as tried:
                    tried.bind(("127.0.0.1", base + offset))
        except OSError:
            continue
        return base
    raise AssertionError("no free ports")


class Processes:
    """A storage layer with several index nodes, as processes, and a depositor."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.base = directory, _free_base()
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.client = HttpClient(reactor, connect_timeout=2.0)
        self.agent = Agent(reactor, "connectivity", "connectivity")
        self.link = self.agent.connect(f"127.0.0.1:{self.base + 2}")
        self.told: list[Capture] = []
        self.serial = 0
        self.stopping = False

    def start(self, plugin: str, name: str) -> None:
        """Start an agent."""
        path = self.directory / f"{name}.yaml"
        text = CONFIG
        if plugin == "index-node":
            hip, pages = (self.base + offset for offset in PORTS[name])
            more = "follow_every: 0.2, grace: 0.5, node_timeout: 5"
            text += INDEX.format(folder=self.directory / name, hip=hip, pages=pages, more=more)
        path.write_text(text)
        command = [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--pidfile="]
        command += [plugin, "--config", str(path), "--archive", str(self.directory)]
        command += ["--base-port", str(self.base), "--name", name]
        with (self.directory / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT)

    def kill(self, name: str) -> None:
        """Kill an agent, as the kernel does."""
        child = self.children.pop(name)
        child.kill()
        child.wait()

    async def shared(self, *names: str) -> None:
        """Wait until these index nodes have read their shares, which are all groups together."""
        deadline = reactor.seconds() + PATIENCE
        while True:
            figures = [await self._figures(name) for name in names]
            groups = sum(each.get("groups of keys", 0) for each in figures)
            sure = sum(each.get("groups read to the end", 0) for each in figures)
            up = {each.get("storage nodes up", 0) for each in figures}
            if (groups, sure, up) == (256, 256, {2}):
                return
            assert reactor.seconds() < deadline, f"{groups} groups, {sure} of them read, {up} up"
            await sleep(reactor, 0.1)

    async def _figures(self, name: str) -> dict[str, float]:
        url = f"http://127.0.0.1:{self.base + PORTS[name][1]}/metrics"
        found: dict[str, float] = {}
        with suppress(AnetError):
            response = await self.client.request("GET", url)
            labels = {
                "groups": "groups of keys",
                "groups_sure": "groups read to the end",
                "nodes_up": "storage nodes up",
                "asked_total": "asked",
            }
            for line in (await response.read(1 << 20)).decode().splitlines():
                for key, label in labels.items():
                    if line.startswith(f"dlweb_index_node_{key} "):
                        found[label] = float(line.split()[1])
        return found

    async def deposit_on(self) -> None:
        """Deposit batch after batch, each repeated until it is acknowledged."""
        while not self.stopping:
            batch = [self._capture() for _ in range(20)]
            while not self.stopping:
                try:
                    await self._deposit(batch)
                    self.told += [capture for capture, _ in batch]
                    break
                except (HipError, AnetError):
                    await sleep(reactor, 0.1)

    def _capture(self) -> tuple[Capture, bytes]:
        self.serial += 1
        body = b"%d" % self.serial + b"x" * 500
        capture = Capture(
            url=f"http://a.example/{self.serial % 200}",
            date=f"20260101000000{self.serial:06}",
            content=sha256(body).hexdigest(),
            size=len(body),
            status=200,
            head=b"HTTP/1.1 200 OK\r\n\r\n",
        )
        return capture, body

    async def _deposit(self, batch: list[tuple[Capture, bytes]]) -> None:
        sizes = [ContentSize(each.content, each.size) for each, _ in batch]
        answer = await self.link.call("place", timeout=10.0, contents=sizes)
        bodies = {each.content: body for each, body in batch}
        secret = (self.directory / "secret").read_bytes().strip()
        stored: dict[str, list[str]] = {}
        for placement in convert(answer, list[Placement]):
            for node in placement.nodes:
                response = await self.client.request(
                    "PUT",
                    f"{node}/contents/{placement.key}",
                    [(b"Authorization", b"Bearer " + secret)],
                    bodies[placement.key],
                )
                await response.read(1000)
                stored.setdefault(placement.key, []).append(node)
        captures = [each for each, _ in batch]
        await self.link.call("record", timeout=10.0, captures=captures, stored=stored)

    async def told_at_least(self, count: int) -> None:
        """Wait until `count` more captures are acknowledged."""
        wanted = len(self.told) + count
        deadline = reactor.seconds() + PATIENCE
        while len(self.told) < wanted:
            assert reactor.seconds() < deadline, f"stuck at {len(self.told)} of {wanted}"
            await sleep(reactor, 0.05)

    async def missing(self) -> list[str]:
        """Return the acknowledged keys that are not found."""
        places = {("contents", each.content) for each in self.told}
        places |= {("structures", structure_key(each.url)) for each in self.told}

        async def find(kind: str, key: str) -> bool:
            return bool(await self.link.insist("find", timeout=10.0, kind=kind, key=key))

        answers = await together(find(*place) for place in places)
        return [key for (_, key), answer in zip(places, answers, strict=True) if answer is not True]

    async def stop(self) -> None:
        """End all."""
        self.stopping = True
        await self.agent.stopService()
        await self.client.stopService()
        for child in self.children.values():
            child.send_signal(signal.SIGTERM)
        for child in self.children.values():
            child.wait(PATIENCE)


@pytest.fixture
def processes(tmp_path: Path):
    """Give processes that are not started."""
    processes = Processes(tmp_path)
    yield processes
    pytest_twisted.blockon(ensured(processes.stop()))


@pytest.mark.slow
@ensureDeferred
async def test_index_nodes_are_killed_lost_and_added(processes: Processes) -> None:
    """Deposits and finds go on without one; what is lost is read again; a new one takes a share."""
    processes.start("storage-master", "storage-master")
    for node in NODES:
        processes.start("storage-node", node)
    for index in ("index-1", "index-2"):
        processes.start("index-node", index)
    await processes.shared("index-1", "index-2")
    processes.agent.startService()
    depositing = Deferred.fromCoroutine(processes.deposit_on())
    await processes.told_at_least(100)

    processes.kill("index-2")
    await processes.told_at_least(60)
    assert await processes.missing() == []
    await processes.shared("index-1")
    assert await processes.missing() == []

    processes.kill("index-1")
    shutil.rmtree(processes.directory / "index-1")
    processes.start("index-node", "index-1")
    await processes.told_at_least(60)
    assert await processes.missing() == []
    await processes.shared("index-1")

    processes.start("index-node", "index-3")
    await processes.shared("index-1", "index-3")
    await processes.told_at_least(60)
    processes.stopping = True
    await depositing
    assert await processes.missing() == []
