"""Frames: a length of four bytes, big-endian, and a payload of that many. Sans I/O."""

from struct import Struct

from hip.errors import ProtocolError

_LENGTH = Struct(">I")
LENGTH = _LENGTH.size  # bytes before each payload


def frame(payload: bytes) -> bytes:
    """Return a payload as it goes over the wire."""
    return _LENGTH.pack(len(payload)) + payload


def write_length(buffer: bytearray, start: int) -> None:
    """Say how long the payload is that ends a buffer, in the four bytes kept for it at `start`."""
    _LENGTH.pack_into(buffer, start, len(buffer) - start - LENGTH)


class Framer:
    """Cuts a stream of bytes into payloads.

    Whole frames are cut out of what arrived without copying it together first; a link where no
    frame is under way keeps no buffer, so thousands of idle ones are cheap.

    Attributes:
        limit: bytes of the largest payload accepted; it is checked before any of it is kept.
        is_empty: whether it holds nothing.
        size: bytes of the payload that was cut last.
    """

    __slots__ = ("_data", "_start", "is_empty", "limit", "size")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.is_empty = True
        self.size = 0
        self._data: bytes | bytearray = b""
        self._start = 0  # where the next frame begins

    def __len__(self) -> int:
        """Return how many bytes are held."""
        return len(self._data) - self._start

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self.is_empty = False
        if not self._data:
            self._data = data
            return
        if not isinstance(self._data, bytearray):
            self._data = bytearray(self._data)
        del self._data[: self._start]
        self._start = 0
        self._data += data

    def next(self) -> memoryview | None:
        """Return the next payload, or None when it is not whole; good until bytes come again.

        Raises:
            ProtocolError: it would pass the limit, or is empty.
        """
        data, start = self._data, self._start
        have = len(data) - start
        if have < LENGTH:
            self._wait()
            return None
        (length,) = _LENGTH.unpack_from(data, start)
        if not 0 < length <= self.limit:
            raise ProtocolError(f"a frame of {length} bytes; from 1 to {self.limit} are accepted")
        if have < LENGTH + length:
            self._wait()
            return None
        begin = start + LENGTH
        self._start = end = begin + length
        self.size = length
        if have == LENGTH + length:  # the usual end of what came
            self._data, self._start, self.is_empty = b"", 0, True
        return memoryview(data)[begin:end]

    def _wait(self) -> None:
        """Keep only what the next frame needs."""
        if self._start:
            self._data, self._start = self._data[self._start :], 0
