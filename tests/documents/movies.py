"""An encoder of small Flash movies."""

import lzma
import struct
import zlib


def movie(*tags: bytes, version: int = 6, packed: str = "F") -> bytes:
    """Return a movie, plain (`F`), by zlib (`C`) or by LZMA (`Z`)."""
    # A frame of 550 × 400 pixels takes 15 bits a side; 12 frames a second; one frame.
    body = bytes.fromhex("7800055f00000fa000") + b"\0\x0c\x01\0" + b"".join(tags) + tag(0)
    head = packed.encode() + b"WS" + bytes([version]) + struct.pack("<I", 8 + len(body))
    if packed == "C":
        return head + zlib.compress(body)
    if packed == "Z":
        alone = lzma.compress(body, lzma.FORMAT_ALONE)
        return head + struct.pack("<I", len(alone) - 13) + alone[:5] + alone[13:]
    return head + body


def tag(code: int, body: bytes = b"", long: bool = False) -> bytes:
    """Return a tag."""
    if len(body) < 63 and not long:
        return struct.pack("<H", code << 6 | len(body)) + body
    return struct.pack("<HI", code << 6 | 63, len(body)) + body


def action(code: int, record: bytes | None = None) -> bytes:
    """Return an action of ActionScript 1 or 2."""
    return bytes([code]) + (b"" if record is None else struct.pack("<H", len(record)) + record)


def get_url(url: str, target: str = "") -> bytes:
    """Return `getURL` with an address of its own."""
    return action(0x83, url.encode() + b"\0" + target.encode() + b"\0")


def push(*values: str | int) -> bytes:
    """Return what puts texts and constants on the stack."""
    record = b"".join(
        bytes([8, value]) if isinstance(value, int) else b"\0" + value.encode() + b"\0"
        for value in values
    )
    return action(0x96, record)


def constants(*texts: str) -> bytes:
    """Return the pool of constants."""
    pool = b"".join(text.encode() + b"\0" for text in texts)
    return action(0x88, struct.pack("<H", len(texts)) + pool)


def get_url_2(flags: int = 0) -> bytes:
    """Return `getURL` with its address from the stack."""
    return action(0x9A, bytes([flags]))


def _number(value: int) -> bytes:
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _pool(*values: bytes) -> bytes:
    return _number(len(values) + 1 if values else 0) + b"".join(values)


def script_3(strings: list[str], namespaces: list[int]) -> bytes:
    """Return the constants of ActionScript 3 with numbers of strings that name namespaces."""
    texts = [_number(len(text.encode())) + text.encode() for text in strings]
    names = [b"\x08" + _number(number) for number in namespaces]
    whole = [_number(5), _number(1_000_000)]
    numbers = _pool(*whole) + _pool(_number(7)) + _pool(struct.pack("<d", 0.5))
    return struct.pack("<HH", 16, 46) + numbers + _pool(*texts) + _pool(*names)
