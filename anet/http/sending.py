"""Writing to a connection at the pace at which the other side reads."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from anet.errors import ConnectionBroken
from anet.gathering import Turn
from anet.http.file_body import FilePart
from anet.sendfile import FileSender, sends_files

PIECE = 64 * 1024  # bytes written at once
SMALL = 32 * 1024  # bytes of a file that cost less to read and write with the head than to sendfile


class PacedWriter(ABC):
    """Writes to a transport and waits while its buffer is full."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write without waiting."""

    @abstractmethod
    def write_now(self, data: bytes) -> None:
        """Write without waiting, and without gathering what else is written in this turn."""

    @abstractmethod
    def has_room(self) -> bool:
        """Tell whether little that was written waits to be taken."""

    @abstractmethod
    async def drain(self) -> None:
        """Wait until the other side has taken what was written.

        Raises:
            ConnectionBroken: it went away.
        """

    @abstractmethod
    async def _send_part(self, head: bytes, part: FilePart) -> int:
        """Write a head and a part of a file; return how many bytes of it there were."""

    @abstractmethod
    def end(self) -> None:
        """Leave the transport with all that was written, so that it may be closed."""

    @abstractmethod
    def lose(self) -> None:
        """Take note that the connection is gone; who waits goes on, to fail."""

    async def send(self, data: bytes) -> None:
        """Write bytes, a piece at a time, and wait until they are taken.

        Raises:
            ConnectionBroken: the other side went away.
        """
        if len(data) <= PIECE:
            self.write(data)
            await self.drain()
            return
        view = memoryview(data)
        for start in range(0, len(data), PIECE):
            self.write(bytes(view[start : start + PIECE]))
            await self.drain()

    async def send_file(self, head: bytes, part: FilePart) -> None:
        """Write a head and a part of a file, which is closed in the end.

        Raises:
            ConnectionBroken: the other side went away, or the file has become too short; its
                length was said already, so only the end of the connection tells the other side.
            OSError: the file cannot be read.
        """
        length = part.body.length
        try:
            if length <= SMALL:
                piece = part.read(length)
                sent = len(piece)
                await self.send(head + piece)
            else:
                sent = await self._send_part(head, part)
        finally:
            part.close()
        if sent != length:
            raise ConnectionBroken(f"{part.body.path} ended {length - sent} bytes too early")


def paced_writer(
    transport: Any, on_progress: Callable[[], object], turn: Turn | None = None
) -> PacedWriter:
    """Return what writes to a transport; it becomes the transport's producer.

    Args:
        transport: of a connection.
        on_progress: called whenever the other side has taken something.
        turn: at whose end written bytes leave, if the transport is plain TCP.
    """
    if sends_files(transport):
        return TcpWriter(FileSender(transport, on_progress, turn))
    return BufferedWriter(transport, on_progress)


class TcpWriter(PacedWriter):
    """Writes to plain TCP; the kernel sends the files."""

    def __init__(self, sender: FileSender) -> None:
        self._sender = sender

    def write(self, data: bytes) -> None:
        """Write without waiting."""
        self._sender.write(data)

    def write_now(self, data: bytes) -> None:
        """Write without waiting; it leaves at once."""
        self._sender.write_now(data)

    def has_room(self) -> bool:
        """Tell whether little waits."""
        return self._sender.has_room()

    async def drain(self) -> None:
        """Wait while too much waits to be taken."""
        await self._sender.drain()

    async def _send_part(self, head: bytes, part: FilePart) -> int:
        body = part.body
        return await self._sender.send(head, part.fileno(), body.offset, body.length)

    def end(self) -> None:
        """Leave the transport."""
        self._sender.end()

    def lose(self) -> None:
        """Take note that the connection is gone."""
        self._sender.lose()


@implementer(IPushProducer)
class BufferedWriter(PacedWriter):
    """Writes to any transport; TLS needs a file's bytes in this process to encrypt them."""

    def __init__(self, transport: Any, on_progress: Callable[[], object]) -> None:
        self._lost = False
        self._transport = transport
        self._on_progress = on_progress
        self._drained: Deferred[None] | None = None
        transport.registerProducer(self, True)

    def write(self, data: bytes) -> None:
        """Write without waiting."""
        self._transport.write(data)

    def write_now(self, data: bytes) -> None:
        """Write without waiting."""
        self._transport.write(data)

    def has_room(self) -> bool:
        """Tell whether the transport's buffer has room."""
        return self._drained is None

    async def drain(self) -> None:
        """Wait while the transport's buffer is full."""
        if self._drained is not None:
            await self._drained
        if self._lost:
            raise ConnectionBroken("the other side went away")
        self._on_progress()

    async def _send_part(self, head: bytes, part: FilePart) -> int:
        piece = part.read(PIECE)
        sent = len(piece)
        self._transport.write(head + piece)
        while piece:
            await self.drain()
            piece = part.read(PIECE)
            sent += len(piece)
            self._transport.write(piece)
        return sent

    def end(self) -> None:
        """Leave the transport; it has all."""
        self._transport.unregisterProducer()

    def lose(self) -> None:
        """Take note that the connection is gone."""
        self._lost = True
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
