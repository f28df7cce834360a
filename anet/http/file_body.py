"""A body that is part of a file."""

from pathlib import Path
from typing import BinaryIO

from attrs import frozen


@frozen
class FileBody:
    """The bytes of a file from `offset` on.

    Attributes:
        path: the file.
        offset: the first byte.
        length: how many bytes.
    """

    path: Path
    offset: int
    length: int

    @classmethod
    def whole(cls, path: Path) -> "FileBody":
        """Return all of a file.

        Raises:
            OSError: there is no such file.
        """
        return cls(path, 0, path.stat().st_size)

    def open(self) -> "FilePart":
        """Open the file at the part's beginning.

        Raises:
            OSError: it cannot be opened.
        """
        file = self.path.open("rb")
        file.seek(self.offset)
        return FilePart(file, self.length)


class FilePart:
    """Reads a file up to a length."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._left = length

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, nothing at the end of the part."""
        size = self._left if size < 0 else min(size, self._left)
        data = self._file.read(size)
        self._left -= len(data)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
