"""The time of MPEG transport streams (ISO 13818-1): the clock that is sent with them.

Packets of 188 bytes. What has nothing to tell, which is most, is left out by slices over hundreds
of packets at once. A stream may be cut where a decoder can begin (random access); what it must know
of the stream (PAT and PMT) is the preamble then.
"""

import re

from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import Walk

PACKET = 188
IN_A_ROW = 4  # packets that must follow each other before they are believed
RATE = 27_000_000
MODULUS = 300 << 33
PATIENCE = 10.0  # seconds after which a stream without random access is cut at any table
OTHERS = 20  # clocks of another program after which it is believed to have replaced ours

_BEGINS = bytes(byte >> 6 & 1 for byte in range(256))  # of its second byte: something begins
_ADAPTED = bytes(byte >> 5 & 1 for byte in range(256))  # of its fourth: it has more header
_ONE = re.compile(b"\1")


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
        self._in_step = False

    def _unit(self, data: bytes, at: int) -> int:
        count = (len(data) - at) // PACKET
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
        telling = {
            found.start()
            for place, table in ((1, _BEGINS), (3, _ADAPTED))
            for found in _ONE.finditer(data[place::PACKET].translate(table))
        }
        for number in sorted(telling):
            place = number * PACKET
            self._packet(data[place : place + PACKET], at + place)

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


def _map_of(packet: bytes, known: int) -> int:
    """Return the PID of the PMT of the first program that a PAT names; `known` for none."""
    start = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
    start += 1 + packet[start] if start < PACKET else 0
    length = (packet[start + 1] & 0x0F) << 8 | packet[start + 2] if start + 3 <= PACKET else 0
    for place in range(start + 8, min(start + 3 + length - 4, PACKET - 3), 4):
        if packet[place] or packet[place + 1]:
            return (packet[place + 2] & 0x1F) << 8 | packet[place + 3]
    return known
