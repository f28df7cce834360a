"""What a zygote and its keeper say to each other: small JSON objects behind their length.

keeper → zygote   {"fork": number, "argument": {…}, "descriptors": count}
                                                        fork a child, and let it have as many
                                                        descriptors as came over the socket
                  {"signal": pid, "number": signal}     send a signal to a child
zygote → keeper   {"ready": pid}                        modules are loaded
                  {"broken": text}                      they could not be; it ends
                  {"forked": number, "pid": pid}        or
                  {"refused": number, "reason": text}   the system allows no more processes
                  {"ended": pid, "status": code}        a child's exit code; -N for signal N
"""

import json
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import Any

from anet.errors import AnetError

LIMIT = 65_536  # bytes of one message

_LENGTH = Struct("!I")


class NurseryError(AnetError):
    """A zygote could not be begun, is gone, or could not fork."""


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as it goes over the socket.

    Raises:
        NurseryError: it is larger than the limit.
    """
    payload = json.dumps(message).encode()
    if len(payload) > LIMIT:
        raise NurseryError(f"a message of {len(payload)} bytes is over the limit of {LIMIT}")
    return _LENGTH.pack(len(payload)) + payload


class Reader:
    """Takes bytes as they come and gives whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Yield each message that is whole once `data` has come.

        Raises:
            NurseryError: the bytes are no messages of ours, or one is over the limit.
        """
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > LIMIT:
                raise NurseryError(f"a message of {length} bytes is over the limit of {LIMIT}")
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield _decode(payload)


def _decode(payload: bytes) -> dict[str, Any]:
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise NurseryError(f"not a message: {payload[:40]!r}")
    return message
