"""What a reader sends, on its way to the live web: in memory while it is small, else in a file."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from twisted.internet.defer import Deferred

from anet.errors import BodyTooLarge
from anet.http import FileBody, Request
from anet.workers import Workers

MEMORY = 64 * 1024  # bytes


class Upload:
    """The body of one request.

    Args:
        workers: write the file.
        folder: where it lies, under no name, so that it is gone with the process.
        limit: bytes at most.

    Attributes:
        first: the first bytes, at most `MEMORY`.
        size: bytes of the whole.
    """

    def __init__(self, workers: Workers, folder: Path, limit: int) -> None:
        self.first = b""
        self.size = 0
        self._workers, self._folder, self._limit = workers, folder, limit
        self._file: IO[bytes] | None = None

    @property
    def whole(self) -> bytes | None:
        """All of it, if it is small."""
        return self.first if self.size == len(self.first) else None

    async def take(self, request: Request) -> bytes | FileBody:
        """Return the body once all of it is here.

        Raises:
            BodyTooLarge: there is more than may be sent.
            HttpError: it does not come whole.
            OSError: it cannot be written.
        """
        await request.deliver(self._take)
        if self._file is None:
            return self.first
        await self._workers.run(self._file.flush)
        return FileBody(Path(f"/proc/self/fd/{self._file.fileno()}"), 0, self.size)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def _take(self, piece: bytes) -> "Deferred[Any] | None":
        self.size += len(piece)
        if self.size > self._limit:
            raise BodyTooLarge(f"more than {self._limit} bytes")
        before, self.first = self.first, (self.first + piece)[:MEMORY]
        if self.size <= MEMORY:
            return None
        return self._workers.run(self._write, before, piece)

    def _write(self, before: bytes, piece: bytes) -> None:
        if self._file is None:
            self._file = TemporaryFile(dir=self._folder)  # noqa: SIM115 - `close` closes it
            self._file.write(before)
        self._file.write(piece)
