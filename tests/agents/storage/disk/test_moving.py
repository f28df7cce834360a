"""What one disk of a node has goes to its others, and two copies of a structure file become one."""

import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.capture import structure_key
from agents.storage.disk import emptying as emptying_module
from agents.storage.disk import moving
from agents.storage.disk import uniting as uniting_module
from agents.storage.disk.audit import Audit
from agents.storage.disk.copies import captures_of
from agents.storage.disk.emptying import Emptying
from agents.storage.disk.layout import Layout
from agents.storage.disk.lines import mark, prefix
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import read_captures
from agents.storage.disk.uniting import Uniting
from agents.storage.errors import DamagedStructure, DigestMismatch
from anet.errors import Overloaded
from anet.tasks import sleep
from anet.workers import Workers

BODIES = [b"body %d" % number for number in range(30)] + [b"large" * 300_000]
URL = "http://a.example/"


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


async def _until(condition) -> None:
    while not condition():
        await sleep(reactor, 0.01)


def _gone(disk: DiskStore) -> set[str]:
    entries = disk.additions.read(disk.additions.log, 0).entries
    return {entry.key for entry in entries if entry.gone}


@ensureDeferred
async def test_a_disk_that_rests_is_emptied_onto_the_others(disks, make_capture) -> None:
    """All it holds is on the node's other disks, its log says so, and reads never miss it."""
    resting = disks.disks[0]
    for body in BODIES:
        await resting.put(_key(body), body)
    captures = [make_capture(f"{URL}{number}", day) for number in range(9) for day in (1, 2)]
    await resting.append(captures)
    emptying = Emptying(reactor, disks)
    await emptying.rest([resting.name])
    everything = [("contents", _key(body)) for body in BODIES]
    everything += [("structures", structure_key(capture.url)) for capture in captures]

    def is_empty() -> bool:
        assert all(disks.holds(*each) for each in everything)
        return not sum(resting.holdings.counts.values())

    await _until(is_empty)
    await emptying.stop()
    assert not list(resting.layout.root.glob("contents/*/*/*"))
    assert not list(resting.layout.root.glob("structures/*/*/*"))
    assert _gone(resting) == {key for _, key in everything}
    for body in BODIES:
        [disk] = disks.copies("contents", _key(body))
        assert await disk.is_sound(_key(body))
    assert disks.count("contents") == len(BODIES) and disks.count("structures") == 9
    assert emptying.moved == len(BODIES) + 9 and not emptying.failed


@ensureDeferred
async def test_what_no_other_disk_can_take_stays(disks, monkeypatch) -> None:
    """A disk is emptied as far as there is room, and further once there is more."""
    monkeypatch.setattr(emptying_module, "AGAIN", 0.05)
    resting = disks.disks[0]
    await resting.put(_key(b"one"), b"one")
    rooms = [disk.space._reserve for disk in disks.disks[1:]]
    for disk in disks.disks[1:]:
        disk.space._reserve, disk.space._left = 1 << 60, 0
    emptying = Emptying(reactor, disks)
    await emptying.rest([resting.name])
    await sleep(reactor, 0.2)
    assert disks.copies("contents", _key(b"one")) == [resting]
    for disk, reserve in zip(disks.disks[1:], rooms, strict=True):
        disk.space._reserve = reserve
    await _until(lambda: emptying.moved)
    await emptying.rest([])
    assert resting not in disks.copies("contents", _key(b"one"))


@ensureDeferred
async def test_what_is_damaged_is_not_moved(disks) -> None:
    """Rot goes to quarantine in place of the other disk, and what is there stays."""
    one, other, _ = disks.disks
    await one.put(_key(b"one"), b"one")
    await one.ahead.settle()
    one.layout.content(_key(b"one")).write_bytes(b"rot")
    with pytest.raises(DigestMismatch):
        await moving.move_content(_key(b"one"), one, other)
    assert one.damaged == 1 and not disks.holds("contents", _key(b"one"))
    assert not list(other.layout.incoming.iterdir())


@ensureDeferred
async def test_a_disk_that_cannot_be_written_is_copied_all_the_same(disks, make_capture) -> None:
    """Nothing can be removed from it, and it may go."""
    one, other, _ = disks.disks
    await one.put(_key(b"one"), b"one")
    await one.append([make_capture()])
    await one.ahead.settle()
    one.health.fail("it is mounted read-only")
    await moving.move_content(_key(b"one"), one, other)
    await moving.unite(structure_key(URL), one, other)
    assert other.read_small(_key(b"one")) == b"one"
    assert list(read_captures(other.layout, structure_key(URL))) == [make_capture()]


