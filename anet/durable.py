"""Making a file's bytes, or a folder's entries, durable."""

import ctypes
import os
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)


def sync_path(path: Path) -> None:
    """Make a file's bytes, or a folder's entries, durable. Blocks.

    Raises:
        OSError: the system could not; what was written may be lost.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file_system(path: Path) -> None:
    """Make everything durable that was written to the file system of `path`. Blocks.

    Raises:
        OSError: the system could not; what was written may be lost.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if _libc.syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(descriptor)
