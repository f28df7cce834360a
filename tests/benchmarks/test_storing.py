"""That the benchmarks of crawls and deposits run to their ends; how quick, is not tested."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MANUALS = Path("/usr/share/doc/git-doc")


def run(name: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a benchmark, without its own folder among those that are imported from."""
    command = [sys.executable, "-P", BENCHMARKS / name, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_a_deposit_is_measured_process_by_process(tmp_path: Path) -> None:
    """Every file becomes a capture, and every agent that stores has its figure."""
    for number in range(20):
        (tmp_path / str(number)).write_bytes(b"%d" % number * 5000)
    done = run("deposit.py", "--runs", "1", tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["captures"] == 20
    assert result["microseconds"].keys() >= {"storage-1", "storage-2", "connectivity", "index-1"}
    assert result["microseconds"]["clock"] > 0


@pytest.mark.slow
@pytest.mark.skipif(
    not (MANUALS.is_dir() and shutil.which("nginx") and shutil.which("wget")),
    reason="needs Debian's git-doc, nginx and wget",
)
def test_a_crawl_is_compared(tmp_path: Path) -> None:
    """Both tools find resources, and the last line tells the targets and what was missed."""
    command = [sys.executable, BENCHMARKS / "crawl.py", "--quick", "--site", "small pages"]
    command += ["--tool", "dlweb plain", "--tool", "wget", "--folder", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if "install Debian's packages" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    found = result["sites"]["small pages"]
    assert found["figures"]["wget"]["resources"] > 100
    assert found["processes"]["connectivity"] >= 0
    assert {"small pages: dlweb plain vs wget", "small pages: missed"} <= result["targets"].keys()
