"""A scheduler under a clock, with agents linked to it in memory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import asdict, evolve
from twisted.internet.defer import Deferred, ensureDeferred, execute
from twisted.internet.task import Clock

from agents.deposit import DepositFigures, HostedFolder
from agents.machines import NurseryRoom
from agents.order import CrawlFigures, Order
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Database
from agents.scheduler.journal import Journal
from agents.scheduler.live import Live
from agents.scheduler.means import Means
from agents.scheduler.methods import MachineMethods, SchedulerMethods
from agents.scheduler.overview import Overview
from agents.scheduler.portion.methods import PortionMethods
from agents.scheduler.portion.reader_methods import ReaderMethods
from agents.scheduler.scheduler import Scheduler
from agents.scheduler.streams.methods import StreamMethods
from anet.tasks import Tasks
from hip import Agent, CallRefused, Peer, exposed
from hip.testing import connect_in_memory, settle


class Immediate:
    """Does jobs at once, where a thread would do them."""

    problem = ""
    waiting = 0

    def __init__(self, *first: object) -> None:
        self._first = first

    def run(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        return execute(function, *self._first, *args)

    look = run

    def reader(self) -> Any:
        return self._first[0].reader()

    def startService(self) -> None:
        pass

    async def stopService(self) -> None:
        pass


class Slave:
    """An agent linked to the scheduler."""

    kind = ""

    def __init__(self, world: "World", name: str) -> None:
        self.world, self.name = world, name
        self.agent = Agent(world.clock, kind=self.kind, name=name, methods=[self])
        self.there: Peer
        self.master: Peer
        self.connect()

    def connect(self) -> None:
        """Link to the scheduler."""
        self.there, self.master = connect_in_memory(self.world.clock, self.world.agent, self.agent)

    def disconnect(self) -> None:
        """End the link as if the process had been killed."""
        self.master.transport.abortConnection()
        settle(self.world.clock)

    def tell(self, method: str, **arguments: Any) -> Any:
        """Call a method of the scheduler and return its answer."""
        return self.world.wait(self.master.call(method, **arguments))


class FakeCrawler(Slave):
    """A site crawler that collects nothing; tests say what it does."""

    kind = "site-crawler"

    def __init__(self, world: "World", name: str, machine: str = "") -> None:
        self.orders: list[Order] = []
        self.refusal: CallRefused | None = None
        self.machine = machine
        super().__init__(world, name)
        self.tell("ready", crawl=None, machine=machine)

    @exposed
    def collect(self, order: Order) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.orders.append(order)

    @property
    def order(self) -> Order:
        """The last order."""
        return self.orders[-1]

    def finish(self, error: str | None = None, fault: str = "site") -> bool:
        """Say that the last order has been carried out."""
        crawl = self.order.crawl
        heard: bool = self.tell(
            "finished",
            crawl=crawl,
            directory=f"/crawls/{crawl}",
            figures=CrawlFigures(captures=7, bytes_received=70),
            error=error,
            fault=fault,
        )
        return heard


class FakeConnectivity(Slave):
    """A connectivity agent that deposits nothing; tests say when it is done."""

    kind = "connectivity"

    def __init__(self, world: "World", name: str = "connectivity", machine: str = "here") -> None:
        self.machine = machine
        self.deposits: list[dict[str, str]] = []
        self.answers: list[Deferred[DepositFigures]] = []
        self.discarded: list[str] = []
        super().__init__(world, name)
        settle(world.clock)

    @exposed
    def serves(self) -> HostedFolder:
        return HostedFolder(self.machine, "/crawls")

    @exposed
    def deposit(
        self, crawl: str, site: str, directory: str, machine: str | None = None
    ) -> Deferred[DepositFigures]:
        self.deposits.append({"crawl": crawl, "site": site, "directory": directory})
        self.answers.append(Deferred())
        return self.answers[-1]

    @exposed
    def discard(self, directory: str, machine: str | None = None) -> None:
        self.discarded.append(directory)

    def succeed(self) -> None:
        """Say that the last deposit is durable."""
        self.answers[-1].callback(DepositFigures(captures_recorded=7, done=True))
        settle(self.world.clock)

    def fail(self, code: str) -> None:
        """Refuse the last deposit."""
        self.answers[-1].errback(CallRefused(code, "because of the test"))
        settle(self.world.clock)


class FakeNursery(Slave):
    """A nursery that counts what it is asked for."""

    kind = "nursery"

    def __init__(
        self, world: "World", name: str = "nursery", machine: str = "here", maximum: int = 16
    ) -> None:
        self.asked: list[int] = []
        self.machine, self.maximum = machine, maximum
        self.kept: list[str] = []
        self.retired: list[str] = []
        super().__init__(world, name)
        settle(world.clock)

    @exposed
    def fork(self, count: int) -> list[str]:
        self.asked.append(count)
        self.kept += [f"{self.name}-{len(self.kept) + number}" for number in range(count)]
        return self.kept[-count:]

    @exposed
    def room(self) -> NurseryRoom:
        return NurseryRoom(self.machine, self.kept, self.maximum)

    @exposed
    def retire(self, crawlers: list[str]) -> None:
        self.retired += crawlers
        self.kept = [name for name in self.kept if name not in crawlers]


class World:
    """A scheduler, its clock, and whoever is linked to it."""

    def __init__(
        self,
        directory: Path,
        config: SchedulerConfig | None = None,
        processes: Callable[[int], Any] | None = None,
    ) -> None:
        self.clock = Clock()
        self.clock.advance(1_800_000_000)
        self.directory = directory
        self.config = config or SchedulerConfig(maximum_crawlers=3, attempts=2)
        self.processes = processes
        self.look_up: Any = None
        self.crawler = lambda name="crawler-1", machine="": FakeCrawler(self, name, machine)
        self.connectivity = lambda *args, **kwargs: FakeConnectivity(self, *args, **kwargs)
        self.nursery = lambda *args, **kwargs: FakeNursery(self, *args, **kwargs)
        self.start()

    def start(self) -> None:
        """Start a scheduler on what the former left."""
        self.database = Database(self.directory / "scheduler.sqlite", self.config.attempts)
        journal = Journal(self.clock)
        running = self.database.recover(journal.now())
        store: Any = Immediate(self.database)
        files: Any = Immediate()
        self.means = Means(
            self.clock, self.config, self.directory, store, files, Tasks(), journal, Live()
        )
        if self.look_up is not None:
            self.means = evolve(self.means, look_up=self.look_up)
        if self.processes is not None:
            self.means = evolve(self.means, processes=self.processes)
        self.scheduler = Scheduler(self.means, running)
        self.overview = Overview(
            self.means,
            self.scheduler.collecting.pool,
            lambda: self.agent.slaves,
            lambda kind, name: f"http://{name}/",
        )
        methods = [
            SchedulerMethods(self.scheduler, self.overview),
            MachineMethods(self.scheduler.collecting.machines),
            PortionMethods(
                self.scheduler.expanding, self.scheduler.feeding, self.scheduler.by_hand
            ),
            ReaderMethods(
                self.scheduler.means, self.scheduler.missing, self.scheduler.deposits_alarm
            ),
            StreamMethods(
                self.means, self.scheduler.streaming, lambda kind, name: f"http://{name}/"
            ),
        ]
        self.agent = Agent(self.clock, kind="scheduler", name="scheduler", methods=methods)
        self.agent.on_join, self.agent.on_leave = self.scheduler.join, self.scheduler.leave
        self.scheduler.startService()
        settle(self.clock)

    def stop(self) -> None:
        """Stop the scheduler."""
        self.wait(ensureDeferred(self.scheduler.stopService()))
        for peer in list(self.agent.slaves.values()):
            peer.transport.abortConnection()
        self.database.close()

    def wait(self, deferred: Deferred[Any]) -> Any:
        """Return the result of what needs no time to pass."""
        results: list[Any] = []
        deferred.addBoth(results.append)
        settle(self.clock)
        assert results, "it has not happened"
        if hasattr(results[0], "raiseException"):
            results[0].raiseException()
        return results[0]

    def run(self, coroutine: Any) -> Any:
        """Return the result of a coroutine that needs no time to pass."""
        return self.wait(Deferred.fromCoroutine(coroutine))

    def order(self, *urls: str, private_networks: bool = False, **how: Any) -> list[str]:
        """Order sites."""
        crawls: list[str] = self.run(self.scheduler.order(urls, private_networks, **how))
        return crawls

    def pass_time(self, seconds: float) -> None:
        """Let time pass, second by second."""
        for _ in range(int(seconds)):
            self.clock.advance(1)
            settle(self.clock, 10)

    def status(self) -> Any:
        """Return what the scheduler tells."""
        return self.run(self.overview.status())

    def state(self, crawl: str) -> str:
        """Return the state of a crawl."""
        kept = self.database.crawl(crawl)
        assert kept is not None
        return kept.state

    def crawl(self, crawl: str) -> dict[str, Any]:
        """Return a crawl as it is kept."""
        kept = self.database.crawl(crawl)
        assert kept is not None
        return asdict(kept)


@pytest.fixture
def kit() -> Any:
    """What other worlds are made of."""
    return SimpleNamespace(World=World, Slave=Slave)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A running scheduler with nobody linked to it."""
    made = World(tmp_path)
    yield made
    made.stop()
    assert made.means.tasks.failures == 0
