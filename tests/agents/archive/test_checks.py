"""What a machine must have, and what is said when it has not."""

import socket
from pathlib import Path

from agents.archive.checks import folder_problems, port_problems, problems, python_problems
from agents.archive.plan import Program


def test_a_fit_machine_has_no_problems(tmp_path: Path) -> None:
    """Nothing is said when nothing lacks."""
    programs = [Program("scheduler", "scheduler", {"pages": "127.0.0.1:0"})]
    assert problems(tmp_path, 0, programs, 7100) == []


def test_an_old_python_is_named() -> None:
    """The version found and the one needed are said."""
    (line,) = python_problems((3, 9, 2))
    assert "Python 3.9" in line
    assert "3.11" in line


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A folder that cannot be written comes with a cure."""
    (line,) = folder_problems(tmp_path / "none", 0)
    assert "cannot be written" in line
    assert "--archive" in line


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """What is free and what is asked for are said."""
    (line,) = folder_problems(tmp_path, 10**18)
    assert "free" in line
    assert "archive.free_space" in line


def test_a_port_in_use_is_named() -> None:
    """Which port, for whom, and how to choose another."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"127.0.0.1:{other.getsockname()[1]}"
        line, cure = port_problems([Program("scheduler", "scheduler", {"hip": address})], 7100)
    assert line.startswith(f"{address}, for scheduler's hip, is in use")
    assert "--base-port (now 7100)" in cure


def test_a_forbidden_address_is_named() -> None:
    """An address of another machine cannot be listened on."""
    line, _ = port_problems([Program("x", "x", {"pages": "192.0.2.1:7100"})], 7100)
    assert "cannot be listened on" in line


def test_many_ports_in_use_are_told_shortly() -> None:
    """Where another archive runs, a few lines say so, and the cure stands there once."""
    listens = {str(number): f"192.0.2.1:{7100 + number}" for number in range(14)}
    lines = list(port_problems([Program("x", "x", listens)], 7100))
    assert len(lines) == 5
    assert "11 more" in lines[3]
    assert "--base-port" in lines[4]
