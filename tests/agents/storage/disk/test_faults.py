"""What may go wrong with a disk besides: found by trying to break it."""

import errno
import os
import resource
import time
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList

from agents.storage.disk import filter_file, scan
from agents.storage.disk import journal as journal_module
from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.audit import Audit, Place
from agents.storage.disk.contents import ContentWrite
from agents.storage.disk.holdings import Holdings, survey
from agents.storage.disk.layout import Layout
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.removal import Removal
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DiskFailed, DiskFull, LayoutRefused
from agents.storage.node.answers import BadRequest
from agents.storage.node.descriptors import OWN, connections_within
from agents.storage.node.structure_routes import _after


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


@ensureDeferred
async def test_a_second_node_leaves_alone_what_the_first_is_writing(store, workers) -> None:
    """A node that is started on a disk in use is refused before it empties what is incoming."""
    incoming = await store.receive()
    await store.write(incoming, b"large")
    second = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    with pytest.raises(LayoutRefused, match="in use"):
        await second.open()
    assert await store.put(_key(b"large"), incoming) is True


@pytest.mark.parametrize("folder", ["contents", "structures", "incoming", "quarantine", "journal"])
def test_a_disk_that_leads_elsewhere_is_refused(tmp_path: Path, folder: str) -> None:
    """Nothing is emptied or written through a symbolic link that a disk brings along."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("mine")
    root = tmp_path / "storage-1"
    root.mkdir()
    (root / "layout").write_text("dlweb-storage 2\n")
    (root / folder).symlink_to(tmp_path / "home")
    with pytest.raises(LayoutRefused, match="symbolic link"):
        Layout(root).prepare()
    assert (tmp_path / "home" / "letter").read_text() == "mine"


def test_the_top_of_a_new_file_system_is_a_disk(tmp_path: Path) -> None:
    """What mkfs leaves there does not stand in the way."""
    (tmp_path / "lost+found").mkdir()
    Layout(tmp_path).prepare()


@pytest.mark.parametrize("torn", [b"\0" * 70_000, b"contents 12", b"\0" * 200_000 + b"conte"])
def test_what_a_power_failure_appends_hides_no_later_entry(tmp_path: Path, torn: bytes) -> None:
    """However long the torn end of a log is, the next entry has a line of its own."""
    (tmp_path / "incoming").mkdir()
    before, after = (Entry("contents", _key(name), 1) for name in (b"before", b"after"))
    log = AdditionsLog(tmp_path / "additions")
    log.open([before])
    with (tmp_path / "additions").open("ab") as file:
        file.write(torn)
    log.open([])
    log.append([after])
    assert log.read("", 0).entries == [before, after]


def test_a_follower_comes_past_a_part_that_is_damaged(tmp_path: Path) -> None:
    """A log of which more is lost than is read at once is followed to its end."""
    (tmp_path / "incoming").mkdir()
    entries = [Entry("contents", _key(b"%d" % number), 1) for number in range(40)]
    log = AdditionsLog(tmp_path / "additions")
    log.open(entries)
    with (tmp_path / "additions").open("r+b") as file:
        file.seek(100)
        file.write(b"\0" * 2000)
    position, found = 0, []
    while position != log.position:
        part = log.read(log.log, position, 256)
        assert part.position > position
        position = part.position
        found += part.entries
    assert found[-1] == entries[-1] and len(found) < len(entries)


def test_what_was_begun_on_one_disk_spoils_no_log_of_another_in_its_place(tmp_path: Path) -> None:
    """A write that hung goes on when another disk is mounted there; its log stays as it is."""
    for name in ("one", "other"):
        (tmp_path / name / "incoming").mkdir(parents=True)
    mounted, other = AdditionsLog(tmp_path / "one" / "additions"), tmp_path / "other" / "additions"
    mounted.open([])
    AdditionsLog(other).open([Entry("contents", _key(b"%d" % number), 1) for number in range(9)])
    before = other.read_bytes()
    other.rename(tmp_path / "one" / "additions")
    with pytest.raises(OSError, match="another"):
        mounted.append([Entry("contents", _key(b"late"), 1)])
    assert (tmp_path / "one" / "additions").read_bytes() == before


def _full(write: object, sync: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@ensureDeferred
async def test_what_stays_in_the_journal_during_a_survey_is_not_denied_later(
    store: DiskStore, monkeypatch
) -> None:
    """A content that no scan could find is held once it has its file, and counted once."""
    with monkeypatch.context() as patch:
        patch.setattr(ContentWrite, "stage", _full)
        await store.put(_key(b"one"), b"one")
        await Deferred.fromCoroutine(store._keeper._survey(store.holdings.begin_survey()))
        said = store.status()
        assert "stay in the journal" in said.last_error and not said.failed
    await store.ahead.settle()
    assert store.ahead.journal.size == 0 and store.holds("contents", _key(b"one"))
    assert store.holdings.counts["contents"] == 1
    assert not store.status().last_error


@ensureDeferred
async def test_what_comes_back_while_it_is_taken_away_is_held(store, monkeypatch) -> None:
    """A content that is put again before its removal is noted is on the disk, and found there."""
    key = _key(b"one")
    await store.put(key, b"one")
    await store.ahead.settle()
    taken, again = Removal._take, Event()

    def take(removal: Removal, path: Path) -> None:
        taken(removal, path)
        putting = lambda: Deferred.fromCoroutine(store.put(key, b"one"))  # noqa: E731
        reactor.callFromThread(lambda: putting().addBoth(lambda _: again.set()))
        again.wait(10)

    monkeypatch.setattr(Removal, "_take", take)
    assert await store.remove("contents", key) is True
    await store.ahead.settle()
    assert store.holds("contents", key) and store.holdings.counts["contents"] == 1
    assert store.layout.content(key).read_bytes() == b"one"


@ensureDeferred
async def test_a_content_that_waited_for_a_full_journal_is_new_once(store, monkeypatch) -> None:
    """Of all who bring the same at once, one is told that it is new."""
    monkeypatch.setattr(journal_module, "COUNT", 1)
    monkeypatch.setattr(store.ahead._batches, "_batch_limit", 1)
    bodies = (b"one", b"two", b"one")
    putting = [Deferred.fromCoroutine(store.put(_key(body), body)) for body in bodies]
    outcomes = [outcome for _, outcome in await DeferredList(putting)]
    assert outcomes == [True, True, False]
    assert store.holdings.counts["contents"] == 2


@ensureDeferred
async def test_damage_in_the_journal_stops_nothing_else(store: DiskStore, monkeypatch) -> None:
    """Files are made of all that is sound, and the journal is emptied."""
    monkeypatch.setattr(store.ahead, "_make", lambda: None)
    await store.put_all([(_key(body), body) for body in (b"one", b"two", b"three")])
    offset, _ = store.ahead.journal.filling.places[_key(b"two")]
    with store.ahead.journal.filling.path.open("r+b") as file:
        file.seek(offset)
        file.write(b"rot")
    monkeypatch.undo()
    await store.ahead.settle()
    assert store.ahead.journal.size == 0
    held = [store.holds("contents", _key(body)) for body in (b"one", b"two", b"three")]
    assert held == [True, False, True]


def test_what_goes_during_a_survey_is_counted_off() -> None:
    """A scan that has seen what was then taken away does not bring it back."""
    held, gone, back = (_key(name) for name in (b"held", b"gone", b"back"))
    holdings = Holdings()
    capacity = holdings.begin_survey()
    found = survey([("contents", key) for key in (held, gone, back)], capacity)
    for key in (gone, back):
        holdings.remove("contents", key)
    holdings.add("contents", back)
    holdings.end_survey(found)
    assert [holdings.may_hold("contents", key) for key in (held, gone, back)] == [True, False, True]
    assert holdings.counts["contents"] == 2


@pytest.mark.parametrize("kind", ["pipe", "link"])
@ensureDeferred
async def test_what_is_no_file_is_not_held(store: DiskStore, tmp_path, kind: str) -> None:
    """A pipe does not hang the node, and a link does not give what lies elsewhere."""
    key = _key(b"one")
    path = store.layout.content(key)
    path.parent.mkdir(parents=True)
    (tmp_path / "secret").write_bytes(b"two")
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(tmp_path / "secret")
    assert store.read_small(key) is None and not store.holds("contents", key)
    assert await store.put(key, b"one") is True
    await store.ahead.settle()
    assert store.read_small(key) == b"one" and (tmp_path / "secret").read_bytes() == b"two"


@ensureDeferred
async def test_a_disk_without_room_for_files_is_full(store: DiskStore, monkeypatch) -> None:
    """Not only bytes run out: with hardly any inode left, a disk refuses before it acknowledges."""
    found = os.statvfs(store.layout.root)
    values = [found[index] for index in range(10)]
    values[5:8] = [1_000_000, 10, 10]
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result(values))
    with pytest.raises(DiskFull, match="df -i"):
        await store.put(_key(b"one"), b"one")


@ensureDeferred
async def test_a_small_disk_takes_nearly_all_that_fits(store: DiskStore, monkeypatch) -> None:
    """What the journal holds back is given free before a content is refused."""
    bodies = [bytes([number]) * 60_000 for number in range(12)]
    room = 1_000_000
    monkeypatch.setattr(
        type(store.space),
        "free",
        property(
            lambda space: (
                room
                - store.ahead.journal.size
                - sum(path.stat().st_size for path in store.layout.root.glob("contents/*/*/*"))
            )
        ),
    )
    for body in bodies:
        assert await store.put(_key(body), body) is True
    with pytest.raises(DiskFull):
        for number in range(5):
            await store.put(_key(b"%d" % number * 60_000), b"%d" % number * 60_000)


def test_a_damaged_filter_takes_no_memory(tmp_path: Path) -> None:
    """A capacity that the file has no bits for is not believed."""
    layout = Layout(tmp_path)
    layout.prepare()
    log = AdditionsLog(layout.additions)
    log.open([])
    holdings = Holdings()
    holdings.end_survey(survey([], holdings.begin_survey()))
    filter_file.save(layout, holdings, log.log, log.position)
    data = (tmp_path / "filter").read_bytes()
    assert b'"capacity":100000,' in data
    huge = data.replace(b'"capacity":100000,', b'"capacity":8000000000,')
    (tmp_path / "filter").write_bytes(huge)
    made: list[int] = []

    class Counting(filter_file.BloomFilter):
        def __init__(self, capacity: int, error_rate: float) -> None:
            made.append(capacity)
            raise MemoryError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filter_file, "BloomFilter", Counting)
        assert filter_file.load(layout, log) is None
    assert made == []


@pytest.mark.parametrize("after", ["zzzz", "../..", "0" * 65])
@ensureDeferred
async def test_a_damaged_place_of_an_audit_is_not_used(store, workers, after: str) -> None:
    """The audit begins anew, and the node can still say how far it is."""
    (store.layout.root / "audit").write_text(
        '{"phase":"contents","began":1,"ended":1,"after":"' + after + '"}'
    )
    assert Audit(reactor, store, workers, 1, 1)._load() == Place()


@pytest.mark.parametrize(("began", "due"), [(100, True), (-100, False), (-99_999, True)])
@ensureDeferred
async def test_an_audit_is_due_after_the_clock_was_wrong(store, workers, began, due) -> None:
    """One that began in the future, by a clock that was put right since, is not waited for."""
    audit = Audit(reactor, store, workers, 1, 1000)
    audit.place = Place(began=time.time() + began)
    assert audit._is_due() is due


@ensureDeferred
async def test_a_listing_leaves_no_disk_out(disks: NodeStore, monkeypatch) -> None:
    """When a disk cannot be listed the whole listing is refused, for it would seem to be all."""
    bodies = [b"%d" % number for number in range(20)]
    await disks.put_all([(_key(body), memoryview(body)) for body in bodies])
    assert len(await disks.listing("contents", "", 100)) == 20
    listing = scan.listing

    def fail(layout: Layout, *arguments):
        if layout is disks.disks[1].layout:
            raise OSError(errno.EIO, "Input/output error")
        return listing(layout, *arguments)

    monkeypatch.setattr(scan, "listing", fail)
    with pytest.raises(DiskFailed, match="cannot be listed"):
        await disks.listing("contents", "", 100)


@ensureDeferred
async def test_until_a_vanished_disk_is_noticed_the_others_take_all(disks: NodeStore) -> None:
    """No large content fails because the disk that it should go to went away a moment ago."""
    assert disks.free > 0  # which is not asked of the disk again for a while
    disks.disks[0].layout.root.rename(disks.disks[0].layout.root.with_name("away"))
    for number in range(20):
        body = b"%d" % number
        large = await disks.receive(_key(body), len(body))
        await disks.write(large, body)
        assert await disks.put(_key(body), large) is True
    await disks.look()
    assert len(disks.disks) == 2 and disks.count("contents") == 20


def test_descriptors_suffice_for_all_connections(monkeypatch) -> None:
    """The limit of open files is raised as far as it may be, and connections keep within it."""
    limits = [1024, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: limits.__setitem__(0, both[0]))
    assert connections_within(300) == 300 and limits[0] == 1024
    assert connections_within(1000) == 1000 and limits[0] == 2000 + OWN
    assert connections_within(5000) == (4096 - OWN) // 2 and limits[0] == 4096


@ensureDeferred
async def test_a_disk_that_hangs_keeps_nobody_from_looking_at_the_others(
    disks: NodeStore, monkeypatch
) -> None:
    """It may never close, and still the next disk that goes away is noticed."""
    first, second, _ = disks.disks
    closing: Deferred[None] = Deferred()

    async def never() -> None:
        await closing

    with monkeypatch.context() as patch:
        patch.setattr(first, "close", never)
        first.layout.root.rename(first.layout.root.with_name("away"))
        await disks.look()
        second.layout.root.rename(second.layout.root.with_name("away too"))
        await disks.look()
    assert len(disks.disks) == 1 and len(disks.missing) == 2
    assert all("taken back" in why for why in disks.missing.values())
    closing.callback(None)
    await first.close()


@pytest.mark.parametrize("date", ["\u00e9" * 20, "\u0660" * 20, " " * 20, "2026"])
def test_where_to_go_on_is_a_date_in_ascii(date: str) -> None:
    """Anything else is the client's fault, and not an error of the node."""
    with pytest.raises(BadRequest):
        _after(f"{date}-{_key(b'')}")
