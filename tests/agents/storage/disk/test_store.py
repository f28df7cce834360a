"""The disk of a node: durable, idempotent, checked, bounded."""

import errno
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Barrier

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, DeferredList

from agents.capture import structure_key
from agents.storage.disk import contents, durable
from agents.storage.disk import journal as journal_module
from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.layout import Layout
from agents.storage.disk.store import DiskStore, Recorded
from agents.storage.errors import DigestMismatch, DiskFailed, DiskFull, LayoutRefused
from anet.errors import Overloaded


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


@ensureDeferred
async def test_a_content_is_stored_once(store: DiskStore) -> None:
    """The first PUT is new, the second is not, and the file holds the bytes."""
    assert await store.put(_key(b"one"), b"one") is True
    assert await store.put(_key(b"one"), b"one") is False
    await store.ahead.settle()
    assert store.layout.content(_key(b"one")).read_bytes() == b"one"
    assert store.holds("contents", _key(b"one"))
    assert not list(store.layout.incoming.iterdir())


@ensureDeferred
async def test_a_damaged_content_is_replaced(store: DiskStore) -> None:
    """A file that no longer hashes to its name does not count as held when it is sent again."""
    await store.put(_key(b"one"), b"one")
    await store.ahead.settle()
    path = store.layout.content(_key(b"one"))
    path.write_bytes(b"oNe")
    assert await store.put(_key(b"one"), b"one") is False
    assert path.read_bytes() == b"one"
    assert store.holdings.counts["contents"] == 1


@ensureDeferred
async def test_many_contents_become_files_at_once(store: DiskStore, monkeypatch) -> None:
    """They never are in the journal, are synced together, and logged; what is there is proven."""
    await store.put(_key(b"journaled"), b"journaled")
    damaged = b"damaged"
    await store.put_files([(_key(damaged), damaged)])
    store.layout.content(_key(damaged)).write_bytes(b"dAmaged")
    bodies = [b"%d" % number for number in range(40)]
    syncs: list[Path] = []
    monkeypatch.setattr(durable, "sync_file_system", syncs.append)
    given = [(_key(body), memoryview(body)) for body in [*bodies, damaged, b"journaled", bodies[0]]]
    outcomes = await store.put_files([*given, (_key(b"right"), b"wrong")])
    assert outcomes[:-1] == [True] * 40 + [False] * 3
    assert isinstance(outcomes[-1], DigestMismatch)
    assert len(syncs) == 2, "once what is aside, and once what has its names"
    for body in [*bodies, damaged]:
        assert store.layout.content(_key(body)).read_bytes() == body
    assert set(store.ahead.journal.held()) <= {_key(b"journaled")}
    logged = {entry.key for entry in store.additions.read("", 0).entries}
    assert logged >= {_key(body) for body in bodies} and _key(b"right") not in logged
    assert store.holdings.counts["contents"] == 42
    store.space._reserve, store.space._left = 1 << 60, 0
    with pytest.raises(DiskFull):
        await store.put_files([(_key(b"more"), b"more")])


@ensureDeferred
async def test_what_this_program_has_hashed_is_hashed_no_second_time(
    store: DiskStore, monkeypatch
) -> None:
    """It is written, found to be there, and mended like any other."""
    given = [(_key(body), memoryview(body)) for body in (b"one", b"two")]
    monkeypatch.setattr(contents, "sha256", None)
    assert await store.put_files(given, hashed=True) == [True] * 2
    path = store.layout.content(given[0][0])
    path.write_bytes(b"oNe")
    assert await store.put_files(given, hashed=True) == [False] * 2
    assert path.read_bytes() == b"one"


@ensureDeferred
async def test_the_same_content_twice_at_once_counts_once(store: DiskStore) -> None:
    """Of two that write the same bytes in one batch, one is told that they are new."""
    stored = [Deferred.fromCoroutine(store.put(_key(b"one"), b"one")) for _ in range(5)]
    outcomes = await DeferredList(stored)
    assert sorted(new for _, new in outcomes) == [False] * 4 + [True]
    assert store.holdings.counts["contents"] == 1


