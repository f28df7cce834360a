"""Making a file's bytes, or a folder's entries, durable."""

import os
from pathlib import Path


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
