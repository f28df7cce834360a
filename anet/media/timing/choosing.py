"""Which format it is: by its first bytes, and by its media type where they do not tell."""

import re
from collections.abc import Callable

from anet.media.interface import ISignalClock
from anet.media.timing.aac import AdtsClock, LoasClock
from anet.media.timing.advanced_systems import HEADER as ASF
from anet.media.timing.advanced_systems import AdvancedSystemsClock
from anet.media.timing.bitrate import BitrateClock
from anet.media.timing.flash_video import FlashVideoClock
from anet.media.timing.frames import Frames
from anet.media.timing.iso_media import IsoMediaClock
from anet.media.timing.matroska import MatroskaClock
from anet.media.timing.mpeg_audio import MpegAudioClock
from anet.media.timing.ogg import OggClock
from anet.media.timing.transport_stream import TransportStreamClock

SEEN = 16_384  # bytes that are looked at

Clock = Callable[[], ISignalClock]

_BEGINNINGS: tuple[tuple[re.Pattern[bytes], Clock], ...] = (
    (re.compile(rb"OggS\0"), OggClock),
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
    "application/x-mms-framed": AdvancedSystemsClock,
}


def clock_for(media_type: str, head: bytes, bitrate: int = 0) -> ISignalClock:
    """Return a clock for media that begin like this; there always is one.

    Args:
        media_type: what their server says of them, without parameters; it is often wrong.
        head: their first bytes, best 16 KB of them. They are only looked at: the clock must be
            fed them too.
        bitrate: kbit/s, as the server says; 0 where it does not.
    """
    head = head[:SEEN]
    for beginning, clock in _BEGINNINGS:
        if beginning.match(head):
            return clock()
    for framed in _FRAMES:
        found = framed()
        found.feed(head)
        if found.seconds > 0.0:
            return framed()
    by_type = _MEDIA_TYPES.get(media_type.strip().lower())
    return by_type() if by_type else BitrateClock(bitrate)
