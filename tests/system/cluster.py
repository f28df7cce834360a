"""An archive whose agents run on hosts of their own, and one who deposits in it and reads it.

A storage master, two index nodes and three storage nodes of two disks each, on a network whose
wire can be cut (`network.py`); `history.py` deposits, reads, and remembers what was acknowledged.
"""

import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from clocks import WrongClock, forget
from conftest import CHECKER, wait_for
from network import Network

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
MASTER = "storage-master"
INDEXES = ("index-1", "index-2")
NODES = ("storage-1", "storage-2", "storage-3")
AGENTS = (MASTER, *INDEXES, *NODES)
DISKS = ("a", "b")  # of each storage node
READER = "reader"  # the host of who deposits and reads
HOSTS = (READER, *AGENTS)
BASE = 7100
PATIENCE = 300.0  # seconds; a machine may be slow, and what waits so long is broken

_JOURNALED = re.compile(rb"([0-9a-f]{64}) (\d{1,8})\n")
_LINE, _PREFIX = 160, 85  # bytes of a structure line, and of what tells captures apart in it


class Cluster:
    """The agents, and the one who deposits and reads.

    Args:
        network: has all `HOSTS`.
        directory: for everything.
        settings: sections of the configuration, which add to those of `config`.

    Attributes:
        children: the agents' processes, by name.
        clocks: the clocks of agents that do not have the machine's.
        full: storage nodes whose disks have no room.
    """

    def __init__(
        self, network: Network, directory: Path, settings: dict[str, dict[str, Any]]
    ) -> None:
        self.network, self.directory, self._settings = network, directory, settings
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.clocks: dict[str, WrongClock] = {}
        self.full: set[str] = set()
        for name in AGENTS:
            self.start(name)
        self._history = self._start_history()

    def end(self) -> None:
        """Kill all at once, as a failure of power does."""
        for child in (self._history, *self.children.values()):
            child.kill()
        for child in (self._history, *self.children.values()):
            _bury(child)

    # Agents

    def config(self, name: str) -> dict[str, Any]:
        """Return the configuration of an agent."""
        master = f"{self.network.address(MASTER)}:{BASE + 2}"
        own = self.network.address(name)
        sections: dict[str, dict[str, Any]] = {
            "storage-master": {
                "hip": master, "pages": f"{own}:{BASE + 3}",
                "settle": 0.3, "grace": 3.0, "sweep_every": 2.0, "repair_rate": 5000.0,
                "repairs_at_once": 16,
            },
            "index-node": {
                "folder": str(self.index(name)),
                "hip": f"{own}:{BASE + 4}", "pages": f"{own}:{BASE + 5}",
                "storage_master": master, "follow_every": 0.3, "grace": 3.0, "node_timeout": 5.0,
                "settle": 15.0,
            },
            "storage-node": {
                "folders": [str(disk) for disk in self.disks(name)],
                "address": f"{own}:{BASE + 11}", "storage_master": master,
                "multicast_interface": own, "multicast_ttl": 1,
                "reserve": 10**15 if name in self.full else 0,
            },
        }  # fmt: skip
        for section, values in self._settings.items():
            sections[section].update(values)
        return {"insecure": True, **sections}

    def start(self, name: str) -> None:
        """Start an agent on its host."""
        file = self.directory / f"{name}.yaml"
        file.write_text(yaml.safe_dump(self.config(name)))
        plugin = MASTER if name == MASTER else f"{name.split('-')[0]}-node"
        command = [str(BIN / "twistd"), "--nodaemon", "--pidfile=", plugin]
        command += ["--config", str(file), "--archive", str(self.directory), "--name", name]
        if name in self.clocks:
            wrong = [f"{key}={value}" for key, value in self.clocks[name].environment.items()]
            command = ["env", *wrong, *command]
        with (self.directory / f"{name}.log").open("ab") as log:
            self.children[name] = self.network.popen(name, command, stdout=log, stderr=log)

    def kill(self, *names: str) -> None:
        """Kill agents, as the kernel does."""
        for name in names:
            self.children[name].kill()
            _bury(self.children[name])

    def again(self, name: str) -> None:
        """Kill an agent and start it."""
        self.kill(name)
        self.start(name)

    def set_clock(self, name: str, offset: str) -> None:
        """Set the clock of an agent wrong; one that has the machine's is killed, and started."""
        if name in self.clocks:
            self.clocks[name].set(offset)
        else:
            self.clocks[name] = WrongClock(self.directory / f"{name}.clock", offset)
            self.again(name)

    # What is on disks

    def index(self, name: str) -> Path:
        """Return the folder of an index node."""
        return self.directory / f"{name}.index"

    def disks(self, node: str) -> list[Path]:
        """Return the folders of the disks of a storage node."""
        return [self.directory / f"{node}-{letter}" for letter in DISKS]

    def lose(self, *disks: Path) -> None:
        """Take disks away, as if somebody had pulled them out."""
        for disk in disks:
            gone = disk.with_name(f"{disk.name}.gone")
            disk.rename(gone)
            shutil.rmtree(gone)

    def replace(self, node: str) -> None:
        """Start a storage node with new disks for its lost ones, as an operator does it."""
        if self.children[node].poll() is None:
            self.kill(node)
        known = self.directory / f"{node}.disks"
        lost = {str(disk) for disk in self.disks(node) if not disk.exists()}
        lines = known.read_text().splitlines(keepends=True)
        known.write_text("".join(each for each in lines if each.split()[1] not in lost))
        self.start(node)

    def held(self, node: str) -> set[bytes]:
        """Return what the disks of a node hold: contents, and captures in structure files."""
        found: set[bytes] = set()
        for disk in self.disks(node):
            found.update(path.name.encode() for path in _files(disk / "contents"))
            for path in _files(disk / "journal"):
                found.update(_journaled(_read(path)))
            for path in _files(disk / "structures"):
                lines = _read(path) if path.suffix == ".captures" else b""
                key = path.stem.encode()
                ends = range(_LINE, len(lines) + 1, _LINE)
                found.update(key + lines[end - _LINE : end - _LINE + _PREFIX] for end in ends)
        return found

    def single(self, *nodes: str) -> int:
        """Return how much is on one storage node only, of all or of some."""
        counts = Counter(each for node in nodes or NODES for each in self.held(node))
        return sum(count < 2 for count in counts.values())

    # The one who deposits and reads

    def say(self, word: str) -> Any:
        """Say a word to who deposits and reads; return the answer."""
        stdin, stdout = self._history.stdin, self._history.stdout
        assert stdin is not None and stdout is not None
        stdin.write(word.encode() + b"\n")
        assert select.select([stdout], [], [], PATIENCE)[0], f"no answer to {word!r}"
        return json.loads(stdout.readline())

    def deposit(self, count: int) -> None:
        """Go on until so many captures more are acknowledged."""
        wanted = self.say("resume") + count
        wait_for(lambda: self.say("count") >= wanted, f"{count} captures", PATIENCE, 0.2)

    def settle(self, *nodes: str) -> None:
        """Deposit nothing more, and wait until all is on two storage nodes, of all or of some."""
        self.say("pause")
        wait_for(lambda: not self.single(*nodes), "two replicas of everything", PATIENCE, 1.0)

    def all_up(self) -> None:
        """Wait until the master says that all storage nodes are up."""

        def are_up() -> bool:
            status = self.master("status")
            return status is not None and {
                node["status"]["name"] for node in status["nodes"] if node["up"]
            } == set(NODES)

        wait_for(are_up, "all storage nodes", PATIENCE)

    def master(self, method: str) -> Any:
        """Call a method of the master; None while it does not answer."""
        return self.say(f"master {method}")

    def _start_history(self) -> "subprocess.Popen[bytes]":
        settings = {
            "address": self.network.address(READER),
            "master": f"{self.network.address(MASTER)}:{BASE + 2}",
            "port": BASE,
            "directory": str(self.directory),
        }
        command = [sys.executable, str(HERE / "history.py"), json.dumps(settings)]
        with (self.directory / "history.log").open("wb") as log:
            return self.network.popen(
                READER,
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
            )

    # What must be true at the end

    def check(self) -> dict[str, Any]:
        """Have three readers read all that was ever acknowledged; return what they tell.

        Two ask the archive, by index node and by multicast; the third looks at the bare disks
        after all agents were killed.
        """
        self.network.rules()
        self.say("pause")
        told: dict[str, Any] = self.say("verify")
        print(json.dumps(told, indent=1))
        assert told["acknowledged"] > 0
        assert told["unread"] == {"index": 0, "multicast": 0}, told["why"]
        bad = ("WRONG", "broken")
        never = [what for what in told["seen"] if any(word in what for word in bad)]
        assert not never, never
        denied = [what for what in told["seen"] if "index" in what and "denied" in what]
        assert not denied, told["seen"]  # what was acknowledged, not even in the worst moment
        self.end()
        self._check_disks()
        return told

    def _check_disks(self) -> None:
        folders = [disk for node in NODES for disk in self.disks(node) if disk.exists()]
        acknowledged = f"--acknowledged={self.directory}/acknowledged"
        checking = subprocess.run(
            [sys.executable, CHECKER, acknowledged, *folders], capture_output=True, check=False
        )
        assert checking.returncode == 0, checking.stderr.decode()[-3000:]


def _bury(child: "subprocess.Popen[bytes]") -> None:
    """Wait until a process that was killed is gone, and take away what faketime left of it."""
    child.wait()
    forget(child.pid)


def _files(folder: Path) -> Iterator[Path]:
    """Yield all files in a folder that others write to."""
    return (Path(path, name) for path, _, names in os.walk(folder) for name in names)


def _read(path: Path) -> bytes:
    """Return what is in a file, which may be gone meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _journaled(journal: bytes) -> Iterator[bytes]:
    """Yield the keys of the contents in a journal."""
    at = 0
    while line := _JOURNALED.match(journal, at):
        at = line.end() + int(line[2])
        if at <= len(journal):
            yield line[1]
