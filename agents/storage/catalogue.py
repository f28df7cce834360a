"""Who holds what, in SQLite: the log of the master and the database of an index node.

Both are made again from the nodes' own logs of additions when they are lost, so neither is a
place where anything is kept; they only must not forget what they said they took in.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attrs import frozen

from agents.storage.batcher import Batcher
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.errors import LayoutRefused
from agents.storage.policy import Holding
from agents.storage.status import Added, Followed
from anet.workers import Workers

VERSION = 1
HALF_KEY = 16  # bytes of a key that an index node keeps (*INA §2.3.1*)
WHOLE_KEY = 32
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
        key_bytes: how much of each key is kept.
    """

    def __init__(self, path: Path, workers: Workers, key_bytes: int = WHOLE_KEY) -> None:
        self._path, self._workers, self._key_bytes = path, workers, key_bytes
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
        return await self.run(lambda db: dict(db.execute("SELECT name, url FROM nodes")))

    async def register(self, name: str, url: str) -> Followed:
        """Take note of a node; return how far its log has been taken in."""

        def job(db: sqlite3.Connection) -> Followed:
            _number(db, name, url)
            row = db.execute("SELECT log, position FROM nodes WHERE name = ?", (name,)).fetchone()
            return Followed(*row)

        return await self.run(job)

    async def add(self, name: str, added: Added) -> Followed:
        """Take in a part of a node's log, if it follows on what was taken in before.

        Returns:
            How far the log has been taken in now.
        """

        def job(db: sqlite3.Connection) -> Followed:
            number = _number(db, name)
            row = db.execute("SELECT log, position FROM nodes WHERE name = ?", (name,)).fetchone()
            followed = Followed(*row)
            if added.log != followed.log:
                db.execute("DELETE FROM holdings WHERE node = ?", (number,))
            elif added.since > followed.position or added.position < followed.position:
                return followed
            self._put(db, number, added)
            db.execute(
                "UPDATE nodes SET log = ?, position = ? WHERE number = ?",
                (added.log, added.position, number),
            )
            return Followed(added.log, added.position)

        return await self.run(job)

    async def note(self, held: Iterable[tuple[Kind, str, str]]) -> None:
        """Take note of kind, key and node of what was just stored, before its log tells."""
        rows = list(held)

        def job(db: sqlite3.Connection) -> None:
            numbers = {name: _number(db, name) for name in {name for _, _, name in rows}}
            db.executemany(
                "INSERT OR IGNORE INTO holdings VALUES (?, ?, ?, 0, '')",
                [(KINDS.index(kind), self._short(key), numbers[name]) for kind, key, name in rows],
            )

        if rows:
            await self.run(job)

    def _put(self, db: sqlite3.Connection, number: int, added: Added) -> None:
        db.executemany(
            "INSERT INTO holdings VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET size = excluded.size, mark = excluded.mark",
            [
                (KINDS.index(each.kind), self._short(each.key), number, each.size, each.mark)
                for each in added.entries
            ],
        )

    # Questions

    async def holders(self, wanted: Iterable[tuple[Kind, str]]) -> dict[str, list[Holding]]:
        """Return who holds each of these; keys that nobody holds have an empty list."""
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
                    "SELECT name, size, mark FROM holdings JOIN nodes ON node = number "
                    "WHERE kind = ? AND key = ?",
                    (KINDS.index(kind), self._short(key)),
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
            "first": bytes([first]),
            "end": bytes([first + 1]) if first < 255 else b"\xff" * (WHOLE_KEY + 1),
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
                "SELECT name, kind, count(*) FROM holdings JOIN nodes ON node = number "
                "GROUP BY name, kind"
            )
            for name, kind, count in rows:
                found.setdefault(name, dict.fromkeys(KINDS, 0))[KINDS[kind]] = count
            return found

        return await self.run(job)

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
        if version == 0:
            schema = Path(__file__).with_name("catalogue.sql").read_text("utf-8")
            db.executescript(f"BEGIN; {schema} PRAGMA user_version = {VERSION}; COMMIT;")
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

    def _short(self, key: str) -> bytes:
        return bytes.fromhex(key)[: self._key_bytes]


_SHORT = """
SELECT kind, key
FROM holdings JOIN nodes ON node = number
WHERE kind IN (0, 1) AND key >= :first AND key < :end
GROUP BY kind, key
HAVING sum(name IN (SELECT value FROM json_each(:live))) > 0
   AND (sum(name IN (SELECT value FROM json_each(:present))) < :replicas
        OR min(iif(name IN (SELECT value FROM json_each(:live)), mark, NULL))
           <> max(iif(name IN (SELECT value FROM json_each(:live)), mark, NULL)))
LIMIT :limit
"""


def _savepoint(db: sqlite3.Connection, job: Job[Any]) -> Any:
    db.execute("SAVEPOINT job")
    try:
        outcome = job(db)
    except Exception as error:
        db.execute("ROLLBACK TO job")
        outcome = error
    db.execute("RELEASE job")
    return outcome


def _number(db: sqlite3.Connection, name: str, url: str | None = None) -> int:
    """Return the number of a node, which gets one when it is new."""
    db.execute(
        "INSERT INTO nodes (name, url) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        (name, url or ""),
    )
    if url is not None:
        db.execute("UPDATE nodes SET url = ? WHERE name = ? AND url <> ?", (url, name, url))
    (number,) = db.execute("SELECT number FROM nodes WHERE name = ?", (name,)).fetchone()
    return int(number)
