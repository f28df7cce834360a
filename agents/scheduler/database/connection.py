"""Opens the database file, makes it when it is new, and upgrades it when it is old."""

import sqlite3
from pathlib import Path

VERSION = 2
UPGRADES = {0: "schema-1.sql", 1: "schema-2.sql"}  # from a version, by which file, to the next
_APPLICATION = 0x646C7763  # "dlwc": tells our files from other SQLite databases
_BEGIN_AGAIN = "put back a copy of it, or move it away to begin with none"
_PATIENCE = 10.0  # seconds to wait for another process's lock


class DatabaseRefused(Exception):
    """The file is no database of ours, is damaged, or is newer than this program."""


def open_database(path: Path) -> sqlite3.Connection:
    """Open the database at `path`, at the version that this program speaks.

    Every commit is on the disk when it returns (write-ahead log, full synchronisation).

    Raises:
        DatabaseRefused: it is not ours to open; the message says why and what to do.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.row_factory = sqlite3.Row
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        cure = "see that this user may write there, and that the disk has room"
        raise DatabaseRefused(f"{path}: {error}; {cure}") from error
    except sqlite3.DatabaseError as error:
        raise DatabaseRefused(f"{path}: {error}; {_BEGIN_AGAIN}") from error
    return connection


def read_database(path: Path) -> sqlite3.Connection:
    """Open a database that is open already, to look at it beside whoever writes."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
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
