"""Faults that are played: sound, video, Flash. Each names what is missing in its title."""

import math
import struct
from importlib.resources import files

from agents.consultation.faults.fault import Fault
from agents.consultation.faults.texts import xml_text
from agents.consultation.faults.words import sentence

_RATE = 8000  # samples a second
_TONE, _LENGTH = 220.0, 0.25  # hertz, seconds
_WIDTH, _HEIGHT, _SHOWN = 320, 180, 2000.0  # of the video; pixels, milliseconds
_STAGE = (8000, 3000)  # of the Flash movie, in twentieths of a pixel


def audio(fault: Fault) -> bytes:
    """Return a short soft tone (WAV) whose title says what is missing."""
    samples = bytes(
        128 + round(24 * math.sin(2 * math.pi * _TONE * place / _RATE))
        for place in range(int(_RATE * _LENGTH))
    )
    title = sentence(fault).encode() + b"\0"
    sound = struct.pack("<HHIIHH", 1, 1, _RATE, _RATE, 1, 8)
    body = b"WAVE" + _riff(b"fmt ", sound)
    body += _riff(b"LIST", b"INFO" + _riff(b"INAM", title)) + _riff(b"data", samples)
    return _riff(b"RIFF", body)


def _riff(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def video(fault: Fault) -> bytes:
    """Return two seconds of one picture (WebM, VP8) whose title says what is missing.

    The picture is a key frame of VP8, which is what a WebP file holds (RFC 9649).
    """
    frame = _picture()
    head = _ebml(0x1A45DFA3, _ebml(0x4282, b"webm") + _number(0x4287, 2) + _number(0x4285, 2))
    about = (
        _number(0x2AD7B1, 1_000_000)
        + _ebml(0x4489, struct.pack(">d", _SHOWN))
        + _ebml(0x7BA9, sentence(fault).encode())
        + _ebml(0x4D80, b"dlweb")
        + _ebml(0x5741, b"dlweb")
    )
    size = _number(0xB0, _WIDTH) + _number(0xBA, _HEIGHT)
    track = _number(0xD7, 1) + _number(0x73C5, 1) + _number(0x83, 1) + _ebml(0x86, b"V_VP8")
    tracks = _ebml(0x1654AE6B, _ebml(0xAE, track + _ebml(0xE0, size)))
    blocks = b"".join(
        _ebml(0xA3, struct.pack(">BhB", 0x81, moment, 0x80) + frame) for moment in (0, 1000)
    )
    cluster = _ebml(0x1F43B675, _number(0xE7, 0) + blocks)
    return head + _ebml(0x18538067, _ebml(0x1549A966, about) + tracks + cluster)


def _picture() -> bytes:
    webp = files(__package__).joinpath("frame.webp").read_bytes()
    (size,) = struct.unpack_from("<I", webp, 16)
    return webp[20 : 20 + size]


def _ebml(name: int, data: bytes) -> bytes:
    """Return an element of Matroska (RFC 8794), its length in eight bytes."""
    length = (1 << 56 | len(data)).to_bytes(8)
    return name.to_bytes((name.bit_length() + 7) // 8) + length + data


def _number(name: int, value: int) -> bytes:
    return _ebml(name, value.to_bytes(max(1, (value.bit_length() + 7) // 8)))


def flash(fault: Fault) -> bytes:
    """Return a movie (SWF 6, not compressed) that shows the sentence."""
    told = sentence(fault).replace("\0", "\ufffd").encode()
    stage = _rectangle(*_STAGE)
    about = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
        'rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>'
        f"{xml_text(sentence(fault)).replace(chr(0), '')}</dc:title></rdf:Description></rdf:RDF>"
    )
    # A field of text: it wraps over lines, is read only, cannot be chosen, and holds a text.
    field = struct.pack("<H", 1) + stage + struct.pack("<BB", 0b11101000 | 0b100, 0b00010000)
    field += bytes((0xB3, 0x26, 0x1E, 0xFF)) + b"\0" + told + b"\0"
    place = struct.pack("<BHHB", 0b110, 1, 1, 0)
    tags = [
        (69, struct.pack("<I", 0b10000)),
        (77, about.encode() + b"\0"),
        (9, bytes.fromhex("fafafa")),
        (37, field),
        (26, place),
        (1, b""),
        (0, b""),
    ]
    body = stage + struct.pack("<HH", 12 << 8, 1) + b"".join(_tag(*tag) for tag in tags)
    return b"FWS\6" + struct.pack("<I", 8 + len(body)) + body


def _tag(code: int, data: bytes) -> bytes:
    return struct.pack("<HI", code << 6 | 0x3F, len(data)) + data


def _rectangle(width: int, height: int) -> bytes:
    """Return a rectangle that begins at 0, 0 (15 bits a side)."""
    bits = f"{15:05b}{0:015b}{width:015b}{0:015b}{height:015b}"
    return int(bits.ljust(72, "0"), 2).to_bytes(9)
