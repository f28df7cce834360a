"""The body of one answer as it arrives: signed, kept and read chunk by chunk (*INA §1.4.3*)."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from agents.bundle import CONTENT_LIMIT
from agents.crawler.errors import Enough, TooLong
from agents.crawler.pack import Pack
from agents.crawler.reading.reader import Reader, Reading
from anet.workers import Workers

MEMORY = CONTENT_LIMIT  # bytes of a body kept in memory; what is longer goes to a temporary file


class Reception:
    """Takes the chunks of one body.

    Args:
        clock: the reactor, which long reading lets have its turn.
        workers: threads, in one of which the room of a large file is given back.
        temporary: the file for a body that is not short.
        limit: bytes of the body.
        reader: reads the body, if anything does.
        coding: the `Content-Encoding` header; the body is kept as received, and read decoded.
        cut: whether the beginning of a body that passes the limit is wanted.

    Attributes:
        size: bytes so far.
    """

    def __init__(
        self,
        clock: IReactorTime,
        workers: Workers,
        temporary: Path,
        limit: int,
        reader: Reader | None,
        coding: str = "",
        cut: bool = False,
    ) -> None:
        self.size = 0
        self._limit = limit
        self._cut = cut
        self._reading = None if reader is None else Reading(clock, reader, coding)
        self._hash = sha256()
        self._workers = workers
        self._temporary = temporary
        self._file: BinaryIO | None = None
        self._chunks: list[bytes] = []

    @property
    def reader_failed(self) -> bool:
        """Whether what reads the body gave up."""
        return self._reading is not None and self._reading.failed

    @property
    def reader_cut(self) -> bool:
        """Whether a part of the body could not be decoded, or passes the limit of decoding."""
        return self._reading is not None and self._reading.cut

    def __call__(self, chunk: bytes) -> Deferred[None] | None:
        """Take the next bytes; a Deferred asks to wait with more until they have been read.

        Raises:
            TooLong: they pass the limit.
            Enough: they pass the limit, up to which they are kept and read.
            OSError: they can't be written.
        """
        room = self._limit - self.size
        if len(chunk) > room:
            if self._cut:
                self._take(chunk[:room])
                raise Enough
            raise TooLong(self._limit)
        return self._take(chunk)

    async def finish(self) -> bytes:
        """Take the end; return the SHA-256 of the body."""
        rest = None if self._reading is None else self._reading.close()
        if rest is not None:
            await rest
        return self._hash.digest()

    def store(self, pack: Pack, path: str) -> int | None:
        """Leave a short body in `pack` and return where it begins; leave a longer one at `path`.

        Raises:
            OSError: it can't be written.
        """
        if self._file is None:
            return pack.append(b"".join(self._chunks))
        self._file.close()
        self._file = None
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._temporary.rename(path)
        return None

    def discard(self) -> None:
        """Forget the body, if it was not stored, and read no further."""
        if self._reading is not None:
            self._reading.stop()
        self._chunks = []
        if self._file is not None:
            # Without its name an open file is as good as gone. Its blocks are freed when it is
            # closed, for which the file system takes half a second per gigabyte.
            self._temporary.unlink(missing_ok=True)
            self._workers.run(self._file.close).addErrback(_close, self._file)
            self._file = None

    def _take(self, chunk: bytes) -> Deferred[None] | None:
        self.size += len(chunk)
        self._hash.update(chunk)
        self._keep(chunk)
        return None if self._reading is None else self._reading.feed(chunk)

    def _keep(self, chunk: bytes) -> None:
        if self._file is not None:
            self._file.write(chunk)
            return
        self._chunks.append(chunk)
        if self.size > MEMORY:
            self._file = self._temporary.open("wb")
            self._file.writelines(self._chunks)
            self._chunks = []


def _close(_: Failure, file: BinaryIO) -> None:
    """Close a file that no worker took; what the disk did not take of it is not wanted."""
    with suppress(OSError):
        file.close()
