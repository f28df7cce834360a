"""Messages on their way out, gathered into frames. Sans I/O.

Each is written as it is said, so that one that cannot be carried fails by itself, and whoever
said it may change its values afterwards.
"""

from math import inf
from typing import Any

from hip.codecs import Codec
from hip.errors import TooLarge
from hip.messages import Message
from hip.wire import LENGTH, write_length

_ROOM = bytes(LENGTH)  # for the length of a frame, which is known at its end
MESSAGES = 128  # in one frame: the other end works on these while we write the next
PIECE = 64 * 1024  # bytes that are worth sending before there are so many messages


class Outbox:
    """Frames of one link that are not sent yet.

    Args:
        codec: the serializer that both ends chose.
        limit: bytes of the largest frame that the peer accepts.
    """

    __slots__ = ("_buffer", "_codec", "_count", "_kind", "_limit", "_start", "_write")

    def __init__(self, codec: Codec, limit: int) -> None:
        self._codec = codec
        self._write = codec.add
        self._limit = limit
        self._buffer = bytearray()
        self._kind = ""  # of the frame that is being written, if any is
        self._start = 0  # where it begins
        self._count = 0  # messages in it

    def __len__(self) -> int:
        """Return how many bytes wait to be sent."""
        return len(self._buffer)

    def add(self, message: Message) -> bool:
        """Write a message, in a frame with others of its kind.

        Returns:
            Whether there is enough to be sent before the turn ends.

        Raises:
            TooLarge: the peer accepts no frame of that size.
            CannotCarry: a part of it has no form on the wire.
        """
        if self._kind != message.KIND or self._count >= MESSAGES:
            self._begin(message.KIND)
        buffer = self._buffer
        before = len(buffer)
        self._write(buffer, message)
        size = len(buffer)
        if size - self._start > self._limit:  # the length's four bytes are to spare
            self._move(before)
        self._count = count = self._count + 1
        return count >= MESSAGES or size > PIECE

    def say(self, single: Any) -> None:
        """Write a frame that is one message.

        Raises:
            TooLarge, CannotCarry: as `add`.
        """
        payload = self._codec.encode(single)
        if len(payload) > self._limit:
            raise self._too_large(len(payload))
        if self._kind:
            self._end()
        self._buffer += len(payload).to_bytes(LENGTH, "big") + payload

    def take(self, most: float = inf) -> bytes:
        """Return what waits, or the first `most` bytes of it, to be sent now."""
        if self._kind:
            self._end()
        buffer = self._buffer
        if len(buffer) <= most:
            data = bytes(buffer)
            buffer.clear()
        else:
            data = bytes(memoryview(buffer)[: int(most)])
            del buffer[: int(most)]
        return data

    def _begin(self, kind: str) -> None:
        if self._kind:
            self._end()
        self._start, self._kind = len(self._buffer), kind
        self._buffer += _ROOM
        self._codec.begin(self._buffer, kind)

    def _end(self) -> None:
        """End the frame that is being written."""
        if self._count:
            self._codec.end(self._buffer, self._start + LENGTH, self._kind, self._count)
            write_length(self._buffer, self._start)
        else:  # its first message could not be carried
            del self._buffer[self._start :]
        self._kind, self._count = "", 0

    def _move(self, before: int) -> None:
        """Take the last message, which begins at `before`, out of a frame that is full."""
        message = self._buffer[before:]
        del self._buffer[before:]
        self._begin(self._kind)
        self._buffer += message
        size = len(self._buffer) - self._start
        if size > self._limit:
            self._end()
            raise self._too_large(size)

    def _too_large(self, size: int) -> TooLarge:
        return TooLarge(
            f"a message of {size} bytes; the peer accepts {self._limit}: "
            "send it in parts, or over HTTP"
        )
