"""A master with storage nodes that keep what they hold in memory, over real links."""

from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from attrs import evolve
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred

from agents.configuration import load
from agents.storage.disk.additions import Entry
from agents.storage.disk.layout import Kind
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.operating import MasterStatus
from agents.storage.master.service import StorageMaster
from agents.storage.status import Added, DiskStatus, Followed, NodeStatus
from anet.tasks import sleep
from hip import Agent, CallRefused, Peer, convert, exposed

ANY = "127.0.0.1:0"
PATIENCE = 60.0  # seconds
ROOM = 1_000_000
DISK = "d0000000"


def _mark(kind: Kind, captures: frozenset[int]) -> str:
    return f"{sum(1 << each for each in captures):016x}" if kind == "structures" else ""


class Node:
    """A storage node that has no disk: a key has captures, and a content has none."""

    def __init__(self, household: "Household", name: str, **status: Any) -> None:
        self.household = household
        self.disks: dict[str, dict[tuple[Kind, str], frozenset[int]]] = {DISK: {}}
        self.logs: dict[str, list[Entry]] = {DISK: []}
        self.sizes: dict[str, int] = {}
        self.status = NodeStatus(name, f"http://{name}", ROOM, **status)
        self.audits = 0
        self.resting: list[str] = []
        self.full: set[str] = set()  # disks without room
        self.refusing = False
        self.agent = Agent(reactor, "storage-node", name, [self])
        self.link = self.agent.connect(household.master.listener.address)
        self.link.on_connect = self._greet
        self.agent.startService()

    @property
    def name(self) -> str:
        """The node's name."""
        return self.status.name

    @property
    def held(self) -> dict[tuple[Kind, str], frozenset[int]]:
        """What is on all disks."""
        return {place: marks for disk in self.disks.values() for place, marks in disk.items()}

    async def put(
        self, kind: Kind, key: str, captures: frozenset[int] = frozenset(), disk: str = DISK
    ) -> None:
        """Hold something."""
        self.disks[disk][kind, key] = captures
        self.sizes.setdefault(key, 5)
        mark = _mark(kind, captures)
        size = len(captures) if kind == "structures" else self.sizes[key]
        self.logs[disk].append(Entry(kind, key, size, mark))
        await self.tell()

    async def lose(self, kind: Kind, key: str) -> None:
        """Hold something no more."""
        for name, disk in self.disks.items():
            if disk.pop((kind, key), None) is not None:
                self.logs[name].append(Entry(kind, key, 0, gone=True))
        await self.tell()

    async def tell(self) -> None:
        """Tell the master all there is to tell, if it is linked."""
        master = self.link.peer
        if master is None:
            return
        for name, log in self.logs.items():
            part = Added(f"log-of-{name}", 0, len(log), log, name)
            await master.call("added", added=part)
        master.notify("alive", status=self.described)

    @property
    def described(self) -> NodeStatus:
        """What it says of itself."""
        used = 1000 * len(self.held)
        disks = [
            DiskStatus(name, "/", ROOM, 0 if name in self.full else ROOM - used)
            for name in self.disks
        ]
        return evolve(self.status, disks=disks, free=ROOM * len(disks) - used)

    async def stop(self) -> None:
        """Be gone."""
        await self.agent.stopService()

    async def _greet(self, master: Peer) -> None:
        answer = await master.call("register", status=self.described)
        assert set(convert(answer, dict[str, Followed])) == set(self.disks)
        await self.tell()

    # What the master calls

    @exposed
    async def replicate(self, kind: Kind, key: str, source: str) -> bool:
        """Take from another node."""
        giver = self.household.nodes[source.removeprefix("http://")]
        if self.refusing or (kind, key) not in giver.held:
            raise CallRefused("not-copied", f"{source} does not give it")
        before = self.held.get((kind, key))
        after = giver.held[kind, key] | (before or frozenset())
        if after == before:
            return False
        self.sizes[key] = giver.sizes[key]
        await self.put(kind, key, after)
        return True

    @exposed
    async def remove(self, kind: Kind, key: str, mark: str = "") -> bool:
        """Remove a replica; the archive must have others then."""
        others = [n for n in self.household.nodes.values() if n is not self and n.link.peer]
        if mark != _mark(kind, self.held[kind, key]):
            raise CallRefused("changed", "it is another one now")
        left = sum((kind, key) in node.held for node in others)
        self.household.least_left = min(self.household.least_left, left)
        await self.lose(kind, key)
        return True

    @exposed
    def rest(self, disks: list[str]) -> None:
        """Take note of the disks to be emptied."""
        self.resting = disks

    @exposed
    def audit(self) -> NodeStatus:
        """Count how often this was asked."""
        self.audits += 1
        return self.status


