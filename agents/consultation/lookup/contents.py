"""Streaming a content from the nodes that hold it, proven on the way (*INA §2.3.2* step 7)."""

from collections import deque
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from agents.consultation.errors import ContentDamaged, NodesFailed
from agents.consultation.lookup.silent import Silent, Turns
from anet.errors import AnetError, ConnectionBroken, TimedOut
from anet.http import ClientResponse, HttpClient

HELD_LIMIT = 256 * 1024  # bytes of one content in memory; smaller ones are proven before a byte

_log = Logger()


class Pieces:
    """The body of a response, asked for piece by piece; the node waits when nobody asks."""

    def __init__(self, response: ClientResponse) -> None:
        self._response = response
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._room: Deferred[None] | None = None
        self._ready: Deferred[None] | None = None
        self._ended = False
        self._failure: Failure | None = None
        response.deliver(self._take).addCallbacks(self._end, self._fail)

    async def next(self) -> bytes:
        """Return the next piece, or nothing at the end.

        Raises:
            HttpError: the body did not come whole.
        """
        while not self._pieces:
            if self._failure is not None:
                self._failure.raiseException()
            if self._ended:
                return b""
            self._ready = Deferred()
            await self._ready
        piece = self._pieces.popleft()
        self._held -= len(piece)
        if self._room is not None and self._held < HELD_LIMIT:
            room, self._room = self._room, None
            room.callback(None)
        return piece

    def close(self) -> None:
        """Let go of the node."""
        if not self._ended and self._failure is None:
            self._response.abandon()

    def _take(self, piece: bytes) -> "Deferred[Any] | None":
        self._pieces.append(piece)
        self._held += len(piece)
        self._wake()
        if self._held < HELD_LIMIT:
            return None
        self._room = Deferred()
        return self._room

    def _end(self, _: int) -> None:
        self._ended = True
        self._wake()

    def _fail(self, failure: Failure) -> None:
        self._failure = failure
        self._wake()

    def _wake(self) -> None:
        ready, self._ready = self._ready, None
        if ready is not None:
            ready.callback(None)


