"""Who holds what, in SQLite."""

from hashlib import sha256
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.storage.catalogue import Catalogue
from agents.storage.disk.additions import Entry
from agents.storage.errors import LayoutRefused
from agents.storage.policy import Holding
from agents.storage.status import Added, Followed
from anet.workers import Workers

KEYS = [sha256(b"%d" % number).hexdigest() for number in range(20)]


async def _opened(path: Path) -> tuple[Catalogue, Workers]:
    workers = Workers(reactor, 1)
    workers.startService()
    catalogue = Catalogue(path, workers)
    await catalogue.open()
    return catalogue, workers


def _added(since: int, position: int, *keys: str, log: str = "log", disk: str = "disk") -> Added:
    return Added(log, since, position, [Entry("contents", key, 5) for key in keys], disk)


@ensureDeferred
async def test_a_log_is_followed_across_restarts(tmp_path: Path) -> None:
    """Each part is taken in once, in order, and remembered by the next process."""
    catalogue, workers = await _opened(tmp_path / "db")
    assert await catalogue.register("a", "http://a", ["disk"]) == {"disk": Followed()}
    assert await catalogue.add("a", _added(51, 100, KEYS[0])) == Followed("log", 100)
    assert await catalogue.add("a", _added(200, 300, KEYS[1])) == Followed("log", 100)
    assert await catalogue.add("a", _added(60, 90, KEYS[2])) == Followed("log", 100)
    await catalogue.close()
    await workers.stopService()
    catalogue, workers = await _opened(tmp_path / "db")
    assert await catalogue.register("a", "http://other", ["disk"]) == {"disk": Followed("log", 100)}
    assert await catalogue.nodes() == {"a": "http://other"}
    found = [await catalogue.holders("contents", key) for key in KEYS[:3]]
    assert found == [[Holding("a", 5)], [], []]
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_a_folder_is_for_one_master(tmp_path: Path) -> None:
    """A second one is refused, and does no harm; the folder is free once the first has closed."""
    catalogue, workers = await _opened(tmp_path / "db")
    with pytest.raises(LayoutRefused, match="one storage master"):
        await _opened(tmp_path / "db")
    await catalogue.add("a", _added(51, 100, KEYS[0]))
    await catalogue.close()
    await workers.stopService()
    catalogue, workers = await _opened(tmp_path / "db")
    assert await catalogue.holders("contents", KEYS[0]) == [Holding("a", 5)]
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_large_parts_of_logs_are_taken_in_a_few_at_a_time(
    tmp_path: Path, monkeypatch
) -> None:
    """A transaction is bounded by what it writes, so that a question does not wait for all."""
    monkeypatch.setattr("agents.storage.catalogue._BATCH_ROWS", 10)
    catalogue, workers = await _opened(tmp_path / "db")
    run, batches = catalogue._transaction, list[int]()

    def counted(jobs):
        batches.append(len(jobs))
        return run(jobs)

    monkeypatch.setattr(catalogue, "_transaction", counted)
    parts = [_added(51, 100, *KEYS[:6], disk=f"{number}") for number in range(9)]
    taken = [Deferred.fromCoroutine(catalogue.add("a", part)) for part in parts]
    for each in taken:
        assert await each == Followed("log", 100)
    assert batches == [1, 2, 2, 2, 2]
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_another_log_replaces_all(tmp_path: Path) -> None:
    """A node with a new log holds what that says, and nothing else."""
    catalogue, workers = await _opened(tmp_path / "db")
    await catalogue.register("a", "http://a", ["disk"])
    await catalogue.add("a", _added(51, 100, KEYS[0]))
    await catalogue.add("a", _added(51, 90, KEYS[1], log="new"))
    assert await catalogue.holders("contents", KEYS[0]) == []
    assert len(await catalogue.holders("contents", KEYS[1])) == 1
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_a_job_that_fails_spoils_no_other(tmp_path: Path) -> None:
    """Jobs of one transaction stand alone."""
    catalogue, workers = await _opened(tmp_path / "db")

    def broken(db) -> None:
        db.execute("INSERT INTO disks (node, name, url) VALUES ('ghost', '', '')")
        raise ValueError("broken")

    first = Deferred.fromCoroutine(catalogue.run(lambda db: None))
    second = Deferred.fromCoroutine(catalogue.run(broken))
    sql = "INSERT INTO disks (node, name, url) VALUES ('b', '', '')"
    third = Deferred.fromCoroutine(catalogue.run(lambda db: db.execute(sql) and "done"))
    await first
    with pytest.raises(ValueError, match="broken"):
        await second
    assert await third == "done"
    assert await catalogue.nodes() == {"b": ""}
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_a_database_of_another_version_is_refused(tmp_path: Path) -> None:
    """What we do not understand we do not touch, and the message says what to do."""
    catalogue, workers = await _opened(tmp_path / "db")
    await catalogue.run(lambda db: None)
    await catalogue.close()
    import sqlite3

    with sqlite3.connect(tmp_path / "db") as db:
        db.execute("PRAGMA user_version = 9")
    with pytest.raises(LayoutRefused, match="made again"):
        await Catalogue(tmp_path / "db", workers).open()
    await workers.stopService()


