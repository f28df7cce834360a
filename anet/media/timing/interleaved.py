"""The time of what RTSP brings over its own connection: by the time stamps of RTP.

Sound tells the time, or pictures where there is no sound. The stream may be cut where pictures can
be begun with, or sound where there are no pictures. What a decoder must know stands in the replies
before the first packet, which are the preamble.
"""

import re

from anet.errors import MalformedMessage
from anet.media.interface import Said
from anet.media.rtsp.beginnings import can_begin
from anet.media.rtsp.presentation import Presentation
from anet.media.rtsp.reading import Frame, Reply, read
from anet.media.rtsp.rtp import Order, Packet, SenderReport, packet_in, reports_in
from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

MODULUS = 2**32
REPORT_EVERY = 30.0  # seconds of signal between two reports on a track that are passed on


class InterleavedClock(Walk):
    """Goes by the time stamps of one track; says what is lost, and what senders' clocks are."""

    MARK = re.compile(rb"\$|RTSP/1")
    MARK_LENGTH = 6

    def __init__(self) -> None:
        super().__init__()
        self._presentation = Presentation()
        self._replies = bytearray()
        self._begin()

    def _begin(self) -> None:
        """Know nothing of any packet."""
        self._orders: dict[int, Order] = {}
        self._reported: dict[int, float] = {}
        self._leading = self._cutting = -1  # channels
        self._stamps = Stamps(1, 0, self.seconds)
        self._unit_began = 0, 0.0, -1  # of the cutting track: byte, seconds, stamp

    def _unit(self, data: bytes, at: int) -> int:
        try:
            found, end = read(data, at)
        except MalformedMessage:
            return self._search()
        if found is None:
            return -end
        if isinstance(found, Frame):
            self._frame(found, at)
        elif isinstance(found, Reply):
            self._reply(found, data[at:end])
        return end - at

    def _reply(self, reply: Reply, raw: bytes) -> None:
        if self._presentation.take(reply):
            self._replies.clear()
            self._begin()
        if not self._orders and len(self._replies) + len(raw) <= PREAMBLE_LIMIT:
            self._replies += raw

    def _frame(self, frame: Frame, at: int) -> None:
        reported = self._presentation.reports.get(frame.channel)
        if reported is not None:
            self._report(frame, reported, at)
        packet = packet_in(frame.data) if frame.channel in self._presentation.tracks else None
        if packet is None:
            return
        self._lead(frame.channel)
        self._look_for_losses(frame, packet, at)
        if frame.channel == self._leading:
            self._stamps.tick(packet.stamp)
        if frame.channel == self._cutting:
            self._look_for_boundary(frame.channel, packet, at)

    def _lead(self, channel: int) -> None:
        """Let a track tell the time, or where to cut, if it does so better than the one before."""
        kind = self._presentation.tracks[channel].kind
        if self._leading < 0 or kind == "audio" and self._kind(self._leading) != "audio":
            self._leading = channel
            rate = self._presentation.tracks[channel].rate
            self._stamps = Stamps(rate, MODULUS, self._stamps.seconds)
        if self._cutting < 0 or kind == "video" and self._kind(self._cutting) != "video":
            self._cutting = channel
            self._unit_began = 0, 0.0, -1

    def _kind(self, channel: int) -> str:
        return self._presentation.tracks[channel].kind

    def _look_for_boundary(self, channel: int, packet: Packet, at: int) -> None:
        """Note where a unit begins, and once it is seen to be one to begin with, that it is."""
        if packet.stamp != self._unit_began[2]:
            self._unit_began = self._start + at, self._stamps.seconds, packet.stamp
        if can_begin(self._presentation.tracks[channel], packet):
            place, seconds, _ = self._unit_began
            if place > self.boundary or not self.boundary:
                self.boundary, self.seconds, self.preamble = place, seconds, bytes(self._replies)

    def _look_for_losses(self, frame: Frame, packet: Packet, at: int) -> None:
        order = self._orders.setdefault(frame.channel, Order())
        if order.is_late(packet):
            self._say({"track": str(frame.channel), "late": "1"}, b"", at)
        elif lost := order.lost(packet):
            fields = {"lost": str(lost)} if lost > 0 else {"restarted": "1"}
            self._say({"track": str(frame.channel), **fields}, b"", at)

    def _report(self, frame: Frame, channel: int, at: int) -> None:
        due = self._reported.get(channel, -REPORT_EVERY) + REPORT_EVERY
        for report in reports_in(frame.data):
            if isinstance(report, SenderReport) and self._stamps.seconds >= due:
                self._reported[channel] = self._stamps.seconds
                fields = {"sender": f"{report.seconds:.6f}", "stamp": str(report.stamp)}
                self._say({"track": str(channel), **fields}, frame.data, at)
                return

    def _say(self, fields: dict[str, str], raw: bytes, at: int) -> None:
        self._said.append((self._start + at, Said("", fields, raw)))
