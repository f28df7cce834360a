"""What the header of a file in ASF says of it (Advanced Systems Format 01.20.05). Pure."""

from uuid import UUID

from attrs import frozen

from anet.errors import MalformedMessage
from anet.media.timing.advanced_systems import FILE_PROPERTIES, HEADER
from anet.media.timing.tags import said_in

PACKET_LIMIT = 65_535  # bytes; a chunk has no more
_STREAM_PROPERTIES = UUID("b7dc0791-a9b7-11cf-8ee6-00c00c205365").bytes_le
_PICTURES = UUID("bc19efc0-5b4d-11cf-a8fd-00805f5c442b").bytes_le
_NUMBER = 72  # where in the properties of a stream its number is
_PACKET, _BITRATE = 92, 100  # where in those of the file these are
_STREAM_LIMIT = 63


@frozen
class Header:
    """What is known of a file.

    Attributes:
        packet: bytes of each of its packets.
        streams: their numbers.
        media_type: of it.
        title: of it, or empty.
        author: of it, or empty.
        about: what it says of itself, or empty.
        bitrate: kbit/s.
    """

    packet: int
    streams: tuple[int, ...]
    media_type: str
    title: str = ""
    author: str = ""
    about: str = ""
    bitrate: int = 0


def read_header(raw: bytes) -> Header:
    """Return what a header says.

    Raises:
        MalformedMessage: it is none, or does not say what is needed.
    """
    place = raw.find(FILE_PROPERTIES)
    if not raw.startswith(HEADER) or place < 0:
        raise MalformedMessage("it is not the header of a file in ASF")
    packet = _number(raw, place + _PACKET, 4)
    if not 0 < packet <= PACKET_LIMIT:
        raise MalformedMessage(f"its packets have {packet} bytes")
    said = said_in(raw)
    fields = said.fields if said else {}
    return Header(
        packet,
        tuple(_streams(raw)),
        "video/x-ms-wmv" if _PICTURES in raw else "audio/x-ms-wma",
        fields.get("title", ""),
        fields.get("artist", ""),
        fields.get("comment", ""),
        _number(raw, place + _BITRATE, 4) // 1000,
    )


def _streams(raw: bytes) -> list[int]:
    found: list[int] = []
    place = raw.find(_STREAM_PROPERTIES)
    while place >= 0 and len(found) < _STREAM_LIMIT:
        found.append(_number(raw, place + _NUMBER, 2) & 0x7F)
        place = raw.find(_STREAM_PROPERTIES, place + 1)
    return [number for number in dict.fromkeys(found) if number]


def _number(raw: bytes, at: int, size: int) -> int:
    return int.from_bytes(raw[at : at + size], "little")