async def _holders(catalogue: Catalogue, key: str) -> list[Holding]:
    return await catalogue.holders("contents", key)


@ensureDeferred
async def test_each_disk_has_a_log_of_its_own(tmp_path: Path) -> None:
    """Two disks of a node are followed apart, and a key on both is on that node once."""
    catalogue, workers = await _opened(tmp_path / "db")
    await catalogue.register("a", "http://a", ["one", "two"])
    await catalogue.add("a", _added(51, 100, KEYS[0], KEYS[1], disk="one"))
    larger = [Entry("contents", KEYS[0], 9)]
    await catalogue.add("a", Added("other", 51, 80, larger, "two"))
    assert await catalogue.register("a", "http://a", ["one", "two"]) == {
        "one": Followed("log", 100),
        "two": Followed("other", 80),
    }
    assert await _holders(catalogue, KEYS[0]) == [Holding("a", 9)]
    assert await catalogue.disks() == {"a": ["one", "two"]}
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_a_disk_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    """What it held is forgotten at once, read again when it is back, and cleared away."""
    catalogue, workers = await _opened(tmp_path / "db")
    await catalogue.register("a", "http://a", ["one", "two"])
    await catalogue.add("a", _added(51, 100, KEYS[0], disk="one"))
    await catalogue.add("a", _added(51, 100, KEYS[1], disk="two"))
    assert await catalogue.register("a", "http://a", ["two"]) == {"two": Followed("log", 100)}
    assert await _holders(catalogue, KEYS[0]) == []
    assert len(await _holders(catalogue, KEYS[1])) == 1
    back = await catalogue.register("a", "http://a", ["one", "two"])
    assert back["one"] == Followed()
    assert await _holders(catalogue, KEYS[0]) == []
    await catalogue.forget_disk("a", "two")
    assert await _holders(catalogue, KEYS[1]) == []
    assert [await catalogue.clear(int(key[:2], 16)) for key in KEYS[:2]] == [1, 1]
    assert await catalogue.clear(int(KEYS[0][:2], 16)) == 0
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_what_is_gone_is_held_no_more(tmp_path: Path) -> None:
    """The last that a log says of a key counts, within one part and across parts."""
    catalogue, workers = await _opened(tmp_path / "db")
    await catalogue.add("a", _added(51, 100, KEYS[0], KEYS[1]))
    gone = [Entry("contents", key, 0, gone=True) for key in KEYS[:2]]
    again = Entry("contents", KEYS[1], 7)
    await catalogue.add("a", Added("log", 100, 200, [*gone, again], "disk"))
    assert await _holders(catalogue, KEYS[0]) == []
    assert await _holders(catalogue, KEYS[1]) == [Holding("a", 7)]
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_a_database_of_the_former_version_is_made_anew(tmp_path: Path) -> None:
    """Nothing is lost with it, for the logs are read again from their start."""
    import sqlite3

    with sqlite3.connect(tmp_path / "db") as db:
        db.executescript(
            "CREATE TABLE nodes (number); CREATE TABLE holdings (node); PRAGMA user_version = 1"
        )
    catalogue, workers = await _opened(tmp_path / "db")
    assert await catalogue.register("a", "http://a") == {"": Followed()}
    await catalogue.close()
    await workers.stopService()


@ensureDeferred
async def test_a_log_of_which_the_beginning_is_not_known_is_asked_for_again(tmp_path: Path) -> None:
    """What a disk was forgotten for a moment had told before is not passed over for ever."""
    catalogue, workers = await _opened(tmp_path / "db")
    await catalogue.register("a", "http://a", ["disk"])
    await catalogue.add("a", _added(51, 100, KEYS[0]))
    await catalogue.forget_disk("a", "disk")
    assert await catalogue.add("a", _added(100, 200, KEYS[1])) == Followed()
    assert await catalogue.add("a", _added(51, 200, *KEYS[:2])) == Followed("log", 200)
    assert [await catalogue.holders("contents", key) for key in KEYS[:2]] == [[Holding("a", 5)]] * 2
    await catalogue.close()
    await workers.stopService()
