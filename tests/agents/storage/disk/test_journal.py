"""The journal: what was acknowledged is there, whatever is torn, damaged, full or killed."""

import errno
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.storage.disk import journal as journal_module
from agents.storage.disk.ahead import AGE, QUIET
from agents.storage.disk.contents import ContentWrite
from agents.storage.disk.journal import Journal, find_in_journals, open_segment
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DiskFull
from anet.deadline import Deadline

ROOT = Path(__file__).parents[4]
_bodies = st.lists(st.binary(max_size=300), max_size=8, unique=True)


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


def _filled(folder: Path, bodies: list[bytes]) -> Journal:
    """Return a journal that has bodies, and no files of them."""
    journal = Journal(folder)
    journal.open()
    contents = [(_key(body), body) for body in bodies]
    for (key, _), place in zip(contents, journal.append(contents), strict=True):
        assert isinstance(place, tuple)
        journal.note(key, place)
    return journal


@given(bodies=_bodies, cut=st.integers(0, 3000))
def test_a_torn_journal_has_all_before_the_tear(tmp_path_factory, bodies, cut: int) -> None:
    """Cut anywhere, a journal gives every content that was whole before the cut, and no other."""
    folder = tmp_path_factory.mktemp("journal") / "journal"
    journal = _filled(folder, bodies)
    ends = {key: offset + size for key, (offset, size) in journal.filling.places.items()}
    journal.close()
    os.truncate(folder / "1", min(cut, (folder / "1").stat().st_size))
    again = Journal(folder)
    again.open()
    for body in bodies:
        assert again.read(_key(body)) == (body if ends[_key(body)] <= cut else None)
    [place] = again.append([(_key(b"more" * 99), b"more" * 99)])
    again.note(_key(b"more" * 99), place)
    again.close()
    assert find_in_journals(folder.parent, _key(b"more" * 99)) == b"more" * 99


@given(bodies=_bodies, damage=st.tuples(st.integers(0, 3000), st.binary(min_size=1, max_size=200)))
def test_what_is_damaged_is_never_given(tmp_path_factory, bodies, damage) -> None:
    """Whatever is written over a journal, it gives contents that are what their keys say."""
    folder = tmp_path_factory.mktemp("journal") / "journal"
    _filled(folder, bodies).close()
    with (folder / "1").open("r+b") as file:
        file.seek(damage[0])
        file.write(damage[1])
    segment = open_segment(folder / "1")
    for key, (offset, size) in segment.places.items():
        assert _key(os.pread(segment.descriptor, size, offset)) == key
    os.close(segment.descriptor)


def test_a_damaged_content_takes_no_other_with_it(tmp_path: Path) -> None:
    """A flipped bit in one content leaves those after it as they are."""
    _filled(tmp_path / "journal", [b"first" * 9, b"second" * 9]).close()
    data = bytearray((tmp_path / "journal" / "1").read_bytes())
    data[80] ^= 1
    (tmp_path / "journal" / "1").write_bytes(data)
    assert find_in_journals(tmp_path, _key(b"first" * 9)) is None
    assert find_in_journals(tmp_path, _key(b"second" * 9)) == b"second" * 9


@ensureDeferred
async def test_one_sync_makes_many_durable(store: DiskStore, monkeypatch) -> None:
    """A bundle of two hundred contents is acknowledged after a single sync."""
    synced: list[int] = []
    real = os.fdatasync
    monkeypatch.setattr(
        journal_module.os, "fdatasync", lambda number: (synced.append(number), real(number))
    )
    bodies = [b"%d" % number for number in range(200)]
    assert await store.put_all([(_key(body), body) for body in bodies]) == [True] * 200
    assert len(synced) == 1


