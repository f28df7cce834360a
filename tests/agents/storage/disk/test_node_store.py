"""Several disks as one store, which goes on without those that fail."""

import errno
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.capture import structure_key
from agents.storage.disk import contents as contents_module
from agents.storage.disk import health
from agents.storage.disk.choosing import by_preference
from agents.storage.disk.copies import captures_of, nearest_of
from agents.storage.disk.known import KnownDisks
from agents.storage.disk.layout import Layout
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore, Recorded
from agents.storage.errors import DamagedStructure, DiskFailed, DiskFull, LayoutRefused
from anet.workers import Workers

BODIES = [b"body %d" % number for number in range(40)]
URL = "http://a.example/"


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


def _disk(root: Path, workers: Workers) -> DiskStore:
    return DiskStore(root, workers, reserve=0, waiting_limit=1 << 26)


@ensureDeferred
async def test_writes_spread_and_reads_ask_all(disks: NodeStore, make_capture) -> None:
    """New contents go to all disks, what is there goes to where it is, and all is found."""
    assert all([await disks.put(_key(body), body) for body in BODIES])
    bundle = [(_key(body), memoryview(body)) for body in [*BODIES, b"new"]]
    assert await disks.put_all(bundle) == [False] * len(BODIES) + [True]
    captures = [make_capture(f"{URL}{number}", day) for number in range(20) for day in (1, 2)]
    assert await disks.append(captures) == Recorded(40, 40)
    assert await disks.append(captures[:7]) == Recorded(7, 0)
    for kind, wanted in (("contents", 41), ("structures", 20)):
        assert disks.count(kind) == wanted
        assert all(disk.holdings.counts[kind] for disk in disks.disks)
        listing = await disks.listing(kind, "", 100)
        assert listing == sorted(listing) and len(listing) == wanted
        assert await disks.listing(kind, listing[9], 5) == listing[10:15]
        assert all(len(disks.copies(kind, key)) == 1 for key in listing)
    assert disks.find("contents", _key(b"none")) is None


@ensureDeferred
async def test_a_content_in_pieces_goes_to_one_disk(disks: NodeStore) -> None:
    """A large content is written on the disk where it will be, also over a damaged one."""
    body = b"x" * 100_000
    for _ in range(2):
        incoming = await disks.receive(_key(body), len(body))
        await disks.write(incoming, body)
        await disks.put(_key(body), incoming)
        [disk] = disks.copies("contents", _key(body))
        disk.layout.content(_key(body)).write_bytes(b"rot")
    incoming = await disks.receive(_key(body))
    await disks.discard(incoming)
    assert not any(list(disk.layout.incoming.iterdir()) for disk in disks.disks)


@ensureDeferred
async def test_a_full_disk_leaves_the_rest_to_the_others(disks: NodeStore, make_capture) -> None:
    """What a disk has no room for goes to the others, and is refused only when all are full."""
    full = disks.disks[:2]
    for disk in full:
        disk.space._reserve, disk.space._left = 1 << 60, 0
    await disks.put_all([(_key(body), memoryview(body)) for body in BODIES])
    assert await disks.append([make_capture()]) == Recorded(1, 1)
    assert disks.disks[2].holdings.counts == {"contents": len(BODIES), "structures": 1}
    last = disks.disks[2].space
    last._reserve, last._left = 1 << 60, 0
    for failing in (disks.put(_key(b"z"), b"z"), disks.append([make_capture(day=2)])):
        with pytest.raises(DiskFull, match="add a disk"):
            await failing
    with pytest.raises(DiskFull):
        disks.require(1)
    assert disks.failed == ""


@ensureDeferred
async def test_a_disk_that_fails_is_written_no_more(disks: NodeStore, monkeypatch) -> None:
    """After an error of the hardware others take over, and what the disk has is still read."""
    await disks.put_all([(_key(body), memoryview(body)) for body in BODIES[:20]])
    for disk in disks.disks:
        await disk.ahead.settle()
    broken = disks.disks[0]
    real = os.rename

    def rename(old: str, new: str) -> None:
        if str(new).startswith(str(broken.layout.root)):
            raise OSError(errno.EIO, "Input/output error")
        real(old, new)

    monkeypatch.setattr(contents_module.os, "rename", rename)
    stored = await disks.put_all([(_key(body), memoryview(body)) for body in BODIES])
    assert stored == [False] * 20 + [True] * 20
    await broken.ahead.settle()
    assert "Input/output" in broken.failed and broken.status().errors
    assert disks.failed == "" and len(disks.disks) == 3
    assert all(disks.holds("contents", _key(body)) for body in BODIES)
    monkeypatch.undo()
    before = broken.holdings.counts["contents"]
    await disks.put_all([(_key(b"%d" % n), memoryview(b"%d" % n)) for n in range(30)])
    assert broken.holdings.counts["contents"] == before
    for disk in disks.disks[1:]:
        disk.health.fail("broken too")
    with pytest.raises(DiskFailed, match="broken too"):
        await disks.put(_key(b"z"), b"z")
    assert "broken too" in disks.failed


