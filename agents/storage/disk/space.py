"""How much room a disk has, down to the reserve that is never written into."""

import os
from pathlib import Path

from agents.storage.errors import DiskFailed, DiskFull

_MUCH = 256 * 1024 * 1024  # bytes; with less, every write looks at the disk
_LOOK_EVERY = 50  # writes
_FILES = 100_000  # that may still be made; with less, or a twentieth of all, a disk is full


class Space:
    """The room on the file system of a node.

    Args:
        root: a folder on it.
        reserve: bytes that must stay free, so that what was begun can always be ended.
    """

    def __init__(self, root: Path, reserve: int) -> None:
        self._root, self._reserve = root, reserve
        self._left = 0  # what is left at least, by the last look and what was promised since
        self._uses = _LOOK_EVERY

    @property
    def free(self) -> int:
        """Bytes that may still be written; none where hardly any file may still be made."""
        found = os.statvfs(self._root)
        if found.f_favail < min(_FILES, found.f_files // 20):
            return 0
        return max(0, found.f_bavail * found.f_frsize - self._reserve)

    @property
    def size(self) -> int:
        """Bytes of the whole file system; 0 when it is not there."""
        try:
            found = os.statvfs(self._root)
        except OSError:
            return 0
        return found.f_blocks * found.f_frsize

    @property
    def room(self) -> int:
        """About how many bytes may still be written, without looking each time.

        Raises:
            OSError: the disk is not there.
        """
        if self._left <= _MUCH or self._uses >= _LOOK_EVERY:
            self._look()
        return max(0, self._left)

    def require(self, size: int, beside: int = 0) -> None:
        """Make sure that there is room for `size` bytes.

        Args:
            size: bytes that are going to be written.
            beside: bytes that must find room too, and were or will be asked for by others.

        Raises:
            DiskFull: there is not.
            DiskFailed: the disk is not there.
        """
        self._uses += 1
        self._left -= size
        if self._left > _MUCH and self._uses < _LOOK_EVERY:
            return
        try:
            free = self._look()
        except OSError as error:
            raise DiskFailed(f"{self._root}: {error.strerror or error}") from None
        self._left -= size
        if size + beside >= free:
            raise DiskFull(
                f"{self._root} has room for {free} bytes above its reserve of {self._reserve}, not "
                f"for {size + beside} (for none when inodes run out, see `df -i`): free some "
                "space, or add a disk or a storage node"
            )

    def _look(self) -> int:
        self._left, self._uses = self.free, 0
        return self._left
