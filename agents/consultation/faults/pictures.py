"""Faults as pictures: red hatching that is clearly no picture of the web, and a text inside."""

import struct
import zlib
from base64 import b64decode
from html import escape

from agents.consultation.faults.fault import Fault
from agents.consultation.faults.texts import xml_text
from agents.consultation.faults.words import sentence

_SIDE = 32  # pixels
_GIF = b64decode(
    "R0lGODlhEAAQAIAAAPr6+rMmHiwAAAAAEAAQAAACkQwIECDAgAABAgQIECBCgAABIgQIEGBAgAABBgQIECFAgAAR"
    "AgQIMCBAgAADAgSIECBAgAgBAgQYECBAgAEBAkQIECBAhAABAgwIECDAgAABAgQIECBCgAABIgQIEGBAgAABBgQI"
    "ECFAgAARAgQIMCBAgAADAgSIECBAgAgBAgQYECBAgAEBAkQIECBAhAABAgUAOw=="
)  # 16 × 16 pixels, the same hatching as `png`


def svg(fault: Fault) -> bytes:
    """Return a drawing that shows the title, and tells the rest to who points at it."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 80" width="160" height="80" '
        f'role="img"><title>{xml_text(sentence(fault))}</title>'
        '<rect x=".5" y=".5" width="159" height="79" rx="4" '
        'fill="#fafafa" stroke="#b3261e" stroke-dasharray="4 3"/>'
        '<text x="80" y="37" text-anchor="middle" font-family="system-ui, sans-serif" '
        f'font-size="12" font-weight="600" fill="#b3261e">{escape(fault.title)}</text>'
        '<text x="80" y="54" text-anchor="middle" font-family="system-ui, sans-serif" '
        f'font-size="10" fill="#59656f">web archive, {fault.status}</text></svg>\n'
    ).encode("utf-8", "replace")


def png(fault: Fault) -> bytes:
    """Return an image whose description (iTXt) says what is missing."""
    rows = b"".join(
        b"\0" + bytes(1 if (x + y) % 8 == 0 else 0 for x in range(_SIDE)) for y in range(_SIDE)
    )
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 3, 0, 0, 0)
    told = b"Description\0\0\0\0\0" + sentence(fault).replace("\0", "\ufffd").encode()
    chunks = [
        (b"IHDR", header),
        (b"PLTE", bytes.fromhex("fafafab3261e")),
        (b"iTXt", told),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gif(fault: Fault) -> bytes:
    """Return an image whose comment says what is missing."""
    told = sentence(fault).encode("ascii", "backslashreplace")
    blocks = [told[start : start + 255] for start in range(0, len(told), 255)]
    comment = b"".join(bytes((len(block),)) + block for block in blocks)
    return _GIF[:-1] + b"\x21\xfe" + comment + b"\0;"
