"""Agents as programs of their own: real processes, signals, and what is left of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from anet.tasks import sleep
from hip import Agent, Limits, Peer

SLAVE = """
import sys
from hip import Agent, Limits, exposed

@exposed
def is_linked() -> bool:
    return link.peer is not None

slave = Agent.of("slave", [is_linked], limits=Limits(heartbeat=0.2, silence=0.6))
link = slave.connect(sys.argv[1])
slave.run()
"""


def program(text: str, *words: str) -> "subprocess.Popen[str]":
    """Start a program."""
    return subprocess.Popen(
        [sys.executable, "-c", text, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(text: str) -> tuple[str, str, int]:
    """Run a program to its end; return what it printed, its complaints and its status."""
    child = program(text)
    out, error = child.communicate(timeout=30)
    return out, error, child.returncode


def test_a_program_ends_with_its_work() -> None:
    """`run` returns what `main` returned, once everything has stopped."""
    text = """
from hip import Agent, exposed

@exposed
def add(a: int, b: int) -> int:
    return a + b

calculator = Agent.of("calculator", [add])
listener = calculator.listen("127.0.0.1:0")

async def main() -> int:
    customer = Agent.of("customer", kind="buyer")
    customer.setServiceParent(calculator)
    sum = await customer.connect(listener.address).call("add", a=2, b=40)
    return sum, calculator.slaves["customer"].kind

print(calculator.run(main), calculator.slaves)
"""
    assert ended(text) == ("(42, 'buyer') {}\n", "", 0)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("async def main(): 1 / 0\nAgent.of('a').run(main)", "ZeroDivisionError: division by zero"),
        ("async def main(): raise SystemExit(3)\nAgent.of('a').run(main)", ""),
        ("a = Agent.of('a')\na.listen('0.0.0.0:0')\na.run()", "insecure: true"),
    ],
)
def test_a_program_fails_with_its_work(text: str, error: str) -> None:
    """What `main` raises, and what keeps the agent from starting, is raised by `run`."""
    out, said, status = ended(f"from hip import Agent\n{text}\nprint('not reached')")
    assert out == ""
    assert error in said
    assert status == (1 if error else 3)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_program_cleanly(number: int) -> None:
    """`main` is cancelled and may clear up; `run` returns, and nothing is complained of."""
    child = program("""
from hip import Agent
from twisted.internet.defer import Deferred

async def main():
    print("running", flush=True)
    try:
        await Deferred()
    finally:
        print("clearing up")

agent = Agent.of("agent")
agent.listen("127.0.0.1:0")
print(agent.run(main))
""")
    assert child.stdout is not None and child.stderr is not None
    assert child.stdout.readline() == "running\n"
    child.send_signal(number)
    assert child.stdout.read() == "clearing up\nNone\n"
    assert (child.stderr.read(), child.wait(10)) == ("", 0)


class Master:
    """A master that says who comes and goes, and starts slaves as processes."""

    def __init__(self) -> None:
        limits = Limits(heartbeat=0.2, silence=0.6)
        self.agent = Agent(reactor, "master", "master", limits=limits)
        self._listener = self.agent.listen("127.0.0.1:0")
        self.agent.on_join, self.agent.on_leave = self._join, self._leave
        self._joined: Deferred[Peer] = Deferred()
        self._left: Deferred[str] = Deferred()
        self.children: list[subprocess.Popen[str]] = []

    def _join(self, peer: Peer) -> None:
        joined, self._joined = self._joined, Deferred()
        joined.callback(peer)

    def _leave(self, _: Peer, reason: str) -> None:
        left, self._left = self._left, Deferred()
        left.callback(reason)

    async def slave(self) -> "subprocess.Popen[str]":
        """Start a slave and return it once it has joined, and knows it."""
        joined = self.joined()
        self.children.append(program(SLAVE, self._listener.address))
        peer = await joined
        while not await peer.call("is_linked"):
            await sleep(reactor, 0.01)
        return self.children[-1]

    def joined(self) -> Deferred[Peer]:
        """Return what fires with the next slave."""
        return self._joined.addTimeout(20, reactor)

    def left(self, seconds: float) -> Deferred[str]:
        """Return what fires when the next slave is known to have gone."""
        return self._left.addTimeout(seconds, reactor)


@pytest.fixture
def master() -> Iterator[Master]:
    """Return a master that is not started; its slaves' processes end with the test."""
    master = Master()
    yield master
    for child in master.children:
        if child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)
        child.communicate()


async def stopped(master: Master) -> None:
    """Stop a master."""
    master.agent.on_leave = lambda *_: None
    stopping: Any = master.agent.stopService()
    await stopping


@ensureDeferred
async def test_a_slave_that_is_killed_is_missed_at_once(master):
    """The kernel closes what a dead process had open: no silence has to be waited for."""
    master.agent.startService()
    child = await master.slave()
    left, killed = master.left(0.5), reactor.seconds()
    child.kill()
    reason = await left
    assert reactor.seconds() - killed < 0.5
    assert "silent" not in reason
    assert master.agent.slaves == {}
    await stopped(master)


@ensureDeferred
async def test_a_slave_that_hangs_is_missed_within_silence_and_a_heartbeat(master):
    """A stopped process answers nothing, and its kernel all: it is found, and comes back later."""
    master.agent.startService()
    child = await master.slave()
    left, halted = master.left(10), reactor.seconds()
    child.send_signal(signal.SIGSTOP)
    reason = await left
    assert "silent for 0.6 seconds" in reason
    assert 0.4 < reactor.seconds() - halted < 2.0  # 0.6 + 0.2, and what a busy machine adds
    again = master.joined()
    child.send_signal(signal.SIGCONT)
    assert (await again).name == "slave"
    await stopped(master)


@ensureDeferred
async def test_a_slave_that_stops_says_goodbye(master):
    """Its master knows why it has gone."""
    master.agent.startService()
    child = await master.slave()
    left = master.left(10)
    child.send_signal(signal.SIGTERM)
    assert await left == "slave said goodbye: stopping"
    while child.poll() is None:
        await sleep(reactor, 0.01)
    assert child.returncode == 0
    await stopped(master)
