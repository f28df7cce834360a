"""SQLite, embedded: a file that is made when it is new, and upgraded when it is old."""

import fcntl
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from zope.interface import implementer

from agents.scheduler.database.engine import (
    UPGRADES,
    VERSION,
    Answer,
    DatabaseRefused,
    IEngine,
    Value,
)

_APPLICATION = 0x646C7763  # "dlwc": tells our files from other SQLite databases
_BEGIN_AGAIN = "put back a copy of it, or move it away to begin with none"
_PATIENCE = 10.0  # seconds to wait for another process's lock
_CACHE = 16  # MiB of pages kept in memory, however large the file
_LOG = 10_000  # pages in the write-ahead log before they are written to their places


@implementer(IEngine)
class SqliteEngine:
    """A file; every commit is on the disk when it returns (write-ahead log, synchronised)."""

    passing = (sqlite3.OperationalError,)

    def __init__(self, path: Path) -> None:
        """Open the file at `path`, at the version that this program speaks.

        Raises:
            DatabaseRefused: it is not ours to open; the message says why and what to do.
        """
        self.place = str(path)
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(path)
            try:
                self._connection = _open(path)
            except BaseException:
                os.close(self._lock)
                raise
        except (sqlite3.OperationalError, OSError) as error:
            cure = "see that this user may write there, and that the disk has room"
            raise DatabaseRefused(f"{path}: {error}; {cure}") from error
        except sqlite3.DatabaseError as error:
            raise DatabaseRefused(f"{path}: {error}; {_BEGIN_AGAIN}") from error

    def execute(self, sql: str, parameters: Sequence[Value] = ()) -> Answer:
        """Run a statement."""
        return self._connection.execute(sql, parameters)

    def begin(self) -> None:
        """Begin a transaction that may write."""
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End it; what it changed is on the disk then."""
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Undo what it changed; a full disk has done so already."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def mend(self) -> None:
        """Do nothing: a file does not go away."""

    def reader(self) -> "SqliteReader":
        """Return another connection, only to look."""
        return SqliteReader(self._path)

    def close(self) -> None:
        """Close the file, and let others open it."""
        self._connection.close()
        os.close(self._lock)


class SqliteReader:
    """A file that is open already, to look at it beside whoever writes."""

    passing = (sqlite3.OperationalError,)

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        uri = f"{path.absolute().as_uri()}?mode=ro"
        self._connection = sqlite3.connect(
            uri, uri=True, timeout=_PATIENCE, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row

    def execute(self, sql: str, parameters: Sequence[Value] = ()) -> Answer:
        """Run a statement."""
        return self._connection.execute(sql, parameters)

    def mend(self) -> None:
        """Do nothing: a file does not go away."""

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _lock(path: Path) -> int:
    """Keep the file for this process; the lock ends with it, however that ends."""
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise DatabaseRefused(
            f"{path} is in use: another scheduler works with it; stop that one first"
        ) from None
    return descriptor


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = {-_CACHE * 1024}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG}")
    version = _pragma(connection, "user_version")
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if _pragma(connection, "application_id") != _APPLICATION and (version or tables):
        raise DatabaseRefused(f"{path} is not a scheduler's database; name another folder")
    if version > VERSION:
        raise DatabaseRefused(
            f"{path} was written by a newer version of this program ({version}, not {VERSION}); "
            "install that version"
        )
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise DatabaseRefused(f"{path} is damaged ({found}); {_BEGIN_AGAIN}")
    for step in range(version, VERSION):
        _upgrade(connection, step)
    # SQLite opens a file that it may only read without a word; this is refused there.
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Bring the database from a version to the next, wholly or not at all."""
    script = Path(__file__).with_name(UPGRADES[version]).read_text("utf-8")
    connection.executescript(
        f"BEGIN IMMEDIATE;\n{script}\n"
        f"PRAGMA application_id = {_APPLICATION};\n"
        f"PRAGMA user_version = {version + 1};\nCOMMIT;"
    )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
