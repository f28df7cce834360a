"""What the master alone knows, in its catalogue's database: drains, and what is referred to often.

All else in that database is made again from the nodes' logs. When it is lost these are lost with
it, and no replica is: a drain is ordered again, and references are counted again.
"""

import sqlite3
from collections.abc import Mapping

from attrs import frozen

from agents.storage.catalogue import Catalogue

_SCHEMA = """
CREATE TABLE IF NOT EXISTS drains (
    node TEXT NOT NULL,
    disk TEXT NOT NULL,              -- empty for the whole node
    PRIMARY KEY (node, disk)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS referred (
    key BLOB PRIMARY KEY,            -- SHA-256 of a content
    count INTEGER NOT NULL           -- captures known to refer to it, at least
) WITHOUT ROWID;
"""


@frozen
class Drain:
    """That a node, or one disk of it, is to be emptied.

    Attributes:
        node: its name.
        disk: the disk's name; empty for the whole node.
    """

    node: str
    disk: str = ""


class Orders:
    """The orders in force.

    Attributes:
        drains: what is being drained.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.drains: frozenset[Drain] = frozenset()

    def disks(self, node: str) -> set[str]:
        """Return the names of the single disks of a node that are being drained."""
        return {drain.disk for drain in self.drains if drain.node == node and drain.disk}

    def drained(self, node: str, disk: str) -> bool:
        """Tell whether a disk, or its node, is being drained."""
        return bool(self.drains & {Drain(node), Drain(node, disk)})

    async def open(self) -> None:
        """Read them from the catalogue, which is open."""

        def job(db: sqlite3.Connection) -> list[tuple[str, str]]:
            for statement in _SCHEMA.split(";\n"):
                db.execute(statement)
            return db.execute("SELECT node, disk FROM drains").fetchall()

        self.drains = frozenset(Drain(*row) for row in await self._catalogue.run(job))

    async def drain(self, drain: Drain) -> None:
        """Begin a drain; it is durable once this returns."""
        sql = "INSERT OR IGNORE INTO drains VALUES (?, ?)"
        await self._catalogue.run(lambda db: db.execute(sql, (drain.node, drain.disk)) and None)
        self.drains |= {drain}

    async def undrain(self, drain: Drain) -> None:
        """End a drain."""
        sql = "DELETE FROM drains WHERE node = ? AND disk = ?"
        await self._catalogue.run(lambda db: db.execute(sql, (drain.node, drain.disk)) and None)
        self.drains -= {drain}

    async def refer(self, counts: Mapping[str, int]) -> None:
        """Take note of how many captures refer to contents, at least; never of fewer."""
        rows = [(bytes.fromhex(key), count) for key, count in counts.items()]
        sql = (
            "INSERT INTO referred VALUES (?, ?) "
            "ON CONFLICT DO UPDATE SET count = max(count, excluded.count)"
        )
        await self._catalogue.run(lambda db: db.executemany(sql, rows) and None)
