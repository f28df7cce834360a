"""The page on securing the tree, walked: its commands do what its text says."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.test_documentation import free_ports, wait_for_port

_PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "secure-the-tree.md"
_BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Tree:
    """A folder where the page's commands are run, with its addresses on loopback."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._base = free_ports(100)
        self._children: list[subprocess.Popen[bytes]] = []
        text = _PAGE.read_text("utf-8").replace("192.0.2.1", "127.0.0.1")
        text = text.replace("7100", str(self._base))
        found = _BLOCK.findall(text)
        self.shell = [block for kind, block in found if kind == "sh"]
        yaml = next(block for kind, block in found if kind == "yaml")
        (folder / "tree.yaml").write_text(f"base_port: {self._base}\n{yaml}")

    def _words(self, line: str) -> list[str]:
        program, *words = shlex.split(line)
        return [str(Path(sys.prefix) / "bin" / program), *words]

    def run(self, block: str) -> str:
        """Run the commands of a block, and return what they print."""
        said = ""
        for line in block.strip().splitlines():
            done = subprocess.run(
                self._words(line), cwd=self._folder, capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 0, line + done.stdout + done.stderr
            said += done.stdout
        return said

    def start(self, block: str) -> None:
        """Begin a command that stays."""
        with (self._folder / "log").open("ab") as log:
            child = subprocess.Popen(self._words(block), cwd=self._folder, stdout=log, stderr=log)
        self._children.append(child)

    def wait_for_scheduler(self) -> None:
        """Wait until slaves can connect."""
        wait_for_port(self._base)

    def until(self, block: str, holds: Callable[[str], bool]) -> str:
        """Run a block again and again until its output is right."""
        for _ in range(60):
            said = self.run(block)
            if holds(said):
                return said
            time.sleep(0.5)
        raise AssertionError(said + (self._folder / "log").read_text())

    def end(self) -> None:
        """Stop what stays."""
        for child in self._children:
            child.terminate()
            child.wait(120)


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    """Return a tree that ends with the test."""
    tree = Tree(tmp_path)
    yield tree
    tree.end()


@pytest.mark.slow
def test_the_page_on_securing_the_tree(tree: Tree) -> None:
    """Agents meet by their certificates; one that is revoked is gone within seconds."""
    create, scheduler, crawler, look, revoke, renew = tree.shell
    assert "crawler (site-crawler), until" in tree.run(create)
    tree.start(scheduler)
    tree.wait_for_scheduler()
    tree.start(crawler)
    tree.until(look, lambda said: "crawler-1 (site-crawler)" in said)
    assert "Revoked 1 certificate of crawler" in tree.run(revoke)
    tree.until(look, lambda said: "crawler-1" not in said)
    assert "Renewed the revocation list" in tree.run(renew)


_WHOLE = """
scheduler --host 127.0.0.1
storage-master --host 127.0.0.1
index --role index-node --host 127.0.0.1
storage --role storage-node
connectivity
consultation
nursery
crawler --role site-crawler
console --role operator
"""


@pytest.mark.slow
def test_a_whole_archive_over_tls(tmp_path: Path) -> None:
    """With the certificates that the page names, an archive collects, stores and ends."""
    programs = Path(sys.prefix) / "bin"
    for agent in _WHOLE.strip().splitlines():
        name = agent.split()[0]
        assert f"`{name}`" in _PAGE.read_text("utf-8")
        command = [programs / "hip", "certs", "create", *agent.split()]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=30)
    (tmp_path / "tree.yaml").write_text(
        f"directory: archive\nbase_port: {free_ports(100)}\nsecurity: {{certificates: certs}}\n"
    )
    done = subprocess.run(
        [programs / "dlweb", "run", "--once", "--config", "tree.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "stored 59 new contents" in done.stdout
    logs = "".join(path.read_text() for path in (tmp_path / "archive" / "log").glob("*.log"))
    assert "joined" in logs
    assert "TLS handshake: the peer" not in logs