@ensureDeferred
async def test_a_late_capture_is_as_durable_as_any(store, make_capture, monkeypatch) -> None:
    """The file that took another's place is synced, and so is the folder that names it."""
    await store.append([make_capture(day=2)])
    synced: list[Path] = []
    monkeypatch.setattr(durable, "sync_path", lambda path: synced.append(path))
    await store.append([make_capture(day=1)])
    assert store.layout.captures(structure_key(make_capture().url)).parent in synced


@ensureDeferred
async def test_a_log_made_again_loses_nothing_that_comes_meanwhile(store: DiskStore) -> None:
    """Under a new id the log names what lay on the disk and what was written at that time."""
    bodies = [b"%d" % number for number in range(60)]
    former = store.additions.log
    await store.put(_key(bodies[0]), bodies[0])
    assert store.additions.is_behind(former, store.additions.position + 1)
    assert not store.additions.is_behind("0" * 32, store.additions.position + 1)
    running = [Deferred.fromCoroutine(store.put(_key(body), body)) for body in bodies[:30]]
    running.append(Deferred.fromCoroutine(store.renew_log()))
    running += [Deferred.fromCoroutine(store.put(_key(body), body)) for body in bodies[30:]]
    await DeferredList(running)
    part = store.additions.read(former, 51)
    assert part.log == store.additions.log != former
    assert part.position == store.additions.position
    assert {entry.key for entry in part.entries} == {_key(body) for body in bodies}


@ensureDeferred
async def test_bytes_that_are_not_their_key_are_refused(store: DiskStore) -> None:
    """A body that hashes to something else leaves nothing behind, held or not."""
    for _ in range(2):
        with pytest.raises(DigestMismatch):
            await store.put(_key(b"one"), b"two")
        await store.put(_key(b"one"), b"one")
    await store.ahead.settle()
    assert not list(store.layout.incoming.iterdir())


@ensureDeferred
async def test_many_at_once_become_few_syncs(store: DiskStore, monkeypatch) -> None:
    """Two hundred writes that come together cost a handful of syncs."""
    syncs: list[str] = []
    real = durable.sync_file_system
    monkeypatch.setattr(
        durable, "sync_file_system", lambda path: (syncs.append("fs"), real(path))[1]
    )
    bodies = [b"%d" % number for number in range(200)]
    stored = [Deferred.fromCoroutine(store.put(_key(body), body)) for body in bodies]
    outcomes = await DeferredList(stored)
    assert all(success and new for success, new in outcomes)
    assert len(syncs) <= 6


@ensureDeferred
async def test_many_at_once_each_have_an_outcome(store: DiskStore) -> None:
    """Of contents that come together each is new, known or refused for itself."""
    await store.put(_key(b"known"), b"known")
    bodies = [b"new", b"known", b"new", b"false"]
    contents = [(_key(body), memoryview(body)) for body in bodies]
    contents[3] = (_key(b"true"), memoryview(b"false"))
    *good, refused = await store.put_all(contents)
    assert good == [True, False, False]
    assert isinstance(refused, DigestMismatch)
    assert store.holdings.counts["contents"] == 2
    await store.ahead.settle()
    assert not list(store.layout.incoming.iterdir())


@ensureDeferred
async def test_a_folder_that_somebody_took_away_is_made_again(store: DiskStore) -> None:
    """What a node remembers of its folders is looked at again when it proves wrong."""
    await store.put(_key(b"one"), b"one")
    await store.ahead.settle()
    path = store.layout.content(_key(b"one"))
    for folder in (path, path.parent, path.parent.parent):
        folder.unlink() if folder == path else folder.rmdir()
    assert await store.put(_key(b"one"), b"one") is True
    await store.ahead.settle()
    assert path.read_bytes() == b"one"


