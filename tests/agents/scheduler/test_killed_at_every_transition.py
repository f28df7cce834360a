"""A real scheduler, killed right before and right after each transition of `life`'s tables.

Its crawlers and its connectivity agent are linked to it by HIP and live on. Each transition has a
site of its own, and another site shares that one's address; what they go through is in `SCRIPTS`,
by the event. A new transition is tested by itself, if its event is known here.
"""

import json
import os
import sqlite3
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from pathlib import Path
from signal import SIGKILL
from time import monotonic
from typing import Any

import pytest
from attrs import define, field, frozen
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol

from agents.deposit import DepositFigures, HostedFolder
from agents.order import CrawlFigures, Order
from agents.scheduler import life
from agents.scheduler.life import (
    CrawlState,
    Event,
    MachineState,
    SiteState,
    Standing,
    StandingEvent,
)
from anet.tasks import Tasks, sleep
from hip import Agent, CallRefused, HipError, RemoteError, exposed

# What crawlers do with a site, one after the other; in the end they finish.
SCRIPTS = {
    Event.REFUSED: ["refuse"],
    Event.LOST: ["crash"],
    Event.GIVEN_UP: ["crash", "crash"],
    Event.ERRED: ["err"],
}
# And how its deposits end; in the end they succeed.
DEPOSITS = {Event.DEPOSIT_BROKE: ["stalled"], Event.DEPOSIT_IMPOSSIBLE: ["no-crawl"]}
FAILS = {Event.GIVEN_UP, Event.ERRED, Event.DEPOSIT_IMPOSSIBLE}
REPEATED = ("site", "before")  # orders that a person has to repeat, who got no answer
# Only what is known of can be banned.
IMPOSSIBLE = {("standing", Standing.UNKNOWN, StandingEvent.BANNED)}
ONE, TWO = "one", "two"  # machines; nobody deposits on the second
TWIN = "twin-of-"


@frozen
class Target:
    """A transition, and the moment at which the scheduler is killed."""

    region: str
    state: Any
    event: Any
    after: Any
    moment: str

    @property
    def what(self) -> str:
        """The site, or machine, that goes through it."""
        words = [self.region, self.state, self.event, self.moment]
        return "-".join(words).replace(" ", "-") + ("" if self.region == "machine" else ".example")

    @property
    def line(self) -> str:
        """What the process is told."""
        return json.dumps([self.region, self.what, self.state, self.event, self.moment])


def targets() -> list[Target]:
    """Return all transitions of the tables, each before and after."""
    ordered = {
        (state, event): after
        for (state, event), after in life._SITE.items()
        if event is Event.ORDERED
    }
    tables: dict[str, Any] = {
        "site": ordered,
        "crawl": life._CRAWL,
        "standing": life._STANDING,
        "machine": life._MACHINE,
    }
    return [
        Target(region, state, event, after, moment)
        for region, table in tables.items()
        for (state, event), after in table.items()
        if (region, state, event) not in IMPOSSIBLE
        for moment in ("before", "after")
    ]


@define
class Records:
    """What the agents have done, and are doing."""

    addresses: dict[str, str] = field(factory=dict)  # of sites
    scripts: dict[str, deque[str]] = field(factory=dict)
    endings: dict[str, deque[str]] = field(factory=dict)
    at_work: dict[str, str] = field(factory=dict)  # attempts, by address
    offences: list[str] = field(factory=list)
    deposited: dict[str, int] = field(factory=dict)  # sites

    def begin(self, order: Order) -> None:
        """Note that a crawler begins."""
        address = self.addresses.get(order.site, order.site)
        if address in self.at_work:
            self.offences.append(f"{order.crawl} beside {self.at_work[address]}")
        self.at_work[address] = order.crawl

    def end(self, order: Order) -> None:
        """Note that a crawler has done with its crawl."""
        self.at_work.pop(self.addresses.get(order.site, order.site), None)


