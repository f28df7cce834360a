"""Real file systems that fill up and go away, in a namespace of their own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = '''
import os, subprocess, sys
from hashlib import sha256
from pathlib import Path
from twisted.internet import reactor, task
from twisted.internet.defer import Deferred
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DiskFull
from anet.workers import Workers

RESERVE = 256 * 1024
folders = [Path(sys.argv[1], name) for name in "ab"]
bodies = {}

def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)

def free(folder):
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize

async def fill(store):
    """Put contents until all is full; return how many were taken."""
    taken = 0
    while True:
        body = os.urandom(32 * 1024)
        key = sha256(body).hexdigest()
        try:
            await store.put(key, body)
        except DiskFull:
            return taken
        bodies[key] = body
        taken += 1

def all_sound(store, disks):
    return all(
        (disk.ahead.journal.read(key) or disk.layout.content(key).read_bytes()) == bodies[key]
        for key in bodies for disk in store.copies("contents", key) if disk in disks
    )

async def main(_):
    for folder, size in zip(folders, ("2m", "4m")):
        folder.mkdir()
        mount("-t", "tmpfs", "-o", f"size={size}", "none", folder)
    threads = [Workers(reactor, 2) for _ in folders]  # of each disk, lest one lost take another's
    for workers in threads:
        workers.startService()
    disks = [
        DiskStore(folder, workers, reserve=RESERVE, waiting_limit=1 << 26)
        for folder, workers in zip(folders, threads)
    ]
    store = NodeStore(reactor, disks)
    await store.open()
    taken = await fill(store)
    # 6 MiB, without the reserves, and with what is in a journal counted twice
    print("full", taken > 40, all(free(f) >= RESERVE - 64 * 1024 for f in folders),
          all(d.holdings.counts["contents"] for d in disks), store.failed == "",
          all(store.holds("contents", key) for key in bodies), all_sound(store, disks))
    subprocess.run(["umount", "-l", str(folders[0])], check=True)
    await store.look()
    lost = [key for key in bodies if not store.holds("contents", key)]
    for key in list(bodies)[:-20]:
        if key not in lost:
            await store.remove("contents", key)
            del bodies[key]
    for key in lost:
        await store.put(key, bodies[key])
    print("gone", store.disks == disks[1:], str(folders[0]) in store.missing, lost != [],
          store.failed == "", all(store.holds("contents", key) for key in bodies),
          all_sound(store, disks[1:]), not list(folders[0].iterdir()))
    await store.close()
    for workers in threads:
        await workers.stopService()

task.react(lambda *_: Deferred.fromCoroutine(main(_)), [])
'''


def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    try_it = ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(try_it, capture_output=True, timeout=20).returncode == 0


@pytest.mark.skipif(not _can_mount(), reason="this machine lets nobody mount in a namespace")
def test_disks_fill_up_and_go_away(tmp_path: Path) -> None:
    """Nothing is written into the reserve; a disk that is lost costs no other, nor the node."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = ["unshare", "-Urm", sys.executable, tmp_path / "script.py", tmp_path]
    run = subprocess.run(
        command,
        capture_output=True,
        timeout=100,
        text=True,
        cwd=Path(__file__).parents[4],
        env={"PYTHONPATH": str(Path(__file__).parents[4]), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
    )
    lines = [line.split() for line in run.stdout.splitlines()]
    assert [line[0] for line in lines] == ["full", "gone"], run.stderr
    assert all(each == "True" for line in lines for each in line[1:]), run.stdout + run.stderr
