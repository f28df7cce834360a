"""What a process that was killed has published, and had not logged, is logged after the start."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.capture import structure_key
from agents.storage.disk import scan
from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.append import read_mark
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DiskFull

ROOT = Path(__file__).parents[4]
URL = "http://a.example/"
KEY = structure_key(URL)
LARGE = b"large" * 20_000  # which goes past the journal

# Commits a capture and a large content to a disk, and is killed before the log is told.
KILLED = """
import os, signal, sys
from hashlib import sha256
from pathlib import Path
from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.append import Marks, StructureWrite
from agents.storage.disk.commit import DiskWriter
from agents.storage.disk.contents import ContentWrite
from agents.storage.disk.durable import Folders
from agents.storage.disk.layout import Layout
from tests.agents.storage.conftest import make_capture

def kill(entries):
    os.kill(os.getpid(), signal.SIGKILL)

layout, folders = Layout(Path(sys.argv[1])), Folders()
layout.prepare()
additions = AdditionsLog(layout.additions)
additions.open(())
additions.append = kill
body = b"large" * 20_000
DiskWriter(layout, additions).commit([
    StructureWrite(layout, folders, Marks(layout), [make_capture(day=int(sys.argv[2]))]),
    ContentWrite(layout, folders, sha256(body).hexdigest(), body),
])
"""


def _killed(root: Path, day: int) -> None:
    """Have a process killed in the middle of a batch on a disk."""
    command = [sys.executable, "-c", KILLED, str(root), str(day)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60)
    assert run.returncode == -9, run.stderr


def _last(store: DiskStore) -> set[Entry]:
    """Return the last that the log says of each thing."""
    entries = store.additions.read("", 0).entries
    return set({(each.kind, each.key): each for each in entries}.values())


@ensureDeferred
async def test_what_a_killed_process_published_is_logged(store: DiskStore, make_capture) -> None:
    """Captures in a file that was there, and in one that was not, and a large content."""
    await store.append([make_capture(day=1), make_capture(f"{URL}other")])
    await store.close()
    _killed(store.layout.root, 2)
    again = store.anew()
    await again.open()
    assert read_mark(again.layout, KEY)[0] == 2
    assert _last(again) == set(scan.entries(again.layout))
    assert again.holdings.counts == {"contents": 1, "structures": 2}
    await again.close()


@ensureDeferred
async def test_a_new_file_of_a_killed_process_is_known_of(tmp_path: Path, workers) -> None:
    """The filter that was kept does not deny it; and no later start logs it once more."""
    disk = DiskStore(tmp_path / "disk", workers, reserve=0, waiting_limit=1 << 20)
    await disk.open()
    await disk.close()
    _killed(disk.layout.root, 1)
    for _ in range(2):
        disk = disk.anew()
        await disk.open()
        assert disk.holds("structures", KEY)
        assert [each.kind for each in _entries(disk)] == ["structures", "contents"]
        await disk.close()


def _entries(disk: DiskStore) -> list[Entry]:
    return disk.additions.read("", 0).entries


@ensureDeferred
async def test_what_the_log_had_no_room_for_is_logged_with_the_next(
    store: DiskStore, make_capture, monkeypatch
) -> None:
    """A batch that was refused after it was published is not unknown for ever."""

    def full(log: AdditionsLog, entries: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patched:
        patched.setattr(AdditionsLog, "append", full)
        with pytest.raises(DiskFull):
            await store.append([make_capture(day=1)])
    assert _entries(store) == []
    await store.append([make_capture(f"{URL}other")])
    assert _last(store) == set(scan.entries(store.layout))
    assert len(_last(store)) == 2


@pytest.mark.parametrize("damage", [b"", b"\xff\0", b"dlweb-unlogged 1 x\n", b"contents 12\n"])
@ensureDeferred
async def test_a_damaged_list_stops_no_start(store: DiskStore, make_capture, damage) -> None:
    """What is torn was torn before anything was published."""
    await store.append([make_capture(day=1)])
    await store.close()
    path = store.layout.root / "unlogged"
    head, newline, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(head + newline + damage + rest if damage.startswith(b"c") else damage)
    again = store.anew()
    await again.open()
    assert _last(again) == set(scan.entries(again.layout))
    await again.close()
