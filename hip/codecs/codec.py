"""What a serializer does."""

from collections.abc import Callable
from typing import Any, Protocol

from hip.errors import ProtocolError
from hip.messages import Message

DEPTH = 100  # levels of nesting
INTEGER_BITS = 4096


class Codec(Protocol):
    """Turns values into bytes and back.

    A frame of many messages is written as they come: `begin`, `add` for each, `end`.

    Attributes:
        name: as the greeting offers it.
    """

    name: str

    def encode(self, value: object) -> bytes:
        """Return the bytes of a value.

        Raises:
            CannotCarry: a part of the value has no form on the wire.
        """

    def decode(self, data: bytes | memoryview, kind: Any = Any) -> Any:
        """Return the value of bytes from a peer that is not trusted, as one of `kind`.

        Raises:
            ProtocolError: they are not one value, or not of that kind.
        """

    def reader(self, kind: Any) -> Callable[[bytes | memoryview], Any]:
        """Return what decodes values of `kind`, quicker than `decode` does."""

    def begin(self, buffer: bytearray, kind: str) -> None:
        """Write the beginning of a frame of messages at the end of `buffer`."""

    def add(self, buffer: bytearray, message: Message) -> None:
        """Write one message of the frame.

        Raises:
            CannotCarry: a part of it has no form on the wire; `buffer` is as before.
        """

    def end(self, buffer: bytearray, start: int, kind: str, count: int) -> None:
        """Write the end of the frame that began at `start` and holds `count` messages."""


def is_small(value: int) -> bool:
    """Tell whether an integer fits in 64 bits, with a sign or without."""
    return -(2**63) <= value < 2**64


def is_key(value: object) -> bool:
    """Tell whether mappings may have a key: text, bytes, or an integer of 64 bits.

    Not larger ones: many of one hash are easily made, and each is compared with all.
    """
    if isinstance(value, int):
        return not isinstance(value, bool) and is_small(value)
    return isinstance(value, str | bytes)


def refuse(what: str, error: Exception) -> ProtocolError:
    """Return the error for bytes that are none of what they should be."""
    words = " ".join(str(error).split())[:200] or type(error).__name__
    return ProtocolError(f"{what}: {words}")