@ensureDeferred
async def test_a_disk_that_vanishes_is_left_out(disks: NodeStore, make_capture) -> None:
    """A disk that is taken away costs what was on it, and nothing else."""
    changes: list[int] = []
    disks.on_change = lambda: changes.append(len(disks.disks))
    await disks.put_all([(_key(body), memoryview(body)) for body in BODIES])
    lost = disks.disks[1]
    held = await lost.listing("contents", "", 100)
    lost.layout.root.rename(lost.layout.root.with_name("away"))
    assert await disks.append([make_capture(f"{URL}{n}") for n in range(20)]) == Recorded(20, 20)
    await disks.look()
    assert changes == [2] and lost not in disks.disks
    assert "not there any more" in disks.missing[str(lost.layout.root)]
    assert held and not any(disks.holds("contents", key) for key in held)
    assert all(await disks.put_all([(_key(b), memoryview(b)) for b in BODIES if _key(b) in held]))
    assert all(disks.holds("contents", _key(body)) for body in BODIES)


@ensureDeferred
async def test_a_disk_made_read_only_is_still_read(disks: NodeStore, monkeypatch) -> None:
    """What the system has set to read-only after errors is not tried again."""
    await disks.put_all([(_key(body), memoryview(body)) for body in BODIES])
    root = disks.disks[0].layout.root
    flags = {root: os.ST_RDONLY}
    statvfs = lambda path: SimpleNamespace(f_flag=flags.get(path, 0))  # noqa: E731
    monkeypatch.setattr(health.os, "statvfs", statvfs)
    await disks.look()
    monkeypatch.undo()
    assert [disk.failed for disk in disks.disks] == ["it is mounted read-only", "", ""]
    assert all(disks.holds("contents", _key(body)) for body in BODIES)


@ensureDeferred
async def test_another_disk_in_the_same_place_is_not_taken_for_it(
    disks: NodeStore, tmp_path: Path
) -> None:
    """A disk is known by its name, not by where it is."""
    (tmp_path / "disk-2" / "disk").write_text("00000000\n")
    await disks.look()
    assert "00000000" in disks.missing[str(tmp_path / "disk-2")]


@ensureDeferred
async def test_a_node_starts_without_a_disk_that_is_missing(tmp_path: Path, workers) -> None:
    """An empty mount point is not made a disk; a disk that comes back elsewhere is the same."""
    known = KnownDisks(tmp_path / "archive" / "storage-1.disks")
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()

    async def start(folders: list[Path]) -> NodeStore:
        node = NodeStore(reactor, [_disk(folder, workers) for folder in folders], known)
        await node.open()
        return node

    node = await start(folders)
    names = {disk.name for disk in node.disks}
    await node.put_all([(_key(body), memoryview(body)) for body in BODIES])
    await node.close()
    folders[1].rename(tmp_path / "unmounted")
    folders[1].mkdir()
    node = await start(folders)
    assert len(node.disks) == 1 and not list(folders[1].iterdir())
    assert "mount it" in node.missing[str(folders[1])]
    await node.close()
    folders[1].rmdir()
    (tmp_path / "unmounted").rename(tmp_path / "c")
    node = await start([folders[0], tmp_path / "c"])
    assert {disk.name for disk in node.disks} == names and not node.missing
    assert all(node.holds("contents", _key(body)) for body in BODIES)
    await node.close()
    folders[1].mkdir()
    node = await start([folders[0], folders[1]])  # the disk that was there is known elsewhere
    assert len(node.disks) == 2
    await node.close()


