"""Where players may begin with a track. Pure."""

from anet.media.rtsp.description import Track
from anet.media.rtsp.rtp import Packet

AGGREGATE, FRAGMENT = 24, 28  # kinds of packets of H.264: with several parts, with one of a part
_IDR, _SETS = 5, 7  # kinds of parts: a picture to begin with, what decoders must know
_PACKET = 188  # bytes of a transport stream's


def can_begin(track: Track, packet: Packet) -> bool:
    """Tell whether a player may begin with the unit to which a packet belongs."""
    payload = packet.payload
    if track.encoding == "H264":
        return _begins_pictures(payload)
    if track.encoding == "MP2T":  # with the table of what is in it (PAT)
        places = range(0, len(payload), _PACKET)
        return any(payload[at : at + 3] == b"G\x40\0" for at in places)
    return True


def _begins_pictures(payload: bytes) -> bool:
    kind = payload[0] & 31 if payload else 0
    if kind == FRAGMENT and len(payload) > 1:
        return bool(payload[1] & 0x80) and payload[1] & 31 in (_IDR, _SETS)
    if kind == AGGREGATE:
        return any(part[0] & 31 in (_IDR, _SETS) for part in aggregated(payload))
    return kind in (_IDR, _SETS)


def aggregated(payload: bytes) -> list[bytes]:
    """Return the whole parts in a packet of H.264 that has several (RFC 6184 §5.7.1)."""
    parts: list[bytes] = []
    at = 1
    while at + 2 < len(payload):
        size = int.from_bytes(payload[at : at + 2], "big")
        at += 2 + size
        if size and at <= len(payload):
            parts.append(payload[at - size : at])
    return parts
