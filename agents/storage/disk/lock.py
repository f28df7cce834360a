"""Keeps a disk for one process: two that write the same files would spoil them."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.storage.errors import LayoutRefused


class DiskLock:
    """A lock on the file that names a disk; it ends with the process, however that ends."""

    def __init__(self, root: Path) -> None:
        self._path = root / "disk"
        self._descriptor = -1

    def take(self) -> None:
        """Keep the disk for this process.

        Raises:
            LayoutRefused: somebody else has it, or we do, under another path.
            OSError: the disk is not there.
        """
        descriptor = os.open(self._path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise LayoutRefused(
                f"{self._path.parent} is in use already: name each disk once, and run one storage "
                "node, or one command, on it"
            ) from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Let others have it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@contextmanager
def one_at_a_time(root: Path) -> Iterator[None]:
    """Wait until nobody else makes a disk of a folder, and be the one who does; blocks.

    Raises:
        OSError: the folder is not there.
    """
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
