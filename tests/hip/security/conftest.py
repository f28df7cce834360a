"""A private authority, agents with certificates, and what they say to each other."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from twisted.internet import reactor
from twisted.internet.defer import DeferredList, ensureDeferred

from anet.tasks import sleep
from hip import Agent, Link, Listener, Security, exposed
from hip.certificates import Authority


class Speaker:
    """What every agent here answers."""

    @exposed
    def greet(self, name: str) -> str:
        """Greet somebody."""
        return f"hello {name}"


class Net:
    """Agents, each with the certificate of its folder, that end with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.agents: list[Agent] = []

    def certify(self, name: str, *roles: str, host: str = "127.0.0.1", **how: Any) -> Path:
        """Make a certificate and return its folder; `authority` picks another authority."""
        authority = Authority(self.folder / how.pop("authority", "certs"), how.pop("now", None))
        authority.create(name, roles, [host] if host else [], **how)
        return authority.directory / name

    def agent(self, kind: str, name: str, security: Security | Path, *methods: object) -> Agent:
        """Return an agent that is not started yet."""
        if isinstance(security, Path):
            security = Security.of_folder(security)
        agent = Agent(reactor, kind, name, [Speaker(), *methods], security=security)
        self.agents.append(agent)
        return agent

    def master(self, security: Security | Path, address: str = "127.0.0.1:0") -> Listener:
        """Start a master of kind and name `master` and return where it listens."""
        agent = self.agent("master", "master", security)
        listener = agent.listen(address)
        agent.startService()
        return listener

    def slave(
        self, security: Security | Path, address: str, kind: str = "slave", name: str = "slave-1"
    ) -> Link:
        """Start a slave and return its link."""
        agent = self.agent(kind, name, security)
        link = agent.connect(address)
        agent.startService()
        return link

    async def stop(self) -> None:
        """Stop every agent."""
        await DeferredList([ensureDeferred(agent.stopService()) for agent in self.agents])


@pytest.fixture
def net(tmp_path: Path):
    """Return a net; its agents stop with the test."""
    net = Net(tmp_path)
    yield net
    pytest_twisted.blockon(ensureDeferred(_all_stopped(net)))


async def _all_stopped(net: Net) -> None:
    for agent in net.agents:
        stopping: Any = agent.stopService()
        if stopping is not None:
            await stopping


async def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until a condition holds; the end of the time is a failure."""
    end = reactor.seconds() + seconds
    while not condition():
        assert reactor.seconds() < end, "it did not happen"
        await sleep(reactor, 0.01)


def ago(**how: float) -> datetime:
    """Return a moment in the past."""
    return datetime.now(UTC) - timedelta(**how)
