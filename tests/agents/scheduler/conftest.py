"""A scheduler under a clock, with agents linked to it in memory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import asdict
from twisted.internet.defer import Deferred, ensureDeferred, execute
from twisted.internet.task import Clock

from agents.deposit import DepositFigures
from agents.order import CrawlFigures, Order
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Database
from agents.scheduler.journal import Journal
from agents.scheduler.live import Live
from agents.scheduler.means import Means
from agents.scheduler.methods import SchedulerMethods
from agents.scheduler.overview import Overview
from agents.scheduler.scheduler import Scheduler
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

    def __init__(self, world: "World", name: str) -> None:
        self.orders: list[Order] = []
        self.refusal: CallRefused | None = None
        super().__init__(world, name)
        self.tell("ready", crawl=None)

    @exposed
    def collect(self, order: Order) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.orders.append(order)

    @property
    def order(self) -> Order:
        """The last order."""
        return self.orders[-1]

    def finish(self, error: str | None = None, again: bool = False) -> bool:
        """Say that the last order has been carried out."""
        crawl = self.order.crawl
        heard: bool = self.tell(
            "finished",
            crawl=crawl,
            directory=f"/crawls/{crawl}",
            figures=CrawlFigures(captures=7, bytes_received=70),
            error=error,
            again=again,
        )
        return heard


class FakeConnectivity(Slave):
    """A connectivity agent that deposits nothing; tests say when it is done."""

    kind = "connectivity"

    def __init__(self, world: "World", name: str = "connectivity") -> None:
        self.deposits: list[dict[str, str]] = []
        self.answers: list[Deferred[DepositFigures]] = []
        self.discarded: list[str] = []
        super().__init__(world, name)
        settle(world.clock)

    @exposed
    def deposit(self, crawl: str, site: str, directory: str) -> Deferred[DepositFigures]:
        self.deposits.append({"crawl": crawl, "site": site, "directory": directory})
        self.answers.append(Deferred())
        return self.answers[-1]

    @exposed
    def discard(self, directory: str) -> None:
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

    def __init__(self, world: "World", name: str = "nursery") -> None:
        self.asked: list[int] = []
        super().__init__(world, name)
        settle(world.clock)

    @exposed
    def fork(self, count: int) -> list[str]:
        self.asked.append(count)
        return [f"crawler-{number}" for number in range(count)]


class World:
    """A scheduler, its clock, and whoever is linked to it."""

    def __init__(self, directory: Path) -> None:
        self.clock = Clock()
        self.clock.advance(1_800_000_000)
        self.directory = directory
        self.config = SchedulerConfig(maximum_crawlers=3, attempts=2)
        self.crawler = lambda name="crawler-1": FakeCrawler(self, name)
        self.connectivity = lambda: FakeConnectivity(self)
        self.nursery = lambda: FakeNursery(self)
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
        self.scheduler = Scheduler(self.means, running)
        self.overview = Overview(
            self.means,
            self.scheduler.collecting.pool,
            lambda: self.agent.slaves,
            lambda kind, name: f"http://{name}/",
        )
        methods = SchedulerMethods(self.scheduler, self.overview)
        self.agent = Agent(self.clock, kind="scheduler", name="scheduler", methods=[methods])
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
def world(tmp_path: Path) -> Iterator[World]:
    """A running scheduler with nobody linked to it."""
    made = World(tmp_path)
    yield made
    made.stop()
    assert made.means.tasks.failures == 0
