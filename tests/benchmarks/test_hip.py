"""That benchmarks/hip.py runs to its end; how quick anything is, is not tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "hip.py"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark for a moment."""
    command = [sys.executable, BENCHMARK, "--quick", "--runs", "1", "--seconds", "0.1", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_its_last_line_tells_which_targets_are_met() -> None:
    """Every part runs with the peers that need nothing but what dlweb needs."""
    done = run("--connections", "20", "--peers", "hip", "hip-awaited", "hip-yaml", "hip-tls", "amp")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["benchmark"] == "hip"
    assert set(result["figures"]["throughput"]) == {
        "hip", "hip-awaited", "hip-yaml", "hip-tls", "amp",
    }  # fmt: skip
    assert result["ratios"]["throughput_hip_vs_amp"] > 0
    assert set(result["targets"]) == {
        "throughput_vs_amp",
        "tls_vs_plaintext",
        "latency_p50_vs_amp",
        "slaves_processor_vs_amp",
        "slaves_memory_vs_4_KiB",
    }
    assert all(set(target) >= {"ratio", "wanted", "met"} for target in result["targets"].values())


def test_a_part_without_the_chosen_peers_is_refused_in_one_line() -> None:
    """Perspective Broker's many slaves are not measured."""
    done = run("--only", "slaves", "--peers", "pb")
    assert done.returncode == 1
    assert done.stderr == "nothing to measure: that part has none of these peers\n"
