"""Where the code lies in tags of Flash that place buttons and clips.

Functions take the body of a tag and the version of Flash; they yield pieces of code.

Raises:
    struct.error: the tag ends too early.
    IndexError, ValueError: likewise.
"""

from collections.abc import Iterator
from struct import unpack_from

_KEY_PRESS = 1 << 17  # the flag of code that a key starts: the key stands before it
_CLIP_CODE, _CLIP_DEPTH, _NAME, _RATIO, _COLOUR, _MATRIX, _CHARACTER = (
    0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02,
)  # fmt: skip
_BACKGROUND, _VISIBLE, _IMAGE, _CLASS, _CACHE, _BLEND, _FILTERS = (
    0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01,
)  # fmt: skip


def button(body: bytes, version: int) -> Iterator[bytes]:
    """Read `DefineButton`: a number, its looks up to a zero, and code."""
    position = 2
    while body[position]:
        position = _matrix_end(body, position + 5)
    yield body[position + 1 :]


def button_with_conditions(body: bytes, version: int) -> Iterator[bytes]:
    """Read `DefineButton2`: the place of its code, which is cut by what starts it."""
    (offset,) = unpack_from("<H", body, 3)
    position = 3 + offset
    while offset:
        (offset,) = unpack_from("<H", body, position)
        yield body[position + 4 : position + offset if offset else None]
        position += offset


def placement(body: bytes, version: int) -> Iterator[bytes]:
    """Read `PlaceObject2`, which may say what a clip does when something happens to it."""
    return _placed(body, version, body[0], 0, 3)


def placement_with_effects(body: bytes, version: int) -> Iterator[bytes]:
    """Read `PlaceObject3`; code behind filters is not looked for."""
    return _placed(body, version, body[0], body[1], 4)


def _placed(body: bytes, version: int, flags: int, more: int, position: int) -> Iterator[bytes]:
    if not flags & _CLIP_CODE or more & _FILTERS:
        return
    if more & _CLASS or more & _IMAGE and flags & _CHARACTER:
        position = body.index(b"\0", position) + 1
    position += 2 if flags & _CHARACTER else 0
    position = _matrix_end(body, position) if flags & _MATRIX else position
    position = _colour_end(body, position) if flags & _COLOUR else position
    position += 2 if flags & _RATIO else 0
    position = body.index(b"\0", position) + 1 if flags & _NAME else position
    position += 2 if flags & _CLIP_DEPTH else 0
    position += sum(size for flag, size in _EFFECTS.items() if more & flag)
    yield from _clip_code(body, position + 2, "<I" if version > 5 else "<H")


_EFFECTS = {_BLEND: 1, _CACHE: 1, _VISIBLE: 1, _BACKGROUND: 4}


def _clip_code(body: bytes, position: int, flags_format: str) -> Iterator[bytes]:
    """Yield the code of a clip, piece by piece, each behind the events that start it."""
    width = 4 if flags_format == "<I" else 2
    position += width
    (events,) = unpack_from(flags_format, body, position)
    while events:
        (size,) = unpack_from("<I", body, position + width)
        position += width + 4
        yield body[position + (1 if events & _KEY_PRESS else 0) : position + size]
        position += size
        (events,) = unpack_from(flags_format, body, position)


def _matrix_end(body: bytes, position: int) -> int:
    bits = _Bits(body, position)
    for _ in range(2):  # scale and rotation
        if bits.take(1):
            bits.skip(2 * bits.take(5))
    bits.skip(2 * bits.take(5))
    return bits.end


def _colour_end(body: bytes, position: int) -> int:
    bits = _Bits(body, position)
    parts = bits.take(1) + bits.take(1)
    bits.skip(4 * bits.take(4) * parts)
    return bits.end


class _Bits:
    """Reads numbers of a few bits each."""

    def __init__(self, body: bytes, position: int) -> None:
        self._body, self._bit = body, 8 * position

    def take(self, count: int) -> int:
        byte, passed = divmod(self._bit, 8)
        self._bit += count
        window = int.from_bytes(self._body[byte : byte + 2].ljust(2, b"\0"), "big")
        return window >> (16 - passed - count) & ((1 << count) - 1)

    def skip(self, count: int) -> None:
        self._bit += count

    @property
    def end(self) -> int:
        """The first whole byte behind."""
        return (self._bit + 7) // 8
