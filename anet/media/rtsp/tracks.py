"""What RTSP brought, given as media that players know: one track of it. Sans I/O.

reader = TrackReader()
reader.feed(preamble)  # again with a later piece, it changes nothing
played = reader.feed(piece)
"""

import re
from collections.abc import Sequence

from attrs import frozen

from anet.errors import MalformedMessage
from anet.media.rtsp.presentation import Presentation
from anet.media.rtsp.reading import Frame, Reply, read
from anet.media.rtsp.rtp import Order, packet_in
from anet.media.rtsp.unpacking import Unpacker, unpacker_for

INTERLEAVED = "application/x-rtsp-interleaved"
"""The media type of what a server of RTSP sent over its connection, from its description on."""

_MARK = re.compile(rb"[$A-Z_]")  # what frames, replies and demands begin with


@frozen
class Playable:
    """A track that can be given.

    Attributes:
        channel: its number in the stream.
        kind: "audio" or "video".
        media_type: of what is given.
    """

    channel: int
    kind: str
    media_type: str


def playable(preamble: bytes) -> list[Playable]:
    """Return the tracks that can be given, from the beginning of a stream or the preamble."""
    reader = TrackReader(-1)
    reader.feed(preamble)
    return reader.playable()


def preferred(tracks: Sequence[Playable]) -> Playable | None:
    """Return the first sound, or else the first pictures; None of nothing."""
    return min(tracks, key=lambda track: track.kind != "audio", default=None)


class TrackReader:
    """Gives a track as media.

    Args:
        channel: which track; None for the first sound, or else the first pictures.

    Attributes:
        media_type: of what it gives; empty before the first packet of its track.
    """

    def __init__(self, channel: int | None = None) -> None:
        self.media_type = ""
        self._wanted = channel
        self._presentation = Presentation()
        self._held = b""
        self._channel = -1
        self._unpacker: Unpacker | None = None
        self._order = Order()

    def playable(self) -> list[Playable]:
        """Return the tracks that can be given, as far as is known by now."""
        tracks = sorted(self._presentation.tracks.items())
        made = [(channel, track.kind, unpacker_for(track)) for channel, track in tracks]
        return [Playable(at, kind, found.media_type) for at, kind, found in made if found]

    def feed(self, data: bytes) -> bytes:
        """Return what is whole of the track with the next bytes of the stream.

        What is nothing of RTSP is passed over.
        """
        data, at = self._held + data, 0
        given: list[bytes] = []
        while at < len(data):
            try:
                found, end = read(data, at)
            except MalformedMessage:
                at = _next(data, at + 1)
                continue
            if found is None:
                break
            at = end
            if isinstance(found, Reply):
                self._reply(found)
            elif isinstance(found, Frame):
                given.append(self._frame(found))
        self._held = data[at:]
        return b"".join(given)

    def _reply(self, reply: Reply) -> None:
        before = self._presentation.description
        if self._presentation.take(reply) and self._presentation.description != before:
            self._unpacker = None

    def _frame(self, frame: Frame) -> bytes:
        if self._unpacker is None:
            self._choose()
        if frame.channel != self._channel or self._unpacker is None:
            return b""
        packet = packet_in(frame.data)
        if packet is None or self._order.is_late(packet):  # what it belongs to is given already
            return b""
        return self._unpacker.take(packet, not self._order.lost(packet))

    def _choose(self) -> None:
        """Take the track that is wanted; all are known when the first packet comes."""
        found = self.playable()
        if self._wanted is not None:
            found = [each for each in found if each.channel == self._wanted]
        chosen = preferred(found)
        if chosen is not None:
            self._channel, self.media_type = chosen.channel, chosen.media_type
            self._unpacker = unpacker_for(self._presentation.tracks[self._channel])


def _next(data: bytes, at: int) -> int:
    """Return where the next frame or reply may begin."""
    found = _MARK.search(data, at)
    return found.start() if found else len(data)