@ensureDeferred
async def test_what_comes_back_before_it_is_removed_stays(disks, make_capture) -> None:
    """A drain turned round while a removal waits: what came back is not removed with the same."""
    one, other, _ = disks.disks
    body = b"large" * 300_000
    await one.put(_key(body), body)
    await _until(lambda: disks.surveyed)
    one._writer._writing.acquire()  # a batch that takes long, for which the others wait
    recorded = Deferred.fromCoroutine(one.append([make_capture()]))
    there = Deferred.fromCoroutine(moving.move_content(_key(body), one, other))
    await _until(lambda: other.holds("contents", _key(body)) and one._batches.waiting)
    back = Deferred.fromCoroutine(moving.move_content(_key(body), other, one))
    await _until(lambda: one._batches.waiting > 1)
    one._writer._writing.release()
    for moved in (recorded, there, back):
        await moved
    assert disks.copies("contents", _key(body)) == [one] and await one.is_sound(_key(body))
    assert disks.count("contents") == 1
    last = one.additions.read(one.additions.log, 0).entries[-1]
    assert (last.key, last.gone) == (_key(body), False)


@pytest.mark.parametrize("seed", range(8))
@ensureDeferred
async def test_copies_become_one_that_has_all(disks, make_capture, seed: int) -> None:
    """Whatever each copy had, and whatever is recorded meanwhile, is in the one that is left."""
    chance = random.Random(seed)
    key = structure_key(URL)
    late = chance.randint(1, 28)
    wanted = {late}
    for disk in disks.disks:
        days = sorted(chance.sample(range(1, 29), chance.randint(0, 6)))
        await disk.append([make_capture(day=day) for day in days])
        wanted.update(days)
    uniting = Deferred.fromCoroutine(disks.unite(key))
    await disks.append([make_capture(day=late)])
    await uniting
    await disks.unite(key)  # the late one may have gone to the copy that was removed
    captures = [make_capture(day=day) for day in sorted(wanted)]
    [disk] = disks.copies("structures", key)
    assert list(read_captures(disk.layout, key)) == captures
    last = disk.additions.read(disk.additions.log, 0).entries[-1]
    assert last.mark == f"{mark([prefix(each.date, each.content) for each in captures]):016x}"
    assert disks.count("structures") == 1


@ensureDeferred
async def test_a_capture_recorded_in_what_is_united_is_not_lost(
    disks, make_capture, monkeypatch
) -> None:
    """The copy that shall go is read again when somebody has written to it."""
    one, other, _ = disks.disks
    await one.append([make_capture(day=1)])
    await other.append([make_capture(day=day) for day in (2, 3)])
    copy, times = moving._copy_captures, iter([4, 5])

    async def copy_late(key: str, source: DiskStore, target: DiskStore):
        copied = await copy(key, source, target)
        for day in times:
            await source.append([make_capture(day=day)])
            break
        return copied

    monkeypatch.setattr(moving, "_copy_captures", copy_late)
    assert await disks.unite(structure_key(URL)) is True
    [disk] = disks.copies("structures", structure_key(URL))
    found = list(read_captures(disk.layout, structure_key(URL)))
    assert disk is other and found == [make_capture(day=day) for day in (1, 2, 3, 4, 5)]
    assert await disks.unite(structure_key(URL)) is False


@pytest.mark.parametrize("damaged", [0, 1])
@ensureDeferred
async def test_damage_on_either_disk_loses_nothing_that_the_other_has(
    disks, make_capture, damaged: int
) -> None:
    """A line that rotted in one copy is taken from the other, whichever is the fuller."""
    wanted = [make_capture(day=day) for day in (1, 2, 3)]
    await disks.disks[0].append(wanted)
    await disks.disks[1].append(wanted)
    key = structure_key(URL)
    heads = disks.disks[damaged].layout.heads(key)
    data = bytearray(heads.read_bytes())
    data[-5] ^= 1
    heads.write_bytes(data)
    await disks.unite(key)
    [disk] = disks.copies("structures", key)
    assert list(read_captures(disk.layout, key)) == wanted
    assert disks.damaged == 1


@ensureDeferred
async def test_a_file_of_which_nothing_can_be_read_is_not_removed(
    disks, make_capture, monkeypatch
) -> None:
    """An error that does not go away leaves both copies as they are."""
    for disk in disks.disks[:2]:
        await disk.append([make_capture()])

    async def fail(*_: object) -> None:
        raise DamagedStructure("always")

    monkeypatch.setattr(moving, "_copy_captures", fail)
    with pytest.raises(DamagedStructure, match="always"):
        await disks.unite(structure_key(URL))
    assert len(disks.copies("structures", structure_key(URL))) == 2


