"""Whatever goes wrong, what was acknowledged can be read, as it was, once all is well again.

A storage master, an index node and three storage nodes run on hosts of their own (`network.py`),
while `history.py` deposits, reads and remembers. Then things go wrong at random.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from network import Network, permitted

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
NODES = ("storage-1", "storage-2", "storage-3")
PLUGINS = {"storage-master": "storage-master", "index-1": "index-node"} | dict.fromkeys(
    NODES, "storage-node"
)
BASE = 7100
SECONDS = 40.0  # of random faults
PATIENCE = 90.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not permitted(), reason="only root may make networks"),
]


class Cluster:
    """The agents of one archive, each on a host of its own, and the one who deposits."""

    def __init__(self, network: Network, directory: Path) -> None:
        self.network, self.directory = network, directory
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.offset: dict[str, str] = {}  # what clocks are wrong by
        self.full: set[str] = set()  # nodes whose disks have no room
        for name in PLUGINS:
            self.start(name)
        self.history = self._historian()

    # Agents

    def config(self, name: str) -> dict[str, Any]:
        """Return the configuration of an agent."""
        master = f"{self.network.address('storage-master')}:{BASE + 2}"
        own = self.network.address(name)
        return {
            "insecure": True,
            "storage-master": {
                "hip": master, "pages": f"{own}:{BASE + 3}", "settle": 0.3, "grace": 3.0,
                "sweep_every": 2.0, "repair_rate": 5000.0,
            },
            "index-node": {
                "hip": f"{own}:{BASE + 4}", "pages": f"{own}:{BASE + 5}",
                "storage_master": master, "follow_every": 0.3, "node_timeout": 5.0,
            },
            "storage-node": {
                "address": f"{own}:{BASE + 11}", "storage_master": master,
                "multicast_interface": own, "multicast_ttl": 1,
                "reserve": 10**15 if name in self.full else 0,
            },
        }  # fmt: skip

    def start(self, name: str) -> None:
        """Start an agent on its host."""
        file = self.directory / f"{name}.yaml"
        file.write_text(yaml.safe_dump(self.config(name)))
        command = [str(BIN / "twistd"), "--nodaemon", "--pidfile=", PLUGINS[name]]
        command += ["--config", str(file), "--archive", str(self.directory), "--name", name]
        if name in self.offset:
            command = ["faketime", "-f", self.offset[name], *command]
        with (self.directory / f"{name}.log").open("ab") as log:
            self.children[name] = self.network.popen(name, command, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        """Kill an agent, as the kernel does."""
        self.children[name].kill()
        self.children[name].wait()

    def again(self, name: str) -> None:
        """Kill an agent and start it."""
        self.kill(name)
        self.start(name)

    # The one who deposits

    def _historian(self) -> subprocess.Popen[bytes]:
        settings = {
            "address": self.network.address("reader"),
            "master": f"{self.network.address('storage-master')}:{BASE + 2}",
            "port": BASE,
            "directory": str(self.directory),
        }
        command = [sys.executable, str(HERE / "history.py"), json.dumps(settings)]
        with (self.directory / "history.log").open("wb") as log:
            return self.network.popen(
                "reader", command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )

    def say(self, word: str) -> str:
        """Say a word to who deposits; return the answer."""
        assert self.history.stdin is not None and self.history.stdout is not None
        self.history.stdin.write(word.encode() + b"\n")
        self.history.stdin.flush()
        return self.history.stdout.readline().decode().strip()

    def settle(self) -> None:
        """Deposit nothing more, and wait until every replica is where it should be."""
        self.say("pause")
        deadline = time.monotonic() + PATIENCE
        wrong = "nobody looked"
        while wrong and time.monotonic() < deadline:
            time.sleep(0.5)
            wrong = self.lacking()
        assert not wrong, wrong

    def lacking(self) -> str:
        """Return what two nodes lack of what was acknowledged, as their folders tell."""
        found: dict[str, int] = {}
        for name in NODES:
            for path in (self.directory / name).glob("contents/??/??/*"):
                found[path.name] = found.get(path.name, 0) + 1
        single = [key for key, count in found.items() if count < 2]
        return f"{len(single)} of {len(found)} contents on one node only" if single else ""

    def end(self) -> None:
        """End all."""
        for child in (self.history, *self.children.values()):
            child.kill()
            child.communicate()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start an archive that takes deposits."""
    with Network(["reader", *PLUGINS]) as network:
        cluster = Cluster(network, tmp_path)
        try:
            time.sleep(5)
            cluster.say("resume")
            yield cluster
        finally:
            cluster.end()


