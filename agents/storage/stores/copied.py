"""What one copy has copied already, kept in a file, so that it can be taken up again.

Only of structure files: they grow, and a listing does not tell whether all captures of one copy
are in another. Contents never change, so the target's own listing is enough.
"""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from anet.workers import Workers


class Copied:
    """The versions of the structure files that were copied and compared.

    Args:
        path: the file; losing it costs comparing everything again, and nothing else.
        thread: one worker, which owns the connection.
    """

    def __init__(self, path: Path, thread: Workers) -> None:
        self._path, self._thread = path, thread
        self._database: sqlite3.Connection

    async def open(self) -> None:
        """Open the file, or make it.

        Raises:
            OSError: it cannot be written.
        """
        await self._thread.run(self._open)

    def _open(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._connect()
        except sqlite3.DatabaseError:  # it is worth no more than the time to compare again
            self._path.unlink()
            self._connect()

    def _connect(self) -> None:
        self._database = sqlite3.connect(self._path, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS copied (key TEXT PRIMARY KEY, version TEXT) WITHOUT ROWID"
        )

    async def versions(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the versions that were copied of some structure files."""
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, version FROM copied WHERE key IN ({marks})"  # noqa: S608 - marks only

        def read() -> dict[str, str]:
            return dict(self._database.execute(query, list(keys)).fetchall())

        return await self._thread.run(read)

    async def note(self, key: str, version: str) -> None:
        """Keep that a version was copied."""
        statement = "INSERT OR REPLACE INTO copied VALUES (?, ?)"
        await self._thread.run(self._database.execute, statement, (key, version))

    async def close(self) -> None:
        """Close the file."""
        await self._thread.run(self._database.close)


def state_file(folder: Path, source: str, target: str) -> Path:
    """Return the file of the copy from one address to another."""
    name = sha256(f"{source}\n{target}".encode()).hexdigest()[:16]
    return folder / f"{name}.sqlite"
