"""Whatever goes wrong, what was acknowledged can be read, as it was, once all is well again.

A storage master, two index nodes and three storage nodes run on hosts of their own, while somebody
deposits, reads and remembers (`cluster.py`). Each test lets something go wrong, and ends with
`Cluster.check`: three readers read everything that was ever acknowledged.

    DLWEB_SEED=5 DLWEB_SECONDS=600 pytest tests/system/test_history.py -k random -s

lets other faults happen at random, and for longer.
"""

import os
import random
import re
import shutil
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from clocks import FAKETIME
from cluster import AGENTS, HOSTS, INDEXES, MASTER, NODES, Cluster
from conftest import wait_for
from faults import Faults
from network import Network, permitted

SEED = int(os.environ.get("DLWEB_SEED", "1"))
SECONDS = float(os.environ.get("DLWEB_SECONDS", "0"))  # of random faults, at least
LEAST = 5000  # captures that are acknowledged meanwhile, at least
DAMAGE = b"rotten"
LIMIT = 600.0  # seconds in which a machine that is very busy acknowledges as many

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not permitted(), reason="only root may make networks"),
]


@pytest.fixture
def cluster(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Start an archive, with settings that a test may give, and wait until it has its disks."""
    with Network(HOSTS) as network:
        cluster = Cluster(network, tmp_path, getattr(request, "param", {}))
        try:
            disks = [disk / "layout" for node in NODES for disk in cluster.disks(node)]
            wait_for(lambda: all(layout.exists() for layout in disks), "all disks")
            yield cluster
        finally:
            cluster.end()


def test_random_faults(cluster: Cluster) -> None:
    """Kills, stops, cuts in both and in one direction, lost packets, lost disks and indexes."""
    faults = Faults(cluster, random.Random(SEED))
    cluster.deposit(100)
    began = time.monotonic()

    def is_enough() -> bool:
        passed = time.monotonic() - began
        assert passed < SECONDS + LIMIT, "hardly anything is acknowledged"
        enough = faults.all_happened and cluster.say("count") >= LEAST
        return enough and passed >= SECONDS

    while not is_enough():
        faults.happen()
    print(f"seed {SEED}, {time.monotonic() - began:.0f} seconds", faults.happened, faults.seconds)
    told = cluster.check()
    assert told["operations"] > 3 * LEAST


def test_disks_that_go_wrong(cluster: Cluster) -> None:
    """One is gone under load, some come back with old data, some are full."""
    cluster.deposit(500)
    cluster.settle()
    cluster.say("resume")
    cluster.lose(cluster.disks("storage-2")[0])
    wait_for(lambda: disks_of(cluster, "storage-2") == 1, "the node to leave its disk out")
    cluster.deposit(200)
    cluster.settle()
    assert cluster.children["storage-2"].poll() is None, "the node did not go on"
    assert not cluster.disks("storage-2")[0].exists(), "the node made a disk where none is"
    cluster.replace("storage-2")

    old = cluster.directory / "old"
    cluster.kill("storage-3")
    for disk in cluster.disks("storage-3"):
        shutil.copytree(disk, old / disk.name)
    cluster.start("storage-3")
    cluster.deposit(300)
    cluster.settle()
    cluster.kill("storage-3")
    for disk in cluster.disks("storage-3"):
        shutil.rmtree(disk)
        (old / disk.name).rename(disk)
    cluster.full.add("storage-1")
    cluster.again("storage-1")
    cluster.start("storage-3")
    cluster.deposit(300)
    cluster.full.clear()
    cluster.again("storage-1")
    cluster.settle()
    cluster.check()


def audited(cluster: Cluster) -> list[str]:
    """Have all nodes audit their disks; return the names of those that have begun."""
    return [node["name"] for node in cluster.master("audit") or []]


def disks_of(cluster: Cluster, name: str) -> int:
    """Return how many disks a node has, as the master says."""
    status = cluster.master("status")
    nodes = {each["status"]["name"]: each["status"] for each in status["nodes"]} if status else {}
    return len(nodes[name]["disks"]) if name in nodes else -1


def test_bits_that_rot(cluster: Cluster) -> None:
    """An audit finds all damaged files, and sound replicas take their place under load."""
    cluster.deposit(500)
    cluster.settle()
    disk = cluster.disks("storage-1")[0]
    contents = rotten(disk, "contents/??/??/*", 40)
    lines = rotten(disk, "structures/[0-7]?/??/*.captures", 20)
    heads = rotten(disk, "structures/[89a-f]?/??/*.heads", 20)
    cluster.say("resume")
    wait_for(lambda: audited(cluster) == list(NODES), "all nodes to begin an audit")
    damaged = {path.name for path in contents + lines + heads}
    wait_for(lambda: damaged <= quarantined(disk), "all that rots in quarantine")
    cluster.settle()
    for path in contents:
        assert len(sound(cluster, path.name)) >= 2, f"{path.name} was not replaced"
    for path in lines + heads:
        assert not path.exists() or not path.read_bytes().startswith(DAMAGE)
    cluster.check()  # which finds every line sound, as there are two of each


def rotten(disk: Path, pattern: str, count: int) -> list[Path]:
    """Let some files of a disk rot; return which."""
    paths = sorted(disk.glob(pattern))[:count]
    assert len(paths) == count, f"too few are {pattern}"
    for path in paths:
        with path.open("r+b") as file:
            file.write(DAMAGE)
    return paths


def quarantined(disk: Path) -> set[str]:
    """Return the names of the files that are in quarantine."""
    return {path.name.rpartition(".")[0] for path in disk.glob("quarantine/*")}


def sound(cluster: Cluster, key: str) -> set[str]:
    """Return the nodes that have a sound file of a content."""
    return {
        node
        for node in NODES
        for disk in cluster.disks(node)
        for path in disk.glob(f"contents/{key[:2]}/{key[2:4]}/{key}")
        if sha256(path.read_bytes()).hexdigest() == key
    }


def test_index_nodes_that_are_lost(cluster: Cluster) -> None:
    """One is killed while the other is cut off; then one has lost its folder, and is alone."""
    first, second = INDEXES
    cluster.deposit(300)
    cluster.kill(first)
    cluster.network.rules(cut=[second])
    assert cluster.say("verify multicast")["unread"] == {"multicast": 0}
    cluster.network.rules()
    cluster.deposit(300)
    cluster.start(first)
    cluster.kill(second)
    shutil.rmtree(cluster.index(second))
    cluster.deposit(300)
    cluster.start(second)
    cluster.deposit(300)
    cluster.kill(first)
    cluster.check()


@pytest.mark.parametrize("cluster", [{"storage-master": {"repair_rate": 100.0}}], indirect=True)
def test_a_master_that_is_killed_while_it_repairs(cluster: Cluster) -> None:
    """A node is lost with all its disks, and the master amid the repair; all is read meanwhile."""
    cluster.deposit(500)
    cluster.settle()
    cluster.kill("storage-3")
    cluster.lose(*cluster.disks("storage-3"))
    wait_for(lambda: mended(cluster) > 20, "the repair to begin")
    cluster.kill(MASTER)
    assert cluster.single("storage-1", "storage-2") > 0, "the repair was over"
    assert cluster.say("verify")["unread"] == {"index": 0, "multicast": 0}
    cluster.start(MASTER)
    cluster.deposit(200)
    cluster.settle("storage-1", "storage-2")
    cluster.check()


def mended(cluster: Cluster) -> int:
    """Return how much the master has had repaired."""
    status: dict[str, Any] | None = cluster.master("status")
    return status["mended"] if status else 0


@pytest.mark.skipif(FAKETIME is None, reason="Debian's faketime is not there")
def test_clocks_that_are_wrong(cluster: Cluster) -> None:
    """A storage node and an index node live in the past, the master and another in the future."""
    cluster.deposit(200)
    wrong = {"storage-1": "-40d", "index-1": "-2h", "storage-2": "+1y", MASTER: "+3d"}
    for name, offset in wrong.items():
        cluster.set_clock(name, offset)
    cluster.deposit(300)
    cluster.settle()
    cluster.check()


@pytest.mark.skipif(FAKETIME is None, reason="Debian's faketime is not there")
def test_clocks_that_are_set_meanwhile(cluster: Cluster) -> None:
    """All clocks go back an hour, then two hours on, under load; links and timers do not mind.

    Timers are those of the master, who waits before it repairs what a killed node held.
    """
    for name in AGENTS:
        cluster.set_clock(name, "+0")
    cluster.deposit(300)
    cluster.settle()
    before = departures(cluster)
    for name in AGENTS:
        cluster.set_clock(name, "-1h")
    cluster.deposit(300)
    cluster.kill("storage-1")
    cluster.settle("storage-2", "storage-3")
    cluster.start("storage-1")
    for name in AGENTS:
        cluster.set_clock(name, "+1h")
    cluster.deposit(300)
    cluster.settle()
    assert departures(cluster)[len(before) :] == ["storage-1"]
    cluster.check()


def departures(cluster: Cluster) -> list[str]:
    """Return who has left the master, one after the other."""
    log = (cluster.directory / f"{MASTER}.log").read_text()
    return re.findall(r"(\S+) left: ", log)
