"""The time of Ogg: Vorbis, Opus, FLAC, Speex, Theora (RFC 3533, RFC 7845, RFC 5334).

Pages say up to which sample they lead (*granule*). A stream is a chain: with each title an encoder
may end it, and begin another with headers of its own, which say the title.
"""

import re
from struct import Struct

from attrs import define

from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

HEADER = 27
BEGINS = 2  # flag of the first page of a track
_FIELDS = Struct("<BqII")
TRACKS = 64  # of one stream that are told apart, at most
_LITTLE_ENDIAN = (  # how the first packet begins, where it tells the rate, how many are headers
    (b"\x01vorbis", slice(12, 16), 3),
    (b"Speex   ", slice(36, 40), 2),
)


@define
class Track:
    """One of the tracks that are multiplexed.

    Attributes:
        rate: granules in a second; 0 where it tells no time.
        headers: packets to come that are headers.
        audio: whether it is audio.
        origin: granule at which a stream begins that is received from its beginning.
        shift: bits of a granule that count from the last key frame (Theora).
        pages: seen so far.
    """

    rate: int = 0
    headers: int = 1
    audio: bool = True
    origin: int = 0
    shift: int = 0
    pages: int = 0


class OggClock(Walk):
    """Goes by the granules of the first audio track, or of the first that tells time."""

    MARK = re.compile(rb"OggS\x00")
    MARK_LENGTH = 5

    def __init__(self) -> None:
        super().__init__()
        self._tracks: dict[int, Track] = {}
        self._leading: Track | None = None
        self._stamps = Stamps(1)
        self._first = 0  # packets of the first page of a stream that had begun before
        self._headers = bytearray()  # pages of this link of the chain, while they come
        self._heading = False  # whether they do
        self._began = 0  # where the first of them is
        self._cuttable = True  # no packet goes on in the next page

    def _unit(self, data: bytes, at: int) -> int:
        if self._cuttable and not self._heading:
            self._arrive(at, self._stamps.seconds, bytes(self._headers))
        if len(data) - at < HEADER:
            return -HEADER
        if not data.startswith(b"OggS\0", at):
            self._cuttable = False
            return self._search()
        table_end = at + HEADER + data[at + 26]
        if len(data) < table_end:
            return at - table_end
        table = data[at + HEADER : table_end]
        length = table_end - at + sum(table)
        flags, granule, serial, number = _FIELDS.unpack_from(data, at + 5)
        if flags & BEGINS or self._awaited:
            if len(data) - at < length:
                return -length
            self._head(data[at : at + length], at, serial, flags, table)
        else:
            if self._heading:
                self._begin()
                self._arrive(at, self._stamps.seconds, bytes(self._headers))
            self._page(serial, granule, number, table)
        self._cuttable = not table or table[-1] < 255
        return length

    @property
    def _awaited(self) -> bool:
        """Whether headers are still to come."""
        return self._heading and any(track.headers > 0 for track in self._tracks.values())

    def _head(self, page: bytes, at: int, serial: int, flags: int, table: bytes) -> None:
        """Take a page of headers."""
        if flags & BEGINS and not self._heading:
            self._heading, self._began = True, self._start + at
            self._arrive(at, self._stamps.seconds)  # it brings its own headers
            self._tracks, self._headers = {}, bytearray()
        if flags & BEGINS and len(self._tracks) < TRACKS:
            self._tracks[serial] = _track(page[HEADER + len(table) :])
        self._headers += page[: PREAMBLE_LIMIT + 1 - len(self._headers)]
        track = self._tracks.get(serial)
        if track:
            track.pages += 1
            track.headers -= sum(length < 255 for length in table)

    def _begin(self) -> None:
        """All headers are there: say what they say, and go by the granules of the best track."""
        self._tell(self._began - self._start, bytes(self._headers))
        if len(self._headers) > PREAMBLE_LIMIT:
            self._headers.clear()
        telling = [track for track in self._tracks.values() if track.rate]
        telling.sort(key=lambda track: not track.audio)
        self._leading = telling[0] if telling else None
        self._stamps = Stamps(telling[0].rate if telling else 1, seconds=self._stamps.seconds)
        self._heading, self._first = False, 0

    def _page(self, serial: int, granule: int, number: int, table: bytes) -> None:
        """Go on to where a page leads."""
        track = self._tracks.get(serial)
        packets = sum(length < 255 for length in table)
        if track is None or track is not self._leading or granule < 0 or not packets:
            return
        if track.shift:
            granule = (granule >> track.shift) + (granule & (1 << track.shift) - 1)
        if track.headers <= 0:  # the first page behind the headers
            track.headers = 1
            if number == track.pages:
                self._stamps.tick(track.origin)
            else:
                self._first = packets
        before = self._stamps.seconds
        self._stamps.tick(granule)
        gained = self._stamps.seconds - before
        if self._first and gained:  # packets of one track are about as long as each other
            self._stamps.skip(gained * self._first / packets)
            self._first = 0


def _track(packet: bytes) -> Track:
    """Return what the first packet of a track says."""
    for name, place, headers in _LITTLE_ENDIAN:
        if packet.startswith(name):
            return Track(int.from_bytes(packet[place], "little"), headers)
    if packet.startswith(b"OpusHead"):
        return Track(48000, 2, origin=int.from_bytes(packet[10:12], "little"))
    if packet.startswith(b"\x7fFLAC") and len(packet) >= 30:
        return Track(int.from_bytes(packet[27:30], "big") >> 4, 2)
    if packet.startswith(b"\x80theora") and len(packet) >= 42:
        return _theora(packet)
    return Track()


def _theora(packet: bytes) -> Track:
    """Return what the header of Theora says, which counts frames in pairs of numbers."""
    frames, seconds = (int.from_bytes(packet[place : place + 4], "big") for place in (22, 26))
    shift = (packet[40] & 3) << 3 | packet[41] >> 5
    return Track(round(frames / (seconds or 1)), 3, audio=False, shift=shift)