@ensureDeferred
async def test_a_content_in_pieces(store: DiskStore) -> None:
    """A large body is hashed and written as it comes."""
    incoming = await store.receive()
    for piece in (b"a" * 100_000, b"b" * 5):
        await store.write(incoming, piece)
    body = b"a" * 100_000 + b"b" * 5
    assert await store.put(_key(body), incoming) is True
    assert store.layout.content(_key(body)).read_bytes() == body


@ensureDeferred
async def test_a_full_disk_refuses_before_it_writes(store: DiskStore, make_capture) -> None:
    """Below the reserve nothing is taken, and the error says what to do."""
    store.space._reserve, store.space._left = 1 << 60, 0
    with pytest.raises(DiskFull, match="add a disk or a storage node"):
        await store.put(_key(b"one"), b"one")
    with pytest.raises(DiskFull):
        await store.append([make_capture()])
    assert not store.holds("contents", _key(b"one"))


@ensureDeferred
async def test_a_disk_that_fills_while_writing(store: DiskStore, monkeypatch) -> None:
    """ENOSPC in the middle is that write's failure only, and writing goes on later."""

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "write_all", full)
        with pytest.raises(DiskFull):
            await store.put(_key(b"one"), b"one")
    await store.ahead.settle()
    assert not list(store.layout.incoming.iterdir())
    assert await store.put(_key(b"one"), b"one") is True


