"""How much room a disk has, down to the reserve that is never written into."""

import os
from pathlib import Path

from agents.storage.errors import DiskFull

_MUCH = 256 * 1024 * 1024  # bytes; with less, every write looks at the disk
_LOOK_EVERY = 50  # writes


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
        """Bytes that may still be written."""
        found = os.statvfs(self._root)
        return max(0, found.f_bavail * found.f_frsize - self._reserve)

    def require(self, size: int) -> None:
        """Make sure that there is room for `size` bytes.

        Raises:
            DiskFull: there is not.
        """
        self._uses += 1
        self._left -= size
        if self._left > _MUCH and self._uses < _LOOK_EVERY:
            return
        free = self.free
        self._left, self._uses = free - size, 0
        if size >= free:
            raise DiskFull(
                f"{self._root} has room for {free} bytes above its reserve of {self._reserve}, "
                f"not for {size}: free some space, or add a storage node"
            )
