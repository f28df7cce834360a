"""That the benchmark of a large site runs to its end; what it measures, is not tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks/large_site.py"


@pytest.mark.slow
def test_a_synthetic_site_is_collected_whole(tmp_path: Path) -> None:
    """Every page, every image and robots.txt are answers, and nothing is left on the disk."""
    command = [sys.executable, "-P", BENCHMARK, "--pages", "3000", "--folder", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["answers"] == 3000 + 300 + len(["/robots.txt", "/favicon.ico"])
    assert result["waiting"] > 500
    assert len(result["us_an_answer"]) == 10
    assert result["targets"].keys() == {"bytes a URL", "last tenth to second"}
    assert not list(tmp_path.iterdir())
