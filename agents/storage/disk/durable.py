"""Making files durable: few by fsync each, many by one sync of their file system.

An fsync of a new file costs a commit of the file system's journal. From some files on, one
syncfs for all of them is two to four times quicker (see docs/decisions/0009-durable-batches.md).
"""

# ruff: noqa: PTH102 (making a path costs as much as opening its file)
import os
from pathlib import Path

from anet.durable import sync_file_system, sync_path

MANY = 8  # files from which one sync of the file system costs less


class SyncSet:
    """Files and folders on one file system that must become durable together."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[str] = []

    def add(self, path: str) -> None:
        """Have a file or a folder synced by the next `flush`."""
        self._paths.append(path)

    def flush(self) -> None:
        """Make all that was added durable.

        Raises:
            OSError: the system could not.
        """
        paths, self._paths = self._paths, []
        if len(paths) >= MANY:
            sync_file_system(self._root)
            return
        for path in dict.fromkeys(paths):
            sync_path(Path(path))


class Folders:
    """Makes the folders of two levels that files go to, and sees to their durability."""

    def __init__(self) -> None:
        self._known: set[str] = set()  # at most 2 × (256 + 65,536) short texts

    def ensure(self, folder: str, sync: SyncSet) -> bool:
        """Make `folder` and the one above it where they lack; their entries go to `sync`.

        Returns:
            Whether the folder is new, and so empty.
        """
        if folder in self._known:
            return False
        above = folder.rpartition("/")[0]
        if above not in self._known:
            self._make(above, sync)
        return self._make(folder, sync)

    def forget(self, folder: str) -> None:
        """Look again before the next use, because somebody took the folder away."""
        self._known -= {folder, folder.rpartition("/")[0]}

    def _make(self, folder: str, sync: SyncSet) -> bool:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            new = False
        else:
            new = True
            sync.add(folder.rpartition("/")[0])
        self._known.add(folder)
        return new
