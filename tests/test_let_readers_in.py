"""The page on letting readers in, walked: its commands do what its text says."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.configuration import load
from agents.consultation.config import ConsultationConfig
from tests.test_documentation import free_ports, wait_for_port

_PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "let-readers-in.md"
_BLOCK = re.compile(r"^ *```(sh|yaml)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


class Room:
    """A folder where the page's commands are run, with its addresses on loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = free_ports(100)
        text = _PAGE.read_text("utf-8").replace("192.0.2.1", "127.0.0.1")
        text = re.sub(r"\b710([67])\b", lambda found: str(self.base + int(found[1])), text)
        found = _BLOCK.findall(text)
        self.shell = [block for kind, block in found if kind == "sh"]
        self.yaml = [block for kind, block in found if kind == "yaml"]
        self._children: list[subprocess.Popen[bytes]] = []

    def configure(self, block: str, **keys: str) -> None:
        """Write a configuration, with more keys of the agent."""
        more = "".join(f"  {name}: {value}\n" for name, value in keys.items())
        (self.folder / "tree.yaml").write_text(f"base_port: {self.base}\n{block}{more}")

    def begin(self, block: str) -> "subprocess.Popen[bytes]":
        """Begin the commands of a block."""
        path = f"{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}"
        child = subprocess.Popen(
            ["sh", "-ec", f"exec 2>&1\n{block}"],
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._children.append(child)
        return child

    def run(self, block: str, status: int = 0) -> str:
        """Run the commands of a block, and return what they print."""
        child = self.begin(block)
        said = child.communicate(timeout=60)[0].decode()
        assert child.returncode == status, said
        return said

    def end(self) -> None:
        """End what stays."""
        for child in self._children:
            if child.poll() is None:
                os.killpg(child.pid, 15)
                child.communicate(timeout=30)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Return a room that ends with the test."""
    room = Room(tmp_path)
    yield room
    room.end()


@pytest.mark.slow
def test_the_page_on_letting_readers_in(room: Room) -> None:
    """A reader gets in with the name and password that the page gives, and not without."""
    add, start, fingerprint, programs, remove = room.shell
    opened, closed_network = room.yaml
    # On loopback nothing of it is the default; the page's readers are beyond.
    beyond = {"credentials": "always", "proxy_tls": "true", "pages_tls": "true"}
    room.configure(opened, **beyond)
    assert "nobody has one" in room.run(start, status=78)
    assert "anna may read" in room.run(add)
    room.begin(start)
    wait_for_port(room.base + 6)
    assert "Fingerprint=" in room.run(fingerprint)
    assert '"requests"' in room.run(programs)
    room.run(remove)
    deadline = time.monotonic() + 20
    while "407" not in (said := room.begin(programs).communicate(timeout=60)[0].decode()):
        assert time.monotonic() < deadline, said
    room.configure(closed_network)
    config = load(room.folder / "tree.yaml").section("consultation", ConsultationConfig)
    assert (config.credentials, config.proxy_tls, config.pages_tls) == ("none", False, False)
