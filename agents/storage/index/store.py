"""The database of an index node: who holds what, in LMDB (*INA §2.3.1*; decision 0026).

The key of a row is the first 128 bits of a SHA-256 and one byte for the kind, so that each group
of first bytes lies together; its value names the disks, 8 bytes each: number and size. What is
awaited is durable. Readers never wait for a writer, which may be waiting for the disk.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import lmdb
import msgspec
from attrs import evolve

from agents.storage.batcher import Batcher
from agents.storage.disk.additions import Entry
from agents.storage.disk.layout import Kind
from agents.storage.index.database import Database
from agents.storage.index.readings import (
    Disk,
    Reading,
    advanced,
    extended,
    follows,
    is_renewed,
    without,
)
from agents.storage.index.rows import changed, held, row, value_of
from agents.storage.policy import Holding
from agents.storage.status import Added
from anet.workers import Workers

VERSION = b"dlweb-index 1"
_BATCH_LIMIT = 64  # jobs of one transaction
_WAITING_LIMIT = 2000
_FEW = 16  # keys of a question that is answered together with others
_SLICE = 5000  # rows that one transaction clears at most

Place = tuple[Kind, str]
Job = Callable[[lmdb.Transaction], Any]


class IndexStore:
    """The database; one process has it open at a time.

    Args:
        folder: of its files.
        writer: one thread, for what is written.
        readers: at most `READING_THREADS`, for what is read.

    Attributes:
        groups: first bytes of the keys that are kept, in order.
        disks: all disks, by node and name; another dictionary when one has come or gone.
        cluttered: whether there may be rows of other groups, or of disks that are gone.
    """

    def __init__(self, folder: Path, writer: Workers, readers: Workers) -> None:
        self._database, self._writer, self._readers = Database(folder), writer, readers
        self._nodes: dict[int, str] = {}
        self._next = 1
        self.groups = b""
        self.disks: dict[tuple[str, str], Disk] = {}
        self.cluttered = True
        self._jobs: Batcher[Job] = Batcher(
            lambda jobs: writer.run(self._transaction, jobs),
            batch_limit=_BATCH_LIMIT,
            waiting_limit=_WAITING_LIMIT,
            name=str(folder),
        )
        self._questions: Batcher[Sequence[Place]] = Batcher(
            lambda questions: readers.run(self._answers, questions),
            batch_limit=_BATCH_LIMIT,
            waiting_limit=_WAITING_LIMIT,
            name=f"questions to {folder}",
        )

    async def open(self) -> None:
        """Open the database, or make it.

        Raises:
            LayoutRefused, OSError: as `Database.open`.
        """
        await self._writer.run(self._database.open, self._load)

    async def close(self) -> None:
        """Commit what was begun, and close; whoever reads later is refused."""
        await self._jobs.stop()
        await self._writer.run(self._database.close)

    async def holders(self, places: Sequence[Place]) -> list[list[Holding]]:
        """Return for each key which nodes hold it, the fullest copy first.

        Raises:
            Stopped: the index is closed.
            Overloaded: too many questions wait.
        """
        if len(places) > _FEW:
            return (await self._readers.run(self._answers, [places]))[0]
        found: list[list[Holding]] = await self._questions.submit(places)
        return found

    async def register(self, node: str, url: str, disks: Collection[str]) -> None:
        """Take note of a node and of its disks; forget what those hold that it has no more."""
        gone = [place for place in self.disks if place[0] == node and place[1] not in disks]

        def job(txn: lmdb.Transaction) -> None:
            for place in gone:
                self._forget(txn, place)
            for name in disks:
                known = self.disks.get((node, name))
                self._keep(txn, evolve(known, url=url) if known else self._new(node, name, url))

        await self._jobs.submit(job)
        self.cluttered |= bool(gone)

    async def add(self, node: str, reading: Reading, added: Added) -> bool:
        """Take in a part of the log of `added.disk`; return whether that led any further.

        Args:
            node: whose disk it is.
            reading: the reading of it that the part was asked for.
            added: the part; one that follows on nothing changes nothing.
        """

        def job(txn: lmdb.Transaction) -> bool:
            disk = self.disks.get((node, added.disk))
            if disk is None or reading not in disk.readings:
                return False  # the share of this index node has changed meanwhile
            if is_renewed(disk, added):
                self._forget(txn, (node, added.disk))
                disk = self._new(node, disk.name, disk.url)
                disk = evolve(disk, readings=[Reading(self.groups)])
                self._put(txn, disk.number, self.groups, added.entries)
                self._keep(txn, advanced(disk, disk.readings[0], added))
                self.cluttered = True
                return True
            if reading.followed.log and not follows(reading, added):
                return False
            self._put(txn, disk.number, reading.groups, added.entries)
            after = advanced(disk, reading, added)
            self._keep(txn, after)
            return after != disk

        led: bool = await self._jobs.submit(job)
        return led

    async def take(self, groups: bytes) -> None:
        """Keep these groups from now on: read the logs for new ones, and forget the others."""
        lost = bytes(set(self.groups) - set(groups))
        new = bytes(sorted(set(groups) - set(self.groups)))

        def forget(txn: lmdb.Transaction) -> None:
            self._keep_groups(txn, bytes(set(self.groups) - set(lost)))
            for disk in list(self.disks.values()):
                self._keep(txn, without(disk, lost))

        def begin(txn: lmdb.Transaction) -> None:
            self._keep_groups(txn, bytes(sorted({*self.groups, *new})))
            for disk in list(self.disks.values()):
                self._keep(txn, extended(disk, new))

        if lost:
            await self._jobs.submit(forget)
            self.cluttered = True
        for group in new:  # of a former time, in which this index node had the group too
            after = bytes([group])
            while after[:1] == bytes([group]):
                after = await self.clear(after)
        if new:
            await self._jobs.submit(begin)

    async def clear(self, after: bytes) -> bytes:
        """Clear away, from a row on, a slice of what is of other groups or of disks that are gone.

        Returns:
            The row to go on from, or nothing when this was the last.
        """
        following: bytes = await self._jobs.submit(lambda txn: self._clear(txn, after))
        return following

    # In a thread

    def _load(self, txn: lmdb.Transaction) -> None:
        version = txn.get(b"version", db=self._database.about)
        if version is None:
            txn.put(b"version", VERSION, db=self._database.about)
        elif version != VERSION:
            raise lmdb.Error(f"it is of the version {bytes(version[:40])!r}")
        self.groups = bytes(txn.get(b"groups", b"", db=self._database.about))
        self._next = int(txn.get(b"next", b"1", db=self._database.about))
        for key, value in txn.cursor(db=self._database.about):
            if bytes(key).startswith(b"disk "):
                self._know(msgspec.msgpack.decode(value, type=Disk))

    def _transaction(self, jobs: Sequence[Job]) -> list[Any]:
        """Do jobs in one transaction; when one fails all do, and memory is as the disk is."""
        before = (self.groups, self.disks.copy(), self._nodes.copy(), self._next)
        try:
            with self._database.writing() as txn:
                return [job(txn) for job in jobs]
        except BaseException:
            self.groups, self.disks, self._nodes, self._next = before
            raise

    def _answers(self, questions: Sequence[Sequence[Place]]) -> list[list[list[Holding]]]:
        with self._database.reading() as txn:
            return [
                [self._holdings(bytes(txn.get(row(*place), b""))) for place in places]
                for places in questions
            ]

    def _holdings(self, value: bytes) -> list[Holding]:
        """Return the holdings of a row, each node once; disks that are gone hold nothing."""
        found: dict[str, int] = {}
        for number, size in held(value):
            node = self._nodes.get(number)
            if node is not None:
                found[node] = max(size, found.get(node, 0))
        return sorted((Holding(*each) for each in found.items()), key=lambda each: -each.size)

    def _put(
        self, txn: lmdb.Transaction, number: int, groups: bytes, entries: Iterable[Entry]
    ) -> None:
        """Write what a part of a log says; of several words on one key the last counts."""
        last = {row(each.kind, each.key): each for each in entries}
        for key in sorted(last):  # in order, for the pages of the tree
            if key[0] in groups:
                size = None if last[key].gone else last[key].size
                before = bytes(txn.get(key, b"", db=self._database.rows))
                self._write(txn, key, before, changed(before, number, size))

    def _write(self, txn: lmdb.Transaction, key: bytes, before: bytes, after: bytes) -> None:
        if after == before:
            return
        if after:
            txn.put(key, after, db=self._database.rows)
        else:
            txn.delete(key, db=self._database.rows)

    def _clear(self, txn: lmdb.Transaction, after: bytes) -> bytes:
        cursor = txn.cursor(db=self._database.rows)
        there = cursor.set_range(after) if after else cursor.first()
        found: list[tuple[bytes, bytes]] = []
        while there and len(found) < _SLICE:
            found.append((bytes(cursor.key()), bytes(cursor.value())))
            there = cursor.next()
        following = bytes(cursor.key()) if there else b""
        for key, value in found:
            kept = [each for each in held(value) if each[0] in self._nodes]
            self._write(txn, key, value, value_of(kept if key[0] in self.groups else ()))
        return following

    def _keep_groups(self, txn: lmdb.Transaction, groups: bytes) -> None:
        self.groups = bytes(sorted(groups))
        txn.put(b"groups", self.groups, db=self._database.about)

    def _new(self, node: str, name: str, url: str) -> Disk:
        """Return a disk that holds nothing yet, under a number that none has had."""
        self._next += 1
        readings = [Reading(self.groups)] if self.groups else []
        return Disk(self._next - 1, node, name, url, readings)

    def _keep(self, txn: lmdb.Transaction, disk: Disk) -> None:
        txn.put(b"next", b"%d" % self._next, db=self._database.about)
        txn.put(_about(disk.node, disk.name), msgspec.msgpack.encode(disk), db=self._database.about)
        self._know(disk)

    def _know(self, disk: Disk) -> None:
        place = disk.node, disk.name
        if place not in self.disks:
            self.disks = self.disks.copy()  # somebody may be reading all of it in another thread
        self.disks[place] = disk
        self._nodes[disk.number] = disk.node

    def _forget(self, txn: lmdb.Transaction, place: tuple[str, str]) -> None:
        disk = self.disks.get(place)
        if disk is not None:
            self.disks = {name: each for name, each in self.disks.items() if each is not disk}
            del self._nodes[disk.number]
            txn.delete(_about(*place), db=self._database.about)


def _about(node: str, name: str) -> bytes:
    """Return the key of a disk's row: LMDB's keys are at most 511 bytes."""
    return b"disk " + msgspec.json.encode([node, name])[:500]