@ensureDeferred
async def test_whoever_comes_across_two_copies_has_them_united(
    disks, make_capture, workers
) -> None:
    """So does an append, an audit, and the return of a disk."""
    uniting = Uniting(reactor, disks)
    uniting.start()
    disks.on_doubled = uniting.look_at
    key = structure_key(URL)

    async def double() -> None:
        for number, disk in enumerate(disks.disks[:2]):
            await disk.append([make_capture(day=number + 1)])

    async def is_united(count: int) -> None:
        await _until(lambda: uniting.united == count)
        assert len(disks.copies("structures", key)) == 1 and not uniting.waiting

    await double()
    await disks.append([make_capture(day=5)])
    await is_united(1)
    await double()
    uniting.look_through(disks.disks[0])
    await is_united(2)
    await double()
    audit = Audit(reactor, disks.disks[0], workers, 1e9, 1e9)
    audit.on_structure = disks.on_doubled
    auditing = Deferred.fromCoroutine(audit.run())
    await is_united(3)
    auditing.addErrback(lambda _: None)
    auditing.cancel()
    await uniting.stop()


@ensureDeferred
async def test_what_has_come_back_is_looked_through_as_soon_as_it_can_be_listed(
    disks, make_capture, monkeypatch
) -> None:
    """While too much waits for the disk, so does this."""
    monkeypatch.setattr(uniting_module, "_TICK", 0.01)
    for disk in disks.disks[:2]:
        await disk.append([make_capture()])
    back, asked = disks.disks[0], []
    listing = back.listing

    def busy_at_first(*place: Any) -> Any:
        asked.append(place)
        if len(asked) < 3:
            raise Overloaded("too much is waiting")
        return listing(*place)

    monkeypatch.setattr(back, "listing", busy_at_first)
    uniting = Uniting(reactor, disks)
    uniting.start()
    uniting.look_through(back)
    await _until(lambda: uniting.united == 1)
    await uniting.stop()


KILLED = """
import os, sys
from pathlib import Path
from typing import Any
from twisted.internet import reactor, task
from agents.storage.disk.emptying import Emptying
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from anet.errors import Overloaded
from anet.tasks import sleep
from anet.workers import Workers

async def main(_):
    workers = Workers(reactor, 2)
    workers.startService()
    made = [
        DiskStore(Path(each), workers, reserve=0, waiting_limit=1 << 26) for each in sys.argv[2:]
    ]
    node = NodeStore(reactor, made)
    await node.open()
    emptying = Emptying(reactor, node)
    await emptying.rest([made[0].name])
    while emptying.moved < int(sys.argv[1]):
        await sleep(reactor, 0)
    os.kill(os.getpid(), 9)

task.react(lambda reactor: __import__("twisted").internet.defer.ensureDeferred(main(reactor)))
"""


@pytest.mark.slow
@ensureDeferred
async def test_a_node_killed_while_it_empties_a_disk_loses_nothing(
    tmp_path: Path, workers: Workers, make_capture
) -> None:
    """Whenever that is, all is on some disk, sound, and the next start goes on."""
    folders = [tmp_path / name for name in "ab"]
    captures = [make_capture(f"{URL}{number}", day) for number in range(9) for day in (1, 2)]

    def open_node() -> NodeStore:
        made = [DiskStore(each, workers, reserve=0, waiting_limit=1 << 26) for each in folders]
        return NodeStore(reactor, made)

    node = open_node()
    await node.open()
    for body in BODIES:
        await node.disks[0].put(_key(body), body)
    await node.disks[0].append(captures)
    await node.close()
    for moved in (3, 14):
        arguments = [sys.executable, "-c", KILLED, str(moved), *map(str, folders)]
        run = subprocess.run(arguments, timeout=60, check=False)  # noqa: ASYNC221
        assert run.returncode == -9
        node = open_node()
        await node.open()
        for body in BODIES:
            copies = node.copies("contents", _key(body))
            assert copies and all([await disk.is_sound(_key(body)) for disk in copies])
        layouts: list[Layout] = [disk.layout for disk in node.disks]
        for number in range(9):
            key = structure_key(f"{URL}{number}")
            there = [layout for layout in layouts if layout.captures(key).exists()]
            assert list(captures_of(there, key)) == captures[2 * number : 2 * number + 2]
        await node.close()
    node = open_node()
    await node.open()
    emptying = Emptying(reactor, node)
    await emptying.rest([node.disks[0].name])
    await _until(lambda: not list(folders[0].glob("[cs]*/*/*/*")))
    await emptying.stop()
    assert node.disks[1].holdings.counts == {"contents": len(BODIES), "structures": 9}
    await node.close()
