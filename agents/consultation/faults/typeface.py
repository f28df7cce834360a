"""A fault as a font (TrueType) without a letter, so that browsers take another for each.

Its table of names says what is missing. The tables are those that browsers ask for
(OpenType 1.9, "Required Tables").
"""

import struct

from agents.consultation.faults.fault import Fault
from agents.consultation.faults.words import sentence

_UNITS, _ASCENT, _DESCENT = 1000, 800, -200  # of an em
_MAGIC, _SUM = 0x5F0F3CF5, 0xB1B0AFBA
_NAME_LIMIT = 60_000  # bytes; offsets in the table have 16 bits


def font(fault: Fault) -> bytes:
    """Return the font."""
    tables = {
        b"OS/2": _metrics(),
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 1, 12) + _no_letters(),
        b"glyf": b"\0\0\0\0",
        b"head": _head(0),
        b"hhea": struct.pack(
            ">HHhhhHhhhhhh4hhH", 1, 0, _ASCENT, _DESCENT, 0, _UNITS, 0, 0, 0, 1, 0, 0, *[0] * 5, 1
        ),
        b"hmtx": struct.pack(">Hh", _UNITS, 0),
        b"loca": struct.pack(">HH", 0, 0),
        b"maxp": struct.pack(">IH13H", 0x10000, 1, *[0] * 4, 1, *[0] * 8),
        b"name": _names(sentence(fault)),
        b"post": struct.pack(">IIhhI16x", 0x30000, 0, -100, 50, 0),
    }
    file = _file(tables)
    tables[b"head"] = _head((_SUM - _sum(file)) & 0xFFFFFFFF)
    return _file(tables)


def _file(tables: dict[bytes, bytes]) -> bytes:
    count = len(tables)
    power = count.bit_length() - 1
    head = struct.pack(">IHHHH", 0x10000, count, 16 << power, power, 16 * (count - (1 << power)))
    directory, body, start = b"", b"", 12 + 16 * count
    for tag, data in tables.items():
        summed = _sum(data if tag != b"head" else _head(0))
        directory += tag + struct.pack(">III", summed, start + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    return head + directory + body


def _sum(data: bytes) -> int:
    padded = data + b"\0" * (-len(data) % 4)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF


def _head(adjustment: int) -> bytes:
    return struct.pack(
        ">IIIIHHqqhhhhHHhhh",
        0x10000, 0x10000, adjustment, _MAGIC, 3, _UNITS, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0,
    )  # fmt: skip


def _metrics() -> bytes:
    """Return OS/2, version 4: an ordinary weight and width, and no letter."""
    return struct.pack(
        ">HhHHH10hh10s4I4sHHHhhhHHIIhhHHH",
        4, 0, 400, 5, 0,
        *[0] * 10, 0, bytes(10), 0, 0, 0, 0, b"NONE",
        0x40, 0xFFFF, 0xFFFF, _ASCENT, _DESCENT, 0, _ASCENT, -_DESCENT, 0, 0, 0, 0, 0, 0, 0,
    )  # fmt: skip


def _no_letters() -> bytes:
    """Return a map of characters (format 4) with the segment that ends all, and no other."""
    return struct.pack(">HHHHHHHHHHhH", 4, 24, 0, 2, 2, 0, 0, 0xFFFF, 0, 0xFFFF, 1, 0)


def _names(told: str) -> bytes:
    """Return the names for Windows, in English: family, style, whole name, and what is missing."""
    texts = {1: "dlweb fault", 2: "Regular", 4: "dlweb fault", 6: "dlweb-fault", 10: told}
    records, strings = b"", b""
    for number, text in texts.items():
        data = text.encode("utf-16-be", "replace")[:_NAME_LIMIT]
        records += struct.pack(">6H", 3, 1, 0x409, number, len(data), len(strings))
        strings += data
    return struct.pack(">HHH", 0, len(texts), 6 + 12 * len(texts)) + records + strings