class Crawler:
    """A crawler that collects nothing, and insists on what it has to tell, as a real one."""

    def __init__(self, world: "World", name: str, machine: str) -> None:
        self.name, self.machine = name, machine
        self._world, self._records = world, world.records
        self._order: Order | None = None
        self._told: dict[str, Any] | None = None

    @exposed
    def collect(self, order: Order) -> None:
        """Take an order."""
        script = self._records.scripts.setdefault(order.site, deque())
        if self._order is not None or (script and script[0] == "refuse"):
            if self._order is None:
                script.popleft()
            raise CallRefused("busy", "for the test")
        self._records.begin(order)
        self._order = order
        self._world.tasks.start(self._work(order), "collecting")

    async def greet(self, link: Any) -> None:
        """Say what it is doing, at a new link."""
        order = self._order
        wanted = await link.call("ready", crawl=order and order.crawl, machine=self.machine)
        if order is not None and not wanted and self._told is None:
            self._records.end(order)
            self._order = None
            await link.call("ready", crawl=None, machine=self.machine)
        if self._told is not None:
            await self._tell(link)

    async def _work(self, order: Order) -> None:
        await sleep(reactor, 0.02)
        if self._order is not order:
            return  # it was not wanted any more
        script = self._records.scripts[order.site]
        what = script.popleft() if script else "finish"
        fault = "crawler" if what == "crash" else "site"
        self._told = {
            "crawl": order.crawl,
            "directory": f"/crawls/{order.crawl}",
            "figures": CrawlFigures(captures=1),
            "error": None if what == "finish" else f"to {what} for the test",
            "fault": fault,
        }
        self._records.end(order)
        with suppress(HipError):
            await self._tell(self._world.links[self.name])

    async def _tell(self, link: Any) -> None:
        """Tell of the end; if the link breaks, the next greeting repeats it."""
        try:
            await link.call("finished", **(self._told or {}))
        except RemoteError as error:
            self._records.offences.append(f"{self.name}: {error}")
        self._order = self._told = None
        await link.call("ready", crawl=None, machine=self.machine)


class Connectivity:
    """A connectivity agent that deposits nothing."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @exposed
    def serves(self) -> HostedFolder:
        """Serve the first machine."""
        return HostedFolder(ONE, "/crawls")

    @exposed
    def deposit(self, crawl: str, site: str, directory: str, machine: str) -> DepositFigures:
        """End as the script of the site says."""
        assert machine == ONE
        endings = self._records.endings.get(site)
        if endings:
            ending = endings[0]
            if ending == "stalled":  # what is not there is not there the next time either
                endings.popleft()
            raise CallRefused(ending, "for the test")
        self._records.deposited[site] = self._records.deposited.get(site, 0) + 1
        return DepositFigures(captures=1, captures_recorded=1, done=True)

    @exposed
    def discard(self, directory: str, machine: str) -> None:
        """Remove nothing."""


class Process(ProcessProtocol):
    """The process that forks schedulers; tells what it says, line by line."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._waiting: Deferred[None] | None = None
        self._rest = ""

    def outReceived(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data.decode()).split("\n")
        self._lines.extend(lines)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    def errReceived(self, data: bytes) -> None:
        sys.stderr.write(data.decode())

    async def line(self) -> str:
        """Return the next line, within a time."""
        while not self._lines:
            self._waiting = Deferred()
            await self._waiting.addTimeout(60, reactor)
        return self._lines.popleft()


