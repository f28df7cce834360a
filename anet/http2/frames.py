"""The frames of HTTP/2 one by one (RFC 9113 §4.1), lest a polite goodbye be taken for an end.

A server that closes in good order says GOAWAY while the answer to the last request is still on its
way; `h2` (4.4) would refuse that answer. Sans I/O.
"""

from collections.abc import Iterator

_HEAD = 9  # bytes of a frame before its payload
_LONGEST = 2**14  # bytes of a payload, unless more was allowed
_GOAWAY = 7


class FrameSplitter:
    """Cuts what comes into whole frames."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the frames that are whole; one that is too long at once, for `h2` to refuse."""
        buffer, at = self._buffer + data, 0
        while len(buffer) - at >= _HEAD:
            length = int.from_bytes(buffer[at : at + 3], "big")
            end = at + _HEAD + length
            if end > len(buffer) and length <= _LONGEST:
                break
            yield buffer[at:end]
            at = min(end, len(buffer))
        self._buffer = buffer[at:]


def last_stream(frame: bytes) -> int | None:
    """Return the last stream that a server still answers, if a frame is a goodbye without error."""
    polite = frame[3] == _GOAWAY and len(frame) >= _HEAD + 8 and not any(frame[13:17])
    return int.from_bytes(frame[9:13], "big") & 0x7FFF_FFFF if polite else None
