"""A service that cannot start says so in words."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from twisted.application.service import Service

from anet.errors import AddressInUse
from anet.starting import StartingService


class Refusing(Service):
    """A part that cannot start."""

    def startService(self) -> None:
        raise AddressInUse("somebody is there; choose another port")


def test_a_part_that_cannot_start_ends_the_process_in_words() -> None:
    """The error becomes the message that the process ends with."""
    service = StartingService()
    Refusing().setServiceParent(service)
    with pytest.raises(SystemExit, match="choose another port"):
        service.startService()


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["scheduler", "connectivity", "nursery"])
def test_agents_end_without_a_traceback_when_their_port_is_taken(
    agent: str, tmp_path: Path
) -> None:
    """twistd ends with a status and a line that says what to do, and leaves nothing running."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file = tmp_path / "archive.yaml"
        file.write_text(f"{agent}:\n  pages: 127.0.0.1:{port}\n")
        twistd = Path(sys.executable).with_name("twistd")
        command = [twistd, "--nodaemon", "--pidfile=", agent, "--config", file]
        ended = subprocess.run(
            [*command, "--archive", tmp_path / "var"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    assert ended.returncode == 1
    assert "in use" in ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
