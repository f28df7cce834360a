"""The time of FLV: tags of audio, video and script, each with its time in milliseconds."""

import re

from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

FILE_HEADER = 13  # bytes, with the length of no tag before it
HEADER = 11
TRAILER = 4  # the length of the tag once more
SEEN = HEADER + 2  # bytes of a tag that are looked at
AUDIO, VIDEO, SCRIPT = 8, 9, 18
LONGEST = 2**24


class FlashVideoClock(Walk):
    """Goes by the times of audio, or of video where there is no audio."""

    MARK = re.compile(rb"(?s)FLV\x01|[\x08\x09\x12]....{3}.\0\0\0")
    MARK_LENGTH = HEADER

    def __init__(self) -> None:
        super().__init__()
        self._stamps = Stamps(1000, 2**32)
        self._heads = bytearray()  # of the file, and the tags that decoders must know
        self._leading = VIDEO
        self._pictures = False

    def _unit(self, data: bytes, at: int) -> int:
        if len(data) - at < FILE_HEADER:
            return -FILE_HEADER
        if data.startswith(b"FLV\x01", at):
            self._begin(data[at : at + FILE_HEADER], at)
            return FILE_HEADER
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 4], "big")
        if kind not in (AUDIO, VIDEO, SCRIPT) or data[at + 8 : at + 11] != b"\0\0\0":
            return self._search()
        length = HEADER + size + TRAILER
        if kind == SCRIPT or size > 1 and _describes(kind, data[at + HEADER : at + SEEN]):
            if length <= PREAMBLE_LIMIT and len(data) - at < length:
                return -length
            self._describe(data[at : at + length])
            return length
        self._media(kind, data, at)
        return length

    def _begin(self, header: bytes, at: int) -> None:
        self._arrive(at, self._stamps.seconds)
        self._heads = bytearray(header)
        self._leading, self._pictures = VIDEO, False

    def _describe(self, tag: bytes) -> None:
        """Keep a tag that decoders must know."""
        if self._heads and len(self._heads) + len(tag) <= PREAMBLE_LIMIT:
            self._heads += tag

    def _media(self, kind: int, data: bytes, at: int) -> None:
        """Go on to the time of a tag; before it the media may be cut, if it is a key frame."""
        self._pictures |= kind == VIDEO
        stamp = data[at + 7] << 24 | int.from_bytes(data[at + 4 : at + 7], "big")
        if kind == AUDIO and self._leading == VIDEO:
            self._leading = AUDIO
            self._stamps = Stamps(1000, 2**32, self._stamps.seconds)
        if kind == self._leading:
            self._stamps.tick(stamp)
        key = kind == VIDEO and data[at + HEADER] >> 4 == 1
        if key or not self._pictures:
            self._arrive(at, self._stamps.seconds, bytes(self._heads))


def _describes(kind: int, start: bytes) -> bool:
    """Tell whether a tag of AAC or of AVC, HEVC… describes what follows, by its first bytes."""
    return start[1] == 0 and (
        start[0] >> 4 == 10 if kind == AUDIO else start[0] & 15 in (7, 12, 13)
    )
