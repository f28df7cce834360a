"""`dlweb simulate`, as a person runs it."""

import json
import subprocess
import sys
from pathlib import Path

DLWEB = Path(sys.executable).parent / "dlweb"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [DLWEB, "simulate", *arguments], capture_output=True, text=True, timeout=100
    )


def test_policies_are_compared_and_drawn(tmp_path: Path) -> None:
    """A table on standard output, progress beside it, and a picture where it is asked for."""
    picture = tmp_path / "freshness.svg"
    done = run("--sites", "5", "--days", "40", "--chart", picture)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[3:]] == [
        "adaptive", "uniform", "proportional", "optimal", "bound",
    ]  # fmt: skip
    assert picture.read_text().startswith("<svg")
    assert "making up a web" in done.stderr


def test_a_recorded_history_is_simulated(tmp_path: Path) -> None:
    """JSON tells each policy's freshness, age and cost."""
    file = tmp_path / "history.jsonl"
    file.write_text(
        '{"site": "a", "changes": ["2026-01-01", "2026-01-11", "2026-03-01"]}\n'
        '{"site": "a", "level": 1, "changes": ["2026-02-11"]}\n'
    )
    done = run("--history", file, "--policy", "uniform", "--policy", "optimal", "--json")
    told = json.loads(done.stdout)
    assert [each["policy"] for each in told["policies"]] == ["uniform", "optimal"]
    assert all(0 < each["freshness"] < 1 for each in told["policies"])
    assert told["web"] == "1 sites, 2 pages, 59 days"


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    """A missing or wrong history and a picture with no place end with status 1, others with 2."""
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("nothing\n")
    missing = run("--history", tmp_path / "missing.jsonl")
    assert missing.returncode == 1
    assert "No such file" in missing.stderr.splitlines()[-1]
    refused = run("--history", wrong)
    assert refused.returncode == 1
    assert "line 1: " in refused.stderr.splitlines()[-1]
    small = ("--sites", "2", "--days", "5", "--policy", "uniform")
    assert run(*small, "--chart", tmp_path / "none" / "x.svg").returncode == 1
    assert run("--sites", "0").returncode == 2
