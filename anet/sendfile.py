"""Files to plain TCP connections by sendfile(2): the kernel sends them, nothing is copied here.

Twisted's transport keeps the socket; it is used here by its public face only. A *pull producer*
is asked for more whenever the transport's buffer is empty and its socket takes bytes. So when
`FileSender` is asked, and has written nothing since, it may use the socket past the transport,
and no byte overtakes another. `startWriting` asks the reactor for such a moment. What is written
between files leaves at the end of the reactor's turn, together and past the poller: see
`anet.gathering`.

Disks: sendfile waits for what is not in memory. Each call moves at most `TURN` bytes, and the
kernel is told beforehand to read the next ones (`POSIX_FADV_WILLNEED`), which happens while the
client takes the former. What remains is the wait for a cold file's first bytes, no longer than
that for its directory entry, which opening it means anyhow; a thread would cost every file that
is in memory more than the cold ones gain.
"""

import os
from collections.abc import Callable
from errno import EINVAL, ENOSYS
from socket import MSG_MORE, socket
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPullProducer
from twisted.internet.tcp import Connection
from zope.interface import implementer

from anet.errors import ConnectionBroken
from anet.gathering import Turn, send_now

TURN = 1024 * 1024  # bytes that one connection may send before others have their turn
FULL = 64 * 1024  # bytes that may wait in the transport before `drain` waits for them
_COPY = 64 * 1024  # bytes copied at once where the file system knows no sendfile


def sends_files(transport: object) -> bool:
    """Tell whether a transport is plain TCP, so that a file's bytes are what goes on the wire."""
    return isinstance(transport, Connection) and not transport.TLS


@implementer(IPullProducer)
class FileSender:
    """Sends files, and bytes between them, on one plain TCP connection, at its reader's pace.

    It is the transport's producer. Whoever owns the connection calls `lose` once it is lost.

    Args:
        transport: one of which `sends_files` is true.
        on_progress: called whenever the other side has taken something.
        turn: at whose end written bytes leave; without one they leave at once.

    Attributes:
        lost: whether the connection is gone.
    """

    def __init__(
        self, transport: Any, on_progress: Callable[[], object], turn: Turn | None = None
    ) -> None:
        self.lost = False
        self._transport = transport
        self._socket: socket = transport.getHandle()
        self._on_progress = on_progress
        self._turn = turn
        self._gathered: list[bytes] = []  # written in this turn
        self._size = 0  # of that, in bytes
        self._waiting = 0  # bytes in the transport's buffer, at most
        self._spent = 0  # bytes sent past the transport in this turn
        self._room: Deferred[None] | None = None
        transport.registerProducer(self, False)

    def write(self, data: bytes) -> None:
        """Write without waiting."""
        if self._turn is None:
            self._put(data)
            return
        if not self._gathered:
            self._turn.at_end(self._flush)
        self._gathered.append(data)
        self._size += len(data)
        if self._size > FULL:
            self._flush()

    def write_now(self, data: bytes) -> None:
        """Write without waiting for the turn's end, after what was written in it.

        Others have their turn before the reader asks again, so this takes none from them.
        """
        if self._gathered:
            self._flush()
        self._waiting += send_now(self._transport, data)

    def _flush(self) -> None:
        gathered, self._gathered, self._size = self._gathered, [], 0
        if gathered:
            self._put(b"".join(gathered))

    def _put(self, data: bytes, flags: int = 0) -> None:
        left = send_now(self._transport, data, flags)
        self._waiting += left
        self._spent += len(data) - left

    def has_room(self) -> bool:
        """Tell whether little waits, and others need not have their turn first."""
        return self._waiting <= FULL and self._spent < TURN

    async def drain(self) -> None:
        """Wait while much that was written waits to be taken, and when others have their turn.

        Raises:
            ConnectionBroken: the other side went away.
        """
        if self._waiting > FULL or self._spent >= TURN:
            await self._has_room()
        self._went_on()

    async def send(self, head: bytes, file: int, offset: int, length: int) -> int:
        """Send bytes and then a part of a file; together they leave in as few segments as can be.

        Args:
            head: goes first.
            file: descriptor of the file, which stays open.
            offset: the part's first byte.
            length: its bytes.

        Returns:
            How many bytes of the file were sent: fewer than `length` if it ends before.

        Raises:
            ConnectionBroken: the other side went away.
            OSError: the file cannot be read.
        """
        self._flush()
        if self._waiting or self._spent >= TURN:
            await self._has_room()
        # MSG_MORE holds the head back for the file's first bytes; TCP_CORK does the same for
        # two system calls more.
        self._put(head, MSG_MORE if length else 0)
        if self._waiting:
            await self._has_room()
        return await self._send_file(file, offset, length)

    async def _send_file(self, file: int, offset: int, length: int) -> int:
        end = offset + length
        at = offset
        move = _sendfile
        while at < end:
            try:
                moved = _or_full(move, self._socket, file, at, min(end - at, TURN))
            except EOFError:
                break
            except OSError as error:
                if move is _copy or error.errno not in (EINVAL, ENOSYS):
                    raise
                move = _copy
                continue
            at += moved
            self._spent += moved
            if at < end:
                os.posix_fadvise(file, at, min(end - at, TURN), os.POSIX_FADV_WILLNEED)
                await self._has_room()
            self._went_on()
        return at - offset

    async def _has_room(self) -> None:
        """Wait for the reactor's next turn in which the kernel has all, and takes more."""
        if not self.lost:
            self._room = Deferred()
            self._transport.startWriting()
            await self._room
        self._went_on()

    def _went_on(self) -> None:
        if self.lost:
            raise ConnectionBroken("the other side went away")
        self._on_progress()

    def lose(self) -> None:
        """Take note that the connection is gone; who waits goes on, to fail."""
        self.lost = True
        self._gathered.clear()
        self._go_on()

    def end(self) -> None:
        """Leave the transport with all that was written, so that it may be closed."""
        self._flush()
        self._transport.unregisterProducer()

    def resumeProducing(self) -> None:
        """Go on: the transport has nothing that waits, and its socket takes more."""
        self._waiting = self._spent = 0
        self._flush()
        if not self._waiting:
            self._go_on()

    def _go_on(self) -> None:
        room, self._room = self._room, None
        if room is not None:
            room.callback(None)

    def stopProducing(self) -> None:
        """Stop for good; `lose` follows."""


def _or_full(move: Callable[..., int], *arguments: object) -> int:
    """Return how many bytes were moved, none if the socket is full.

    A peer that went away counts as full: the transport is woken by the same error, reads what the
    peer said before, and then ends the connection as it ends any other.
    """
    try:
        return move(*arguments)
    except (BlockingIOError, ConnectionError, TimeoutError):
        return 0


def _sendfile(out: socket, file: int, offset: int, count: int) -> int:
    moved = os.sendfile(out.fileno(), file, offset, count)
    if moved == 0:
        raise EOFError
    return moved


def _copy(out: socket, file: int, offset: int, count: int) -> int:
    """Do what sendfile does, for file systems that do not know it."""
    data = os.pread(file, min(count, _COPY), offset)
    if not data:
        raise EOFError
    return out.send(data)
