"""A storage layer whose agents are processes that tests kill, and a depositor who goes on.

What `test_kill_cluster`, `test_kill_index`, `test_many_readers`, `test_orders` and
`master/test_master_killed` share;
`tests/system/cluster.py` has the same on hosts of their own, under faults of the network.
"""

import json
import signal
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from twisted.internet import reactor

from agents.capture import Capture
from agents.deposit import ContentSize, Placement
from anet.errors import AnetError
from anet.http import HttpClient
from anet.tasks import sleep
from hip import Agent, HipError, Link, convert

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
PATIENCE = 120.0  # seconds; a machine may be slow
MASTER, PROXY = "storage-master", "consultation"
BATCH, URLS = 20, 200
_INDEX_PORTS = {"index-1": (4, 5), "index-2": (50, 51), "index-3": (52, 53)}
_PORTS = (2, 3, 6, 7, 11, 12, 13, *(port for ports in _INDEX_PORTS.values() for port in ports))


async def until(
    condition: Callable[[], bool | Awaitable[bool]],
    what: Callable[[], str] | str = "it",
    pause: float = 0.05,
) -> None:
    """Wait until something is so; the test fails when it is not in time, and says what."""
    deadline = reactor.seconds() + PATIENCE
    while True:
        outcome = condition()
        if outcome if isinstance(outcome, bool) else await outcome:
            return
        late = reactor.seconds() > deadline
        assert not late, f"waited in vain: {what if isinstance(what, str) else what()}"
        await sleep(reactor, pause)


def _free_base() -> int:
    """Return a base port whose ports of the storage layer are free."""
    for base in range(20000, 32000, 100):
        try:
            for offset in _PORTS:
                with socket.socket() as tried:
                    tried.bind(("127.0.0.1", base + offset))
        except OSError:
            continue
        return base
    raise AssertionError("no free ports")


