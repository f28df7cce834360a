"""A body on its way to the disk while somebody else reads it.

Whoever reads never waits for the disk: what it does not take in time makes the recording fail, and
nothing else.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from attrs import define

from agents.bundle import CONTENT_LIMIT
from anet.durable import sync_path
from anet.workers import Workers

MEMORY = 32 * 2**20  # bytes that all recordings of an agent hold at most


@define
class Memory:
    """Bytes that recordings may hold yet, all together."""

    left: int = MEMORY


class Recording:
    """One body: in memory while it is small, else in a file of its own.

    Args:
        workers: one thread, which does what is asked of it in order.
        memory: shared by all recordings.
        path: of the file, should it be needed.

    Attributes:
        size: bytes so far.
        problem: why it is not whole, or empty.
    """

    def __init__(self, workers: Workers, memory: Memory, path: Path) -> None:
        self.size = 0
        self.problem = ""
        self._workers, self._memory, self._path = workers, memory, path
        self._pieces: list[bytes] = []
        self._held = 0
        self._spills = False
        self._file: BinaryIO | None = None  # the thread's, as is the digest
        self._digest = sha256()

    def write(self, piece: bytes) -> None:
        """Take a piece; at once, and whatever the disk does."""
        if self.problem:
            return
        if len(piece) > self._memory.left:
            self.give_up("the disk does not keep up with what is to be recorded")
            return
        self._memory.left -= len(piece)
        self._held += len(piece)
        self.size += len(piece)
        self._pieces.append(piece)
        if self._held > CONTENT_LIMIT:
            self._spill()

    def give_up(self, problem: str) -> None:
        """Record no more of it, and let go of what was recorded."""
        self.problem = self.problem or problem
        self.release()

    def release(self) -> None:
        """Let go of memory, and of the file unless its content was moved."""
        self._memory.left += self._held
        self._pieces, self._held = [], 0
        if self._spills:
            self._in_thread(self._remove)

    def _spill(self) -> None:
        self._spills = True
        pieces, self._pieces = self._pieces, []
        held, self._held = self._held, 0
        self._in_thread(self._append, pieces).addBoth(self._spilled, held)

    def _spilled(self, _: Any, held: int) -> None:
        self._memory.left += held

    def _in_thread(self, job: Any, *args: Any) -> Any:
        return self._workers.run(job, *args).addErrback(self._failed)

    def _failed(self, failure: Any) -> None:
        self.problem = self.problem or failure.getErrorMessage()

    # In the thread

    def seal(self) -> tuple[bytes, bytes | None]:
        """Return the SHA-256, and the body unless it is in the file; nothing is written after.

        Raises:
            OSError: it is not whole, or cannot be written.
        """
        if self._file is None:
            body = b"".join(self._pieces)
            if len(body) != self.size:
                raise OSError(self.problem or "a part of it could not be written")
            return sha256(body).digest(), body
        self._append(self._pieces)
        if self._file.tell() != self.size:
            raise OSError(self.problem or "a part of it could not be written")
        return self._digest.digest(), None

    def move(self, to: Path) -> None:
        """Make the file durable under another name.

        Raises:
            OSError: it cannot be.
        """
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        to.parent.mkdir(parents=True, exist_ok=True)
        self._path.rename(to)
        sync_path(to.parent)
        sync_path(to.parent.parent)

    def _append(self, pieces: list[bytes]) -> None:
        if self._file is None:
            self._path.parent.mkdir(exist_ok=True)
            self._file = self._path.open("wb")
        for piece in pieces:
            self._file.write(piece)
            self._digest.update(piece)

    def _remove(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._path.unlink(missing_ok=True)
