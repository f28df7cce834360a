"""Who holds what, in SQLite, as the logs of additions of all disks tell it.

It is made again from these logs when it is lost, so it is no place where anything is kept; it
only must not forget what it said it took in.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from agents.storage.batcher import Batcher
from agents.storage.disk.additions import START, Entry
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.errors import LayoutRefused
from agents.storage.policy import Holding
from agents.storage.status import Added, Followed
from anet.folder_lock import FolderLock
from anet.workers import Workers

VERSION = 2
WHOLE_KEY = 32  # bytes
_BATCH_LIMIT = 500  # jobs of one transaction
_BATCH_ROWS = 20_000  # that it writes, about; others wait for it to end
_WAITING_ROWS = 4_000_000  # a node has one part of its log under way, some 3,000 rows

Result = TypeVar("Result")
Job = Callable[[sqlite3.Connection], Result]


class Catalogue:
    """The database, in one thread of its own; what is awaited is committed.

    Args:
        path: its file.
        workers: of one thread, that nobody else uses.
    """

    def __init__(self, path: Path, workers: Workers) -> None:
        self._path, self._workers = path, workers
        self._connection: sqlite3.Connection | None = None
        self._lock = FolderLock(
            path.parent, LayoutRefused, "one storage master looks after an archive"
        )
        self._jobs: Batcher[tuple[int, Job[Any]]] = Batcher(
            lambda jobs: workers.run(self._transaction, [job for _, job in jobs]),
            batch_limit=_BATCH_LIMIT,
            batch_weight=_BATCH_ROWS,
            waiting_limit=_WAITING_ROWS,
            weigh=lambda job: job[0],
            name=str(path),
        )

    async def open(self) -> None:
        """Open the database, or make it.

        Raises:
            LayoutRefused: it is of another version, or another process has its folder.
            sqlite3.Error: it is damaged.
            OSError: it cannot be written.
        """
        await self._workers.run(self._open)

    async def close(self) -> None:
        """Commit what was begun, and close."""
        await self._jobs.stop()
        if self._connection is not None:
            await self._workers.run(self._connection.close)
        self._lock.release()

    async def run(self, job: Job[Result], rows: int = 1) -> Result:
        """Run a job in one of the next transactions; return its result once that is committed.

        Args:
            job: what to do.
            rows: about how many it writes.

        Raises:
            Overloaded: too much is waiting.
        """
        result: Result = await self._jobs.submit((rows, job))
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
            if added.log != followed.log and added.since > START:
                return Followed()  # what comes before is not known here: it begins anew
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

        return await self.run(job, max(1, len(added.entries)))

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

    async def holders(self, kind: Kind, key: str) -> list[Holding]:
        """Return which nodes hold something; of several disks of a node the fullest counts."""

        def job(db: sqlite3.Connection) -> list[Holding]:
            arguments = (KINDS.index(kind), bytes.fromhex(key))
            return [Holding(*row) for row in db.execute(_HOLDERS, arguments)]

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
        self._lock.take()
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


# SQLite gives with max() the mark of the row that has it.
_HOLDERS = """
SELECT node, max(size), mark
FROM holdings JOIN disks ON disk = number
WHERE kind = ? AND key = ?
GROUP BY node
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