class Processes:
    """The agents of a storage layer, in one folder, on loopback.

    Args:
        directory: of the archive.
        settings: sections of the configuration, which add to those of `_config`.

    Attributes:
        settings: those; they count for what is started later.
        base: the archive's base port.
        children: the agents' processes, by name.
        client: for HTTP.
    """

    def __init__(self, directory: Path, settings: dict[str, dict[str, Any]] | None = None) -> None:
        self.directory, self.settings, self.base = directory, settings or {}, _free_base()
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.client = HttpClient(reactor, connect_timeout=2.0)
        self._agents: list[Agent] = []

    # Agents

    def start(self, *names: str) -> None:
        """Start agents; the name tells which."""
        for name in names:
            plugin = name if name in (MASTER, PROXY) else f"{name.split('-')[0]}-node"
            command = [str(BIN / "twistd"), "--nodaemon", "--pidfile=", plugin, *self.common(name)]
            with (self.directory / f"{name}.log").open("ab") as log:
                self.children[name] = subprocess.Popen(
                    [*command, "--name", name], stdout=log, stderr=log, cwd=ROOT
                )

    def common(self, name: str = MASTER) -> list[str]:
        """Return the options that all programs take."""
        path = self.directory / f"{name}.yaml"
        path.write_text(yaml.safe_dump(self._config(name)))
        options = ["--config", str(path), "--archive", str(self.directory)]
        return [*options, "--base-port", str(self.base)]

    def _config(self, name: str) -> dict[str, Any]:
        hip, pages = (self.base + port for port in _INDEX_PORTS.get(name, (4, 5)))
        sections: dict[str, dict[str, Any]] = {
            "storage-master": {"settle": 0.2, "grace": 1.0, "sweep_every": 1.0},
            "storage-node": {"reserve": 0},
            "consultation": {},
            "index-node": {
                "folder": str(self.directory / name),
                "hip": f"127.0.0.1:{hip}",
                "pages": f"127.0.0.1:{pages}",
                "follow_every": 0.2,
                "grace": 0.5,
                "node_timeout": 5.0,
            },
        }
        for section, values in self.settings.items():
            sections[section] = {**sections[section], **values}
        return sections

    def kill(self, name: str) -> None:
        """Kill an agent, as the kernel does."""
        child = self.children.pop(name)
        child.kill()
        child.wait()

    async def stop(self) -> None:
        """End all."""
        for agent in self._agents:
            await agent.stopService()
        await self.client.stopService()
        for child in self.children.values():
            child.send_signal(signal.SIGTERM)
        for child in self.children.values():
            child.wait(PATIENCE)

    # Asking them

    def link(self, kind: str, port: int) -> Link:
        """Link to an agent, or whoever it sends us to."""
        agent = Agent(reactor, kind, kind)
        link = agent.connect(f"127.0.0.1:{self.base + port}")
        agent.startService()
        self._agents.append(agent)
        return link

    async def listens(self, port: int) -> None:
        """Wait until an agent listens: a link that has failed once waits long."""

        def is_there() -> bool:
            with socket.socket() as tried:
                return tried.connect_ex(("127.0.0.1", self.base + port)) == 0

        await until(is_there, f"port {port}")

    async def figures(self, name: str) -> dict[str, float]:
        """Return what an index node measures; nothing while it does not answer."""
        url = f"http://127.0.0.1:{self.base + _INDEX_PORTS[name][1]}/metrics"
        try:
            response = await self.client.request("GET", url)
            lines = (await response.read(1 << 20)).decode().splitlines()
        except AnetError:
            return {}
        values = (line.removeprefix("dlweb_index_node_").rsplit(" ", 1) for line in lines)
        return {name: float(value) for name, value in values if name.isidentifier()}

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """The credential for writes."""
        secret = (self.directory / "secret").read_bytes().strip()
        return [(b"Authorization", b"Bearer " + secret)]

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run `dlweb storage`; for a thread."""
        command = [str(BIN / "dlweb"), "storage", words[0], *self.common(), *words[1:]]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


class Depositor:
    """Deposits batch after batch, each repeated until it is acknowledged, and remembers.

    Attributes:
        link: to an index node.
        told: what was acknowledged.
        stopping: set when no more is to be deposited.
    """

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.link = processes.link("connectivity", 2)
        self.told: list[Capture] = []
        self.stopping = False
        self._serial = 0

    async def ready(self, nodes: int) -> None:
        """Wait until so many storage nodes take deposits."""

        async def are_up() -> bool:
            try:
                cluster = await self.link.call("nodes", timeout=2.0)
            except HipError:
                return False  # not linked to an index node yet
            return sum(node["up"] for node in cluster["nodes"]) == nodes

        await until(are_up, f"{nodes} storage nodes", 0.1)

    async def deposit_on(self) -> None:
        """Deposit until `stopping` is set."""
        while not self.stopping:
            batch = [self._capture() for _ in range(BATCH)]
            while not self.stopping:
                try:
                    await self.deposit(batch)
                    self.told += [capture for capture, _ in batch]
                    break
                except (HipError, AnetError):
                    await sleep(reactor, 0.1)

    async def deposit(self, batch: list[tuple[Capture, bytes]]) -> None:
        """Deposit captures with their contents, as a connectivity agent does.

        Raises:
            HipError, AnetError: it is not acknowledged; repeat all.
        """
        sizes = [ContentSize(each.content, each.size) for each, _ in batch]
        bodies = {each.content: body for each, body in batch}
        answer = await self.link.call("place", timeout=10.0, contents=sizes)
        stored: dict[str, list[str]] = defaultdict(list)
        for placement in convert(answer, list[Placement]):
            for node in placement.nodes:
                if await self._put(node, placement.key, bodies[placement.key]):
                    stored[placement.key].append(node)
            if not placement.known and placement.key not in stored:
                raise AnetError("no node took the content")
        captures = [each for each, _ in batch]
        count = await self.link.call("record", timeout=10.0, captures=captures, stored=stored)
        assert count == len(captures)

    async def told_at_least(self, count: int) -> None:
        """Wait until so many captures more are acknowledged."""
        wanted = len(self.told) + count
        await until(lambda: len(self.told) >= wanted, lambda: f"{len(self.told)} of {wanted}")

    def check(self, *nodes: str) -> str:
        """Run the independent checker; return what is wrong with these nodes' folders."""
        directory = self._processes.directory
        lines = [{"url": c.url, "date": c.date, "content": c.content} for c in self.told]
        path = directory / "told"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        command = [
            sys.executable,
            "-I",
            str(ROOT / "tests/checker.py"),
            "--acknowledged",
            str(path),
        ]
        folders = [str(directory / node) for node in nodes]
        run = subprocess.run([*command, *folders], capture_output=True, text=True)
        return run.stderr if run.returncode else ""

    def _capture(self) -> tuple[Capture, bytes]:
        self._serial += 1
        body = b"%d" % self._serial + b"x" * 2000
        capture = Capture(
            url=f"http://a.example/{self._serial % URLS}",
            date=f"20260101000000{self._serial:06}",
            content=sha256(body).hexdigest(),
            size=len(body),
            status=200,
            head=b"HTTP/1.1 200 OK\r\n\r\n",
        )
        return capture, body

    async def _put(self, node: str, key: str, body: bytes) -> bool:
        """Send a content to a node; tell whether that took it."""
        url, headers = f"{node}/contents/{key}", self._processes.headers
        try:
            response = await self._processes.client.request("PUT", url, headers, body)
            await response.read(1000)
        except AnetError:
            return False
        return response.head.status in (200, 201)