class Household:
    """The master, its nodes, and a person who asks it."""

    def __init__(self, directory: Path) -> None:
        self.configuration = load(directory=directory, base_port=60000)
        self.directory = directory
        self.nodes: dict[str, Node] = {}
        self.master: StorageMaster
        self.person = Agent(reactor, "console", "console")
        self.link: Any = None
        self.settings: dict[str, Any] = {}
        self.least_left = 100

    async def start(self, nodes: int = 0, **settings: Any) -> None:
        """Start the master, and so many nodes."""
        self.settings = {
            "settle": 0.05, "grace": 0.2, "sweep_every": 0.5, "tidy_after": 0.0, "tidy_rate": 1000
        } | settings  # fmt: skip
        await self.start_master(ANY)
        self.link = self.person.connect(self.master.listener.address)
        self.person.startService()
        for number in range(1, nodes + 1):
            await self.add(f"storage-{number}")

    async def start_master(self, hip: str) -> None:
        """Start the master, on the database it had."""
        config = StorageMasterConfig(hip=hip, pages=ANY, scheduler="127.0.0.1:9", **self.settings)
        self.master = StorageMaster(reactor, self.configuration, config, "storage-master")
        self.master.startService()
        await self.until(lambda: self.master.opened)

    async def restart_master(self) -> None:
        """Stop the master, and start it at the same address; nodes link again by themselves."""
        address = self.master.listener.address
        await self.master.stopService()
        await self.start_master(address)
        await self.until(lambda: len(self.master.registry.up) == len(self.nodes))

    async def add(self, name: str, **status: Any) -> Node:
        """Start a node."""
        self.nodes[name] = node = Node(self, name, **status)
        await self.until(lambda: name in self.master.registry.up)
        return node

    async def take_away(self, name: str) -> Node:
        """Stop a node."""
        node = self.nodes.pop(name)
        await node.stop()
        await self.until(lambda: name not in self.master.registry.up)
        return node

    async def ask(self, method: str, **arguments: Any) -> Any:
        """Ask the master as a person does."""
        await self.until(lambda: self.link.peer is not None)
        return await self.link.call(method, **arguments)

    async def status(self) -> MasterStatus:
        """Return what the master says of itself."""
        return convert(await self.ask("status"), MasterStatus)

    def holders(self, key: str, kind: Kind = "contents") -> set[str]:
        """Return which nodes hold something."""
        return {name for name, node in self.nodes.items() if (kind, key) in node.held}

    async def until(self, condition: Callable[[], bool | Awaitable[bool]]) -> None:
        """Wait until something is so; the test fails when it is not in time."""
        deadline = reactor.seconds() + PATIENCE
        while True:
            outcome = condition()
            if outcome if isinstance(outcome, bool) else await outcome:
                return
            assert reactor.seconds() < deadline, "waited too long"
            await sleep(reactor, 0.02)

    async def stop(self) -> None:
        """Stop all."""
        for node in list(self.nodes.values()):
            await node.stop()
        await self.person.stopService()
        await self.master.stopService()


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Household]:
    """Give a household that is not started."""
    household = Household(tmp_path)
    yield household
    pytest_twisted.blockon(ensureDeferred(household.stop()))


@pytest.fixture
def keys() -> list[str]:
    """Give keys of all groups."""
    return [sha256(b"%d" % number).hexdigest() for number in range(40)]
