"""Disks whose system calls do not return, and disks that come back."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults

from agents.capture import structure_key
from agents.storage.disk import disks as disks_module
from agents.storage.disk import health as health_module
from agents.storage.disk.known import KnownDisks
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DiskFailed
from agents.storage.node.auditing import Auditing
from anet.errors import Overloaded, Stopped
from anet.tasks import sleep
from anet.workers import Workers

BODIES = [b"body %d" % number for number in range(30)]
URL = "http://a.example/"


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


async def _until(condition) -> None:
    while not condition():
        await sleep(reactor, 0.01)


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NodeStore]:
    """Give a node of two disks with threads of their own, which loses its patience soon."""
    monkeypatch.setattr(disks_module, "LOOK_EVERY", 0.1)
    monkeypatch.setattr(disks_module, "PATIENCE", 0.5)
    monkeypatch.setattr(health_module, "SILENCE", 0.1)
    pools = [Workers(reactor, 2) for _ in "ab"]
    made = [
        DiskStore(tmp_path / name, pool, reserve=0, waiting_limit=1 << 26)
        for name, pool in zip("ab", pools, strict=True)
    ]
    for pool in pools:
        pool.startService()
    node = NodeStore(reactor, made, KnownDisks(tmp_path / "disks"))
    pytest_twisted.blockon(Deferred.fromCoroutine(node.open()))
    yield node
    pytest_twisted.blockon(Deferred.fromCoroutine(node.close()))
    for pool in pools:
        if pool.running:
            pytest_twisted.blockon(Deferred.fromCoroutine(pool.stopService()))


class Hanging:
    """A disk on which opening some files does not return, for they are pipes nobody is at."""

    def __init__(self, root: Path, *names: str) -> None:
        self._paths = [root / name for name in names]
        for path in self._paths:
            path.rename(f"{path}.kept")
            os.mkfifo(path)

    def end(self) -> None:
        """Let all calls return, and be as before."""
        for path in self._paths:
            pipe = os.open(path, os.O_RDWR)
            Path(f"{path}.kept").rename(path)
            os.close(pipe)


@ensureDeferred
async def test_what_waits_for_a_disk_that_hangs_goes_to_another(node, make_capture) -> None:
    """Writes and reads go on, the node says why, and the disk is back when its calls return."""
    stuck, other = node.disks
    for body in BODIES[:10]:
        await stuck.put(_key(body), body)
    await stuck.ahead.settle()
    hanging = Hanging(stuck.layout.root, "additions", "disk")
    writing = [Deferred.fromCoroutine(node.put(_key(body), body)) for body in BODIES[10:]]
    captures = [make_capture(f"{URL}{number}") for number in range(10)]
    recorded = Deferred.fromCoroutine(node.append(captures))
    assert all(await gatherResults(writing)) and (await recorded).new == 10
    await _until(lambda: node.disks == [other])
    assert "did not answer" in node.missing[str(stuck.layout.root)]
    assert all(other.holds("structures", structure_key(each.url)) for each in captures)
    assert node.failed == "" and await node.put(_key(b"after"), b"after")
    with pytest.raises(DiskFailed, match="did not answer"):
        await stuck.put(_key(b"more"), b"more" * 100_000)
    assert not node.holds("contents", _key(BODIES[0]))
    hanging.end()
    await _until(lambda: len(node.disks) == 2)
    back = node.disks[1]
    assert back.name == stuck.name and back is not stuck and not node.missing
    assert all(node.holds("contents", _key(body)) for body in BODIES)
    assert await back.put(_key(b"again"), b"again")


@ensureDeferred
async def test_a_disk_that_does_not_answer_is_not_asked_by_the_reactor(node, monkeypatch) -> None:
    """Before it counts as gone, what only it may have is `try again`, and never `not here`."""
    monkeypatch.setattr(disks_module, "PATIENCE", 60.0)
    stuck, other = node.disks
    await stuck.put(_key(b"one"), b"one")
    await other.put(_key(b"two"), b"two")
    await _until(lambda: node.surveyed)
    hanging = Hanging(stuck.layout.root, "disk")
    await _until(lambda: stuck.health.silent)
    assert node.read_small(_key(b"one")) is None and node.read_small(_key(b"two")) == b"two"
    assert not node.holds("contents", _key(b"one"))
    for asking in (lambda: node.find("contents", _key(b"one")), lambda: stuck.room or 1 / 0):
        with pytest.raises((Overloaded, ZeroDivisionError)):
            asking()
    assert node.find("contents", _key(b"three")) is None
    for body in BODIES:
        await node.put(_key(body), body)
    assert all(other.holds("contents", _key(body)) for body in BODIES)
    assert node.disks == [stuck, other]
    hanging.end()
    await _until(lambda: node.read_small(_key(b"one")) == b"one")


@ensureDeferred
async def test_new_things_are_not_written_to_a_disk_that_stalls(node, monkeypatch) -> None:
    """While a sync takes long the others take what is new, and it is still read."""
    stalling, other = node.disks
    await stalling.put(_key(b"one"), b"one")
    sync = Event()
    monkeypatch.setattr(health_module, "STALL", 0.05)
    monkeypatch.setattr(health_module.os, "utime", lambda _: sync.wait(20))
    monkeypatch.setattr(disks_module, "PATIENCE", 60.0)
    await _until(lambda: stalling.health.stalls and other.health.stalls)
    other.health.syncing = 0.0
    for body in BODIES:
        await node.put(_key(body), body)
    assert all(other.holds("contents", _key(body)) for body in BODIES)
    assert node.read_small(_key(b"one")) == b"one"
    sync.set()
    await _until(lambda: not stalling.health.stalls)
    assert len(node.disks) == 2


@ensureDeferred
async def test_a_node_stops_although_a_disk_hangs(node, make_capture) -> None:
    """Nobody waits for a call that never returns."""
    stuck = node.disks[0]
    hanging = Hanging(stuck.layout.root, "additions", "disk")
    writing = Deferred.fromCoroutine(stuck.append([make_capture()]))
    await _until(lambda: stuck not in node.disks)
    with pytest.raises(DiskFailed):
        await writing
    await node.close()
    assert stuck.workers.waiting
    await stuck.workers.stopService()
    hanging.end()
    await stuck.workers.idle()


@ensureDeferred
async def test_a_node_stops_although_a_disk_has_just_begun_to_hang(node, make_capture) -> None:
    """Also before it counts as gone, and nobody looks at it any more."""
    stuck, other = node.disks
    hanging = Hanging(stuck.layout.root, "additions", "disk")
    writing = Deferred.fromCoroutine(stuck.append([make_capture()]))
    await Deferred.fromCoroutine(node.close()).addTimeout(10, reactor)
    with pytest.raises(DiskFailed, match="the node stops"):
        await writing
    hanging.end()
    await stuck.workers.idle()


@ensureDeferred
async def test_a_node_starts_although_a_disk_hangs(node, tmp_path) -> None:
    """It begins with the others, and takes the disk when its calls return."""
    await node.put(_key(b"one"), b"one")
    await node.close()
    stuck, other = [disk.anew() for disk in node.disks]
    hanging = Hanging(stuck.layout.root, "disk")
    again = NodeStore(reactor, [stuck, other], KnownDisks(tmp_path / "disks"))
    await Deferred.fromCoroutine(again.open()).addTimeout(10, reactor)
    assert again.disks == [other] and "did not answer" in again.missing[str(stuck.layout.root)]
    hanging.end()
    await _until(lambda: len(again.disks) == 2)
    assert again.holds("contents", _key(b"one")) and not again.missing
    await again.close()


@ensureDeferred
async def test_a_disk_that_comes_back_is_taken_back(node, make_capture, tmp_path) -> None:
    """With all that it holds; not another in its place, and not an empty folder."""
    returned: list[DiskStore] = []
    node.on_return = returned.append
    lost, other = node.disks
    for body in BODIES:
        await node.put(_key(body), body)
    await lost.append([make_capture()])
    held = lost.holdings.counts["contents"]
    for disk in node.disks:
        await disk.ahead.settle()
    root = lost.layout.root
    root.rename(tmp_path / "away")
    await _until(lambda: node.disks == [other])
    root.mkdir()
    await sleep(reactor, 0.3)
    assert node.disks == [other] and not list(root.iterdir())
    for name, text in (("layout", "dlweb-storage 2\n"), ("disk", "00000000\n")):
        (root / name).write_text(text)
    await sleep(reactor, 0.3)
    assert node.disks == [other]
    shutil.rmtree(root)
    (tmp_path / "away").rename(root)
    await _until(lambda: len(node.disks) == 2)
    assert returned == node.disks[1:] and returned[0].name == lost.name
    await _until(lambda: node.surveyed)
    assert returned[0].holdings.counts == {"contents": held, "structures": 1}
    assert all(node.holds("contents", _key(body)) for body in BODIES)


@ensureDeferred
async def test_a_disk_that_goes_again_and_again_is_taken_back_ever_more_rarely(
    node, monkeypatch, tmp_path
) -> None:
    """The time from one try to the next doubles."""
    root = node.disks[0].layout.root
    for _ in range(2):
        root.rename(tmp_path / "away")
        await _until(lambda: len(node.disks) == 1)
        (tmp_path / "away").rename(root)
        await _until(lambda: len(node.disks) == 2)
    assert node._waits == [0.4, 0.1]


@ensureDeferred
async def test_the_audit_of_a_disk_that_is_gone_keeps_no_thread(node, tmp_path) -> None:
    """However often a disk goes and comes, there is one thread for each that is there."""
    auditing = Auditing(reactor, 0.0, 1e9)
    auditing.startService()
    auditing.begin(node)
    node.on_change = lambda: auditing.begin(node)
    assert len(auditing.services) == 2
    node.disks[0].layout.root.rename(tmp_path / "away")
    await _until(lambda: len(node.disks) == 1)
    await Deferred.fromCoroutine(_until(lambda: len(auditing.services) == 1)).addTimeout(5, reactor)
    await auditing.end()
    await auditing.stopService()


@ensureDeferred
async def test_jobs_that_were_given_up_are_not_begun(tmp_path: Path) -> None:
    """What was said to have failed does not happen later; the thread is there again then."""
    workers, done = Workers(reactor, 1), list[int]()
    workers.startService()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    stuck = workers.run(os.open, pipe, os.O_RDONLY)
    waiting = workers.run(done.append, 1)
    workers.abandon(DiskFailed("it hangs"))
    for each in (stuck, waiting, workers.run(done.append, 2)):
        with pytest.raises(DiskFailed, match="it hangs"):
            await each
    os.close(os.open(pipe, os.O_RDWR))
    await workers.idle()
    workers.resume()
    await workers.run(done.append, 3)
    assert done == [3]
    await workers.stopService()
    with pytest.raises(Stopped):
        await workers.run(done.append, 4)


FROZEN = """
import os, subprocess, sys, time
from hashlib import sha256
from pathlib import Path
from twisted.internet import reactor, task
from twisted.internet.defer import Deferred, gatherResults
from agents.storage.disk import disks as disks_module
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from anet.tasks import sleep
from anet.workers import Workers

