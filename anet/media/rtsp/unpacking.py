"""Media out of packets: each encoding has its own rules, none is decoded. Pure.

MPEG audio and transport streams: RFC 2250. AAC: RFC 3640, 3016. H.264: RFC 6184. Samples: RFC 3551.
What is lost stays lost: of a unit that is not whole nothing is given, and nothing is filled in.
"""

import base64
import binascii
from array import array
from collections.abc import Callable
from struct import Struct
from typing import Protocol

from anet.media.rtsp.beginnings import AGGREGATE, FRAGMENT, aggregated
from anet.media.rtsp.description import Track
from anet.media.rtsp.rtp import Packet
from anet.media.timing.aac import RATES

_UNIT_LIMIT = 4 * 2**20  # bytes of a unit in several packets
_UNITS = 1000  # in one packet, of which few have more than ten
_START = b"\0\0\0\1"  # before each part of H.264
_ENDLESS = 0xFFFFFFFF
_WAVE = Struct("<4sI4s4sIHHIIHH4sI")


class Unpacker(Protocol):
    """Makes media of the packets of one track.

    Attributes:
        media_type: of what it makes.
    """

    media_type: str

    def take(self, packet: Packet, is_next: bool) -> bytes:
        """Return what is whole with the next packet; `is_next` says that none is missing."""


def unpacker_for(track: Track) -> Unpacker | None:
    """Return what unpacks a track; None where its encoding is not known here."""
    make = _UNPACKERS.get(track.encoding)
    try:
        return make(track) if make else None
    except (ValueError, binascii.Error):  # its parameters make no sense
        return None


class _Plain:
    """Packets whose payload is a part of the media, behind a few bytes."""

    def __init__(self, media_type: str, passed: int) -> None:
        self.media_type, self._passed = media_type, passed

    def take(self, packet: Packet, is_next: bool) -> bytes:
        return packet.payload[self._passed :]


class _Wave:
    """Samples of sound, which are given as a WAV file without end."""

    media_type = "audio/wav"

    def __init__(self, track: Track) -> None:
        form, bits = {"L16": (1, 16), "PCMA": (6, 8), "PCMU": (7, 8)}[track.encoding]
        width = track.channels * bits // 8
        if not 0 < width < 2**16 or track.rate * width >= 2**32:
            raise ValueError(track)
        self._is_wide = bits == 16
        self._head = _WAVE.pack(
            b"RIFF", _ENDLESS, b"WAVE", b"fmt ", 16, form, track.channels, track.rate,
            track.rate * width, width, bits, b"data", _ENDLESS,
        )  # fmt: skip

    def take(self, packet: Packet, is_next: bool) -> bytes:
        head, self._head = self._head, b""
        if not self._is_wide:
            return head + packet.payload
        samples = array("H", packet.payload[: len(packet.payload) & ~1])
        samples.byteswap()  # to what WAV has; samples of networks are big-endian
        return head + samples.tobytes()


class _Aac:
    """Access units of AAC, which are given with headers of ADTS."""

    media_type = "audio/aac"

    def __init__(self, track: Track) -> None:
        said = track.parameters
        self._header = _adts(int.from_bytes(bytes.fromhex(said.get("config", ""))[:2], "big"))
        self._size = int(said.get("sizelength", "0"))
        self._index = int(said.get("indexlength", "0"))
        self._step = int(said.get("indexdeltalength", "0"))
        self._parts = bytearray()
        if not 0 < self._size <= 32 or not 0 <= self._index <= 32 or not 0 <= self._step <= 32:
            raise ValueError(said)

    def take(self, packet: Packet, is_next: bool) -> bytes:
        length = int.from_bytes(packet.payload[:2], "big")
        body = 2 + (length + 7) // 8
        if body > len(packet.payload):
            return b""
        sizes = self._sizes(int.from_bytes(packet.payload[2:body], "big"), body * 8 - 16, length)
        data = packet.payload[body:]
        if len(sizes) == 1 and sizes[0] > len(data):
            return self._fragment(data, sizes[0], is_next)
        self._parts.clear()
        units, at = [], 0
        for size in sizes:
            if size and at + size <= len(data):
                units.append(self._header(data[at : at + size]))
            at += size
        return b"".join(units)

    def _sizes(self, headers: int, bits: int, length: int) -> list[int]:
        """Return how long each unit is, of headers which are numbers of any width."""
        sizes: list[int] = []
        at, other = 0, self._index
        while at + self._size + other <= length and len(sizes) < _UNITS:
            at += self._size
            sizes.append(headers >> max(0, bits - at) & (1 << self._size) - 1)
            at += other
            other = self._step
        return sizes

    def _fragment(self, data: bytes, size: int, is_next: bool) -> bytes:
        """Put a unit together that takes several packets."""
        if not is_next:
            self._parts.clear()
        self._parts += data
        if len(self._parts) < min(size, _UNIT_LIMIT):
            return b""
        unit, self._parts = bytes(self._parts), bytearray()
        return self._header(unit) if len(unit) == size else b""


