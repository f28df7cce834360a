"""`twistd archive` on machines that lack something, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

BIN = Path(sys.executable).parent


def twistd(directory: Path, base_port: int, *words: str) -> "subprocess.Popen[str]":
    """Start an archive."""
    return subprocess.Popen(
        [BIN / "twistd", "--nodaemon", "--pidfile=", "archive", "--archive", directory]
        + ["--base-port", str(base_port), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ports_in_use_are_all_named(tmp_path: Path) -> None:
    """Each port, whose it would be, and how to choose others; status 1; nothing is started."""
    base = 21_000 + os.getpid() % 9000
    with socket.create_server(("127.0.0.1", base)), socket.create_server(("127.0.0.1", base + 6)):
        _, said = (process := twistd(tmp_path, base)).communicate(timeout=120)
    assert process.returncode == 1
    assert f"127.0.0.1:{base}, for scheduler's hip, is in use" in said
    assert f"127.0.0.1:{base + 6}, for consultation's proxy, is in use" in said
    assert "--base-port" in said
    assert "Traceback" not in said


def test_two_agents_at_one_address_are_named(tmp_path: Path) -> None:
    """An address given twice is found before anything is started."""
    file = tmp_path / "tree.yaml"
    file.write_text("storage-node:\n  address: 127.0.0.1:0\n  folder: /tmp/one\n")
    process = twistd(tmp_path / "archive", 21_000, "--config", str(file))
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "storage-node.address" in said
    assert "storage-node.folder" in said


def test_a_refused_section_ends_the_archive(tmp_path: Path) -> None:
    """An agent's section is refused before the agent is started."""
    file = tmp_path / "tree.yaml"
    file.write_text("consultation:\n  faults: -1\n")
    process = twistd(tmp_path / "archive", 21_000, "--config", str(file))
    out, said = process.communicate(timeout=120)
    assert process.returncode == 78, out + said
    assert "tree.yaml:2: consultation.faults: expected a value >= 1" in said


def free_base() -> int:
    """Return the first of a hundred free ports."""
    for base in range(20_000 + os.getpid() % 8000, 32_000, 100):
        try:
            for port in range(base, base + 100):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    raise RuntimeError("no free ports")


def status(base: int) -> dict[str, object]:
    """Return what the supervisor says, or nothing while it does not answer."""
    try:
        with urlopen(f"http://127.0.0.1:{base + 98}/status.json", timeout=5) as answer:
            found: dict[str, object] = json.load(answer)
            return found
    except (URLError, OSError):
        return {}


@pytest.mark.slow
def test_an_archive_shows_itself_and_stops(tmp_path: Path) -> None:
    """All agents come up, the pages answer, a second archive is refused, and SIGTERM ends all."""
    base = free_base()
    process = twistd(tmp_path, base)
    try:
        deadline = time.monotonic() + 60
        while not status(base).get("ready"):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        for path in ("/", "/metrics"):
            with urlopen(f"http://127.0.0.1:{base + 98}{path}") as answer:
                assert b"scheduler" in answer.read()
        _, said = (second := twistd(tmp_path, base)).communicate(timeout=120)
        assert second.returncode == 1
        assert f"(process {process.pid})" in said
        agents = status(base)["agents"]
        assert isinstance(agents, list)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode in (0, -signal.SIGTERM)  # twistd ends by the signal it got
    for agent in agents:
        assert not Path(f"/proc/{agent['pid']}").exists(), agent["name"]
    assert (tmp_path / "lock").read_text() == ""


@pytest.mark.slow
def test_who_ran_an_archive_is_told_that_somebody_stopped_it(tmp_path: Path) -> None:
    """`dlweb stop` elsewhere is no fault to the `dlweb run` whose archive it was."""
    base = free_base()
    dlweb = Path(sys.executable).parent / "dlweb"
    where = ["--archive", str(tmp_path), "--base-port", str(base)]
    running = subprocess.Popen([dlweb, "run", *where], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        for line in running.stdout:
            if "Ctrl-C" in line:
                break
        stopped = subprocess.run([dlweb, "stop", *where], capture_output=True, timeout=120)
        rest, _ = running.communicate(timeout=120)
    finally:
        running.kill()
        running.wait()
    assert stopped.returncode == 0
    assert rest.strip().endswith("The archive was stopped.")
    assert running.returncode == 0
