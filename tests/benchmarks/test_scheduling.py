"""The benchmark of scheduling, with few sites and crawlers."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "scheduler.py"


def test_it_measures_whole_orders(tmp_path: Path) -> None:
    """Every order comes to its end, and the last line says how quickly."""
    sizes = ["--sites", "300", "--orders", "200", "--crawlers", "20"]
    ended = subprocess.run(
        [sys.executable, BENCHMARK, *sizes, "--folder", tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found["benchmark"] == "scheduler" and len(found["targets"]) == 2
    figures = found["figures"]["300"]
    assert figures["orders_per_second_of_a_core"] > 0 and figures["lost"] == 0
    assert list(tmp_path.iterdir()) == []