def checked(cluster: Cluster, least: int) -> None:
    """Read everything that was acknowledged, by both ways, and check what was told meanwhile."""
    cluster.network.rules()
    cluster.say("pause")
    told = json.loads(cluster.say("verify"))
    print(json.dumps(told, indent=1))
    assert told["unread"] == {"index": 0, "multicast": 0}, told["why"]
    assert told["acknowledged"] >= least
    assert not [seen for seen in told["seen"] if "WRONG" in seen or "broken" in seen]


def test_random_faults(cluster: Cluster) -> None:
    """Agents are killed and stopped for a while, hosts cut off, packets lost and late."""
    chance = random.Random(int(os.environ.get("DLWEB_SEED", "1")))

    def kill() -> None:
        name = chance.choice(list(PLUGINS))
        cluster.kill(name)
        time.sleep(chance.uniform(0, 2))
        cluster.start(name)

    def stop() -> None:
        child = cluster.children[chance.choice(list(PLUGINS))]
        child.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.5, 3))
        child.send_signal(signal.SIGCONT)

    def cut() -> None:
        cluster.network.rules(cut=[chance.choice(list(PLUGINS))])
        time.sleep(chance.uniform(0.5, 4))
        cluster.network.rules()

    def lose() -> None:
        cluster.network.rules(loss=chance.uniform(0.01, 0.1), delay=chance.uniform(0, 0.05))
        time.sleep(chance.uniform(0.5, 3))
        cluster.network.rules()

    faults: list[Callable[[], None]] = [kill, kill, stop, cut, lose]
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        chance.choice(faults)()
        time.sleep(chance.uniform(0, 1.5))
    checked(cluster, least=2000)


def test_disks_that_go_wrong(cluster: Cluster) -> None:
    """A disk is emptied under load, one comes back with old data, bits rot, one is full."""
    time.sleep(4)
    cluster.settle()
    old = cluster.directory / "old"
    cluster.kill("storage-3")
    shutil.copytree(cluster.directory / "storage-3", old)
    cluster.start("storage-3")
    cluster.say("resume")
    time.sleep(3)
    shutil.rmtree(cluster.directory / "storage-2", ignore_errors=True)
    time.sleep(2)
    cluster.again("storage-2")
    time.sleep(4)
    cluster.settle()
    cluster.kill("storage-3")
    shutil.rmtree(cluster.directory / "storage-3")
    old.rename(cluster.directory / "storage-3")
    cluster.start("storage-3")
    cluster.say("resume")
    cluster.full.add("storage-1")
    cluster.again("storage-1")
    time.sleep(4)
    cluster.full.clear()
    cluster.again("storage-1")
    cluster.settle()
    for path in sorted((cluster.directory / "storage-1").glob("contents/??/??/*"))[:50]:
        path.write_bytes(b"rotten" + path.read_bytes()[6:])
    cluster.say("resume")
    time.sleep(3)
    checked(cluster, least=500)


@pytest.mark.skipif(shutil.which("faketime") is None, reason="Debian's faketime is not there")
def test_clocks_that_are_wrong(cluster: Cluster) -> None:
    """One node lives in the past and the master in the future."""
    time.sleep(3)
    cluster.offset = {"storage-1": "-40d", "storage-master": "+3d"}
    for name in cluster.offset:
        cluster.again(name)
    time.sleep(6)
    checked(cluster, least=500)
