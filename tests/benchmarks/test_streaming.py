"""That the benchmark of live streams loses nothing; what they cost, is for the real one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from radio import needs_radio

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "streaming.py"


@needs_radio
@pytest.mark.slow
def test_all_streams_are_kept_whole() -> None:
    """All that the radio sent is kept of each stream, and the last line tells the targets."""
    command = [sys.executable, BENCHMARK, "--streams", "20", "--seconds", "1", "--peers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["figures"]["kept"]["whole"] == 20, done.stderr
    assert result["targets"]["streams_not_whole"]["met"]
    assert result["targets"].keys() - {"streams_not_whole"} <= result["ratios"].keys()
