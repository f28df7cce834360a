"""Packets of media and reports on them: RTP and RTCP (RFC 3550). Pure."""

from collections.abc import Iterator
from struct import Struct

from attrs import define, field, frozen

JUMP = 3000  # packets; a source that leaps further began anew (RFC 3550 appendix A.1)
LATE = 100  # packets by which one may come behind its place (there, too)
_HEADER = Struct(">BBHII")
_REPORT = Struct(">IIII")  # source, NTP seconds and fraction, time stamp
_VERSION = 2
_REPORTS = 32  # in one frame, of which few have more than three
_SENDER, _BYE = 200, 203
_EPOCH = 2_208_988_800  # seconds from 1900 to 1970


@frozen
class Packet:
    """A packet of a track.

    Attributes:
        marker: mostly, whether a unit ends with it.
        sequence: its number, modulo 2¹⁶.
        stamp: when what it holds was taken up, in steps of the track's clock, modulo 2³².
        source: who sends it.
        payload: what it holds.
    """

    marker: bool
    sequence: int
    stamp: int
    source: int
    payload: bytes = field(repr=False)


@frozen
class SenderReport:
    """What its sender's clock was at a time stamp.

    Attributes:
        seconds: since 1970.
        stamp: of the track, at that time.
    """

    seconds: float
    stamp: int


@frozen
class Bye:
    """Its source sends no more."""


def packet_in(data: bytes) -> Packet | None:
    """Return the packet in a frame; None if it is none."""
    if len(data) < _HEADER.size or data[0] >> 6 != _VERSION:
        return None
    first, second, sequence, stamp, source = _HEADER.unpack_from(data)
    begin = _HEADER.size + 4 * (first & 15)
    if first & 0x10:  # a header extension
        begin += 4 + 4 * int.from_bytes(data[begin + 2 : begin + 4], "big")
    end = len(data) - (data[-1] if first & 0x20 else 0)  # padding says its own length
    if begin > end:
        return None
    return Packet(second > 127, sequence, stamp, source, data[begin:end])


def reports_in(data: bytes) -> Iterator[SenderReport | Bye]:
    """Yield what is reported in a frame."""
    at = 0
    for _ in range(_REPORTS):
        if at + 4 > len(data) or data[at] >> 6 != _VERSION:
            break
        end = at + 4 + 4 * int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at + 1] == _SENDER and min(end, len(data)) - at >= 4 + _REPORT.size:
            _, seconds, fraction, stamp = _REPORT.unpack_from(data, at + 4)
            if seconds:
                yield SenderReport(seconds - _EPOCH + fraction / 2**32, stamp)
        elif data[at + 1] == _BYE:
            yield Bye()
        at = end


@define
class Order:
    """Tells which packets of a track are missing."""

    _sequence: int = -1
    _source: int = -1

    def is_late(self, packet: Packet) -> bool:
        """Tell whether a packet comes behind one that it should have come before, or again."""
        behind = (self._sequence + 1 - packet.sequence) & 0xFFFF
        return self._source == packet.source and 0 < behind <= LATE

    def lost(self, packet: Packet) -> int:
        """Return how many packets are missing before the next one; -1 if its source began anew."""
        known, expected = self._source == packet.source, (self._sequence + 1) & 0xFFFF
        is_first, self._source = self._source < 0, packet.source
        self._sequence = packet.sequence
        if is_first:
            return 0
        missing = (packet.sequence - expected) & 0xFFFF
        return missing if known and missing < JUMP else -1
