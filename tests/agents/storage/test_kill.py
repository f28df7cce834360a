"""`kill -9` of a real storage node, again and again: everything it acknowledged is there."""

import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from agents.bundle import pack
from agents.capture import Capture
from agents.storage.disk import scan
from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.layout import Layout

ROOT = Path(__file__).parents[3]
ROUNDS = 5
WRITERS = 4
PATIENCE = 60.0  # seconds


class NodeProcess:
    """`twistd storage-node` as a child."""

    def __init__(self, directory: Path) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.directory = directory
        config = directory / "config.yaml"
        config.write_text(
            f"storage-node: {{address: '127.0.0.1:{self.port}', reserve: 0, multicast: false, "
            "memory_limit: 20000}\n"
        )
        self._command = [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--pidfile="]
        self._command += ["storage-node", "--config", str(config), "--archive", str(directory)]
        self._command += ["--base-port", "61000", "--name", "storage-1"]
        self._log = (directory / "log").open("ab")
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it answers."""
        self.child = subprocess.Popen(self._command, stdout=self._log, stderr=self._log, cwd=ROOT)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.ask("GET", "/status")
                return
            except OSError:
                assert self.child.poll() is None, (self.directory / "log").read_text()[-3000:]
                assert time.monotonic() < deadline, "the node does not answer"
                time.sleep(0.05)

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, bytes]:
        """Ask over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        secret = self.directory / "secret"
        headers = {"Content-Type": kind} if kind else {}
        if secret.exists():
            headers["Authorization"] = f"Bearer {secret.read_text().strip()}"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def end(self, how: signal.Signals) -> int:
        """Send a signal, and wait for the end."""
        assert self.child is not None
        self.child.send_signal(how)
        return self.child.wait(PATIENCE)


class Writer(threading.Thread):
    """Puts contents and captures until told to stop; keeps what was acknowledged."""

    def __init__(self, node: NodeProcess, number: int, round_: int) -> None:
        super().__init__(daemon=True)
        self.node = node
        self.random = random.Random(f"{number} {round_}")
        self.prefix = f"{round_}-{number}"
        self.told: list[Capture] = []
        self.stopping = False

    def run(self) -> None:
        """Write until the node is gone."""
        serial = 0
        while not self.stopping:
            serial += 1
            try:
                self.write(serial)
            except (OSError, http.client.HTTPException, Stopping):
                return

    def write(self, serial: int) -> None:
        """Put contents, alone or in a bundle, and record some captures of them."""
        sizes = [self.random.choice([10, 3000, 50_000]) for _ in range(self.random.choice([1, 4]))]
        start = f"{self.prefix}-{serial}-".encode()
        bodies = [start + self.random.randbytes(size) for size in sizes]
        contents = {sha256(body).hexdigest(): body for body in bodies}
        if len(contents) == 1:
            [(key, body)] = contents.items()
            status, words = self.node.ask("PUT", f"/contents/{key}", body)
            expect(status, 201, words)
        else:
            status, words = self.node.ask("POST", "/contents", pack(contents.items()))
            expect(status, 200, words)
            assert json.loads(words)["stored"] == len(contents)
        captures = [
            Capture(
                url=f"http://a.example/{self.random.randrange(20)}",
                date=f"2026010112{self.random.randrange(60):02}{serial % 60:02}{serial:06}",
                content=key,
                size=len(body),
                status=200,
                head=f"HTTP/1.1 200 OK\r\nX: {self.prefix}-{serial}\r\n\r\n".encode(),
            )
            for key, body in contents.items()
            for _ in range(self.random.randrange(1, 3))
        ]
        batch = msgspec.msgpack.encode({"captures": captures})
        status, words = self.node.ask("POST", "/structures", batch, "application/msgpack")
        expect(status, 200, words)
        self.told += captures


class Stopping(Exception):
    """The node says that it takes nothing more."""


def expect(status: int, wanted: int, words: bytes) -> None:
    """Make sure of a status; 503 is what a node answers that is stopping."""
    if status == 503:
        raise Stopping
    assert status == wanted, words


@pytest.mark.slow
def test_killed_at_random_moments_it_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """Five times killed in mid-PUT and mid-append, a node comes back with all that it told.

    Whatever else it has, its log tells of too: others count on what is on it.
    """
    node = NodeProcess(tmp_path)
    chance = random.Random(1)
    told: list[Capture] = []
    for round_ in range(ROUNDS):
        node.start()
        writers = [Writer(node, number, round_) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(chance.uniform(0.2, 1.2))  # the moment is the point of the test
        node.end(signal.SIGKILL)
        for writer in writers:
            writer.join(PATIENCE)
            told += writer.told
    assert len(told) > 50
    node.start()
    status, body = node.ask("GET", f"/contents/{told[0].content}")
    assert status == 200 and sha256(body).hexdigest() == told[0].content
    assert (tmp_path / "storage-1" / "filter").exists()  # which was good, or it denies something
    asked = {capture.content for capture in told}
    assert all(node.ask("HEAD", f"/contents/{key}")[0] == 200 for key in asked)
    assert node.end(signal.SIGTERM) == -signal.SIGTERM  # how twistd ends in good order
    _check(tmp_path, told)
    assert not list((tmp_path / "storage-1" / "incoming").iterdir())
    assert _logged(tmp_path / "storage-1") == set(scan.entries(Layout(tmp_path / "storage-1")))


@pytest.mark.slow
def test_asked_to_stop_it_ends_what_it_began(tmp_path: Path) -> None:
    """SIGTERM under load ends the process cleanly, with all that was told on the disk."""
    node = NodeProcess(tmp_path)
    node.start()
    writers = [Writer(node, number, 0) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    time.sleep(0.5)
    assert node.end(signal.SIGTERM) == -signal.SIGTERM  # how twistd ends in good order
    for writer in writers:
        writer.join(PATIENCE)
    _check(tmp_path, [capture for writer in writers for capture in writer.told])
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_port_in_use_is_said_plainly(tmp_path: Path) -> None:
    """A node that cannot listen says which address and what to do, and ends with status 1."""
    node = NodeProcess(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", node.port))
        taken.listen()
        run = subprocess.run(node._command, capture_output=True, timeout=60, cwd=ROOT)
    assert run.returncode == 1
    assert b"cannot listen at" in run.stderr


def _logged(disk: Path) -> set[Entry]:
    """Return the last that the log of a disk says of each thing."""
    log = AdditionsLog(disk / "additions")
    log.open(())
    return set({(each.kind, each.key): each for each in log.read("", 0, 1 << 30).entries}.values())


def _check(directory: Path, told: list[Capture]) -> None:
    """Let the independent checker find everything that was acknowledged."""
    lines = [{"url": c.url, "date": c.date, "content": c.content} for c in told]
    path = directory / "told"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = subprocess.run(
        [sys.executable, "-I", ROOT / "tests/checker.py", "--acknowledged", path]
        + [directory / "storage-1"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-3000:]
