"""The database of an index node."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList

from agents.storage.disk.additions import Entry
from agents.storage.errors import LayoutRefused
from agents.storage.index.readings import Disk, Reading, advanced, extended, without
from agents.storage.index.sharing import GROUPS
from agents.storage.index.store import IndexStore
from agents.storage.policy import Holding
from agents.storage.status import Added, Followed
from anet.errors import Stopped
from anet.workers import Workers

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(40)]
ALL = bytes(range(GROUPS))
ROOT = Path(__file__).parents[4]


@asynccontextmanager
async def opened(folder: Path, groups: bytes | None = ALL) -> AsyncIterator[IndexStore]:
    """Give an open index that has some groups."""
    threads = [Workers(reactor, 1), Workers(reactor, 2)]
    for each in threads:
        each.startService()
    store = IndexStore(folder, *threads)
    try:
        await store.open()
        if groups is not None:
            await store.take(groups)
        yield store
        await store.close()
    finally:
        for each in threads:
            await each.stopService()


def _part(since: int, position: int, *keys: str, log: str = "log", gone: bool = False) -> Added:
    entries = [Entry("contents", key, 5, gone=gone) for key in keys]
    return Added(log, since, position, entries, "one")


async def _add(store: IndexStore, part: Added, which: int = 0) -> bool:
    return await store.add("a", store.disks["a", part.disk].readings[which], part)


async def _held(store: IndexStore, key: str) -> list[Holding]:
    [found] = await store.holders([("contents", key)])
    return found


async def _sweep(store: IndexStore) -> None:
    after = await store.clear(b"")
    while after:
        after = await store.clear(after)


@ensureDeferred
async def test_what_was_taken_in_is_there_after_a_restart(tmp_path: Path) -> None:
    """Holdings and how far the log was read are one, and durable."""
    async with opened(tmp_path / "index") as store:
        await store.register("a", "http://a", ["one"])
        assert await _add(store, _part(51, 100, *KEYS[:3]))
        assert not await _add(store, _part(200, 300, KEYS[4]))
        assert not await _add(store, _part(100, 100))
    async with opened(tmp_path / "index", groups=None) as store:
        assert store.groups == ALL
        assert store.disks["a", "one"].readings == [Reading(ALL, Followed("log", 100))]
        assert await _held(store, KEYS[0]) == [Holding("a", 5)]
        assert await _held(store, KEYS[4]) == []
        assert await store.holders([("structures", KEYS[0])]) == [[]]


@ensureDeferred
async def test_the_last_word_on_a_key_counts(tmp_path: Path) -> None:
    """What is gone is not held, and what came again is."""
    async with opened(tmp_path / "index") as store:
        await store.register("a", "http://a", ["one"])
        await _add(store, _part(51, 100, *KEYS[:2]))
        gone = [Entry("contents", key, 0, gone=True) for key in KEYS[:2]]
        again = Entry("contents", KEYS[1], 7)
        await _add(store, Added("log", 100, 200, [*gone, again], "one"))
        assert await _held(store, KEYS[0]) == []
        assert await _held(store, KEYS[1]) == [Holding("a", 7)]


@ensureDeferred
async def test_each_node_is_named_once_the_fullest_first(tmp_path: Path) -> None:
    """Two disks of a node are one holding; the larger copy leads."""
    async with opened(tmp_path / "index") as store:
        for node, disk, size in [("a", "one", 1), ("a", "two", 3), ("b", "one", 9)]:
            known = [each for name, each in store.disks if name == node]
            await store.register(node, f"http://{node}", [*known, disk])
            [reading] = store.disks[node, disk].readings
            part = Added("log", 51, 99, [Entry("structures", KEYS[0], size, "0" * 16)], disk)
            await store.add(node, reading, part)
        [found] = await store.holders([("structures", KEYS[0])])
        assert found == [Holding("b", 9), Holding("a", 3)]
        await store.register("b", "http://b", [])
        await store.register("a", "http://a", ["one"])
        assert await store.holders([("structures", KEYS[0])]) == [[Holding("a", 1)]]
        await _sweep(store)
        await store.register("a", "http://a", ["one", "two"])
        assert await store.holders([("structures", KEYS[0])]) == [[Holding("a", 1)]]


@ensureDeferred
async def test_another_log_replaces_all(tmp_path: Path) -> None:
    """A disk with a new log holds what that says, and nothing else."""
    async with opened(tmp_path / "index") as store:
        await store.register("a", "http://a", ["one"])
        await _add(store, _part(51, 100, KEYS[0]))
        assert await _add(store, _part(51, 90, KEYS[1], log="new"))
        assert (await _held(store, KEYS[0]), len(await _held(store, KEYS[1]))) == ([], 1)
        assert store.disks["a", "one"].readings == [Reading(ALL, Followed("new", 90))]


@ensureDeferred
async def test_groups_that_come_are_read_from_the_start(tmp_path: Path) -> None:
    """Those lost are forgotten; one that comes back is read anew, and nothing old is left of it."""
    group = bytes.fromhex(KEYS[0][:2])
    rest = ALL.replace(group, b"")
    async with opened(tmp_path / "index") as store:
        await store.register("a", "http://a", ["one"])
        await _add(store, _part(51, 100, *KEYS))
        await store.take(rest)
        assert store.disks["a", "one"].readings == [Reading(rest, Followed("log", 100))]
        await _add(store, _part(100, 200, KEYS[0], gone=True))
        await store.take(ALL)
        assert await _held(store, KEYS[0]) == []
        at = Followed("log", 200)
        assert set(store.disks["a", "one"].readings) == {Reading(rest, at), Reading(group)}
        assert await store.add("a", Reading(group), _part(51, 200, *KEYS[:1]))
        assert store.disks["a", "one"].readings == [Reading(ALL, at)]
        assert len(await _held(store, KEYS[0])) == 1
        await store.take(b"")
        await _sweep(store)
        assert await store.holders([("contents", key) for key in KEYS]) == [[]] * len(KEYS)


@ensureDeferred
async def test_reading_ends_before_the_index_is_closed(tmp_path: Path) -> None:
    """Questions under way are answered or refused, and the process lives."""
    places = [("contents", key) for key in KEYS] * 50
    async with opened(tmp_path / "index") as store:
        asked = [Deferred.fromCoroutine(store.holders(places)) for _ in range(20)]
    outcomes = await DeferredList(asked, consumeErrors=True)
    assert all(well or failure.check(Stopped) for well, failure in outcomes)
    with pytest.raises(Stopped):
        await store.holders(places)


@ensureDeferred
async def test_two_index_nodes_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second is told to take another one; the folder is free once the first has closed."""
    async with opened(tmp_path / "index"):
        with pytest.raises(LayoutRefused, match="a folder of its own"):
            async with opened(tmp_path / "index"):
                pass
    async with opened(tmp_path / "index", groups=None) as store:
        assert store.groups == ALL