disks_module.LOOK_EVERY, disks_module.PATIENCE = 0.2, 1.0
folder = Path(sys.argv[1])
bodies = {sha256(body).hexdigest(): body for body in (os.urandom(20_000) for _ in range(200))}

def run(*command):
    subprocess.run(list(map(str, command)), check=True)

async def until(condition):
    while not condition():
        await sleep(reactor, 0.01)

async def put(node, keys):
    return await gatherResults(
        [Deferred.fromCoroutine(node.put(key, bodies[key])) for key in keys]
    )

async def main(_):
    made = []
    for name in "ab":
        image, place = folder / f"{name}.image", folder / name
        with image.open("wb") as file:
            file.truncate(64 << 20)
        run("mkfs.ext4", "-q", image)
        place.mkdir()
        run("mount", "-o", "loop", image, place)
        workers = Workers(reactor, 2)
        workers.startService()
        made.append(DiskStore(place, workers, reserve=0, waiting_limit=1 << 26))
    node = NodeStore(reactor, made)
    await node.open()
    keys = list(bodies)
    print("before", all(await put(node, keys[:100])))
    frozen = made[0]
    run("fsfreeze", "-f", folder / "a")
    began = time.monotonic()
    print("during", all(await put(node, keys[100:])), time.monotonic() - began < 30)
    await until(lambda: frozen not in node.disks)
    assert frozen.health.syncing
    print("said", "did not answer" in node.missing[str(folder / "a")], not node.failed)
    run("fsfreeze", "-u", folder / "a")
    await until(lambda: len(node.disks) == 2)
    for disk in node.disks:
        await disk.ahead.settle()
    sound = [
        all([await disk.is_sound(key) for disk in node.copies("contents", key)] or [False])
        for key in keys
    ]
    print("after", all(sound))
    await node.close()

task.react(lambda reactor: Deferred.fromCoroutine(main(reactor)))
"""


def test_a_frozen_file_system_holds_nothing_up(tmp_path: Path) -> None:
    """With a real file system that is frozen under writes, these go on; thawed, it is back."""
    tools = all(map(shutil.which, ("unshare", "mkfs.ext4", "fsfreeze")))
    image, place = tmp_path / "try", tmp_path / "place"
    place.mkdir()
    image.write_bytes(bytes(8 << 20))
    trying = f"mkfs.ext4 -q {image} && mount -o loop {image} {place} && fsfreeze -f {place}"
    trying += f" && fsfreeze -u {place}"
    if not tools or subprocess.run(["unshare", "-m", "sh", "-c", trying], check=False).returncode:
        pytest.skip("needs a loop device and the right to mount it")
    script = tmp_path / "script.py"
    script.write_text(FROZEN)
    command = ["unshare", "-m", sys.executable, script, tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    lines = [line.split() for line in run.stdout.splitlines()]
    assert [line[0] for line in lines] == ["before", "during", "said", "after"], run.stderr
    assert all(each == "True" for line in lines for each in line[1:]), run.stdout + run.stderr
