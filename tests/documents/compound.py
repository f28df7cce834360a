"""An encoder of small OLE compound files, and of documents of Word."""

import struct
from collections.abc import Mapping

_SECTOR, _FREE, _END, _FAT = 512, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SMALLEST = 4096  # bytes of a stream that is not kept with other small ones


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return a compound file; streams are filled up with zeros."""
    directory = [_entry("Root Entry", 5, _END, 0, child=1 if streams else _FREE)]
    data, chains = b"", []
    for number, (name, body) in enumerate(streams.items(), 1):
        body = body.ljust(_SMALLEST, b"\0")
        body += b"\0" * (-len(body) % _SECTOR)
        following = number + 1 if number < len(streams) else _FREE
        directory.append(_entry(name, 2, len(chains), len(body), right=following))
        data += body
        count = len(body) // _SECTOR
        chains += [len(chains) + place for place in range(1, count)] + [_END]
    directory += [_entry("", 0, 0, 0)] * (-len(directory) % 4)
    sectors = len(directory) // 4
    first = len(chains)
    chains += [first + place for place in range(1, sectors)] + [_END]
    fats = -(-(len(chains) + 1) // 127)
    table = chains + [_FAT] * fats
    table += [_FREE] * (128 * fats - len(table))
    places = [len(chains) + number for number in range(fats)]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, fats, first, 0, _SMALLEST, _END, 0, _END, 0)
    head += struct.pack("<109I", *(places + [_FREE] * (109 - fats)))
    return head + data + b"".join(directory) + struct.pack(f"<{len(table)}I", *table)


def _entry(
    name: str, kind: int, start: int, size: int, child: int = _FREE, right: int = _FREE
) -> bytes:
    wide = name.encode("utf-16-le")
    head = wide.ljust(64, b"\0") + struct.pack("<HBB", len(wide) + 2 if wide else 0, kind, 1)
    return head + struct.pack("<III36xIQ", _FREE, right, child, start, size)


def moniker(url: str) -> bytes:
    """Return a URL as Office keeps it in streams."""
    mark = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")
    wide = url.encode("utf-16-le") + b"\0\0"
    return b"other" + mark + struct.pack("<I", len(wide)) + wide


def word(*pieces: str, version: int = 0xC1, flags: int = 0x0200) -> dict[str, bytes]:
    """Return the streams of a document whose text is in pieces, written from last to first."""
    text, places = b"", {}
    for number, piece in reversed(list(enumerate(pieces))):
        narrow = number % 2
        start = 0x600 + len(text)
        places[number] = start * 2 | 1 << 30 if narrow else start
        text += piece.encode("cp1252" if narrow else "utf-16-le")
        text += b"\0" * (len(text) % 2)
    positions = [0]
    for piece in pieces:
        positions.append(positions[-1] + len(piece.encode("utf-16-le")) // 2)
    table = struct.pack(f"<{len(positions)}I", *positions)
    table += b"".join(struct.pack("<HIH", 0, places[number], 0) for number in range(len(pieces)))
    formatting = b"\x01" + struct.pack("<H", 3) + b"abc"
    clx = formatting + b"\x02" + struct.pack("<I", len(table)) + table
    head = struct.pack("<HHHHHH", 0xA5EC, version, 0, 0, 0, flags)
    head = head.ljust(0x1A2, b"\0") + struct.pack("<II", 7, len(clx))
    return {
        "WordDocument": head.ljust(0x600, b"\0") + text,
        "1Table" if flags & 0x0200 else "0Table": b"padding" + clx,
    }
