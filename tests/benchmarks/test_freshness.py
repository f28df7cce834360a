"""That the benchmark of schedules runs to its end; how fresh they are, is for the real one."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "freshness.py"


def test_policies_are_measured_at_one_cost() -> None:
    """In each window all policies cost the same, and the last line tells the targets."""
    command = [sys.executable, "-P", BENCHMARK, "--sites", "15", "--seeds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["targets"].keys() < result["ratios"].keys()
    costs = {figures["cost"] for name, figures in result["figures"].items()
             if name.endswith(", the whole year")}  # fmt: skip
    assert len(costs) == 1
