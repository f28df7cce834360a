"""MessagePack, the native serializer.

msgspec reads and writes it, quicker than the msgpack package and with its types checked in the
same pass; msgpack writes what msgspec cannot, integers beyond 64 bits (docs/decisions/0013).
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from struct import Struct
from typing import Any

import msgpack
import msgspec

from hip.codecs.codec import INTEGER_BITS, refuse
from hip.errors import CannotCarry
from hip.messages import Message

_LARGE_INTEGER = 1  # extension type: two's complement, big-endian
_PAIR = 0x92  # an array of two
_TEXT = 0xA0  # a text of up to 31 bytes, less its length
_ARRAY = 0xDC  # an array of up to 65,535, with two bytes of length
_COUNT = Struct(">H")
_FAULTS = (TypeError, ValueError, OverflowError, RecursionError)  # msgspec's own are ValueErrors
_BUILTIN = (bytes, bytearray, memoryview, datetime)  # what msgspec need not make plainer


class _LargeIntegerSeen(Exception):
    """A value holds an integer beyond 64 bits."""


class MessagePackCodec:
    """MessagePack, with extension 1 for integers beyond 64 bits and -1 for moments."""

    name = "msgpack"

    def __init__(self) -> None:
        self._encoder = msgspec.msgpack.Encoder()
        self._readers: dict[Any, Callable[[bytes | memoryview], Any]] = {}

    def encode(self, value: object) -> bytes:
        """Return the bytes of a value."""
        try:
            return self._encoder.encode(value)
        except OverflowError:
            return self._encode_large(value)
        except _FAULTS as error:
            raise _cannot(error) from None

    def decode(self, data: bytes | memoryview, kind: Any = Any) -> Any:
        """Return the value of bytes, as one of `kind`."""
        return self.reader(kind)(data)

    def reader(self, kind: Any) -> Callable[[bytes | memoryview], Any]:
        """Return what decodes values of `kind`; it is kept."""
        if kind not in self._readers:
            self._readers[kind] = _reader(kind)
        return self._readers[kind]

    def begin(self, buffer: bytearray, kind: str) -> None:
        """Write the beginning of a frame; the number of messages is not known yet."""
        buffer += _beginning(kind)

    def add(self, buffer: bytearray, message: Message) -> None:
        """Write one message."""
        end = len(buffer)
        try:
            self._encoder.encode_into(message, buffer, end)
        except OverflowError:
            del buffer[end:]
            buffer += self._encode_large(message)
        except _FAULTS as error:
            del buffer[end:]
            raise _cannot(error) from None

    def end(self, buffer: bytearray, start: int, kind: str, count: int) -> None:
        """Write how many messages there are."""
        _COUNT.pack_into(buffer, start + 3 + len(kind), count)

    def _encode_large(self, value: object) -> bytes:
        """Return the bytes of a value that has integers beyond 64 bits."""
        try:
            plain = msgspec.to_builtins(value, builtin_types=_BUILTIN, str_keys=False)
            packed: bytes = msgpack.packb(plain, default=_extended)
            _check_keys(packed)
            return packed
        except _FAULTS as error:
            raise _cannot(error) from None


def _reader(kind: Any) -> Callable[[bytes | memoryview], Any]:
    decode = msgspec.msgpack.Decoder(kind, ext_hook=_no_extension).decode
    decode_large = msgspec.msgpack.Decoder(kind, ext_hook=_large_integer).decode

    def read(data: bytes | memoryview) -> Any:
        try:
            try:
                return decode(data)
            except _LargeIntegerSeen:
                _check_keys(data)
                return decode_large(data)
        except _FAULTS as error:
            raise refuse("not a MessagePack value that HIP knows", error) from None

    return read


@cache
def _beginning(kind: str) -> bytes:
    return bytes((_PAIR, _TEXT | len(kind))) + kind.encode() + bytes((_ARRAY, 0, 0))


def _no_extension(code: int, data: memoryview) -> Any:
    raise _LargeIntegerSeen


def _unhashable(code: int, data: memoryview) -> list[Any]:
    return []


# Reads for nothing but a complaint when a large integer is a key.
_check_keys = msgspec.msgpack.Decoder(ext_hook=_unhashable).decode


def _large_integer(code: int, data: memoryview) -> int:
    if code != _LARGE_INTEGER:
        raise ValueError(f"there is no extension {code}")
    if len(data) > INTEGER_BITS // 8:
        raise ValueError(f"an integer of more than {INTEGER_BITS} bits")
    return int.from_bytes(data, "big", signed=True)


def _extended(value: object) -> msgpack.ExtType | msgpack.Timestamp | str:
    """Return the form of what MessagePack has none for."""
    if isinstance(value, datetime):
        moment = value.tzinfo is not None
        return (
            msgpack.Timestamp.from_datetime(value.astimezone(UTC)) if moment else value.isoformat()
        )
    if not isinstance(value, int):
        raise TypeError(f"{type(value).__name__} has no form on the wire")
    size = value.bit_length() // 8 + 1  # one bit more, for the sign
    if size > INTEGER_BITS // 8:
        raise ValueError(f"an integer of more than {INTEGER_BITS} bits")
    return msgpack.ExtType(_LARGE_INTEGER, value.to_bytes(size, "big", signed=True))


def _cannot(error: Exception) -> CannotCarry:
    return CannotCarry(f"MessagePack cannot carry this value: {error}")
