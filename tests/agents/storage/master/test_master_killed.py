"""`kill -9` of a master in mid-repair, on real processes; its database may be lost with it."""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_twisted
from killing import MASTER, PATIENCE, Processes, until
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.capture import Capture, structure_key
from agents.storage.disk.layout import Kind, Layout
from agents.storage.master.operating import MasterStatus
from agents.storage.status import Cluster
from anet.multicast import Groups, MulticastLocator, probe
from anet.tasks import sleep
from hip import HipError, Link, convert

CONTENTS, URLS = 100, 20
NODES = ("storage-1", "storage-2", "storage-3")
SETTINGS = {"storage-master": {"sweep_every": 2.0, "repair_rate": 8.0, "repairs_at_once": 2}}
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


class Person:
    """Somebody who starts the master, fills nodes, and reads them."""

    def __init__(self, processes: Processes) -> None:
        self.processes = processes
        self.index = processes.link("console", 4)
        self.master: Link

    async def start_master(self) -> None:
        """Start the master, and link to it as soon as it listens: a link that failed waits long."""
        self.processes.start(MASTER)
        await self.processes.listens(2)
        self.master = self.processes.link("console", 2)

    async def until(self, condition: Callable[[MasterStatus], bool], words: str) -> None:
        """Wait until the master's status is so."""
        seen: list[MasterStatus] = []

        async def is_so() -> bool:
            seen[:] = [convert(await _ask(self.master, "status"), MasterStatus)]
            return condition(seen[0])

        await until(is_so, lambda: f"{words}: {seen}")

    async def fill(self, *numbers: int) -> None:
        """Put all contents and captures on nodes."""
        headers = self.processes.headers
        posted = [*headers, (b"Content-Type", b"application/msgpack")]
        captures = msgspec.msgpack.encode({"captures": CAPTURES})
        for number in numbers:
            url = f"http://127.0.0.1:{self.processes.base + 10 + number}"
            for (_, key), body in zip(KEYS, BODIES, strict=False):
                await self._send("PUT", f"{url}/contents/{key}", headers, body)
            await self._send("POST", f"{url}/structures", posted, captures)

    async def _send(self, method: str, url: str, headers: Any, body: bytes) -> None:
        response = await self.processes.client.request(method, url, headers, body)
        answer = await response.read(10_000)
        assert response.head.status in (200, 201), answer

    async def told(self, *nodes: str) -> None:
        """Wait until the index node sees nodes up: it is told at most once a second."""

        async def is_told() -> bool:
            cluster = convert(await _ask(self.index, "nodes"), Cluster)
            return set(nodes) <= {node.name for node in cluster.nodes if node.up}

        await until(is_told, lambda: f"{nodes} are not seen")

    def missing(self, node: str) -> int:
        """Return how many of all keys are not on the disk of a node."""
        layout = Layout(self.processes.directory / node)
        path = {"contents": layout.content, "structures": layout.captures}
        return sum(not path[kind](key).exists() for kind, key in KEYS)

    async def read_all(self) -> None:
        """Read everything by index node, and by multicast if this machine carries it."""
        secret = (self.processes.directory / "secret").read_text().strip()
        groups = Groups(self.processes.base, secret=secret)
        multicast = MulticastLocator(reactor, groups) if await probe(reactor, groups) else None
        if multicast is not None:
            multicast.startService()
        for kind, key in KEYS:
            found = await _ask(self.index, "find", kind=kind, key=key)
            assert found
            if multicast is not None:
                assert await multicast.find(kind, bytes.fromhex(key), 20.0)
            if kind == "contents":
                url = f"{found[0]}/contents/{key}"
                response = await self.processes.client.request("GET", url)
                assert sha256(await response.read(10_000)).hexdigest() == key
        if multicast is not None:
            await multicast.stopService()


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
    processes = Processes(tmp_path, SETTINGS)
    yield processes
    pytest_twisted.blockon(ensured(processes.stop()))


@pytest.mark.slow
@ensureDeferred
async def test_a_master_killed_in_mid_repair_goes_on(processes: Processes) -> None:
    """Also when its database is lost; and while it is dead everything is read without it."""
    processes.start("index-1", *NODES)
    person = Person(processes)
    await person.start_master()
    await person.until(lambda s: sum(n.up for n in s.nodes) == 3, "nodes do not come up")
    await person.fill(1, 3)
    for node in ("storage-1", "storage-3"):
        await until(lambda n=node: person.missing(n) == 0, lambda: "journals are not emptied")
    await person.until(lambda s: s.below == s.waiting == 0, "additions are not counted")
    processes.kill("storage-3")
    for database in ("kept", "lost"):
        await person.until(lambda s: s.copied >= 5 and bool(s.below), "no repair begins")
        await person.told("storage-1", "storage-2")
        processes.kill(MASTER)
        assert person.missing("storage-2") > 0
        await person.read_all()
        if database == "lost":
            shutil.rmtree(processes.directory / MASTER)
        await person.start_master()
    await person.until(
        lambda s: s.below == s.waiting == 0 and sum(n.up for n in s.nodes) == 2, "no end of repair"
    )
    for node in ("storage-1", "storage-2"):
        await until(lambda n=node: person.missing(n) == 0, lambda: "journals are not emptied")
