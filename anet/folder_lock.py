"""Keeps a folder for one process: two that write the same files would spoil them."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path


class FolderLock:
    """A lock on a folder; it ends with the process, however that ends.

    Args:
        folder: which.
        refusal: makes the error that is raised when another process has it, from its words.
        advice: what to do then.
    """

    def __init__(self, folder: Path, refusal: Callable[[str], Exception], advice: str) -> None:
        self._folder, self._refusal, self._advice = folder, refusal, advice
        self._descriptor = -1

    def take(self) -> None:
        """Make the folder if there is none, and keep it for this process. Blocks.

        Raises:
            Exception: another process has it; `refusal` made the error.
            OSError: it cannot be made.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise self._refusal(f"{self._folder} is in use already: {self._advice}") from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Let others have it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