@ensureDeferred
async def test_after_a_failed_sync_nothing_more_is_written(store: DiskStore, monkeypatch) -> None:
    """A sync that failed may have lost bytes, so every write is refused until a restart."""

    def broken(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(journal_module.os, "fdatasync", broken)
        with pytest.raises(DiskFailed):
            await store.put(_key(b"one"), b"one")
    with pytest.raises(DiskFailed, match="start the node again"):
        await store.put(_key(b"two"), b"two")


@ensureDeferred
async def test_captures_of_many_urls(store: DiskStore, make_capture) -> None:
    """A batch is spread over structure files, and told how much of it was new."""
    found = [make_capture(f"http://a.example/{n}", day) for n in range(5) for day in (1, 2)]
    assert await store.append(found) == Recorded(10, 10)
    assert await store.append(found[:3]) == Recorded(3, 0)
    assert store.holdings.counts["structures"] == 5


@ensureDeferred
async def test_the_log_tells_what_was_added(store: DiskStore, make_capture) -> None:
    """Followers read contents and structure files in the order they came."""
    await store.put(_key(b"one"), b"one")
    await store.ahead.settle()
    await store.append([make_capture()])
    await store.append([make_capture(day=2)])
    part = store.additions.read("", 0)
    assert [(each.kind, each.size) for each in part.entries] == [
        ("contents", 3),
        ("structures", 1),
        ("structures", 2),
    ]
    assert store.additions.read(part.log, part.position).entries == []
    assert part.position == store.additions.position


@ensureDeferred
async def test_too_much_waiting_is_refused(store: DiskStore) -> None:
    """The queue of writes has a limit, at which callers are told to come back."""
    await store.ahead.settle()
    await store.workers.run(int)  # out of what that was told in
    store.ahead._batches._waiting_limit = 1500  # of which each takes a thousand
    first = Deferred.fromCoroutine(store.put(_key(b"0"), b"0"))
    second = Deferred.fromCoroutine(store.put(_key(b"1"), b"1"))
    with pytest.raises(Overloaded):
        await store.put(_key(b"2"), b"2")
    assert await first and await second


@ensureDeferred
async def test_opening_again_finds_everything(store, workers, make_capture) -> None:
    """A node that starts on an old disk knows what it holds, and clears what was unfinished."""
    await store.put(_key(b"one"), b"one")
    await store.append([make_capture()])
    log = store.additions.log
    await store.close()
    (store.layout.incoming / "1-1").write_bytes(b"half")
    with store.layout.additions.open("ab") as file:
        file.write(b"contents abcdef")
    again = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    await again.open()
    assert not list(again.layout.incoming.iterdir())
    assert again.additions.log == log
    assert len(again.additions.read(log, 0).entries) == 2
    assert await again.put(_key(b"one"), b"one") is False
    await again.close()
    assert again.holds("contents", _key(b"one"))


@ensureDeferred
async def test_a_lost_log_is_made_again(store, workers, make_capture) -> None:
    """Without its log a disk is read, and followers start over under a new id."""
    await store.put(_key(b"one"), b"one")
    await store.ahead.settle()
    await store.append([make_capture(), make_capture(day=2)])
    before = store.additions.read("", 0)
    await store.close()
    store.layout.additions.unlink()
    again = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    await again.open()
    after = again.additions.read(before.log, before.position)
    assert after.log != before.log
    assert set(after.entries) == {before.entries[0], before.entries[-1]}
    await again.close()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """A folder with strange files, or of another version, is not written into."""
    (tmp_path / "photo.jpg").write_bytes(b"")
    with pytest.raises(LayoutRefused, match=r"photo\.jpg"):
        Layout(tmp_path).prepare()
    (tmp_path / "layout").write_text("dlweb-storage 3\n")
    with pytest.raises(LayoutRefused, match="dlweb-storage 3"):
        Layout(tmp_path).prepare()


@ensureDeferred
async def test_listing_goes_by_keys(store: DiskStore) -> None:
    """Keys come in order, and a page begins after the last one."""
    keys = sorted([_key(b"%d" % number) for number in range(20)])
    for number in range(20):
        await store.put(_key(b"%d" % number), b"%d" % number)
    await store.ahead.settle()
    (store.layout.content(keys[0]).parent / "stranger").write_bytes(b"")
    assert await store.listing("contents", "", 12) == keys[:12]
    assert await store.listing("contents", keys[11], 12) == keys[12:]
    assert await store.listing("contents", keys[4][:6], 1) == [keys[4]]
    assert await store.listing("structures", "", 12) == []


def test_who_make_a_disk_at_once_make_one(tmp_path: Path) -> None:
    """However many begin at the same moment, none stumbles over what another is writing."""
    together = Barrier(4)

    def name(root: Path) -> str:
        layout = Layout(root)
        together.wait()
        layout.prepare()
        return layout.name

    with ThreadPoolExecutor(4) as threads:
        for number in range(10):
            assert len(set(threads.map(name, [tmp_path / f"{number}"] * 4))) == 1


def test_a_disk_keeps_its_name(tmp_path: Path) -> None:
    """A disk is named when it is made, has that name wherever it is mounted, and no other has."""
    names = set()
    for folder in ("one", "two"):
        layout = Layout(tmp_path / folder)
        layout.prepare()
        (tmp_path / folder).rename(tmp_path / f"{folder}-elsewhere")
        again = Layout(tmp_path / f"{folder}-elsewhere")
        again.prepare()
        assert again.name == layout.name and len(again.name) == 8
        names.add(again.name)
    assert len(names) == 2
    (again.root / "disk").write_text("../../etc\n")
    with pytest.raises(LayoutRefused, match="8 hexadecimal digits"):
        again.prepare()


def test_the_log_says_what_is_gone(tmp_path: Path) -> None:
    """What was taken away is an entry of its own, and comes back as it was written."""
    log = AdditionsLog(tmp_path / "additions")
    (tmp_path / "incoming").mkdir()
    entries = [Entry("contents", "a" * 64, 7), Entry("contents", "a" * 64, 0, gone=True)]
    log.open(entries[:1])
    log.append(entries[1:])
    assert log.read("", 0).entries == entries
    assert (tmp_path / "additions").read_text().endswith(f"contents {'a' * 64} 0 gone\n")
