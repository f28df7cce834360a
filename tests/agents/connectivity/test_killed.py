"""`kill -9` of connectivity agents in the middle of a deposit, and two of them at one crawl.

The agents are real processes, the storage is real; the test is the scheduler. Each time the
archive must hold what it holds after a deposit that nothing disturbed.
"""

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.defer import gatherResults

from agents.configuration import load
from agents.deposit import DepositFigures
from agents.filters import Filters
from agents.judgement import Policy
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.service import IndexNode
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.service import StorageMaster
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.service import StorageNode
from anet.tasks import sleep
from hip import Agent, ConnectionLost, exposed

pytestmark = pytest.mark.slow

ANY = "127.0.0.1:0"
PATIENCE = 120.0  # seconds
_LINE, _TELLING = 160, 85  # bytes of a structure line, and of what tells captures apart in it
PAGES = {
    f"http://a.example/{number % 250}?{number}": b"%d" % (number % 90) for number in range(300)
}
LINKS = {f"http://b.example/{number}": number % 5 + 1 for number in range(1800)}
EXTERNAL = "".join(f'<link url="{url}" count="{count}"/>' for url, count in LINKS.items())
REPORT = f'<report><external cut="0">{EXTERNAL}</external></report>'.encode()


class Scheduler:
    """Learns where sites lead, and kills the agent that tells, at a moment that it was given.

    Attributes:
        links: what was learned, with the sum of all that was told for each.
        part: the next part.
        kill_after: "captures" or "parts", and how many, after which to kill.
        victim: kills it.
    """

    def __init__(self) -> None:
        self.links: Counter[str] = Counter()
        self.part = 0
        self.kill_after = ("", 0)
        self.victim: Callable[[], None] = lambda: None

    @exposed
    def learn(
        self,
        crawl: str,
        part: int,
        links: list[tuple[str, int]],
        feeds: list[str],
        streams: list[str],
    ) -> int:
        if part == self.part:
            self.links.update(dict(links))
            self.part += 1
        self._kill("parts", self.part)  # it has learned, and the agent never hears so
        return self.part

    @exposed
    def deposit_progress(self, crawl: str, figures: DepositFigures) -> None:
        self._kill("captures", figures.captures_recorded)

    def _kill(self, kind: str, count: int) -> None:
        if kind == self.kill_after[0] and count >= self.kill_after[1]:
            self.kill_after = ("", 0)
            self.victim()


