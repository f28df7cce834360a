"""The nursery: its keeper under a clock, and a whole one with real crawlers."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from agents.configuration import load
from agents.crawler.nursery.config import NurseryConfig
from agents.crawler.nursery.keeper import Full, Keeper, describe_end
from agents.crawler.nursery.pages import private_memory
from agents.crawler.nursery.service import argument_of
from anet.nursery import NurseryError
from anet.tasks import sleep
from hip import Agent, Peer, exposed


class FakeZygote:
    """Forks in memory."""

    def __init__(self) -> None:
        self.forked: list[str] = []
        self.signalled: list[int] = []
        self.closed = False
        self.broken = False
        self.exit: Callable[[int, int], None]
        self.lost: Callable[[], None]

    def attach(self, _: Any, on_exit: Any, on_lost: Any = None) -> None:
        self.exit, self.lost = on_exit, on_lost

    def fork(self, argument: Mapping[str, Any]) -> Deferred[int]:
        if self.broken:
            return fail(NurseryError("no more processes"))
        self.forked.append(argument["name"])
        return succeed(len(self.forked))

    def signal(self, pid: int, number: int = signal.SIGTERM) -> None:
        self.signalled.append(pid)

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def kept() -> tuple[Clock, FakeZygote, Keeper, list[str]]:
    """A keeper of two crawlers that has started."""
    clock, zygote, told = Clock(), FakeZygote(), []
    keeper = Keeper(
        clock,
        zygote,
        NurseryConfig(maximum=4),
        lambda name: {"name": name},
        lambda: told.append("lost"),
    )
    keeper.startService()
    return clock, zygote, keeper, told


def test_the_first_crawlers_are_forked_and_more_when_asked(kept: Any) -> None:
    """Names count up, and the maximum is kept."""
    _, zygote, keeper, _ = kept
    assert zygote.forked == ["crawler-1", "crawler-2"]
    assert keeper.fork(2) == ["crawler-3", "crawler-4"]
    with pytest.raises(Full, match="at most 4"):
        keeper.fork(1)


def test_a_crawler_that_dies_is_replaced_ever_more_slowly(kept: Any) -> None:
    """One that dies at once again and again is not forked in a hurry; one that lived long is."""
    clock, zygote, keeper, _ = kept
    for death in range(6):
        zygote.exit(keeper.crawlers["crawler-1"].pid, -9)
        assert keeper.crawlers["crawler-1"].last_end == "killed by SIGKILL"
        clock.advance(0.2)
        assert zygote.forked.count("crawler-1") == 1 + death
        clock.advance(30)
        assert zygote.forked.count("crawler-1") == 2 + death
    clock.advance(100)
    zygote.exit(keeper.crawlers["crawler-1"].pid, 1)
    clock.advance(0.5)
    assert zygote.forked.count("crawler-1") == 8
    assert zygote.forked.count("crawler-2") == 1


def test_a_fork_that_fails_is_tried_again(kept: Any) -> None:
    """A machine that allows no more processes for a while gets its crawlers later."""
    clock, zygote, keeper, _ = kept
    zygote.broken = True
    keeper.fork(1)
    assert keeper.crawlers["crawler-3"].pid is None
    zygote.broken = False
    clock.advance(1)
    assert keeper.crawlers["crawler-3"].pid == 3


@ensureDeferred
async def test_stopping_ends_the_zygote_and_forks_no_more() -> None:
    """Crawlers that end while the nursery stops are not replaced."""
    clock, zygote = Clock(), FakeZygote()
    keeper = Keeper(clock, zygote, NurseryConfig(), lambda name: {"name": name}, lambda: None)
    keeper.startService()
    zygote.exit(1, 0)
    await keeper.stopService()
    zygote.exit(2, -15)
    clock.advance(100)
    assert zygote.closed and len(zygote.forked) == 2
    assert clock.getDelayedCalls() == []


def test_a_retired_crawler_is_ended_and_not_replaced(kept: Any) -> None:
    """Whatever it does just then; and its name goes to the next that is asked for."""
    clock, zygote, keeper, _ = kept
    keeper.retire(["crawler-1", "crawler-9"])
    assert zygote.signalled == [1]
    zygote.exit(1, -15)
    clock.advance(100)
    assert [*keeper.crawlers] == ["crawler-2"]
    zygote.exit(2, -9)
    keeper.retire(["crawler-2"])  # while it waits to be forked again
    clock.advance(100)
    assert keeper.crawlers == {} and len(zygote.forked) == 2
    assert keeper.fork(1) == ["crawler-1"]


def test_a_lost_zygote_is_told(kept: Any) -> None:
    """A nursery without its zygote can do nothing; its owner ends it."""
    _, zygote, _, told = kept
    zygote.lost()
    assert told == ["lost"]


def test_ends_in_words() -> None:
    """Exit codes and signals are told as a person says them."""
    assert describe_end(0) == "exit status 0"
    assert describe_end(-15) == "killed by SIGTERM"
    assert describe_end(-200) == "killed by signal 200"


def test_memory_and_arguments(tmp_path: Path) -> None:
    """A process has memory of its own; crawlers get the nursery's options and their own name."""
    assert (private_memory(os.getpid()) or 0) > 1_000_000
    assert private_memory(2**22 + 1) is None
    configuration = load(None, directory=str(tmp_path), base_port="9000")
    told = argument_of(configuration, "crawler-7")
    assert told["log"] == str(tmp_path / "log" / "crawler-7.log")
    assert told["options"][-2:] == ["--name", "crawler-7"]