@ensureDeferred
async def test_what_is_in_the_journal_only_is_held(store: DiskStore, monkeypatch) -> None:
    """Until it has a file, a content is read, listed, counted and known like any other."""
    monkeypatch.setattr(store.ahead, "_make", lambda: None)
    assert await store.put(_key(b"one"), b"one") is True
    assert not store.layout.content(_key(b"one")).exists()
    assert store.holds("contents", _key(b"one"))
    assert store.ahead.journal.read(_key(b"one")) == b"one"
    assert await store.put(_key(b"one"), b"one") is False
    assert find_in_journals(store.layout.root, _key(b"one")) == b"one"
    monkeypatch.undo()
    assert await store.listing("contents", "", 9) == [_key(b"one")]
    assert store.holdings.counts["contents"] == 1
    assert [entry.key for entry in store.additions.read("", 0).entries] == [_key(b"one")]
    assert store.ahead.journal.size == 0


@ensureDeferred
async def test_a_page_that_is_its_own_url(store: DiskStore, make_capture, monkeypatch) -> None:
    """A content in the journal whose key is a structure file's too takes it from no count."""
    monkeypatch.setattr(store.ahead, "_make", lambda: None)
    url = "http://a.example/"
    await store.put(_key(url.encode()), url.encode())
    await store.append([make_capture(url)])
    assert store.holdings.counts == {"contents": 1, "structures": 1}
    monkeypatch.undo()
    await store.ahead.settle()
    assert store.holdings.counts == {"contents": 1, "structures": 1}


@pytest.mark.parametrize("step", ["stage", "publish", "entries", "result", None])
@ensureDeferred
async def test_a_crash_while_files_are_made(store, tmp_path, workers, monkeypatch, step) -> None:
    """Wherever making files ends, the disk that is opened again has all, and has them in files."""
    bodies = [b"%d" % number for number in range(20)]
    with monkeypatch.context() as patch:
        if step is None:
            patch.setattr(store.ahead, "_make", lambda: None)
        else:
            made = getattr(ContentWrite, step)

            def fail(write, *arguments):
                if write.key == _key(b"7"):
                    raise OSError(errno.EIO, "the process ends here")
                return made(write, *arguments)

            patch.setattr(ContentWrite, step, fail)
        assert await store.put_all([(_key(body), body) for body in bodies]) == [True] * 20
        await store.close()
    again = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    await again.open()
    await again.ahead.settle()
    assert again.ahead.journal.size == 0
    assert sorted(await again.listing("contents", "", 99)) == sorted(map(_key, bodies))
    assert {entry.key for entry in again.additions.read("", 0).entries} == set(map(_key, bodies))
    for body in bodies:
        assert again.layout.content(_key(body)).read_bytes() == body
    await again.close()


@ensureDeferred
async def test_what_a_killed_process_left(store, tmp_path, workers, monkeypatch) -> None:
    """It is made into files at the next start, and the log tells of them, with nothing new."""
    monkeypatch.setattr(store.ahead, "_make", lambda: None)
    assert await store.put(_key(b"one"), b"one") is True
    await store.close()
    monkeypatch.undo()
    again = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    told: Deferred[None] = Deferred()
    again.on_added = lambda: told.callback(None)
    await again.open()
    await told
    assert again.layout.content(_key(b"one")).read_bytes() == b"one"
    assert [entry.key for entry in again.additions.read("", 0).entries] == [_key(b"one")]
    await again.close()


@ensureDeferred
async def test_a_file_that_is_there_already_is_replaced(store: DiskStore, monkeypatch) -> None:
    """Whatever has a content's name when its file is made gives way to what was acknowledged."""
    monkeypatch.setattr(store.ahead, "_make", lambda: None)
    assert await store.put(_key(b"one"), b"one") is True
    path = store.layout.content(_key(b"one"))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"damaged")
    assert store.read_small(_key(b"one")) == b"one"
    monkeypatch.undo()
    await store.ahead.settle()
    assert path.read_bytes() == b"one"
    assert store.holdings.counts["contents"] == 1


@ensureDeferred
async def test_files_that_could_not_be_made_are_tried_again(store, monkeypatch) -> None:
    """Without another put: there may be room again after some seconds."""
    clock = Clock()
    monkeypatch.setattr(store.ahead, "_pause", Deadline(clock, store.ahead._make))

    def full(write, sync):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ContentWrite, "stage", full)
        assert await store.put(_key(b"one"), b"one") is True
        clock.advance(AGE)
        await store.ahead._made()
    clock.advance(AGE)
    await store.ahead._made()
    assert store.layout.content(_key(b"one")).read_bytes() == b"one"


