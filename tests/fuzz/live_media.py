"""Small live media of each format, for fuzzing to begin with."""

from struct import pack

from anet.media.timing.aac import AdtsClock, LoasClock
from anet.media.timing.advanced_systems import DATA, FILE_PROPERTIES, HEADER, AdvancedSystemsClock
from anet.media.timing.flash_video import FlashVideoClock
from anet.media.timing.interleaved import InterleavedClock
from anet.media.timing.iso_media import IsoMediaClock
from anet.media.timing.matroska import MatroskaClock
from anet.media.timing.mpeg_audio import MpegAudioClock
from anet.media.timing.ogg import OggClock
from anet.media.timing.transport_stream import TransportStreamClock
from anet.media.timing.walk import Walk


def _page(flags: int, granule: int, number: int, packet: bytes) -> bytes:
    head = b"OggS\0" + pack("<BqIII", flags, granule, 1, number, 0)
    return head + bytes([1, len(packet)]) + packet


def _box(kind: bytes, *inner: bytes) -> bytes:
    body = b"".join(inner)
    return pack(">I4s", 8 + len(body), kind) + body


def _packet(head: bytes, body: bytes = b"") -> bytes:
    return (b"G" + head + body).ljust(188, b"\xff")


_FRAGMENT = _box(
    b"moof",
    _box(
        b"traf",
        _box(b"tfhd", pack(">II", 0x20000, 1)),
        _box(b"tfdt", pack(">II", 0, 48000)),
        _box(b"trun", pack(">III", 4, 1, 0)),
    ),
)
_TRACK = _box(
    b"trak",
    _box(b"tkhd", bytes(12) + pack(">I", 1)),
    _box(b"mdia", _box(b"mdhd", bytes(12) + pack(">I", 48000)), _box(b"hdlr", bytes(8), b"soun")),
)
_MAP = b"\0\0\xb0\x0d\0\1\xc1\0\0\0\1\xe1\0" + bytes(4)
_CLOCK = b"\x07\x50\0\0\1\0\0\0"

MEDIA: dict[type[Walk], list[bytes]] = {
    MpegAudioClock: [(b"\xff\xe3\x18\xc4" + bytes(68)) * 4 + b"ID3\4\0\0\0\0\0\x20" + bytes(32)],
    AdtsClock: [b"\xff\xf1\x50\x80\x01\x1f\xfc\0" * 8],
    LoasClock: [b"\x56\xe0\x08\x20\0\x12\x10" + bytes(4) + (b"\x56\xe0\x05\x80" + bytes(4)) * 3],
    OggClock: [
        _page(2, 0, 0, b"OpusHead\1\2\x38\1" + bytes(7))
        + _page(0, 0, 1, b"OpusTags" + pack("<I1sII", 1, b"a", 1, 7) + b"title=b")
        + _page(0, 960, 2, b"ab")
        + _page(4, 1920, 3, b"cd")
    ],
    TransportStreamClock: [
        (_packet(b"\x40\0\x10", _MAP) + _packet(b"\x41\0\x10") + _packet(b"\x41\1\x30", _CLOCK)) * 2
    ],
    IsoMediaClock: [
        _box(b"ftyp", b"iso5") + _box(b"moov", _TRACK) + (_FRAGMENT + _box(b"mdat", b"abcd")) * 2
    ],
    MatroskaClock: [
        b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff\x15\x49\xa9\x66\x87\x2a\xd7\xb1\x83\x0f\x42\x40"
        + b"\x1f\x43\xb6\x75\xff\xe7\x81\1\xa3\x84\x81\0\0\x80" * 3
    ],
    InterleavedClock: [
        b"RTSP/1.0 200 OK\r\nContent-Type: application/sdp\r\nContent-Length: 50\r\n\r\n"
        + b"v=0\nm=audio 0 RTP/AVP 0\nm=video 0 RTP/AVP 96\n".ljust(50, b"\n")
        + b"RTSP/1.0 200 OK\r\nTransport: interleaved=0-1\r\n\r\n" * 2
        + b"".join(
            b"$\0\0\x0d" + pack(">HHII", 0x8000, number, number * 160, 1) + b"a"
            for number in (1, 2, 5)
        )
        + b"$\1\0\x1c\x80\xc8\0\6"
        + pack(">IIIIII", 1, 3_900_000_000, 0, 160, 0, 0)
    ],
    FlashVideoClock: [
        b"FLV\1\4\0\0\0\x09\0\0\0\0" + b"\x08\0\0\2\0\0\x17\0\0\0\0\x2fa\0\0\0\x0d" * 3
    ],
    AdvancedSystemsClock: [
        HEADER
        + pack("<Q", 24 + 104)
        + FILE_PROPERTIES
        + bytes(76)
        + pack("<III", 32, 32, 0)
        + DATA
        + bytes(34)
        + (b"\x82\0\0\0\x5d" + pack("<IH", 20, 10) + bytes(21)) * 3
    ],
}
