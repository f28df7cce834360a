"""Each agent, started alone by `twistd`, refuses what it cannot work with in words."""

import socket
import subprocess
from pathlib import Path

import pytest
from conftest import BIN, free_ports, wait_for

LISTENS = {  # agent → how far above the base port it listens first
    "scheduler": 0,
    "nursery": 9,
    "site-crawler": 21,
    "connectivity": 8,
    "storage-master": 2,
    "index-node": 4,
    "storage-node": 11,
    "consultation": 6,
}
AGENTS = [*LISTENS, "archive"]
ONLY_LATER = {"storage-master", "index-node", "storage-node"}  # look at their disks first

pytestmark = pytest.mark.slow


def ended(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run twistd in a folder until it ends."""
    done = subprocess.run(
        [BIN / "twistd", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


@pytest.mark.parametrize("agent", AGENTS)
def test_a_wrong_configuration_is_refused_by_file_line_and_key(agent: str, tmp_path: Path) -> None:
    """One line, status 78, and nothing is made in the archive's folder."""
    file = tmp_path / "archive.yaml"
    file.write_text(f"# a tree\n{agent}:\n  zebra: 3\n")
    done = ended(tmp_path, "-n", agent, "--config", file, "--archive", tmp_path / "var")
    assert done.returncode == 78
    assert done.stderr.startswith(f"{file}:3: {agent}.zebra: unknown key; expected one of ")
    assert done.stderr.count("\n") == 1 and not done.stdout
    assert not (tmp_path / "var").exists()


@pytest.mark.parametrize("agent", [one for one in AGENTS if one != "consultation"])
def test_a_folder_that_cannot_be_used_is_named(agent: str, tmp_path: Path) -> None:
    """One line says which folder and what to do; consultation alone needs none."""
    (tmp_path / "file").write_text("in the way")
    done = ended(
        tmp_path, "-n", agent, "--archive", tmp_path / "file" / "var", "-p", free_ports(100)
    )
    assert done.returncode == 1
    assert str(tmp_path / "file") in done.stderr and "another" in done.stderr


@pytest.mark.parametrize("agent", LISTENS)
def test_a_port_in_use_is_named(agent: str, tmp_path: Path) -> None:
    """The last line says which port and what to do, and nothing is left behind."""
    base = free_ports(100)
    with socket.create_server(("127.0.0.1", base + LISTENS[agent])) as taken:
        done = ended(tmp_path, "-n", agent, "--archive", tmp_path / "var", "-p", base)
        port = taken.getsockname()[1]
    assert done.returncode == 1
    assert f"127.0.0.1:{port}" in done.stderr.splitlines()[-1]
    assert "choose another port" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "twistd.pid").exists()


@pytest.mark.parametrize("agent", [one for one in LISTENS if one not in ONLY_LATER])
def test_a_daemon_that_cannot_listen_tells_who_started_it(agent: str, tmp_path: Path) -> None:
    """The terminal is not left waiting: status, port, and the whole story in the log."""
    base = free_ports(100)
    with socket.create_server(("127.0.0.1", base + LISTENS[agent])) as taken:
        done = ended(tmp_path, agent, "--archive", tmp_path / "var", "-p", base)
        port = taken.getsockname()[1]
    assert done.returncode == 1 and f"127.0.0.1:{port}" in done.stderr
    log, pid_file = tmp_path / "twistd.log", tmp_path / "twistd.pid"
    wait_for(lambda: "choose another port" in log.read_text(), "the reason in the log")
    wait_for(lambda: not pid_file.exists(), "the end of the daemon")
