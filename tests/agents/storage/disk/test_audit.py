"""Reading again what a disk holds, and what becomes of damage."""

import errno
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.capture import structure_key
from agents.storage.disk import removal
from agents.storage.disk.additions import Entry
from agents.storage.disk.append import read_mark
from agents.storage.disk.audit import Audit, Place
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import read_captures
from agents.storage.errors import Changed
from anet.tasks import Tasks, sleep
from anet.workers import Workers

BODIES = [b"body %d" % number for number in range(30)]
URL = "http://a.example/"
KEY = structure_key(URL)


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


async def _audited(disk: DiskStore, workers: Workers) -> Audit:
    """Audit a disk to the end."""
    audit = Audit(reactor, disk, workers, 0, 0)
    tasks = Tasks()
    tasks.start(audit.run(), "audit")
    await sleep(reactor, 0.01)
    audit.hurry()
    while not audit.place.ended:
        await sleep(reactor, 0.01)
    await tasks.stop()
    return audit


def _last(disk: DiskStore, kind: str, key: str) -> Entry:
    entries = disk.additions.read("", 0).entries
    return [each for each in entries if (each.kind, each.key) == (kind, key)][-1]


async def _fill(disk: DiskStore, make_capture) -> None:
    await disk.put_all([(_key(body), memoryview(body)) for body in BODIES])
    await disk.append([make_capture(URL, day) for day in (1, 2, 3)])
    await disk.append([make_capture(f"{URL}{number}") for number in range(5)])
    await disk.ahead.settle()


@ensureDeferred
async def test_a_sound_disk_passes(store: DiskStore, workers, make_capture) -> None:
    """Nothing is moved or logged where all is well, a torn last line included."""
    await _fill(store, make_capture)
    with store.layout.captures(KEY).open("ab") as file:
        file.write(b"2026")
    position = store.additions.position
    audit = await _audited(store, workers)
    assert audit.found == 0 and store.damaged == 0 and store.additions.position == position
    assert audit.place.phase is None and audit.place.fraction is None


@ensureDeferred
async def test_damaged_and_lost_contents_are_gone(store: DiskStore, workers, make_capture) -> None:
    """A content that rots goes to quarantine, one that vanished is said to be gone, both once."""
    await _fill(store, make_capture)
    rotten, lost = _key(BODIES[3]), _key(BODIES[4])
    store.layout.content(rotten).write_bytes(b"rot")
    store.layout.content(lost).unlink()
    assert (await _audited(store, workers)).found == 2
    for key in (rotten, lost):
        assert _last(store, "contents", key).gone
        assert not store.holdings.may_hold("contents", key)
    [kept] = store.layout.quarantine.iterdir()
    assert kept.name.startswith(rotten) and kept.read_bytes() == b"rot"
    assert store.holdings.counts["contents"] == len(BODIES) - 2
    assert (await _audited(store, workers)).found == 0
    assert await store.put(rotten, BODIES[3]) is True
    await store.ahead.settle()
    assert not _last(store, "contents", rotten).gone and store.holds("contents", rotten)


@pytest.mark.parametrize("part", ["line", "head"])
@ensureDeferred
async def test_of_a_damaged_structure_file_the_sound_lines_stay(
    store: DiskStore, workers, make_capture, part: str
) -> None:
    """The log then tells another mark, by which the copies of other nodes are merged with it."""
    await _fill(store, make_capture)
    path = store.layout.captures(KEY) if part == "line" else store.layout.heads(KEY)
    data = path.read_bytes()
    path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    assert (await _audited(store, workers)).found == 1
    assert list(read_captures(store.layout, KEY)) == [make_capture(URL, day) for day in (1, 2)]
    count, mark = read_mark(store.layout, KEY)
    assert _last(store, "structures", KEY) == Entry("structures", KEY, 2, f"{mark:016x}")
    assert len(list(store.layout.quarantine.iterdir())) == 2 and store.damaged == 1
    await store.append([make_capture(URL, day) for day in (3, 4)])
    assert len(list(read_captures(store.layout, KEY))) == 4
    assert (await _audited(store, workers)).found == 0 and count == 2


@ensureDeferred
async def test_a_structure_file_without_its_url_is_gone(store, workers, make_capture) -> None:
    """What does not say whose it is goes as a whole, and can be recorded anew."""
    await _fill(store, make_capture)
    heads = store.layout.heads(KEY)
    heads.write_bytes(b"rot" + heads.read_bytes()[3:])
    assert (await _audited(store, workers)).found == 1
    assert _last(store, "structures", KEY).gone and not store.holds("structures", KEY)
    assert await store.append([make_capture(URL, 1)])
    assert list(read_captures(store.layout, KEY)) == [make_capture(URL, 1)]


