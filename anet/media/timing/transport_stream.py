"""The time of MPEG transport streams (ISO 13818-1): the clock that is sent with them.

Packets of 188 bytes. What has nothing to tell, which is most, is left out by slices over hundreds
of packets at once. A stream may be cut where a decoder can begin (random access); what it must know
of the stream (PAT and PMT) is the preamble then.
"""

import re

from anet.media.timing.stamps import Stamps
from anet.media.timing.tags import ID3_HEADER, id3_length
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

PACKET = 188
IN_A_ROW = 4  # packets that must follow each other before they are believed
RATE = 27_000_000
MODULUS = 300 << 33
PATIENCE = 10.0  # seconds after which a stream without random access is cut at any table
AT_ONCE = 256  # packets that are looked at together
ID3 = 0x15  # type of a stream of tags
OTHERS = 20  # clocks of another program after which it is believed to have replaced ours

_BEGINS = bytes(byte >> 6 & 1 for byte in range(256))  # of its second byte: something begins
_ADAPTED = bytes(byte >> 5 & 1 for byte in range(256))  # of its fourth: it has more header
_ONE = re.compile(b"\1")
_PRIVATE = re.compile(rb"(?s)\x00\x00\x01\xbd.{5}")  # what private data begin with, in a header


class TransportStreamClock(Walk):
    """Goes by the program clock references of one program."""

    MARK = re.compile(b"G")

    def __init__(self) -> None:
        super().__init__()
        self._stamps = Stamps(RATE, MODULUS)
        self._program = -1  # PID whose clock tells the time
        self._others = 0
        self._tables = b"", b""  # packets of PAT and PMT
        self._map = -1  # PID of the PMT
        self._titles = -1  # PID of ID3 tags
        self._tag = bytearray()
        self._tag_at = 0
        self._in_step = False

    def _unit(self, data: bytes, at: int) -> int:
        count = min((len(data) - at) // PACKET, AT_ONCE)
        if not self._in_step:
            if count < IN_A_ROW:
                return -PACKET * IN_A_ROW
            self._in_step = data[at : at + IN_A_ROW * PACKET : PACKET] == b"G" * IN_A_ROW
            if not self._in_step:
                return self._search()
        if not count:
            return -PACKET
        marks = data[at : at + count * PACKET : PACKET]
        good = count - len(marks.lstrip(b"G"))
        if not good:
            self._in_step = False
            return self._search()
        self._packets(data[at : at + good * PACKET], at)
        return good * PACKET

    def _packets(self, data: bytes, at: int) -> None:
        """Look at those packets that may tell something."""
        numbers, start = self._telling(data), 0
        while numbers:
            number, titles = numbers.pop(0), self._titles
            start = number * PACKET
            self._packet(data[start : start + PACKET], at + start)
            if self._titles != titles:  # the rest of its packets tell something, too
                numbers = [other for other in self._telling(data) if other > number]

    def _telling(self, data: bytes) -> list[int]:
        """Return the numbers of packets that may tell something, in order."""
        found = {
            each.start()
            for place, table in ((1, _BEGINS), (3, _ADAPTED))
            for each in _ONE.finditer(data[place::PACKET].translate(table))
        }
        if self._titles >= 0:
            low = re.escape(bytes([self._titles & 0xFF]))
            found.update(each.start() for each in re.finditer(low, data[2::PACKET]))
        return sorted(found)

    def _packet(self, packet: bytes, at: int) -> None:
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        begins = packet[1] & 0x40
        if begins and pid == 0:
            self._map = _map_of(packet, self._map)
            self._tables = packet, self._tables[1]
            if self._stamps.seconds - self.seconds > PATIENCE or not self.boundary:
                self._arrive(at, self._stamps.seconds)
        elif begins and pid == self._map:
            self._tables = self._tables[0], packet
            self._titles = _titles_of(packet)
        elif pid == self._titles:
            self._take_tag(packet, bool(begins), at)
        if packet[3] & 0x20 and packet[4]:
            flags = packet[5]
            if flags & 0x10 and packet[4] >= 7:
                self._reference(pid, packet, jump=bool(flags & 0x80))
            if flags & 0x40 and begins and pid == self._program and all(self._tables):
                self._arrive(at, self._stamps.seconds, b"".join(self._tables))

    def _reference(self, pid: int, packet: bytes, *, jump: bool) -> None:
        """Take what a program says of the time."""
        if pid != self._program:
            self._others += 1
            if self._program >= 0 and self._others < OTHERS:
                return
            self._program, jump = pid, self._program >= 0
        self._others = 0
        base = int.from_bytes(packet[6:10], "big") << 1 | packet[10] >> 7
        self._stamps.tick(base * 300 + ((packet[10] & 1) << 8 | packet[11]), jump=jump)

    def _take_tag(self, packet: bytes, begins: bool, at: int) -> None:
        """Take what a packet holds of an ID3 tag; say what it says when it is whole."""
        payload = packet[_payload(packet) :]
        if begins:
            self._tag.clear()
            self._tag_at = self._start + at
            payload = payload[9 + payload[8] :] if _PRIVATE.match(payload) else b""
        elif not self._tag:
            return
        self._tag += payload
        length = id3_length(self._tag, 0) if len(self._tag) >= ID3_HEADER else 0
        if 0 < length <= len(self._tag):
            self._tell(self._tag_at - self._start, bytes(self._tag[:length]))
        if not len(self._tag) < length <= PREAMBLE_LIMIT:
            self._tag.clear()


def _payload(packet: bytes) -> int:
    """Return where what a packet carries begins."""
    return 4 + (1 + packet[4] if packet[3] & 0x20 else 0)


def _section(packet: bytes) -> tuple[int, int]:
    """Return where the table in a packet begins, and where its entries end, or the packet."""
    start = _payload(packet)
    start += 1 + packet[start] if start < PACKET else 0
    length = (packet[start + 1] & 0x0F) << 8 | packet[start + 2] if start + 3 <= PACKET else 0
    return start, min(start + length - 1, PACKET)


def _map_of(packet: bytes, known: int) -> int:
    """Return the PID of the PMT of the first program that a PAT names; `known` for none."""
    start, end = _section(packet)
    for place in range(start + 8, end - 3, 4):
        if packet[place] or packet[place + 1]:
            return (packet[place + 2] & 0x1F) << 8 | packet[place + 3]
    return known


def _titles_of(packet: bytes) -> int:
    """Return the PID of ID3 tags that a PMT names; -1 for none."""
    start, end = _section(packet)
    place = start + 12
    if place <= end:
        place += (packet[start + 10] & 0x0F) << 8 | packet[start + 11]
    while place + 5 <= end:
        if packet[place] == ID3:
            return (packet[place + 1] & 0x1F) << 8 | packet[place + 2]
        place += 5 + ((packet[place + 3] & 0x0F) << 8 | packet[place + 4])
    return -1
