"""A network that loses everything, and tells nobody: both ends find it out in time."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

_AGENT = """
import sys
from hip import Agent, Limits

kind = sys.argv[1]
agent = Agent.of(kind, limits=Limits(heartbeat=0.5, silence=1.5))

def say(*words):
    print(*words, flush=True)

if kind == "master":
    agent.on_join = lambda peer: say("joined")
    agent.on_leave = lambda peer, reason: say(reason)
    agent.listen("127.0.0.1:7100")
else:
    link = agent.connect("127.0.0.1:7100")
    def linked(peer):
        say("linked")
        peer.closed.addCallback(say)
    link.on_connect = linked
agent.run()
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces"),
]


class Network:
    """A network namespace of its own, with agents in it."""

    def __init__(self) -> None:
        self._name = f"hip{os.getpid()}"
        self._children: list[subprocess.Popen[str]] = []
        self._ip("netns", "add", self._name)
        self.switch("up")

    def _ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True, timeout=20)

    def switch(self, state: str) -> None:
        """Let the network carry packets (`up`), or lose them all (`down`)."""
        self._ip("-n", self._name, "link", "set", "lo", state)

    def start(self, kind: str) -> "subprocess.Popen[str]":
        """Start an agent, which prints what happens to it."""
        command = ["ip", "netns", "exec", self._name, sys.executable, "-c", _AGENT, kind]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._children.append(child)
        return child

    def end(self) -> None:
        """Leave nothing."""
        for child in self._children:
            child.kill()
            child.communicate()
        self._ip("netns", "del", self._name)


@pytest.fixture
def network() -> Iterator[Network]:
    """Return a network that carries."""
    network = Network()
    yield network
    network.end()


def line(child: "subprocess.Popen[str]") -> str:
    """Return the next line that an agent prints."""
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_half_open_link_is_found_by_both_and_made_again(network):
    """Within the limit of silence and one heartbeat; and once packets go again, so do calls."""
    master, slave = network.start("master"), network.start("slave")
    assert (line(master), line(slave)) == ("joined", "linked")
    cut = time.monotonic()
    network.switch("down")
    for end in (master, slave):
        assert line(end) == "silent for 1.5 seconds"
    assert time.monotonic() - cut < 2.0 + 8.0  # what a busy machine adds; TCP takes minutes
    network.switch("up")
    assert (line(master), line(slave)) == ("joined", "linked")
