"""One batch of writes to a disk: staged, synced, published, synced, logged, synced.

Runs in a worker, one batch at a time. Only when `commit` has returned may any of it be
acknowledged; a crash at any moment leaves files that are whole or that nobody reads.
"""

import errno
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Protocol

from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.durable import SyncSet
from agents.storage.disk.layout import Kind, Layout
from agents.storage.disk.unlogged import Unlogged
from agents.storage.errors import DiskFailed, DiskFull, StorageError

# What a disk that breaks or is taken away answers; it takes no second try.
FATAL = (errno.EIO, errno.EROFS, errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.EUCLEAN)


class Write(Protocol):
    """One thing to write, as the steps of a batch."""

    kind: Kind
    key: str
    weight: int
    created: bool

    @property
    def publishes(self) -> bool:
        """Whether `publish` changes what the log must say, and nobody repeats it after a crash."""

    def stage(self, sync: SyncSet) -> None:
        """Put the bytes where nobody reads them yet."""

    def publish(self, sync: SyncSet) -> None:
        """Let readers see them."""

    def entries(self) -> list[Entry]:
        """Return what the log of additions says of it."""

    def result(self) -> Any:
        """Return what to tell who asked for it."""

    def discard(self) -> None:
        """Take away what was staged."""


class Chore:
    """What is done between two writes of a disk, and adds nothing to what it holds."""

    kind: Kind = "contents"
    key = ""
    weight = 1000
    created = False
    publishes = False

    def stage(self, sync: SyncSet) -> None:
        """Do nothing."""

    def publish(self, sync: SyncSet) -> None:
        """Do what there is to do.

        Raises:
            OSError: the system could not.
        """

    def entries(self) -> list[Entry]:
        """Return nothing: the log is not told."""
        return []

    def result(self) -> bool:
        """Say that it is done."""
        return True

    def discard(self) -> None:
        """Do nothing."""


class DiskWriter:
    """Commits batches to one disk; after a sync that failed, none any more.

    A failed sync leaves the system's memory and the disk at odds, and a second try would say
    yes to bytes that are lost. The node must be started again, which reads what is there.
    """

    def __init__(self, layout: Layout, additions: AdditionsLog) -> None:
        self._layout, self._additions = layout, additions
        self._unlogged = Unlogged(layout, additions)
        self.failed = ""
        self._writing = Lock()

    def recover(self) -> None:
        """Let the log say what a process that was killed has published. Blocks.

        Raises:
            OSError: the system could not.
        """
        self._unlogged.recover()

    def alone(self, action: Callable[[], None]) -> None:
        """Do something while nothing is written. Blocks."""
        with self._writing:
            action()

    def commit(self, writes: Sequence[Write]) -> list[Any]:
        """Write a batch; return a result or an exception for each."""
        with self._writing:
            return self._commit(writes)

    def _commit(self, writes: Sequence[Write]) -> list[Any]:
        outcomes: list[Any] = [None] * len(writes)
        sync = SyncSet(self._layout.root)
        try:
            self.check()
            self._steps(writes, outcomes, sync)
        except (StorageError, OSError) as error:
            failure = self.failure(error)
            outcomes = [each if isinstance(each, Exception) else failure for each in outcomes]
        for write, outcome in zip(writes, outcomes, strict=True):
            if isinstance(outcome, Exception):
                write.discard()
        return outcomes

    def check(self) -> None:
        """Refuse to write after a sync that failed.

        Raises:
            DiskFailed: one has.
        """
        if self.failed:
            raise DiskFailed(f"writing stopped: {self.failed}; start the node again")

    def failure(self, error: Exception) -> Exception:
        """Return what to say of an error of a whole batch; none is written after it."""
        failure = self.error_of(error)
        if not isinstance(failure, DiskFull) and not self.failed:
            self.failed = str(error)
        return failure

    def _steps(self, writes: Sequence[Write], outcomes: list[Any], sync: SyncSet) -> None:
        self._each(writes, outcomes, lambda write: write.stage(sync))
        sound = _sound(writes, outcomes)
        self._unlogged.add(((each.kind, each.key) for each in sound if each.publishes), sync)
        sync.flush()
        self._each(writes, outcomes, lambda write: write.publish(sync))
        sync.flush()
        self._log(_sound(writes, outcomes))
        for index, write in enumerate(writes):
            if outcomes[index] is None:
                outcomes[index] = write.result()

    def _log(self, writes: Sequence[Write]) -> None:
        """Let the log say what was published, also by writes that failed half-way."""
        entries: list[Entry] = self._unlogged.left({(each.kind, each.key) for each in writes})
        for write in writes:
            entries += write.entries()
        if entries:
            self._additions.append(entries)
        self._unlogged.clear()

    def _each(
        self, writes: Sequence[Write], outcomes: list[Any], step: Callable[[Write], None]
    ) -> None:
        """Do a step for all that have not failed; a failure is that one's own."""
        for index, write in enumerate(writes):
            if outcomes[index] is None:
                try:
                    step(write)
                except (StorageError, OSError) as error:
                    outcomes[index] = self.error_of(error)

    def error_of(self, error: Exception) -> Exception:
        """Return what to say of an error of one write; a disk that breaks takes no more."""
        if not isinstance(error, OSError):
            return error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(f"{self._layout.root} is full: free some space or add a node")
        if error.errno in FATAL and not self.failed:
            self.failed = str(error)
        return DiskFailed(f"{self._layout.root}: {error.strerror or error}")


def _sound(writes: Sequence[Write], outcomes: Sequence[Any]) -> list[Write]:
    """Return the writes that have not failed."""
    return [write for write, outcome in zip(writes, outcomes, strict=True) if outcome is None]
