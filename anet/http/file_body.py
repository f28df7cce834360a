"""A body that is part of a file."""

from io import FileIO
from pathlib import Path

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
        """Open the file, to send the part.

        Raises:
            OSError: it cannot be opened.
        """
        return FilePart(FileIO(self.path), self)


class FilePart:
    """An open file of which a part is sent.

    Attributes:
        body: which part.
    """

    __slots__ = ("_at", "_file", "body")

    def __init__(self, file: FileIO, body: FileBody) -> None:
        self.body = body
        self._file = file
        self._at = 0  # bytes read

    def fileno(self) -> int:
        """Return the file's descriptor."""
        return self._file.fileno()

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes more, nothing at the end of the part or of the file."""
        self._file.seek(self.body.offset + self._at)
        data = self._file.read(min(size, self.body.length - self._at)) or b""
        self._at += len(data)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
