"""Keeps a folder for one process: two that write the same database would spoil it."""

import fcntl
import os
from pathlib import Path

from agents.storage.errors import LayoutRefused


class FolderLock:
    """A lock on a folder; it ends with the process, however that ends.

    Args:
        folder: which.
        advice: what to do when another process has it.
    """

    def __init__(self, folder: Path, advice: str) -> None:
        self._folder, self._advice = folder, advice
        self._descriptor = -1

    def take(self) -> None:
        """Make the folder if there is none, and keep it for this process. Blocks.

        Raises:
            LayoutRefused: another process has it.
            OSError: it cannot be made.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise LayoutRefused(f"{self._folder} is in use already: {self._advice}") from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Let others have it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