@ensureDeferred
async def test_a_disk_on_which_no_files_can_be_made(store: DiskStore, monkeypatch) -> None:
    """What was acknowledged stays readable in the journal, which refuses more once it is full."""

    def full(write, sync):
        raise OSError(errno.ENOSPC, "No space left on device")

    await store.ahead.settle()  # with the survey's own, which would empty a half between two puts
    with monkeypatch.context() as patch:
        patch.setattr(ContentWrite, "stage", full)
        patch.setattr(journal_module, "COUNT", 3)
        bodies = [b"%d" % number for number in range(6)]  # in both halves
        for body in bodies:
            assert await store.put(_key(body), body) is True
        with pytest.raises(DiskFull):
            await store.put(_key(b"more"), b"more")
        assert [store.ahead.journal.read(_key(body)) for body in bodies] == bodies
    assert await store.put(_key(b"more"), b"more") is True
    assert store.failed == ""


def test_a_journal_is_restored_without_us(tmp_path: Path, make_capture) -> None:
    """Both scripts of the documentation find a content that only a journal has."""
    from agents.storage.disk.append import Marks, StructureWrite
    from agents.storage.disk.durable import Folders, SyncSet
    from agents.storage.disk.layout import Layout

    layout = Layout(tmp_path / "storage-1")
    layout.prepare()
    capture = make_capture("http://a.example/", 1, b"body\n\0 of a killed node")
    write = StructureWrite(layout, Folders(), Marks(layout), [capture])
    write.stage(SyncSet(layout.root))
    write.publish(SyncSet(layout.root))
    _filled(layout.root / "journal", [b"other", b"body\n\0 of a killed node", b"last"]).close()
    page = (ROOT / "docs/reference/archive-layout.md").read_text()
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "restore.py").write_text(script)
    for command in (
        [tmp_path / "restore.py", capture.url, "2027", layout.root],
        [ROOT / "docs/reference/restore.py", "get", capture.url, "2027", layout.root],
    ):
        run = subprocess.run([sys.executable, "-I", *command], capture_output=True, timeout=60)
        assert run.stdout == b"body\n\0 of a killed node", run.stderr


@ensureDeferred
async def test_files_are_made_in_a_pause_or_in_time(store: DiskStore, monkeypatch) -> None:
    """While contents keep coming files wait for the pause after them, though not for ever."""
    clock = Clock()
    made: list[float] = []
    ahead = store.ahead
    monkeypatch.setattr(ahead._workers, "_reactor", clock)
    monkeypatch.setattr(ahead, "_pause", Deadline(clock, lambda: made.append(clock.seconds())))
    ahead.journal.note(_key(b"one"), (75, 3))
    ahead._make_soon()
    clock.advance(QUIET * 0.9)
    ahead._make_soon()
    clock.advance(QUIET * 0.9)
    assert made == []
    clock.advance(QUIET * 0.2)
    assert made == [pytest.approx(QUIET * 2.0, abs=QUIET * 0.2)]
    ahead._oldest = clock.seconds()
    began = clock.seconds()
    while len(made) < 2:
        assert clock.seconds() <= began + AGE
        ahead._make_soon()
        clock.advance(QUIET / 2)
    monkeypatch.undo()
    ahead.journal.filling.places.clear()


@ensureDeferred
async def test_listings_that_come_together_empty_the_journal_once(
    store: DiskStore, monkeypatch
) -> None:
    """Anybody may list, so that files are made at most twice for as many as there are at once."""
    settles: list[int] = []
    settle = store.ahead.settle

    async def counted() -> None:
        settles.append(1)
        await settle()

    monkeypatch.setattr(store.ahead, "settle", counted)
    first = [Deferred.fromCoroutine(store.listing("contents", "", 9)) for _ in range(50)]
    body = b"acknowledged before the second fifty came"
    await store.put(_key(body), body)
    second = [Deferred.fromCoroutine(store.listing("contents", "", 9)) for _ in range(50)]
    for listing in first:
        await listing
    for listing in second:
        assert await listing == [_key(body)]
    assert len(settles) <= 4
