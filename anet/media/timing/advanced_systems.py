"""The time of ASF, in which Windows Media comes: packets of one size with their send times.

Advanced Systems Format, specification 01.20.05: a header object, the beginning of the data object,
then packets.
"""

import re
from uuid import UUID

from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

HEADER = UUID("75b22630-668e-11cf-a6d9-00aa0062ce6c").bytes_le
DATA = UUID("75b22636-668e-11cf-a6d9-00aa0062ce6c").bytes_le
FILE_PROPERTIES = UUID("8cabdca1-a947-11cf-8ee4-00c00c205365").bytes_le
OBJECT = 24  # bytes of what an object begins with
DATA_HEADER = 50
SEEN = 24  # bytes of a packet that are looked at
HEADER_LIMIT = 2**20
_SIZES = 0, 1, 2, 4  # bytes of a field, by the two bits that tell


class AdvancedSystemsClock(Walk):
    """Goes by the send times of packets."""

    MARK = re.compile(re.escape(HEADER) + b"|\x82\0\0")
    MARK_LENGTH = 16

    def __init__(self) -> None:
        super().__init__()
        self._stamps = Stamps(1000, 2**32)
        self._heads = b""
        self._packet = 0  # bytes of each, as the header says
        self._pattern = b""  # first bytes that all packets share
        self._chained = False  # a header has just begun another stream

    def _unit(self, data: bytes, at: int) -> int:
        if len(data) - at < SEEN:
            return -SEEN
        if data.startswith(HEADER, at):
            return self._header(data, at)
        if data.startswith(DATA, at):
            if len(data) - at < DATA_HEADER:
                return -DATA_HEADER
            if self._chained and len(self._heads) <= PREAMBLE_LIMIT:
                self._heads += data[at : at + DATA_HEADER]
            return DATA_HEADER
        pattern = data[at : at + 3] + data[at + 4 : at + 5]
        if not self._packet or not self._chained and pattern != self._pattern:
            return self._search()
        self._pattern = pattern
        self._stamps.tick(_send_time(data, at), jump=self._chained)
        self._chained = False
        heads = self._heads if len(self._heads) <= PREAMBLE_LIMIT else b""
        self._arrive(at, self._stamps.seconds, heads)
        return self._packet

    def _header(self, data: bytes, at: int) -> int:
        """Take the header object: how long packets are, and what it says."""
        length = int.from_bytes(data[at + 16 : at + OBJECT], "little")
        if not OBJECT < length <= HEADER_LIMIT:
            return self._search()
        if len(data) - at < length:
            return -length
        raw = data[at : at + length]
        self._arrive(at, self._stamps.seconds)
        self._heads, self._chained = raw, True
        place = raw.find(FILE_PROPERTIES)
        if place >= 0:
            size = int.from_bytes(raw[place + 92 : place + 96], "little")
            self._packet = size if SEEN <= size <= PREAMBLE_LIMIT else 0
        self._tell(at, raw)
        return length


def _send_time(data: bytes, at: int) -> int:
    """Return the send time of the packet that begins here.

    Error correction, if there is, is two bytes behind its flags in all files that are known.
    """
    place = at + 3 if data[at] & 0x80 else at
    lengths = data[place]
    place += 2 + sum(_SIZES[lengths >> shift & 3] for shift in (5, 1, 3))
    return int.from_bytes(data[place : place + 4], "little")
