"""That the benchmarks of replicas run to their ends; what they measure, is not tested."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.threads import deferToThread

from anet.multicast import Groups, probe

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MULTICAST_PORT = 45_177


def figures(name: str, *options: str) -> dict[str, Any]:
    """Run a benchmark, and return the figures of its last line."""
    command = [sys.executable, BENCHMARKS / name, "--quick", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])["figures"]


@pytest.mark.slow
def test_more_replicas_are_safer() -> None:
    """Each replica adds nines, at whatever rate of repair; what is calculated was simulated too."""
    found = figures("durability.py", "--nodes", "100", "--contents", "1e8", "--sample", "5000")
    nines = list(found["lost"].values())
    assert len(nines) == 12
    assert nines == sorted(nines[:4]) + sorted(nines[4:8]) + sorted(nines[8:])
    assert {"balance", "moves", "sites", "check"} < found.keys()


@pytest.mark.slow
@ensureDeferred
async def test_a_lookup_is_measured_both_ways() -> None:
    """By multicast and by index node every capture is found, and messages are counted."""
    if not await probe(reactor, Groups(MULTICAST_PORT)):
        pytest.skip("this machine's loopback carries no multicast")
    found = await deferToThread(figures, "lookup.py", "--urls", "200", "--lookups", "100")
    assert {name.partition(",")[0] for name in found["times"]} == {"multicast", "index"}
    assert all(each["p99"] >= each["p50"] > 0 for each in found["times"].values())
    assert found["messages"].keys() == {"1", "2", "4", "8", "16", "32", "64"}
