"""Frames: a length of four bytes, big-endian, and a payload of that many. Sans I/O."""

from struct import Struct

from hip.errors import ProtocolError

_LENGTH = Struct(">I")


def frame(payload: bytes) -> bytes:
    """Return a payload as it goes over the wire."""
    return _LENGTH.pack(len(payload)) + payload


class Framer:
    """Cuts a stream of bytes into payloads.

    Attributes:
        limit: bytes of the largest payload accepted; it is checked before any of it is kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self._buffer += data

    def next(self) -> bytes | None:
        """Return the next payload, or None when it is not whole.

        Raises:
            ProtocolError: it would pass the limit, or is empty.
        """
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if not 0 < length <= self.limit:
            raise ProtocolError(f"a frame of {length} bytes; from 1 to {self.limit} are accepted")
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(memoryview(self._buffer)[_LENGTH.size : end])
        del self._buffer[:end]
        return payload