@ensureDeferred
async def test_an_audit_goes_on_where_it_was(store: DiskStore, workers, make_capture) -> None:
    """The place is kept on the disk, and read by the next process."""
    await _fill(store, make_capture)
    audit = Audit(reactor, store, workers, 0, 0)
    audit.place = Place("contents", "8" * 64, 12.0, 5.0)
    await audit._keep()
    tasks = Tasks()
    again = Audit(reactor, store, workers, 1 << 30, 1e12)
    seen: list[float | None] = []
    tasks.start(again.run(), "audit")
    while again.place.ended <= 5.0:
        seen.append(again.place.fraction)
        await sleep(reactor, 0.002)
    await tasks.stop()
    assert again.place.began == 12.0
    assert all(each is None or each > 0.5 for each in seen)
    (store.layout.root / "audit").write_bytes(b"rot")
    assert audit._load() == Place()


@ensureDeferred
async def test_it_reads_no_faster_than_it_may(store: DiskStore, workers) -> None:
    """What is read at a rate of so many bytes a second takes its time."""
    for number in range(4):
        await store.put(_key(b"%d" % number * 5000), b"%d" % number * 5000)
    await store.ahead.settle()
    tasks = Tasks()
    audit = Audit(reactor, store, workers, 40_000, 1e9)
    begun = reactor.seconds()
    tasks.start(audit.run(), "audit")
    while not audit.place.ended:
        await sleep(reactor, 0.02)
    await tasks.stop()
    assert reactor.seconds() - begun > 0.45  # 20,000 bytes


@ensureDeferred
async def test_a_replica_too_many_goes(store: DiskStore, make_capture) -> None:
    """It is gone from the disk, from memory and in the log; twice does no harm."""
    await _fill(store, make_capture)
    key = _key(BODIES[0])
    assert await store.remove("contents", key) is True
    assert not store.holds("contents", key) and _last(store, "contents", key).gone
    assert await store.remove("contents", key) is False
    count, mark = read_mark(store.layout, KEY)
    with pytest.raises(Changed):
        await store.remove("structures", KEY, f"{mark ^ 1:016x}")
    assert await store.remove("structures", KEY, f"{mark:016x}") is True
    assert not store.layout.heads(KEY).exists() and count == 3
    assert not list(store.layout.quarantine.iterdir())


@ensureDeferred
async def test_what_is_recorded_in_the_same_moment_stays(store: DiskStore, make_capture) -> None:
    """A removal that meets a write of the same file in a batch is refused."""
    await _fill(store, make_capture)
    _, mark = read_mark(store.layout, KEY)
    first = Deferred.fromCoroutine(store.put(_key(b"z"), b"z"))  # the others wait for it
    removed = Deferred.fromCoroutine(store.remove("structures", KEY, f"{mark:016x}"))
    written = Deferred.fromCoroutine(store.append([make_capture(URL, 9)]))
    await first
    await written
    with pytest.raises(Changed):
        await removed
    assert len(list(read_captures(store.layout, KEY))) == 4


@ensureDeferred
async def test_killed_between_the_log_and_the_removal(
    store: DiskStore, workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that the log says is gone is no harm, and counts again once it is put again."""
    await store.put(_key(b"a"), b"a")

    def killed(*_: object) -> None:
        raise OSError(errno.EINTR, "killed")

    monkeypatch.setattr(removal.Removal, "_take", killed)
    with pytest.raises(Exception, match="killed"):
        await store.remove("contents", _key(b"a"))
    monkeypatch.undo()
    store._lock.release()
    again = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    await again.open()
    assert _last(again, "contents", _key(b"a")).gone
    await again.put(_key(b"a"), b"a")
    await again.ahead.settle()
    assert not _last(again, "contents", _key(b"a")).gone and again.holds("contents", _key(b"a"))
    await again.close()


@given(st.sampled_from(["structures", "contents", "log"]), st.text("0123456789abcdef", max_size=64))
def test_progress_is_a_fraction(phase, after: str) -> None:
    """It grows with the keys, from 0 to 1."""
    fraction = Place(phase, after).fraction
    assert fraction is not None and 0 <= fraction <= 1
    assert Place().fraction is None