@ensureDeferred
async def test_the_same_disk_twice_is_refused(disks: NodeStore, tmp_path: Path, workers) -> None:
    """Neither a folder that is in use nor a copy of a disk is taken for a disk of its own."""
    (tmp_path / "copy").mkdir()
    name = (tmp_path / "disk-1" / "disk").read_text()
    for file, text in (("layout", (tmp_path / "disk-1" / "layout").read_text()), ("disk", name)):
        (tmp_path / "copy" / file).write_text(text)
    (tmp_path / "again").symlink_to(tmp_path / "disk-1")
    with pytest.raises(LayoutRefused, match="in use already"):
        await NodeStore(reactor, [_disk(tmp_path / "again", workers)]).open()
    with pytest.raises(LayoutRefused, match="copy of the other"):
        await disks._open(_disk(tmp_path / "copy", workers))


class _Candidate:
    def __init__(self, name: str, room: int) -> None:
        self.name, self.room = name, room


def test_disks_take_by_their_room() -> None:
    """A disk with four times the room takes about four times as much, the same keys each time."""
    found = [_Candidate("a", 1 << 30), _Candidate("b", 1 << 32), _Candidate("c", 1 << 30)]
    keys = [_key(b"%d" % number) for number in range(6000)]
    first = [by_preference(key, found)[0].name for key in keys]
    counts = Counter(first)
    assert counts["b"] == pytest.approx(4000, rel=0.1)
    assert counts["a"] == pytest.approx(1000, rel=0.15)
    without = [by_preference(key, found[:2])[0].name for key in keys]
    assert all(a == b for a, b in zip(first, without, strict=True) if a != "c")


@ensureDeferred
async def test_a_copy_that_is_damaged_is_passed_over(disks: NodeStore, make_capture) -> None:
    """Of two copies on two disks of a node the sound one serves."""
    for disk in disks.disks[:2]:
        await disk.append([make_capture()])
    key = structure_key(URL)
    path = disks.disks[0].layout.captures(key)
    path.write_bytes(b"x" * path.stat().st_size)
    layouts: list[Layout] = [disk.layout for disk in disks.copies("structures", key)]
    assert list(captures_of(layouts, key)) == [make_capture()]
    found = nearest_of(layouts, key, make_capture(day=9).date)
    assert found is not None and found.capture == make_capture()


@ensureDeferred
async def test_a_copy_that_cannot_be_read_is_passed_over(
    disks: NodeStore, make_capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the hardware is damage of one copy, and not of the node."""
    for disk in disks.disks[:2]:
        await disk.append([make_capture()])
    key = structure_key(URL)
    bad = str(disks.disks[0].layout.captures(key))
    real = os.open

    def failing(path, *arguments, **named):
        if str(path) == bad:
            raise OSError(errno.EIO, "Input/output error", bad)
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, "open", failing)
    layouts: list[Layout] = [disk.layout for disk in disks.disks[:2]]
    assert list(captures_of(layouts, key)) == [make_capture()]
    with pytest.raises(DamagedStructure, match="another node"):
        nearest_of(layouts[:1], key, make_capture().date)
    with pytest.raises(DamagedStructure, match="another node"):
        list(captures_of(layouts[:1], key))


@ensureDeferred
async def test_of_two_copies_the_fuller_is_written(disks: NodeStore, make_capture) -> None:
    """So one of them comes to have everything, and its mark is the one that others compare."""
    await disks.disks[0].append([make_capture()])
    await disks.disks[2].append([make_capture(day=day) for day in (1, 2, 3)])
    assert await disks.append([make_capture(day=day) for day in (3, 4)]) == Recorded(2, 1)
    sizes = [disk.size_of("structures", structure_key(URL)) for disk in disks.disks]
    assert sizes == [160, None, 4 * 160]


@ensureDeferred
async def test_copies_damaged_in_different_places_are_whole_together(
    disks: NodeStore, make_capture
) -> None:
    """Of each copy all sound lines are read, those after the damaged one too."""
    wanted = [make_capture(day=day) for day in range(1, 8)]
    layouts: list[Layout] = []
    for disk, line in zip(disks.disks, (1, 5), strict=False):
        await disk.append(wanted)
        path = disk.layout.captures(structure_key(URL))
        data = bytearray(path.read_bytes())
        data[line * 160 + 90] ^= 1
        path.write_bytes(data)
        layouts.append(disk.layout)
    assert list(captures_of(layouts, structure_key(URL))) == wanted
    with pytest.raises(DamagedStructure):
        list(captures_of(layouts[:1], structure_key(URL)))