class _Latm:
    """Access units of AAC in LATM, whose configuration is in the description."""

    media_type = "audio/aac"

    def __init__(self, track: Track) -> None:
        said = track.parameters
        if said.get("cpresent", "1") != "0":
            raise ValueError(said)
        # 15 bits in front say that there is one program with one layer, as RFC 3016 wants.
        config = int.from_bytes(bytes.fromhex(said.get("config", ""))[:4].ljust(4, b"\0"), "big")
        if config >> 31 or config >> 17 & 0x7F:
            raise ValueError(said)
        self._header = _adts(config >> 1 & 0xFFFF)
        self._parts = bytearray()

    def take(self, packet: Packet, is_next: bool) -> bytes:
        if not is_next or len(self._parts) > _UNIT_LIMIT:
            self._parts.clear()
        self._parts += packet.payload
        if not packet.marker:
            return b""
        data, self._parts = bytes(self._parts), bytearray()
        units, at = [], 0
        for _ in range(_UNITS):
            if at >= len(data):
                break
            size = 0
            while at < len(data) and data[at] == 255:
                size += 255
                at += 1
            size += data[at] if at < len(data) else 0
            at += 1
            if size and at + size <= len(data):
                units.append(self._header(data[at : at + size]))
            at += size
        return b"".join(units)


def _adts(config: int) -> Callable[[bytes], bytes]:
    """Return what puts a header before a unit, from the first 16 bits of an AudioSpecificConfig.

    Raises:
        ValueError: headers of ADTS cannot say this.
    """
    profile, rate, channels = config >> 11, config >> 7 & 15, config >> 3 & 15
    if profile in (5, 29):  # SBR and PS: decoders find them by themselves in AAC of low complexity
        profile = 2
    if not 1 <= profile <= 4 or rate >= len(RATES) or not 1 <= channels <= 7:
        raise ValueError(f"AAC of configuration {config:#06x}")
    fixed = 0xFFF1 << 40 | (profile - 1) << 38 | rate << 34 | channels << 30 | 0x7FF << 2

    def with_header(unit: bytes) -> bytes:
        length = len(unit) + 7
        return (fixed | length << 13).to_bytes(7, "big") + unit if length < 2**13 else b""

    return with_header


class _H264:
    """Parts of pictures, which are given as in Annex B of H.264."""

    media_type = "video/h264"

    def __init__(self, track: Track) -> None:
        said = track.parameters.get("sprop-parameter-sets", "")
        sets = [base64.b64decode(each) for each in said.split(",") if each]
        self._sets = b"".join(_START + each for each in sets)
        self._parts = bytearray()

    def take(self, packet: Packet, is_next: bool) -> bytes:
        sets, self._sets = self._sets, b""
        payload = packet.payload
        kind = payload[0] & 31 if payload else 0
        if kind == FRAGMENT and len(payload) > 2:
            return sets + self._fragment(payload, is_next)
        self._parts.clear()
        if kind == AGGREGATE:
            return sets + b"".join(_START + part for part in aggregated(payload))
        return sets + _START + payload if 0 < kind < AGGREGATE else sets

    def _fragment(self, payload: bytes, is_next: bool) -> bytes:
        """Put a part together that takes several packets."""
        flags = payload[1]
        if flags & 0x80:
            first = bytes([payload[0] & 0xE0 | flags & 31])
            self._parts = bytearray(_START + first + payload[2:])
        elif is_next and self._parts and len(self._parts) < _UNIT_LIMIT:
            self._parts += payload[2:]
        else:
            self._parts.clear()
        if not flags & 0x40:
            return b""
        part, self._parts = bytes(self._parts), bytearray()
        return part


_UNPACKERS: dict[str, Callable[[Track], Unpacker]] = {
    "MPA": lambda _: _Plain("audio/mpeg", 4),
    "MP2T": lambda _: _Plain("video/mp2t", 0),
    "MPEG4-GENERIC": _Aac,
    "MP4A-LATM": _Latm,
    "PCMU": _Wave,
    "PCMA": _Wave,
    "L16": _Wave,
    "H264": _H264,
}