class World:
    """Schedulers, one after the other, on one database, and the agents that live on."""

    def __init__(self, folder: Path) -> None:
        self.records = Records()
        self.tasks = Tasks()
        self.links: dict[str, Any] = {}
        self._folder = folder
        self._agents: list[Agent] = []
        self._pid = 0
        crawlers = [Crawler(self, f"crawler-{number}", ONE) for number in range(3)]
        self.crawlers = [*crawlers, Crawler(self, "crawler-9", TWO)]
        self.connectivity = Connectivity(self.records)

    def begin(self) -> None:
        """Begin the process that forks schedulers, with all names that will be looked up."""
        hosts = []
        for number, target in enumerate(targets()):
            for site in (target.what, TWIN + target.what):
                self.records.addresses[site] = address = f"127.7.{number // 200}.{number % 200}"
                hosts.append(f'"{address} {site}"')
        self._folder.joinpath("archive.yaml").write_text(
            f"scheduler:\n  address: unix:{self._folder}/socket\n  pages: 127.0.0.1:0\n"
            "  attempts: 2\n  maximum_crawlers: 4\n  absence: 5\n  restart_absence: 5\n"
            f"site-crawler:\n  hosts: [{', '.join(hosts)}]\n"
        )
        self.process = Process()
        script = Path(__file__).with_name("killed_scheduler.py")
        command = [sys.executable, str(script), "archive.yaml", "var"]
        self._transport = reactor.spawnProcess(  # type: ignore[attr-defined]
            self.process, sys.executable, command, env=dict(os.environ), path=str(self._folder)
        )

    async def start(self, line: str = "null", machines: tuple[str, ...] = (ONE,)) -> Any:
        """Start a scheduler; return an operator's link to it."""
        self._transport.write(f"{line}\n".encode())
        self._pid = int((await self.process.line()).removeprefix("ready "))
        operator = self._link("console", "console", [])
        self._link("connectivity", "connectivity", [self.connectivity])
        for crawler in self.crawlers:
            if crawler.machine in machines:
                link = self._link("site-crawler", crawler.name, [crawler])
                link.on_connect = crawler.greet
        for agent in self._agents:
            agent.startService()
        return operator

    def _link(self, kind: str, name: str, methods: list[Any]) -> Any:
        agent = Agent(reactor, kind=kind, name=name, methods=methods)
        self._agents.append(agent)
        self.links[name] = agent.connect(f"unix:{self._folder}/socket")
        return self.links[name]

    async def died(self) -> None:
        """Wait for the end of the scheduler by the signal, and end all links."""
        assert await self.process.line() == f"ended {-SIGKILL}"
        agents, self._agents = self._agents, []
        for agent in agents:
            await agent.stopService()

    async def kill(self) -> None:
        """Kill the scheduler."""
        os.kill(self._pid, SIGKILL)
        await self.died()

    async def leave(self, machine: str) -> None:
        """End the links of a machine's crawlers."""
        for crawler in self.crawlers:
            if crawler.machine == machine:
                await next(a for a in self._agents if a.agent_name == crawler.name).stopService()

    async def stop(self) -> None:
        """End everything."""
        for agent in self._agents:
            await agent.stopService()
        await self.tasks.stop()
        self._transport.loseConnection()
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, SIGKILL)

    def rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """Ask the database itself."""
        with closing(sqlite3.connect(self._folder / "var/scheduler/scheduler.sqlite")) as database:
            return database.execute(sql, values).fetchall()

    def state(self, region: str, what: str) -> str:
        """Return where a site, its present crawl or a machine is."""
        found = self.rows(
            {
                "site": "SELECT state FROM sites WHERE site = ?",
                "standing": "SELECT standing FROM sites WHERE site = ?",
                "machine": "SELECT state FROM machines WHERE machine = ?",
                "crawl": "SELECT crawls.state FROM crawls JOIN sites"
                " ON crawls.crawl = sites.crawl WHERE sites.site = ?",
            }[region],
            what,
        )
        return str(found[0][0]) if found else "unknown"


@async_yield_fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A world whose first scheduler is still to be started."""
    made = World(tmp_path)
    made.begin()
    yield made
    await made.stop()


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for what others do."""
    deadline = monotonic() + seconds
    while not condition():
        assert monotonic() < deadline, "it has not happened"
        await sleep(reactor, 0.02)


def path_to(table: Any, start: Any, goal: Any) -> list[Any]:
    """Return events that lead from one state to another."""
    paths: dict[Any, list[Any]] = {start: []}
    queue = deque([start])
    while goal not in paths:
        state = queue.popleft()
        for (before, event), after in table.items():
            if before is state and after not in paths:
                paths[after] = [*paths[state], event]
                queue.append(after)
    return paths[goal]


async def bring_about(world: World, operator: Any, target: Target) -> None:
    """Do what lets a target happen; the scheduler is killed meanwhile."""
    what, event = target.what, target.event
    if target.region == "machine":
        for one in [*path_to(life._MACHINE, MachineState.UNKNOWN, target.state), event]:
            await operator.call("test.happen", machine=what, event=one)
    elif target.region == "standing":
        await decide(operator, what, target.state, event)
    else:
        await collect(world, operator, target)


