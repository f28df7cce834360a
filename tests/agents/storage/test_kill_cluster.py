"""`kill -9` in mid-deposit, on real processes: deposits go on, and the killed come back whole."""

import json
import signal
import socket
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.threads import deferToThread

from agents.capture import Capture
from agents.deposit import ContentSize, Placement
from anet.errors import AnetError
from anet.http import HttpClient
from anet.tasks import sleep
from hip import Agent, HipError, convert

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0  # seconds
PLUGINS = {
    "storage-master": "storage-master",
    "index-1": "index-node",
    "storage-1": "storage-node",
    "storage-2": "storage-node",
}
CONFIG = """
storage-master: {settle: 0.2, grace: 1.0, sweep_every: 1.0}
storage-node: {reserve: 0, multicast: false}
index-node: {follow_every: 0.2}
"""


def _free_base() -> int:
    """Return a base port whose ports of the storage layer are free."""
    for base in range(20000, 32000, 100):
        try:
            for offset in (2, 3, 4, 5, 11, 12):
                with socket.socket() as tried:
                    tried.bind(("127.0.0.1", base + offset))
        except OSError:
            continue
        return base
    raise AssertionError("no free ports")


class Processes:
    """The storage layer of one archive, as processes, and a depositor."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.base = directory, _free_base()
        (directory / "config.yaml").write_text(CONFIG)
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.client = HttpClient(reactor, connect_timeout=2.0)
        self.agent = Agent(reactor, "connectivity", "connectivity")
        self.link = self.agent.connect(f"127.0.0.1:{self.base + 2}")
        self.told: list[Capture] = []
        self.serial = 0
        self.stopping = False

    def start(self, name: str) -> None:
        """Start an agent."""
        command = [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--pidfile="]
        command += [PLUGINS[name], "--config", str(self.directory / "config.yaml")]
        command += ["--archive", str(self.directory), "--base-port", str(self.base)]
        with (self.directory / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                [*command, "--name", name], stdout=log, stderr=log, cwd=ROOT
            )

    def kill(self, name: str) -> None:
        """Kill an agent, as the kernel does."""
        self.children[name].kill()
        self.children[name].wait()

    async def ready(self) -> None:
        """Wait until two nodes take deposits."""
        deadline = reactor.seconds() + PATIENCE
        while True:
            assert reactor.seconds() < deadline, "the cluster does not come up"
            try:
                cluster = await self.link.call("nodes", timeout=2.0)
                if sum(node["up"] for node in cluster["nodes"]) == 2:
                    return
            except HipError:
                pass  # not linked to an index node yet
            await sleep(reactor, 0.1)

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
        body = b"%d" % self.serial + b"x" * 2000
        capture = Capture(
            url=f"http://a.example/{self.serial % 300}",
            date=f"20260101000000{self.serial:06}",
            content=sha256(body).hexdigest(),
            size=len(body),
            status=200,
            head=b"HTTP/1.1 200 OK\r\n\r\n",
        )
        return capture, body

    async def _deposit(self, batch: list[tuple[Capture, bytes]]) -> None:
        sizes = [ContentSize(each.content, each.size) for each, _ in batch]
        answer = await self.link.call("place", timeout=5.0, contents=sizes)
        stored: dict[str, list[str]] = {}
        bodies = {each.content: body for each, body in batch}
        for placement in convert(answer, list[Placement]):
            if not placement.known:
                stored[placement.key] = await self._put(placement, bodies[placement.key])
        captures = [each for each, _ in batch]
        count = await self.link.call("record", timeout=10.0, captures=captures, stored=stored)
        assert count == len(captures)

    async def _put(self, placement: Placement, body: bytes) -> list[str]:
        took = []
        secret = (self.directory / "secret").read_bytes().strip()
        for node in placement.nodes:
            try:
                response = await self.client.request(
                    "PUT",
                    f"{node}/contents/{placement.key}",
                    [(b"Authorization", b"Bearer " + secret)],
                    body,
                )
                await response.read(1000)
                took += [node] if response.head.status in (200, 201) else []
            except AnetError:
                continue
        if not took:
            raise AnetError("no node took the content")
        return took

    async def told_at_least(self, count: int) -> None:
        """Wait until `count` more captures are acknowledged."""
        wanted = len(self.told) + count
        deadline = reactor.seconds() + PATIENCE
        while len(self.told) < wanted:
            assert reactor.seconds() < deadline, f"stuck at {len(self.told)} of {wanted}"
            await sleep(reactor, 0.05)

    def check(self, *nodes: str) -> str:
        """Run the independent checker; return what is wrong with these nodes' folders."""
        path = self.directory / "told"
        lines = [{"url": c.url, "date": c.date, "content": c.content} for c in self.told]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        command = [sys.executable, "-I", str(ROOT / "tests/checker.py")]
        command += ["--acknowledged", str(path), *(str(self.directory / node) for node in nodes)]
        run = subprocess.run(command, capture_output=True, text=True)
        return run.stderr if run.returncode else ""

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
@pytest.mark.parametrize("victim", ["storage-2", "index-1", "storage-master"])
@ensureDeferred
async def test_a_killed_agent_costs_nothing_acknowledged(processes, victim: str) -> None:
    """Deposits go on or are resumed, nothing told is lost, and both nodes are whole at the end."""
    for name in PLUGINS:
        processes.start(name)
    processes.agent.startService()
    await processes.ready()
    depositing = [Deferred.fromCoroutine(processes.deposit_on()) for _ in range(3)]
    await processes.told_at_least(200)
    processes.kill(victim)
    if victim != "index-1":
        await processes.told_at_least(200)
    processes.start(victim)
    await processes.told_at_least(200)
    processes.stopping = True
    for each in depositing:
        await each
    assert processes.check("storage-1", "storage-2") == ""
    deadline = reactor.seconds() + PATIENCE
    for node in ("storage-1", "storage-2"):
        while wrong := await deferToThread(processes.check, node):
            assert reactor.seconds() < deadline, wrong[-2000:]
            await sleep(reactor, 0.5)