class Scheduler:
    """Lets crawlers join."""

    def __init__(self) -> None:
        self.machines: set[str] = set()

    @exposed
    def ready(self, peer: Peer, crawl: str | None = None, machine: str = "") -> bool:
        self.machines.add(machine)
        return True


@pytest.mark.slow
@ensureDeferred
async def test_a_nursery_with_real_crawlers(tmp_path: Path) -> None:
    """twistd nursery forks crawlers that join and say where they run; it replaces one that is
    killed, and none that is retired, and ends them all."""
    joined: list[str] = []
    methods = Scheduler()
    scheduler = Agent(reactor, "scheduler", "scheduler", methods=[methods])
    scheduler.on_join = lambda peer: joined.append(peer.name)
    listener = scheduler.listen("127.0.0.1:0")
    scheduler.startService()
    file = tmp_path / "archive.yaml"
    file.write_text(
        f"nursery:\n  scheduler: {listener.address}\n  pages: 127.0.0.1:0\n  crawlers: 2\n"
        "  machine: the-first\n"
        f"site-crawler:\n  scheduler: {listener.address}\n  pages: 127.0.0.1:0\n"
    )
    twistd = Path(sys.executable).with_name("twistd")
    command = [twistd, "--nodaemon", "--pidfile=", "nursery", "--config", file]
    nursery = subprocess.Popen([*command, "--archive", tmp_path / "var"], stdout=subprocess.DEVNULL)
    try:
        await until(lambda: set(joined) >= {"nursery", "crawler-1", "crawler-2"})
        told = await scheduler.slaves["crawler-1"].call("hip.info")
        assert name_of(told["pid"]) == "crawler-1"
        os.kill(told["pid"], signal.SIGKILL)
        await until(lambda: joined.count("crawler-1") == 2)
        assert await scheduler.slaves["nursery"].call("fork", count=1) == ["crawler-3"]
        await until(lambda: "crawler-3" in scheduler.slaves)
        crawlers = [f"crawler-{number}" for number in (1, 2, 3)]
        pids = [(await scheduler.slaves[name].call("hip.info"))["pid"] for name in crawlers]
        assert len(set(pids)) == 3
        assert methods.machines == {"the-first"}
        told = scheduler.slaves["nursery"]
        await told.call("retire", crawlers=["crawler-2", "nobody"])
        await until(lambda: "crawler-2" not in scheduler.slaves)
        kept = ["crawler-1", "crawler-3"]
        await until(lambda: not Path(f"/proc/{pids[1]}").exists())
        while (room := await told.call("room"))["crawlers"] != kept:
            pass
        assert room == {"machine": "the-first", "crawlers": kept, "maximum": 16}
        assert await told.call("fork", count=1) == ["crawler-2"]
        await until(lambda: "crawler-2" in scheduler.slaves)
        nursery.send_signal(signal.SIGTERM)
        await until(lambda: nursery.poll() is not None)
        await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
        assert (tmp_path / "var" / "log" / "crawler-3.log").stat().st_size > 0
    finally:
        nursery.kill()
        nursery.wait()
        await scheduler.stopService()


def name_of(pid: int) -> str:
    """Return a process's name as `ps` shows it."""
    return Path(f"/proc/{pid}/comm").read_text().strip()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what other processes do."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it has not happened"
        await sleep(reactor, 0.02)