class Content:
    """One content on its way to a browser.

    A node that fails is left for the next, which goes on where it stopped. The bytes are hashed
    as they pass: a content of up to `HELD_LIMIT` bytes is proven before its first byte is given,
    also when only a part of it is wanted; a longer one before its last. A part of a longer one
    proves nothing, and is given as the node gives it. An asynchronous iterator of its pieces.

    Attributes:
        key: SHA-256 of the content, hexadecimal.
        size: its bytes.
        whole: all that is wanted of it, where that is here already; then no node is asked.
        on_piece: called with the size of each piece that is given.
    """

    def __init__(
        self,
        client: HttpClient,
        nodes: list[str],
        key: str,
        size: int,
        span: tuple[int, int] | None = None,
        body: bytes | None = None,
        silent: Silent | None = None,
    ) -> None:
        """Be a content that lies on these nodes.

        Args:
            client: asks the nodes.
            nodes: their base URLs, in the order in which they are asked.
            key: SHA-256 of the content.
            size: bytes of the whole content.
            span: the part of it that is wanted, from the first byte up to and without the second;
                None for all of it.
            body: the whole content, where it is here already and proven.
            silent: nodes that said nothing lately, to be asked last.
        """
        self.key = key
        self.size = size
        wanted = span or (0, size)
        self._cut = slice(*wanted) if size <= HELD_LIMIT and wanted != (0, size) else None
        self._start, self._stop = (0, size) if self._cut else wanted
        self._is_whole = (self._start, self._stop) == (0, size)
        self._client = client
        self._silent = silent or Silent()
        self._nodes = Turns(nodes, self._silent)
        self._body: Pieces | None = None
        self._position = self._start
        self._digest = sha256()
        self._begun: deque[bytes] = deque()
        self.whole: bytes | None = None
        if body is not None:
            self.whole = body[slice(*wanted)]
            self._begun.append(self.whole)
            self._position = self._stop
        self._failures: list[str] = []
        self.on_piece: Callable[[int], None] = lambda size: None

    async def begin(self) -> None:
        """Fetch the first pieces, so that what follows is likely to succeed.

        Raises:
            NodesFailed: no node gives the content whole and undamaged.
        """
        if self.whole is not None:
            return
        try:
            while True:
                enough = min(self._stop, self._start + HELD_LIMIT)
                while self._position < enough or self._body is None:
                    self._begun.append(await self._read())
                if self._position < self._stop or self._is_proven():
                    break
                self._drop(f"damaged: its SHA-256 is {self._digest.hexdigest()}")
                self._position, self._digest = self._start, sha256()
                self._begun.clear()
            if self._cut is not None:
                self._begun = deque([b"".join(self._begun)[self._cut]])
        except BaseException:
            self.close()
            raise

    def __aiter__(self) -> "Content":
        return self

    async def __anext__(self) -> bytes:
        """Return the next piece.

        Raises:
            NodesFailed: no node gives the rest.
            ContentDamaged: the bytes are not what the key says; the last piece is kept back.
        """
        if not self._begun:
            self.close()
            raise StopAsyncIteration
        piece = self._begun.popleft()
        if not self._begun and self._position < self._stop:
            try:
                await self._go_on()
            except BaseException:
                self.close()
                raise
        self.on_piece(len(piece))
        return piece

    async def aclose(self) -> None:
        """Let go of the node; what was not read is not wanted."""
        self.close()

    async def _go_on(self) -> None:
        """Fetch one more piece; the last one is kept back when the whole is not proven."""
        self._begun.append(await self._read())
        if self._position == self._stop and not self._is_proven():
            node = self._nodes.node
            _log.error("content {key} is damaged on {node}", key=self.key, node=node)
            self._silent.note(node)  # so that the reader who asks again gets another's
            raise ContentDamaged(f"a node gave another content than {self.key}")

    def close(self) -> None:
        """Let go of the node."""
        body, self._body = self._body, None
        if body is not None:
            body.close()

    async def _read(self) -> bytes:
        """Return the next piece, from another node if need be."""
        while True:
            if self._body is None:
                self._body = await self._connect()
                if self._position == self._stop:
                    return b""
            try:
                piece = await self._body.next()
            except AnetError as error:
                self._drop(str(error), silent=isinstance(error, TimedOut))
                continue
            if not piece:
                self._drop(f"ended after {self._position} of {self._stop} bytes")
                continue
            self._position += len(piece)
            if self._is_whole:
                self._digest.update(piece)
            return piece

    async def _connect(self) -> Pieces:
        while self._nodes:
            try:
                return Pieces(await self._ask(self._nodes.node, self._nodes.patience))
            except AnetError as error:
                self._drop(str(error), silent=isinstance(error, TimedOut))
        raise NodesFailed("; ".join(self._failures) or "no storage node holds it")

    async def _ask(self, node: str, patience: float | None) -> ClientResponse:
        is_part = self._position > 0 or self._stop < self.size
        last = self._stop - 1
        fields = [(b"Range", b"bytes=%d-%d" % (self._position, last))] if is_part else []
        url = f"{node.rstrip('/')}/contents/{self.key}"
        response = await self._client.request("GET", url, fields, patience=patience)
        length = response.head.headers.text(b"content-length")
        wanted = 206 if is_part else 200
        if response.head.status == wanted and length == str(self._stop - self._position):
            return response
        response.abandon()
        raise ConnectionBroken(f"answered {response.head.status} with {length or 'no'} bytes")

    def _is_proven(self) -> bool:
        return not self._is_whole or self._digest.hexdigest() == self.key

    def _drop(self, reason: str, *, silent: bool = False) -> None:
        """Leave the present node."""
        self.close()
        self._failures.append(f"{self._nodes.node}: {reason}")
        self._nodes.leave(silent=silent)
