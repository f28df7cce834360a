"""The time of FLV: tags of audio, video and script, each with its time in milliseconds."""

import re
from struct import Struct

from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

FILE_HEADER = 13  # bytes, with the length of no tag before it
HEADER = 11
TRAILER = 4  # the length of the tag once more
AUDIO, VIDEO, SCRIPT = KINDS = 8, 9, 18
_TAG = Struct(">BBHBHBH")  # kind, size (3 bytes), time (3 and 1), stream (2 of 3 bytes)


class FlashVideoClock(Walk):
    """Goes by the times of audio, or of video where there is no audio."""

    MARK = re.compile(rb"(?s)FLV\x01|[\x08\x09\x12]....{3}.\0\0\0")
    MARK_LENGTH = HEADER

    def __init__(self) -> None:
        super().__init__()
        self._stamps = Stamps(1000, 2**32)
        self._heads = b""  # of the file, and the tags that decoders must know
        self._leading = VIDEO
        self._pictures = False

    def _unit(self, data: bytes, at: int) -> int:
        if len(data) - at < FILE_HEADER:
            return -FILE_HEADER
        if data.startswith(b"FLV\x01", at):
            self._begin(data[at : at + FILE_HEADER], at)
            return FILE_HEADER
        kind, high, low, early, middle, late, stream = _TAG.unpack_from(data, at)
        if kind not in KINDS or stream:
            return self._search()
        length: int = HEADER + (high << 16 | low) + TRAILER
        if kind == SCRIPT or data[at + HEADER + 1] == 0 and _describes(kind, data[at + HEADER]):
            if length <= PREAMBLE_LIMIT and len(data) - at < length:
                return -length
            self._describe(data[at : at + length])
            return length
        stamp = late << 24 | early << 16 | middle
        self._media(kind, stamp, kind == VIDEO and data[at + HEADER] >> 4 == 1, at)
        return length

    def _begin(self, header: bytes, at: int) -> None:
        self._arrive(at, self._stamps.seconds)
        self._heads = header
        self._leading, self._pictures = VIDEO, False

    def _describe(self, tag: bytes) -> None:
        """Keep a tag that decoders must know."""
        if self._heads and len(self._heads) + len(tag) <= PREAMBLE_LIMIT:
            self._heads += tag

    def _media(self, kind: int, stamp: int, key: bool, at: int) -> None:
        """Go on to the time of a tag; before it the media may be cut, if it is a key frame."""
        self._pictures |= kind == VIDEO
        if kind == AUDIO and self._leading == VIDEO:
            self._leading = AUDIO
            self._stamps = Stamps(1000, 2**32, self._stamps.seconds)
        if kind == self._leading:
            self._stamps.tick(stamp)
        if key or not self._pictures:
            self._arrive(at, self._stamps.seconds, self._heads)


def _describes(kind: int, first: int) -> bool:
    """Tell whether a tag of AAC or of AVC, HEVC… describes what follows, by its first byte.

    The second one is 0 then.
    """
    return first >> 4 == 10 if kind == AUDIO else first & 15 in (7, 12, 13)
