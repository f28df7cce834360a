"""Who holds what, in SQLite, as the logs of additions of all disks tell it.

It is made again from these logs when it is lost, so it is no place where anything is kept; it
only must not forget what it said it took in.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attrs import frozen

from agents.storage.batcher import Batcher
from agents.storage.disk.additions import Entry
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.errors import LayoutRefused
from agents.storage.policy import Holding
from agents.storage.status import Added, Followed
from anet.workers import Workers

VERSION = 2
WHOLE_KEY = 32  # bytes
_BATCH_LIMIT = 500  # jobs of one transaction
_WAITING_LIMIT = 20_000

Result = TypeVar("Result")
Job = Callable[[sqlite3.Connection], Result]


@frozen
class Short:
    """Something that lacks a replica, or whose copies differ."""

    kind: Kind
    key: str
    holdings: list[Holding]


class Catalogue:
    """The database, in one thread of its own; what is awaited is committed.

    Args:
        path: its file.
        workers: of one thread, that nobody else uses.
    """

    def __init__(self, path: Path, workers: Workers) -> None:
        self._path, self._workers = path, workers
        self._connection: sqlite3.Connection | None = None
        self._jobs: Batcher[Job[Any]] = Batcher(
            lambda jobs: workers.run(self._transaction, jobs),
            batch_limit=_BATCH_LIMIT,
            waiting_limit=_WAITING_LIMIT,
            name=str(path),
        )

    async def open(self) -> None:
        """Open the database, or make it.

        Raises:
            LayoutRefused: it is of another version.
            sqlite3.Error: it is damaged.
            OSError: it cannot be written.
        """
        await self._workers.run(self._open)

    async def close(self) -> None:
        """Commit what was begun, and close."""
        await self._jobs.stop()
        if self._connection is not None:
            await self._workers.run(self._connection.close)

    async def run(self, job: Job[Result]) -> Result:
        """Run a job in the next transaction; return its result once that is committed."""
        result: Result = await self._jobs.submit(job)
        return result

    # Nodes and their logs

    async def nodes(self) -> dict[str, str]:
        """Return names and base URLs of all nodes ever known."""
        return await self.run(lambda db: dict(db.execute("SELECT node, url FROM disks")))

    async def disks(self) -> dict[str, list[str]]:
        """Return for each node the names of its disks."""

        def job(db: sqlite3.Connection) -> dict[str, list[str]]:
            found: dict[str, list[str]] = {}
            for node, disk in db.execute("SELECT node, name FROM disks ORDER BY number"):
                found.setdefault(node, []).append(disk)
            return found

        return await self.run(job)

    async def register(
        self, node: str, url: str, disks: Collection[str] = ()
    ) -> dict[str, Followed]:
        """Take note of a node and of its disks; forget what those hold that it has no more.

        Args:
            node: its name.
            url: its base URL.
            disks: names of its disks; without any it counts as one whose name is empty.

        Returns:
            How far the log of each disk has been taken in.
        """
        names = list(disks) or [""]

        def job(db: sqlite3.Connection) -> dict[str, Followed]:
            gone = (
                "DELETE FROM disks WHERE node = ? AND name NOT IN (SELECT value FROM json_each(?))"
            )
            db.execute(gone, (node, json.dumps(names)))
            db.execute("UPDATE disks SET url = ? WHERE node = ?", (url, node))
            return {name: _disk(db, node, name, url)[1] for name in names}

        return await self.run(job)

    async def forget_disk(self, node: str, disk: str) -> None:
        """Forget a disk, and with it all that it held."""
        sql = "DELETE FROM disks WHERE node = ? AND name = ?"
        await self.run(lambda db: db.execute(sql, (node, disk)) and None)

    async def add(self, node: str, added: Added) -> Followed:
        """Take in a part of the log of `added.disk`, if it follows on what was taken in before.

        Returns:
            How far the log has been taken in now.
        """

        def job(db: sqlite3.Connection) -> Followed:
            number, followed = _disk(db, node, added.disk)
            if added.log != followed.log:
                number = _empty(db, number)
            elif added.since > followed.position or added.position < followed.position:
                return followed
            self._put(db, number, added.entries)
            db.execute(
                "UPDATE disks SET log = ?, position = ? WHERE number = ?",
                (added.log, added.position, number),
            )
            return Followed(added.log, added.position)

        return await self.run(job)

    def _put(self, db: sqlite3.Connection, number: int, entries: Iterable[Entry]) -> None:
        last = {(KINDS.index(each.kind), bytes.fromhex(each.key), number): each for each in entries}
        gone = [place for place, entry in last.items() if entry.gone]
        held = [(*place, each.size, each.mark) for place, each in last.items() if not each.gone]
        db.executemany("DELETE FROM holdings WHERE kind = ? AND key = ? AND disk = ?", gone)
        db.executemany(
            "INSERT INTO holdings VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET size = excluded.size, mark = excluded.mark",
            held,
        )

    # Questions

    async def holders(self, wanted: Iterable[tuple[Kind, str]]) -> dict[str, list[Holding]]:
        """Return which nodes hold each of these; of several disks of a node the fullest counts."""
        by_kind: dict[Kind, list[str]] = {kind: [] for kind in KINDS}
        for kind, key in wanted:
            by_kind[kind].append(key)

        def job(db: sqlite3.Connection) -> dict[str, list[Holding]]:
            found: dict[str, list[Holding]] = {}
            for kind, keys in by_kind.items():
                found.update(self._holders(db, kind, keys))
            return found

        return await self.run(job)

    def _holders(
        self, db: sqlite3.Connection, kind: Kind, keys: Sequence[str]
    ) -> dict[str, list[Holding]]:
        return {
            key: [
                Holding(*row)
                for row in db.execute(
                    # SQLite gives with max() the mark of the row that has it.
                    "SELECT node, max(size), mark FROM holdings JOIN disks ON disk = number "
                    "WHERE kind = ? AND key = ? GROUP BY node",
                    (KINDS.index(kind), bytes.fromhex(key)),
                )
            ]
            for key in keys
        }

    async def short_of(
        self, first: int, live: Iterable[str], waited_for: Iterable[str], replicas: int, limit: int
    ) -> list[Short]:
        """Return what lacks replicas or has copies that differ, of the keys with a first byte.

        Args:
            first: the first byte of the keys looked at.
            live: names of the nodes that are up.
            waited_for: names of nodes that are down, whose replicas count all the same.
            replicas: how many nodes shall hold each.
            limit: how many to return at most.
        """
        arguments = {
            **_group(first),
            "live": json.dumps(sorted(live)),
            "present": json.dumps(sorted({*live, *waited_for})),
            "replicas": replicas,
            "limit": limit,
        }

        def job(db: sqlite3.Connection) -> list[Short]:
            found: list[Short] = []
            for kind, key in db.execute(_SHORT, arguments).fetchall():
                name = KINDS[kind]
                whole = key.hex()
                found.append(Short(name, whole, self._holders(db, name, [whole])[whole]))
            return found

        return await self.run(job)

    async def counts(self) -> dict[str, dict[str, int]]:
        """Return how much of each kind each node holds; counts the whole table."""

        def job(db: sqlite3.Connection) -> dict[str, dict[str, int]]:
            found: dict[str, dict[str, int]] = {}
            rows = db.execute(
                "SELECT node, kind, count(*) FROM holdings JOIN disks ON disk = number "
                "GROUP BY node, kind"
            )
            for node, kind, count in rows:
                found.setdefault(node, dict.fromkeys(KINDS, 0))[KINDS[kind]] = count
            return found

        return await self.run(job)

    async def clear(self, first: int) -> int:
        """Clear away what is still written of disks that were emptied or forgotten.

        Args:
            first: the first byte of the keys looked at.

        Returns:
            How many holdings that were.
        """
        return await self.run(lambda db: db.execute(_CLEAR, _group(first)).rowcount)

    # In the thread

    def _open(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._connection = db = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False
        )
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cache_size = -65536")  # 64 MiB
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version < VERSION:  # an older one is no loss: the logs tell all of it again
            schema = Path(__file__).with_name("catalogue.sql").read_text("utf-8")
            emptied = "DROP TABLE IF EXISTS holdings; DROP TABLE IF EXISTS nodes;"
            db.executescript(f"BEGIN; {emptied} {schema} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise LayoutRefused(
                f"{self._path} is of version {version}, and this program reads {VERSION}; "
                "take the file away, and it is made again from the storage nodes"
            )

    def _transaction(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        """Run jobs in one transaction; one that fails leaves the others as they are."""
        db = self._connection
        if db is None:
            raise RuntimeError("the catalogue is not open")
        outcomes: list[Any] = []
        db.execute("BEGIN IMMEDIATE")
        try:
            for job in jobs:
                outcomes.append(_savepoint(db, job))
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        return outcomes


_SHORT = """
SELECT kind, key
FROM holdings JOIN disks ON disk = number
WHERE kind IN (0, 1) AND key >= :first AND key < :end
GROUP BY kind, key
HAVING sum(node IN (SELECT value FROM json_each(:live))) > 0
   AND (count(DISTINCT iif(node IN (SELECT value FROM json_each(:present)), node, NULL))
        < :replicas
        OR min(iif(node IN (SELECT value FROM json_each(:live)), mark, NULL))
           <> max(iif(node IN (SELECT value FROM json_each(:live)), mark, NULL)))
