"""LMDB in a folder: open in one process at a time, and closed only when nobody reads it.

Its methods block; one thread writes, and at most `READING_THREADS` others read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore
from typing import Any

import lmdb
import msgspec

from agents.storage.errors import LayoutRefused
from anet.errors import Stopped
from anet.folder_lock import FolderLock

READING_THREADS = 2
_ADDRESSES = 1 << 40  # bytes of address space; the file is only as large as what it holds


class Database:
    """The environment and its two tables.

    Args:
        folder: of its files.

    Attributes:
        rows: the table of what is held.
        about: the table of all else.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._env: lmdb.Environment | None = None
        self._readers = Semaphore(READING_THREADS)
        self._lock = FolderLock(folder, LayoutRefused, "give each index node a folder of its own")
        self.rows: Any = None
        self.about: Any = None

    def open(self, load: Callable[[lmdb.Transaction], None]) -> None:
        """Open the database, or make it.

        Args:
            load: reads from it what is kept in memory; what it cannot read is an error of its own.

        Raises:
            LayoutRefused: another process has it open, it is damaged, or of another version.
            OSError: the folder cannot be made.
        """
        self._lock.take()
        try:
            self._env = env = lmdb.open(
                str(self._folder), map_size=_ADDRESSES, max_dbs=2, readahead=False, mode=0o600
            )
            env.reader_check()  # frees the places of readers of a process that was killed
            self.rows, self.about = env.open_db(b"holdings"), env.open_db(b"about")
            with self.writing() as txn:
                load(txn)
        except (lmdb.Error, msgspec.MsgspecError) as error:
            self.close()
            raise LayoutRefused(
                f"the index in {self._folder} cannot be read ({error}); take the folder away, "
                "and it is made again from the storage nodes"
            ) from None

    def close(self) -> None:
        """Wait for those who read, and close; whoever comes later is refused."""
        for _ in range(READING_THREADS):  # LMDB must not be closed under those who read
            self._readers.acquire()
        env, self._env = self._env, None
        if env is not None:
            env.close()
        self._lock.release()
        self._readers.release(READING_THREADS)

    @contextmanager
    def writing(self) -> Iterator[lmdb.Transaction]:
        """Give a transaction that is durable when it ends, and undone when it fails.

        Raises:
            Stopped: the database is closed.
        """
        if self._env is None:
            raise Stopped("the index is not open")
        with self._env.begin(write=True) as txn:
            yield txn

    @contextmanager
    def reading(self) -> Iterator[lmdb.Transaction]:
        """Give a transaction that reads rows as they are now.

        Raises:
            Stopped: the database is closed.
        """
        with self._readers:
            if self._env is None:
                raise Stopped("the index is closed")
            with self._env.begin(db=self.rows) as txn:
                yield txn
