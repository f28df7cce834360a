"""A pool for the length of a test, and ways to wait for real processes without sleeping."""

import os
import select
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from anet.processes import Processes

MIB = 2**20


@asynccontextmanager
async def running(size: int = 1, **settings: Any) -> AsyncIterator[Processes]:
    """Give a pool that runs, and stop it at the end."""
    pool = Processes(reactor, size, **settings)
    pool.startService()
    try:
        yield pool
    finally:
        if pool.running:
            await pool.stopService()


def pipe(folder: Path, name: str = "pipe") -> str:
    """Make a named pipe."""
    path = folder / name
    os.mkfifo(path)
    return str(path)


def read(pipe: str) -> Deferred[str]:
    """Wait for what a process writes to a named pipe."""
    return deferToThread(Path(pipe).read_text)


def write(pipe: str, text: str) -> Deferred[int]:
    """Write to a named pipe that a process reads."""
    return deferToThread(Path(pipe).write_text, text)


async def until(condition: Callable[[], bool]) -> None:
    """Let the reactor turn until something holds."""
    latest = reactor.seconds() + 15
    while not condition():
        assert reactor.seconds() < latest, "it does not come to hold"
        turned: Deferred[None] = Deferred()
        reactor.callLater(0, turned.callback, None)
        await turned


class Watched:
    """A process whose end can be waited for, whoever its parent is."""

    def __init__(self, pid: int) -> None:
        self._descriptor = os.pidfd_open(pid)

    def ended(self) -> Deferred[None]:
        """Wait until the process has ended, while the reactor goes on."""
        return deferToThread(self.wait)

    def wait(self) -> None:
        """Block until the process has ended."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        ended = poll.poll(15_000)
        os.close(self._descriptor)
        if not ended:
            pytest.fail("the process lives on")
