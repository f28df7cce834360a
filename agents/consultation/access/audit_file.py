"""The file that the audit log is written to: lines, in files of a bounded size and number."""

import os
from collections.abc import Sequence
from pathlib import Path

FILES = 10  # the one that is written, and those before it


class AuditFile:
    """JSON lines that only their owner may read; all methods block and belong in one thread.

    `audit.jsonl` is written; when it has reached its size it becomes `audit.jsonl.1`, and what
    was called so `audit.jsonl.2`; the last of `FILES` is removed.
    """

    def __init__(self, path: Path, size: int) -> None:
        """Write to files of about `size` bytes."""
        self._path = path
        self._size = size

    def write(self, lines: Sequence[bytes]) -> None:
        """Add lines, each ending with a line feed, and make them durable.

        A file that somebody moved away, as `logrotate` does, is begun again.

        Raises:
            OSError: it cannot be written; none of the lines is there.
        """
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(self._path, flags, 0o600)
        with os.fdopen(descriptor, "ab", buffering=0) as file:
            before = os.fstat(descriptor).st_size
            try:
                _write_whole(descriptor, b"".join(lines))
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, before)  # they will all be written again
                raise
            full = file.tell() >= self._size
        if full:
            self._turn()

    def _turn(self) -> None:
        for number in range(FILES - 2, 0, -1):
            if self._named(number).exists():
                self._named(number).replace(self._named(number + 1))
        self._path.replace(self._named(1))

    def _named(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def _write_whole(descriptor: int, data: bytes) -> None:
    """Write all bytes; a disk that fills up takes some, and says so at the next call."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
