"""The rows of the index: a key of 17 bytes, and 8 bytes for each disk that holds it."""

from collections.abc import Iterable
from struct import Struct

from agents.storage.disk.layout import Kind

HALF_KEY = 16  # bytes of a SHA-256 that are kept (*INA §2.3.1*)
_SIZE_LIMIT = (1 << 32) - 1  # sizes past it count as this
_HELD = Struct(">II")  # number of the disk, size
_KINDS: dict[Kind, bytes] = {"contents": b"c", "structures": b"s"}


def row(kind: Kind, key: str) -> bytes:
    """Return the key of a row, which begins with the group."""
    return bytes.fromhex(key[: 2 * HALF_KEY]) + _KINDS[kind]


def held(value: bytes) -> Iterable[tuple[int, int]]:
    """Yield the number of each disk that holds a key, and the size there."""
    yield from _HELD.iter_unpack(value)


def value_of(holdings: Iterable[tuple[int, int]]) -> bytes:
    """Return the value of a row."""
    return b"".join(_HELD.pack(number, min(size, _SIZE_LIMIT)) for number, size in holdings)


def changed(value: bytes, number: int, size: int | None) -> bytes:
    """Return a row's value with one disk's holding changed, or without it when `size` is None."""
    others = [each for each in held(value) if each[0] != number]
    return value_of(others if size is None else [*others, (number, size)])
