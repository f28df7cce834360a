"""Which format it is: by its first bytes, and by its media type where they do not tell."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from zope.interface import implementer

from anet.media.interface import ISignalClock, Said
from anet.media.timing.aac import AdtsClock, LoasClock
from anet.media.timing.advanced_systems import HEADER as ASF
from anet.media.timing.advanced_systems import AdvancedSystemsClock
from anet.media.timing.bitrate import BitrateClock
from anet.media.timing.flash_video import FlashVideoClock
from anet.media.timing.frames import Frames
from anet.media.timing.interleaved import InterleavedClock
from anet.media.timing.iso_media import IsoMediaClock
from anet.media.timing.matroska import MatroskaClock
from anet.media.timing.mpeg_audio import MpegAudioClock
from anet.media.timing.ogg import OggClock
from anet.media.timing.transport_stream import TransportStreamClock

SEEN = 8192  # bytes that are looked at

Clock = Callable[[], ISignalClock]

_BEGINNINGS: tuple[tuple[re.Pattern[bytes], Clock], ...] = (
    (re.compile(rb"OggS\0"), OggClock),
    (re.compile(rb"RTSP/1"), InterleavedClock),
    (re.compile(rb"FLV\x01"), FlashVideoClock),
    (re.compile(rb"\x1a\x45\xdf\xa3"), MatroskaClock),
    (re.compile(re.escape(ASF)), AdvancedSystemsClock),
    (re.compile(rb"(?s)\0...(?:ftyp|styp|moov|moof|sidx|prft|emsg)"), IsoMediaClock),
    (re.compile(rb"(?s).{0,187}?(?:G.{187}){4}"), TransportStreamClock),
)
_FRAMES: tuple[type[Frames], ...] = (MpegAudioClock, AdtsClock, LoasClock)
_MEDIA_TYPES: dict[str, Clock] = {
    "application/ogg": OggClock,
    "audio/ogg": OggClock,
    "video/ogg": OggClock,
    "audio/aac": AdtsClock,
    "audio/aacp": AdtsClock,
    "audio/mpeg": MpegAudioClock,
    "audio/mp3": MpegAudioClock,
    "video/mp2t": TransportStreamClock,
    "audio/mp4": IsoMediaClock,
    "video/mp4": IsoMediaClock,
    "video/iso.segment": IsoMediaClock,
    "audio/webm": MatroskaClock,
    "video/webm": MatroskaClock,
    "video/x-matroska": MatroskaClock,
    "video/x-flv": FlashVideoClock,
    "audio/x-ms-wma": AdvancedSystemsClock,
    "video/x-ms-wmv": AdvancedSystemsClock,
    "video/x-ms-asf": AdvancedSystemsClock,
    "application/vnd.ms.wms-hdr.asfv1": AdvancedSystemsClock,
    "application/x-rtsp-interleaved": InterleavedClock,
    "application/x-mms-framed": AdvancedSystemsClock,
}


def clock_for(media_type: str, head: bytes, bitrate: int = 0) -> ISignalClock:
    """Return a clock for media that begin like this; there always is one.

    Args:
        media_type: what their server says of them, without parameters; it is often wrong.
        head: their first bytes. They are only looked at: the clock must be fed them too. If they
            are few and tell nothing, the clock waits for more before it begins.
        bitrate: kbit/s, as the server says; 0 where it does not.
    """
    found = _by_bytes(head[:SEEN])
    if found:
        return found()
    fallback = _MEDIA_TYPES.get(media_type.strip().lower()) or partial(BitrateClock, bitrate)
    return fallback() if len(head) >= SEEN else LateClock(fallback)


def _by_bytes(head: bytes) -> Clock | None:
    """Return the clock of what begins like this; None if that does not tell."""
    for beginning, clock in _BEGINNINGS:
        if beginning.match(head):
            return clock
    for framed in _FRAMES:
        trial = framed()
        trial.feed(head)
        if trial.seconds > 0.0:
            return framed
    return None


@implementer(ISignalClock)
class LateClock:
    """Waits for enough bytes to tell the format, and then is the clock of that.

    Args:
        fallback: what it is if they do not tell.
    """

    def __init__(self, fallback: Clock) -> None:
        self._fallback = fallback
        self._held = bytearray()
        self._clock: ISignalClock | None = None

    def feed(self, data: bytes) -> Sequence[tuple[int, Said]]:
        """Take the next bytes."""
        if self._clock is not None:
            return self._clock.feed(data)
        self._held += data
        if len(self._held) < SEEN:
            return ()
        self._clock = (_by_bytes(bytes(self._held[:SEEN])) or self._fallback)()
        held, self._held = bytes(self._held), bytearray()
        return self._clock.feed(held)

    @property
    def position(self) -> int:
        """Bytes fed so far."""
        return self._clock.position if self._clock else len(self._held)

    @property
    def boundary(self) -> int:
        """Bytes up to the last place where the media may be cut."""
        return self._clock.boundary if self._clock else 0

    @property
    def seconds(self) -> float:
        """Of signal up to `boundary`."""
        return self._clock.seconds if self._clock else 0.0

    @property
    def preamble(self) -> bytes:
        """What a decoder must be given before a part that begins at `boundary`."""
        return self._clock.preamble if self._clock else b""
