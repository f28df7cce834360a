"""Agents as real processes under a supervisor."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.process import reapAllProcesses
from twisted.internet.task import LoopingCall

from agents.archive.config import ArchiveConfig
from agents.archive.plan import Program
from agents.archive.supervisor import Supervisor
from agents.configuration import Configuration, load
from anet.tasks import sleep


@pytest.fixture
def reaped() -> Iterator[None]:
    """Have ended processes noticed: pytest's reactor does not take the signal that tells."""
    reaping = LoopingCall(reapAllProcesses)
    reaping.start(0.05, now=False)
    yield
    reaping.stop()


def free_ports() -> int:
    """Return the first of a hundred free ports."""
    for base in range(20000 + os.getpid() % 8000, 32000, 100):
        try:
            for port in (base, base + 1):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    raise RuntimeError("no free ports")


async def until(condition: Callable[[], Any], what: str) -> None:
    """Wait until a condition holds."""
    for _ in range(1200):
        if condition():
            return
        await sleep(reactor, 0.05)
    raise AssertionError(f"waited a minute for {what}")


def runs(pid: int) -> bool:
    """Tell whether a process is there and not merely unreaped."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def scheduler_of(configuration: Configuration) -> Program:
    """Return the scheduler of a tree: an agent that needs no other."""
    listens = {"hip": configuration.address(0), "pages": configuration.address(1)}
    return Program("scheduler", "scheduler", listens)


@ensureDeferred
async def test_an_agent_is_kept_running(tmp_path: Path, reaped: None) -> None:
    """It is started, found ready, started again after `kill -9`, logged, and stopped cleanly."""
    configuration = load(directory=tmp_path, base_port=free_ports())
    config = ArchiveConfig(restart_first=0.1)
    refusals: list[str] = []
    supervisor = Supervisor(
        reactor, configuration, config, [scheduler_of(configuration)], refusals.append
    )
    supervisor.startService()
    ((_, process),) = supervisor.agents
    await until(lambda: supervisor.ready, "the scheduler")
    first = process.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await until(lambda: supervisor.ready and process.pid != first, "another scheduler")
    second = process.pid
    assert second is not None
    assert process.status.starts == 2
    await supervisor.stopService()
    assert not runs(first)
    assert not runs(second)
    assert refusals == []
    assert (tmp_path / "log" / "scheduler.log").stat().st_size > 0


@ensureDeferred
async def test_a_refused_configuration_is_told(tmp_path: Path, reaped: None) -> None:
    """The agent's own words, with file and line, reach whoever runs the archive."""
    file = tmp_path / "tree.yaml"
    configuration = load(directory=tmp_path, base_port=free_ports())
    program = scheduler_of(configuration)
    file.write_text("scheduler:\n  deley: 1\n")
    configuration.path = file
    refusals: list[str] = []
    supervisor = Supervisor(reactor, configuration, ArchiveConfig(), [program], refusals.append)
    supervisor.startService()
    await until(lambda: refusals, "the refusal")
    await supervisor.stopService()
    assert refusals == [f"{file}:2: scheduler.deley: unknown key; did you mean delay?"]


PARENT = """
import subprocess, sys, time
from agents.archive import child
process = subprocess.Popen(child.command(sys.argv[1:]), stdout=subprocess.DEVNULL)
print(process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_agent_dies_with_its_parent(tmp_path: Path, number: signal.Signals) -> None:
    """However the parent ends, its agents end too, in good order."""
    port = free_ports()
    arguments = ["scheduler", "--archive", str(tmp_path), "--base-port", str(port)]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    assert runs(pid)
    parent.send_signal(number)
    parent.wait()
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runs(pid)
    parent.stdout.close()
