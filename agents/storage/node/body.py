"""Taking bodies: small contents in memory, large ones through a file, some bundles at a time."""

from twisted.internet.defer import Deferred

from agents.storage.disk.contents import IncomingContent
from agents.storage.disk.node_store import NodeStore
from anet.errors import BodyTooLarge, Overloaded
from anet.http import Request

_PIECE = 1024 * 1024  # bytes hashed and written by one job
_BUNDLES_LIMIT = 64 * 1024 * 1024  # bytes of all bundles that are on their way in


class BodyReader:
    """Reads bodies for the disks.

    Args:
        store: the disks.
        content_limit: bytes of the largest body taken.
        memory_limit: bytes of a body that is kept in memory.

    Attributes:
        content_limit: as given.
    """

    def __init__(self, store: NodeStore, content_limit: int, memory_limit: int) -> None:
        self._store = store
        self.content_limit, self._memory_limit = content_limit, memory_limit
        self._arriving = 0  # bytes of bundles

    async def read_bundle(self, request: Request, limit: int) -> bytes:
        """Return the bytes of a bundle that says its length.

        Raises:
            BodyTooLarge: it passes the limit.
            Overloaded: too many others are on their way.
            DiskFull: there is no room for it.
            ConnectionBroken: it did not come whole.
        """
        announced = int(request.headers.get(b"content-length") or 0)
        if announced > limit:
            raise BodyTooLarge(f"a bundle has at most {limit} bytes here")
        if self._arriving + announced > _BUNDLES_LIMIT:
            raise Overloaded(f"{self._arriving} bytes of bundles arrive; try again in a moment")
        self._store.require(announced)
        self._arriving += announced
        try:
            return await request.read(limit)
        finally:
            self._arriving -= announced

    async def read(self, request: Request, key: str) -> bytes | IncomingContent:
        """Return the body that a key names, or the file that it went to.

        Raises:
            BodyTooLarge: it passes the limit.
            DiskFull: there is no room for it.
            ConnectionBroken: it did not come whole.
        """
        announced = int(request.headers.get(b"content-length") or 0)
        if announced > self.content_limit:
            raise BodyTooLarge(f"a content has at most {self.content_limit} bytes here")
        self._store.require(announced)
        body = _Body(self._store, key, announced, self.content_limit, self._memory_limit)
        try:
            await request.deliver(body.take)
            return await body.end()
        except BaseException:
            await body.discard()
            raise


class _Body:
    """One body on its way."""

    def __init__(
        self, store: NodeStore, key: str, announced: int, content_limit: int, memory_limit: int
    ) -> None:
        self._store, self._key, self._announced = store, key, announced
        self._content_limit, self._memory_limit = content_limit, memory_limit
        self._pieces: list[bytes] = []
        self._held = 0
        self._size = 0
        self._file: IncomingContent | None = None
        self._writing: Deferred[None] | None = None

    def take(self, piece: bytes) -> Deferred[None] | None:
        """Take a piece; a Deferred holds the client back while a file is written."""
        self._pieces.append(piece)
        self._held += len(piece)
        self._size += len(piece)
        if self._size > self._content_limit:
            raise BodyTooLarge(f"a content has at most {self._content_limit} bytes here")
        limit = self._memory_limit if self._file is None else _PIECE
        if self._held <= limit:
            return None
        self._writing = Deferred.fromCoroutine(self._flush())
        return self._writing

    async def end(self) -> bytes | IncomingContent:
        """Return the whole."""
        if self._file is None:
            return b"".join(self._pieces)
        await self._flush()
        return self._file

    async def discard(self) -> None:
        """Take away what was written, once nothing writes to it any more."""
        if self._writing is not None and not self._writing.called:
            waiting: Deferred[None] = Deferred()
            self._writing.addBoth(lambda _: waiting.callback(None))
            await waiting
        if self._file is not None:
            await self._store.discard(self._file)

    async def _flush(self) -> None:
        pieces, self._pieces, self._held = self._pieces, [], 0
        if self._file is None:
            self._file = await self._store.receive(self._key, self._announced)
        if pieces:
            await self._store.write(self._file, b"".join(pieces))
