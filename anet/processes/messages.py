"""What a pool and its workers say to each other: MessagePack behind its length, with a limit.

pool → worker     [number, "module:function", [arguments]]
worker → pool     an empty frame                        once, when it is ready
                  [number, last, [kind, …]]             the answer to that number

`kind` is `returned` (a value), `raised` (an exception's class and words), `too_large`, or
`not_sendable` (words). `last` says that the worker takes no more tasks and wants to be replaced.
"""

from struct import Struct
from typing import Any

import msgspec

from anet.errors import AnetError

_LENGTH = Struct("!I")
_WRAPPING = 8192  # bytes that a frame may have beyond the value in it


class Nonsense(AnetError):
    """Bytes that no worker of ours sends."""


class Task(msgspec.Struct, array_like=True, frozen=True):
    """Call a function."""

    number: int
    function: str
    arguments: list[Any]


class Returned(msgspec.Struct, array_like=True, frozen=True, tag="returned"):
    """The function returned `value`."""

    value: Any


class Raised(msgspec.Struct, array_like=True, frozen=True, tag="raised"):
    """The function raised an exception; `name` is the name of its class."""

    name: str
    words: str


class TooLarge(msgspec.Struct, array_like=True, frozen=True, tag="too_large"):
    """The function took more memory than it may."""


class NotSent(msgspec.Struct, array_like=True, frozen=True, tag="not_sendable"):
    """What the function returned cannot be sent."""

    words: str


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """What became of the task of that number."""

    number: int
    last: bool
    outcome: Returned | Raised | TooLarge | NotSent


encode = msgspec.msgpack.Encoder().encode
decode_task = msgspec.msgpack.Decoder(Task).decode
_decode_answer = msgspec.msgpack.Decoder(Answer).decode


def decode_answer(payload: bytes) -> Answer:
    """Read an answer.

    Raises:
        Nonsense: the payload is none.
    """
    try:
        return _decode_answer(payload)
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError) as error:
        raise Nonsense(f"not an answer: {payload[:40]!r} ({error})") from None


def framed(payload: bytes) -> bytes:
    """Return a payload behind its length, as it goes over the socket."""
    return _LENGTH.pack(len(payload)) + payload


class Frames:
    """Takes a worker's bytes as they come, and gives a frame when it is whole.

    A worker says one thing at a time, so that whatever follows a frame at once is nonsense.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit + _WRAPPING
        self._buffer = bytearray()

    def feed(self, data: bytes) -> bytes | None:
        """Return the frame that `data` completes, if it does.

        Raises:
            Nonsense: it is over the limit, or more than one.
        """
        self._buffer += data
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > self._limit:
            raise Nonsense(f"a frame of {length} bytes is over the limit of {self._limit}")
        missing = _LENGTH.size + length - len(self._buffer)
        if missing < 0:
            raise Nonsense(f"{-missing} bytes behind the end of a frame")
        if missing:
            return None
        payload = bytes(memoryview(self._buffer)[_LENGTH.size :])
        self._buffer = bytearray()
        return payload


def read_frame(file: Any) -> bytes | None:
    """Read a frame from a blocking file; None at its end."""
    head = file.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    payload: bytes = file.read(length)
    return payload if len(payload) == length else None