class World:
    """A storage with one index node and two storage nodes, and agents that deposit in it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.scheduler = Scheduler()
        self.root = Agent(reactor, "scheduler", "scheduler", methods=[self.scheduler])
        self.listener = self.root.listen(ANY)
        self.services: list[Any] = [self.root]
        self.agents: dict[str, subprocess.Popen[bytes]] = {}

    async def start(self) -> None:
        """Start the storage."""
        self.root.startService()
        configuration = load(directory=self.directory, base_port=60000)
        config = StorageMasterConfig(hip=ANY, pages=ANY, scheduler="127.0.0.1:9")
        master = StorageMaster(reactor, configuration, config, "storage-master")
        await self._run(master)
        self.master = master.listener.address
        for name in ("storage-1", "storage-2"):
            node = StorageNodeConfig(storage_master=self.master, reserve=0, multicast=False)
            folders = [self.directory / name]
            await self._run(StorageNode(reactor, configuration, node, name, folders, ANY))
        index = IndexNodeConfig(
            folder=self.directory / "index-1", hip=ANY, pages=ANY, storage_master=self.master,
            follow_every=0.1, grace=0.3, settle=0.0,
        )  # fmt: skip
        await self._run(IndexNode(reactor, configuration, index, "index-1"))

    async def _run(self, service: Any) -> None:
        service.startService()
        self.services.append(service)
        await until(lambda: service.opened)

    async def stop(self) -> None:
        """Stop all."""
        for agent in self.agents.values():
            agent.kill()
            agent.wait()
        while self.services:
            await self.services.pop().stopService()

    async def agent(self, name: str) -> None:
        """Start a connectivity agent, and wait until it has joined."""
        file = self.directory / f"{name}.yaml"
        file.write_text(
            f"connectivity:\n  scheduler: {self.listener.address}\n"
            f"  storage_master: {self.master}\n  pages: {ANY}\n  batch_captures: 20\n"
        )
        command = [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--pidfile="]
        command += ["connectivity", "--config", str(file), "--name", name]
        command += ["--archive", str(self.directory)]
        with (self.directory / f"{name}.log").open("ab") as log:
            self.agents[name] = subprocess.Popen(command, stdout=log, stderr=log)
        await until(lambda: name in self.root.slaves)

    def kill(self, name: str) -> None:
        """Kill an agent, as the kernel does."""
        self.agents[name].send_signal(signal.SIGKILL)

    async def gone(self, name: str) -> None:
        """Wait until an agent that was killed is gone."""
        self.agents[name].wait()
        await until(lambda: name not in self.root.slaves)

    async def deposit(self, name: str) -> DepositFigures | None:
        """Ask an agent for the deposit; None when it died over it."""
        try:
            answer = await self.root.slaves[name].call(
                "deposit", timeout=PATIENCE, crawl="c", site="s",
                directory=str(self.directory / "crawls" / "c"), policy=Policy(Filters()),
            )  # fmt: skip
        except ConnectionLost:
            return None
        return DepositFigures(**{**answer, "findings": None})

    async def held(self) -> dict[str, bytes]:
        """Return what both nodes hold, contents and captures, and the files of the site.

        Of captures it is what tells them apart. A head that was written by two at once may lie
        in its file twice, and one of them is what the capture's only line points to.
        """
        await self.stop()
        folders = [self.directory / name for name in ("storage-1", "storage-2")]
        found = {}
        for folder in (*folders, self.directory / "sites"):
            for path in sorted(folder.rglob("*")):
                kept = {"contents", "structures", "sites"} & set(path.parts)
                if kept and path.is_file() and path.suffix != ".heads":
                    data = path.read_bytes()
                    found[str(path.relative_to(self.directory))] = (
                        captures(data) if path.suffix == ".captures" else data
                    )
        return found


def captures(data: bytes) -> bytes:
    """Return the lines of a structure file without what they point to."""
    return b"\n".join(data[at : at + _TELLING] for at in range(0, len(data), _LINE))


async def until(condition: Callable[[], object]) -> None:
    """Wait until something is so; the test fails when it is not in time."""
    deadline = reactor.seconds() + PATIENCE
    while not condition():
        assert reactor.seconds() < deadline, "waited too long"
        await sleep(reactor, 0.02)


@async_yield_fixture
async def worlds(tmp_path: Path, make_crawl: Any) -> AsyncIterator[Callable[[str], Any]]:
    """Give a maker of worlds that have the same crawl."""
    made: list[World] = []

    async def make(name: str) -> World:
        make_crawl(tmp_path / name / "crawls" / "c", PAGES, packed=True, report=REPORT)
        made.append(World(tmp_path / name))
        await made[-1].start()
        return made[-1]

    yield make
    for world in made:
        await world.stop()


async def undisturbed(worlds: Callable[[str], Any]) -> dict[str, bytes]:
    """Return what an archive holds after a deposit in peace."""
    world = await worlds("peace")
    await world.agent("agent-1")
    figures = await world.deposit("agent-1")
    assert (figures.captures_recorded, figures.contents_stored) == (300, 90)
    assert world.scheduler.links == Counter(LINKS)
    held: dict[str, bytes] = await world.held()
    for node in ("storage-1", "storage-2"):
        assert sum(f"{node}/structures" in name for name in held) >= 300
    return held


@ensureDeferred
async def test_a_deposit_that_dies_again_and_again_ends_as_if_nothing_had_been(
    worlds: Callable[[str], Any],
) -> None:
    """Killed among captures, and after links that were learned but not acknowledged."""
    wanted = await undisturbed(worlds)
    world = await worlds("war")
    scheduler = world.scheduler
    scheduler.victim = lambda: world.kill("agent-1")
    for moment in (("captures", 60), ("captures", 200), ("parts", 1), ("parts", 3)):
        await world.agent("agent-1")
        scheduler.kill_after = moment
        assert await world.deposit("agent-1") is None, moment
        await world.gone("agent-1")
    await world.agent("agent-1")
    figures = await world.deposit("agent-1")
    assert (figures.captures_recorded, figures.captures_missing) == (300, 0)
    assert scheduler.links == Counter(LINKS)
    assert await world.held() == wanted


@ensureDeferred
async def test_two_agents_at_one_crawl_do_what_one_does(worlds: Callable[[str], Any]) -> None:
    """Even when one of them dies over it: nothing is doubled, nobody is in the other's way."""
    wanted = await undisturbed(worlds)
    world = await worlds("both")
    names = ("agent-1", "agent-2")
    for name in names:
        await world.agent(name)
    both = await gatherResults([ensured(world.deposit(name)) for name in names])
    assert [figures.captures_recorded for figures in both] == [300, 300]
    world.scheduler.victim = lambda: world.kill("agent-1")
    world.scheduler.kill_after = ("captures", 150)
    one, other = await gatherResults([ensured(world.deposit(name)) for name in names])
    assert other.captures_recorded == 300 and other.contents_stored == 0
    assert one is None or one.contents_stored == 0
    assert world.scheduler.links == Counter(LINKS)
    assert await world.held() == wanted