@ensureDeferred
async def test_a_damaged_index_says_what_to_do(tmp_path: Path) -> None:
    """It is no loss, and the words say how it is made again."""
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "data.mdb").write_bytes(b"nonsense" * 10_000)
    with pytest.raises(LayoutRefused, match="made again"):
        async with opened(folder):
            pass


WRITER = """
import sys
from pathlib import Path
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from agents.storage.disk.additions import Entry
from agents.storage.index.store import IndexStore
from agents.storage.status import Added
from anet.workers import Workers

async def write():
    threads = [Workers(reactor, 1), Workers(reactor, 1)]
    for each in threads:
        each.startService()
    store = IndexStore(Path(sys.argv[1]), *threads)
    await store.open()
    await store.take(bytes(range(256)))
    await store.register("a", "http://a", ["one"])
    for number in range(10**9):
        entries = [Entry("contents", f"{number:08x}{each:056x}", 1) for each in range(50)]
        [reading] = store.disks["a", "one"].readings
        await store.add("a", reading, Added("log", number, number + 1, entries, "one"))
        print(number, flush=True)

reactor.callWhenRunning(lambda: Deferred.fromCoroutine(write()))
reactor.run()
"""


@ensureDeferred
async def test_a_killed_index_has_all_that_it_took_in(tmp_path: Path) -> None:
    """After `kill -9` in mid-write the rows are those of the log as far as it was read."""
    folder = tmp_path / "index"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, cwd=ROOT
    )
    with writer:
        told = -1
        while told < 30:
            told = int(writer.stdout.readline())
        writer.kill()
    async with opened(folder, groups=None) as store:
        [reading] = store.disks["a", "one"].readings
        read = reading.followed.position
        assert read > told
        for number in (0, told, read - 1, read):
            places = [("contents", f"{number:08x}{each:056x}") for each in range(50)]
            there = [bool(found) for found in await store.holders(places)]
            assert there == [number < read] * 50


POSITIONS = st.integers(0, 5).map(lambda number: Followed("log" if number else "", number))
READINGS = st.builds(Reading, st.binary(max_size=3).map(lambda b: bytes(sorted(set(b)))), POSITIONS)


@given(st.lists(READINGS, max_size=4), st.binary(max_size=4), st.integers(0, 6))
def test_readings_keep_each_group_where_it_is(
    readings: list[Reading], groups: bytes, position: int
) -> None:
    """Merging loses no group, and one reading that goes on moves no other."""
    disk = Disk(1, "a", "one", "http://a", readings)
    named = {group for each in readings for group in each.groups}
    for after in (extended(disk, groups), without(disk, groups)):
        places = [each.followed for each in after.readings]
        assert len(places) == len(set(places)) and all(each.groups for each in after.readings)
    assert {g for each in extended(disk, groups).readings for g in each.groups} == named | {*groups}
    assert {g for each in without(disk, groups).readings for g in each.groups} == named - {*groups}
    if readings:
        after = advanced(disk, readings[0], Added("log", 0, position, [], "one"))
        at = {each.followed: set(each.groups) for each in after.readings}
        assert set(readings[0].groups) <= at.get(Followed("log", position), set())


@ensureDeferred
async def test_disks_can_be_gone_through_while_others_come_and_go(tmp_path: Path) -> None:
    """The writer's thread never changes what the reactor's thread is reading."""
    async with opened(tmp_path / "index") as store:
        await store.register("a", "http://a", ["one", "two"])
        disks = iter(store.disks)
        assert next(disks) == ("a", "one")
        await store.register("b", "http://b", ["one"])
        await store.register("a", "http://a", ["one"])
        assert list(disks) == [("a", "two")]
        assert set(store.disks) == {("a", "one"), ("b", "one")}
