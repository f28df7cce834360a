"""Two machines, each a network namespace: what holds beyond loopback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hip.certificates import Authority

MASTER, SLAVE = "10.99.0.1", "10.99.0.2"
MASTER6 = "fd00:99::1"
_AGENT = """
import sys
from pathlib import Path
from twisted.internet import reactor, task
from twisted.internet.defer import Deferred
from hip import Agent, HipError, Security, exposed

kind, folder, address, insecure = sys.argv[1:]

class Hello:
    @exposed
    def hello(self) -> str:
        return "hello"

async def run():
    others = {"insecure": insecure == "insecure"}
    security = Security.of_folder(folder, **others) if folder else Security(**others)
    agent = Agent(reactor, kind, kind, [Hello()], security=security)
    if kind == "master":
        agent.listen(address)
        agent.startService()
        print("listening", flush=True)
        await Deferred()
    link = agent.connect(address)
    agent.startService()
    try:
        print(await link.call("hello", timeout=3.0))
    except HipError as error:
        print(error)
    await agent.stopService()

async def told():
    try:
        await run()
    except HipError as error:
        print(error)

task.react(lambda _: Deferred.fromCoroutine(told()))
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces"),
]


def ip(*words: str) -> None:
    """Run ip(8)."""
    subprocess.run(["ip", *words], check=True, timeout=20)


class Machines:
    """Two network namespaces with a cable between them."""

    def __init__(self, name: str) -> None:
        self.master, self.slave = f"{name}m", f"{name}s"
        self._children: list[subprocess.Popen[str]] = []
        for space in (self.master, self.slave):
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
        ip("link", "add", self.master, "netns", self.master, "type", "veth")
        names = subprocess.run(
            ["ip", "-n", self.master, "-br", "link"], capture_output=True, text=True, check=True
        ).stdout
        other = names.partition(f"{self.master}@")[2].partition(" ")[0]
        ip("-n", self.master, "link", "set", other, "netns", self.slave)
        for space, card, last in [(self.master, self.master, 1), (self.slave, other, 2)]:
            ip("-n", space, "addr", "add", f"10.99.0.{last}/24", "dev", card)
            ip("-n", space, "addr", "add", f"fd00:99::{last}/64", "dev", card, "nodad")
            ip("-n", space, "link", "set", card, "up")

    def start(self, space: str, kind: str, folder: Path | str, address: str, how: str = "") -> str:
        """Run an agent; return its first line, which for a slave is the last."""
        child = subprocess.Popen(
            ["ip", "netns", "exec", space, sys.executable, "-c", _AGENT]
            + [kind, str(folder), address, how],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._children.append(child)
        assert child.stdout is not None
        return child.stdout.readline().strip()

    def end(self) -> None:
        """Leave nothing."""
        for child in self._children:
            child.kill()
            child.communicate()
        for space in (self.master, self.slave):
            ip("netns", "del", space)


@pytest.fixture
def machines() -> Iterator[Machines]:
    """Return two machines."""
    both = Machines(f"hip{os.getpid() % 100000}")
    yield both
    both.end()


def test_tls_between_machines_by_ipv4_and_ipv6(machines, tmp_path):
    """With certificates agents meet over any network; the address is in the certificate."""
    authority = Authority(tmp_path)
    authority.create("master", hosts=[MASTER, MASTER6])
    authority.create("slave")
    for port, host in [(7100, MASTER), (7101, f"[{MASTER6}]")]:
        address = f"{host}:{port}"
        said = machines.start(machines.master, "master", tmp_path / "master", address)
        assert said == "listening"
        folder = tmp_path / "slave"
        assert machines.start(machines.slave, "slave", folder, address) == "hello"
        assert "would not be encrypted" in machines.start(machines.slave, "slave", "", address)


def test_plaintext_between_machines_only_where_it_is_said(machines):
    """Neither end speaks plaintext beyond loopback, unless both operators say so."""
    address = f"{MASTER}:7100"
    refused = machines.start(machines.master, "master", "", address)
    assert "would not be encrypted" in refused
    assert machines.start(machines.master, "master", "", address, "insecure") == "listening"
    assert "would not be encrypted" in machines.start(machines.slave, "slave", "", address)
    assert machines.start(machines.slave, "slave", "", address, "insecure") == "hello"
