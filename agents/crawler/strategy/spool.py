"""A first-in first-out queue of text lines that keeps what does not fit in memory on disk.

The disk sees only buffered sequential writes and reads (*INA §1.4*): full pieces of the queue's
end are appended to one file, and read back in the same order when its beginning runs out.
"""

from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

PIECE = 1024  # lines written or read at once


class Spool:
    """A queue of lines, of which at most about three pieces are in memory.

    Args:
        path: the file for what does not fit; made when first needed, removed by `close`.
        piece: lines of a piece.
    """

    def __init__(self, path: Path, piece: int = PIECE) -> None:
        self._path = path
        self._piece = piece
        self._first: deque[str] = deque()
        self._last: list[str] = []
        self._on_disk: deque[int] = deque()  # size in bytes of each piece in the file
        self._lines_on_disk = 0
        self._writer: BinaryIO | None = None
        self._reader: BinaryIO | None = None

    def __len__(self) -> int:
        return len(self._first) + len(self._last) + self._lines_on_disk

    def push(self, line: str) -> None:
        """Append a line; it may not hold a line feed."""
        if not self._last and not self._on_disk and len(self._first) < self._piece:
            self._first.append(line)
            return
        self._last.append(line)
        if len(self._last) >= self._piece:
            self._spill()

    def pop(self) -> str:
        """Take the first line.

        Raises:
            IndexError: the queue is empty.
        """
        if not self._first:
            self._refill()
        return self._first.popleft()

    def close(self) -> None:
        """Forget everything, and remove the file."""
        for file in (self._writer, self._reader):
            if file is not None:
                with suppress(OSError):  # what was not written yet may find the disk full
                    file.close()
        if self._writer is not None:
            self._path.unlink(missing_ok=True)
        self._writer = self._reader = None
        self._first.clear()
        self._last.clear()
        self._on_disk.clear()
        self._lines_on_disk = 0

    def _spill(self) -> None:
        data = "\n".join(self._last).encode("utf-8", "surrogatepass")
        if self._writer is None:
            self._writer = self._path.open("wb")
            self._reader = self._path.open("rb")
        self._writer.write(data)
        self._on_disk.append(len(data))
        self._lines_on_disk += len(self._last)
        self._last = []

    def _refill(self) -> None:
        if not self._on_disk:
            self._first.extend(self._last)
            self._last = []
            return
        assert self._writer is not None and self._reader is not None
        self._writer.flush()
        data = self._reader.read(self._on_disk.popleft())
        self._first.extend(data.decode("utf-8", "surrogatepass").split("\n"))
        self._lines_on_disk -= len(self._first)
        if not self._on_disk:
            self._begin_again()

    def _begin_again(self) -> None:
        """Empty the file once everything in it has been read."""
        assert self._writer is not None and self._reader is not None
        self._writer.seek(0)
        self._writer.truncate()
        self._reader.seek(0)
