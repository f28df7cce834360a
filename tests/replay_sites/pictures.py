"""Pictures made by code, so that five sites full of them take no room in the repository."""

import struct
import zlib
from pathlib import Path

PICTURES = {
    "static": {
        "plan.png": (320, 200), "parts/gate.png": (160, 120), "harbour/wave.png": (40, 40),
        "favicon.ico": (16, 16),
    },
    "scripted": {
        "data/renard.png": (64, 64), "data/etoile.png": (64, 64), "data/late.png": (64, 64),
        "favicon.ico": (16, 16),
    },
    "pictures": {
        "small.png": (100, 100), "middle.png": (300, 100), "large.png": (900, 300),
        "wave.png": (200, 100), "narrow.png": (120, 60), "huge.png": (1200, 600),
        "tile.png": (20, 20), "set-1x.png": (50, 50), "set-2x.png": (100, 100),
        "favicon.ico": (16, 16),
        **{f"pictures/{number}.png": (60, 60) for number in range(40)},
    },
    "film": {"poster.png": (320, 180), "favicon.ico": (16, 16)},
    "secure": {"favicon.ico": (16, 16)},
    "secure_fonts": {"picture.png": (120, 80)},
}  # fmt: skip


def make_pictures(folder: Path) -> None:
    """Put the pictures of all sites where their pages look for them."""
    for site, pictures in PICTURES.items():
        for name, (width, height) in pictures.items():
            path = folder / site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png(width, height, zlib.crc32(f"{site}/{name}".encode())))


def png(width: int, height: int, seed: int) -> bytes:
    """Return a picture of stripes that no other seed has."""
    red, green, blue = seed & 255, seed >> 8 & 255, seed >> 16 & 255
    rows = b"".join(
        b"\0" + bytes(
            part & 255
            for x in range(width)
            for part in (red + 3 * x, green + 2 * y, blue + (x * y >> 4))
        )
        for y in range(height)
    )  # fmt: skip
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
