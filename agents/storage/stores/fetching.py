"""A whole content from any of its copies, proven by its SHA-256."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import IO

from agents.storage.errors import StorageError
from agents.storage.stores.errors import NotHeld, NotProven, StoreUnreachable
from agents.storage.stores.interface import IN_MEMORY
from anet.errors import AnetError
from anet.workers import Workers

Copy = Callable[[], AsyncIterator[bytes]]


async def fetch(key: str, copies: Iterable[Copy], workers: Workers, spool: Path) -> bytes | Path:
    """Return the first copy that is what the key says.

    Args:
        key: SHA-256 of the content.
        copies: each opens one copy.
        workers: hash and write large ones.
        spool: folder of large ones; the caller removes the file.

    Raises:
        NotHeld: there is no copy.
        NotProven: every copy that could be read is damaged.
        StoreUnreachable: none could be read.
    """
    problems: list[StorageError] = []
    for copy in copies:
        incoming = _Incoming(workers, spool)
        try:
            async for piece in copy():
                await incoming.write(piece)
            found = incoming.finish()
        except (StorageError, AnetError, OSError) as error:
            is_ours = isinstance(error, StorageError)
            problems.append(error if is_ours else StoreUnreachable(str(error)))  # type: ignore[arg-type]
            incoming.discard()
        except BaseException:
            incoming.discard()
            raise
        else:
            if incoming.digest == key:
                return found
            incoming.discard()
            problems.insert(0, NotProven(f"{key} is damaged: it hashes to {incoming.digest}"))
    raise next(iter(problems), NotHeld(f"the content {key} is not there"))


class _Incoming:
    """A content that arrives: in memory at first, in a file once it is large."""

    def __init__(self, workers: Workers, spool: Path) -> None:
        self._workers, self._spool = workers, spool
        self._hash = sha256()
        self._held = bytearray()
        self._file: IO[bytes] | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of what came."""
        return self._hash.hexdigest()

    async def write(self, piece: bytes) -> None:
        """Take the next bytes.

        Raises:
            OSError: the system could not write.
        """
        if self._file is None and len(self._held) + len(piece) <= IN_MEMORY:
            self._hash.update(piece)
            self._held += piece
        else:
            await self._workers.run(self._spill, piece)

    def finish(self) -> bytes | Path:
        """Return all of it."""
        if self._file is None:
            return bytes(self._held)
        self._file.close()
        return Path(self._file.name)

    def discard(self) -> None:
        """Take the file away."""
        if self._file is not None:
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)

    def _spill(self, piece: bytes) -> None:
        if self._file is None:
            self._file = tempfile.NamedTemporaryFile(dir=self._spool, delete=False)  # noqa: SIM115
            self._file.write(self._held)
            self._held.clear()
        self._hash.update(piece)
        self._file.write(piece)