async def decide(operator: Any, site: str, state: Standing, event: StandingEvent) -> None:
    """Bring a site to a standing, and let an event happen there."""
    table = {key: to for key, to in life._STANDING.items() if ("standing", *key) not in IMPOSSIBLE}
    first, *others = [*path_to(table, Standing.UNKNOWN, state), event]
    if first is StandingEvent.DISCOVERED:
        await operator.call("test.discover", site=site)
    else:
        await operator.call("order", urls=[f"http://{site}/"])
    for one in others:
        await operator.call("test.decide", site=site, event=one)


async def collect(world: World, operator: Any, target: Target) -> None:
    """Order a site, and the one that shares its address, and let happen what is to happen."""
    site, urls = target.what, [f"http://{target.what}/", f"http://{TWIN}{target.what}/"]
    if target.region == "site":
        if target.state is SiteState.FAILED:
            world.records.scripts[site] = deque(["err"])
        if target.state is SiteState.KNOWN:
            await operator.call("test.discover", site=site)
        else:
            await operator.call("order", urls=urls)
            await until(lambda: world.state("site", site) == target.state)
        await operator.call("order", urls=urls)
        return
    world.records.scripts[site] = deque(SCRIPTS.get(target.event, []))
    world.records.endings[site] = deque(DEPOSITS.get(target.event, []))
    if target.state is CrawlState.COLLECTED and target.event is Event.LOST:
        world.records.scripts[site].clear()
        await undrain(operator)
        await operator.call("order", urls=urls[:1])
        await until(lambda: world.state("crawl", site) == CrawlState.COLLECTED)
        await world.leave(TWO)
        await operator.call("drain", machine=TWO)
        while True:
            with suppress(RemoteError):  # its links are still up
                await operator.call("forget", machine=TWO, lost=True)
    await operator.call("order", urls=urls)
    if target.event is Event.WITHDRAWN:
        await operator.call("test.decide", site=site, event=StandingEvent.BANNED)


async def undrain(operator: Any) -> None:
    """Give the second machine work again, if there is one."""
    with suppress(RemoteError):
        await operator.call("undrain", machine=TWO)


def machines_of(target: Target) -> tuple[str, ...]:
    """Return the machines whose crawlers are there when a target is to happen."""
    if target.event is Event.WITHDRAWN or target.region in ("standing", "machine"):
        return ()
    gone = target.state is CrawlState.COLLECTED and target.event is Event.LOST
    return (TWO,) if gone else (ONE,)


@pytest.mark.slow
@ensureDeferred
async def test_nothing_is_lost_or_done_twice_wherever_the_scheduler_is_killed(world: World) -> None:
    """Each site ends where it should, and no two crawlers are ever at work at one address."""
    aims = targets()
    for target in aims:
        operator = await world.start(target.line, machines_of(target))
        world.tasks.start(_quietly(bring_about(world, operator, target)), target.what)
        await world.died()
        expected = target.state if target.moment == "before" else target.after
        assert world.state(target.region, target.what) == expected, target
        assert world.rows("PRAGMA integrity_check") == [("ok",)]
    operator = await world.start()
    sites = [aim for aim in aims if aim.region in ("site", "crawl")]
    # What was not answered is asked for again.
    again = [f"http://{aim.what}/" for aim in sites if (aim.region, aim.moment) == REPEATED]
    await operator.call("order", urls=again)
    undone = "SELECT crawl FROM crawls WHERE state NOT IN ('deposited', 'failed')"
    await until(lambda: not world.rows(undone), 40)
    for aim in sites:
        withdrawn = aim.event is Event.WITHDRAWN and aim.moment == "after"
        ended = "failed" if withdrawn or aim.event in FAILS else "idle"
        assert world.state("site", aim.what) == ended, aim
        assert world.state("site", TWIN + aim.what) in ("idle", "unknown"), aim
        assert ended == "failed" or world.records.deposited[aim.what] >= 1
    assert world.records.offences == []
    await world.kill()


async def _quietly(coroutine: Any) -> None:
    """Ask for something until the scheduler is killed."""
    with suppress(HipError):
        await coroutine
