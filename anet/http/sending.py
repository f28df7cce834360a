"""Writing to a connection at the pace at which the other side reads."""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from anet.errors import ConnectionBroken
from anet.http.file_body import FileBody, FilePart

PIECE = 64 * 1024  # bytes written at once


@implementer(IPushProducer)
class PacedWriter:
    """Writes to a transport and waits while its buffer is full.

    Attributes:
        lost: whether the connection is gone.
    """

    def __init__(self, transport: Any, on_progress: Callable[[], object]) -> None:
        self.lost = False
        self._transport = transport
        self._on_progress = on_progress
        self._drained: Deferred[None] | None = None
        transport.registerProducer(self, True)

    def write(self, data: bytes) -> None:
        """Write without waiting."""
        self._transport.write(data)

    async def drain(self) -> None:
        """Wait until the other side has taken what was written.

        Raises:
            ConnectionBroken: it went away.
        """
        if self._drained is not None:
            await self._drained
        self._on_progress()
        if self.lost:
            raise ConnectionBroken("the other side went away")

    async def send(self, data: bytes) -> None:
        """Write bytes, a piece at a time, and wait until they are taken.

        Raises:
            ConnectionBroken: the other side went away.
        """
        if len(data) <= PIECE:
            self._transport.write(data)
            await self.drain()
            return
        view = memoryview(data)
        for start in range(0, len(data), PIECE):
            self._transport.write(bytes(view[start : start + PIECE]))
            await self.drain()

    async def send_file(self, head: bytes, part: FilePart, body: FileBody) -> None:
        """Write a head and a part of a file, which is closed in the end.

        Raises:
            ConnectionBroken: the other side went away, or the file has become too short; its
                length was said already, so only the end of the connection tells the other side.
        """
        try:
            piece = part.read(PIECE)
            sent = len(piece)
            self._transport.write(head + piece)
            while piece:
                await self.drain()
                piece = part.read(PIECE)
                sent += len(piece)
                self._transport.write(piece)
        finally:
            part.close()
        if sent != body.length:
            raise ConnectionBroken(f"{body.path} ended {body.length - sent} bytes too early")

    def lose(self) -> None:
        """Take note that the connection is gone; who waits goes on, to fail."""
        self.lost = True
        self.resumeProducing()

    def pauseProducing(self) -> None:
        """Wait: the other side does not read."""
        if self._drained is None:
            self._drained = Deferred()

    def resumeProducing(self) -> None:
        """Go on."""
        drained, self._drained = self._drained, None
        if drained is not None:
            drained.callback(None)

    def stopProducing(self) -> None:
        """Stop for good; `lose` follows."""