LIMIT :limit
"""
_CLEAR = """
DELETE FROM holdings
WHERE kind IN (0, 1) AND key >= :first AND key < :end
  AND disk NOT IN (SELECT number FROM disks)
"""


def _group(first: int) -> dict[str, bytes]:
    """Return between which keys those with a first byte are."""
    end = bytes([first + 1]) if first < 255 else b"\xff" * (WHOLE_KEY + 1)
    return {"first": bytes([first]), "end": end}


def _savepoint(db: sqlite3.Connection, job: Job[Any]) -> Any:
    db.execute("SAVEPOINT job")
    try:
        outcome = job(db)
    except Exception as error:
        db.execute("ROLLBACK TO job")
        outcome = error
    db.execute("RELEASE job")
    return outcome


def _disk(db: sqlite3.Connection, node: str, name: str, url: str = "") -> tuple[int, Followed]:
    """Return the number of a disk, which gets one when it is new, and how far its log is known."""
    db.execute(
        "INSERT INTO disks (node, name, url) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (node, name, url),
    )
    row = db.execute(
        "SELECT number, log, position FROM disks WHERE node = ? AND name = ?", (node, name)
    ).fetchone()
    return int(row[0]), Followed(row[1], row[2])


def _empty(db: sqlite3.Connection, number: int) -> int:
    """Give a disk another number, so that it holds nothing; return it."""
    node, name, url = db.execute(
        "SELECT node, name, url FROM disks WHERE number = ?", (number,)
    ).fetchone()
    db.execute("DELETE FROM disks WHERE number = ?", (number,))
    return _disk(db, node, name, url)[0]
