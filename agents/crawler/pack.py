"""The small contents of a crawl, one after another in one file.

Making a file for each would cost the crawler, and who reads them, more than the bytes do.
"""

from pathlib import Path


class Pack:
    """Appends contents to a file, out of which others may read them at once.

    Args:
        path: the file; made at once.

    Attributes:
        path: as given.

    Raises:
        OSError: it can't be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb", buffering=0)
        self._end = 0

    def append(self, content: bytes) -> int:
        """Append a content; return the byte at which it begins.

        Raises:
            OSError: it can't be written.
        """
        begin = self._end
        rest = memoryview(content)
        while rest:
            written = self._file.write(rest)
            self._end += written
            rest = rest[written:]
        return begin

    def close(self) -> None:
        """Append no more."""
        self._file.close()
