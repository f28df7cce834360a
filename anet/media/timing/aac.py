"""The time of AAC in frames of its own: ADTS and LOAS (ISO 14496-3).

A frame has 1024 samples, at the rate of what is coded: with SBR the decoder doubles both.
"""

import re
from collections.abc import Hashable

from anet.media.timing.frames import Frames

SAMPLES = 1024
RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)
LONGEST = 15  # 4 bits that say that the rate itself follows


class AdtsClock(Frames):
    """Counts the blocks of frames with headers of ADTS."""

    MARK = re.compile(rb"\xff[\xf0\xf1\xf8\xf9][^\xff]|ID3")
    MARK_LENGTH = 3
    HEADER = 7

    def _frame(self, data: bytes, at: int) -> tuple[Hashable, int] | None:
        sync = data[at] == 0xFF and data[at + 1] & 0xF6 == 0xF0
        length = _adts_length(data, at)
        if not sync or data[at + 2] >> 2 & 15 >= len(RATES) or length < self.HEADER:
            return None
        return data[at : at + 3], length

    def _step_into(self, kind: Hashable) -> None:
        assert isinstance(kind, bytes)
        self._kind = self._head = kind
        self._count(RATES[kind[2] >> 2 & 15])

    def _run(self, data: bytes, at: int) -> tuple[int, int]:
        head, end, place, blocks = self._head, len(data), at, 0
        length = 0
        while data[place : place + 3] == head:
            if end - place < self.HEADER:
                length = self.HEADER
                break
            length = _adts_length(data, place)
            if length < self.HEADER or place + length > end:
                length = length if length >= self.HEADER else 0
                break
            blocks += 1 + (data[place + 6] & 3)
            place += length
            length = 0
        self._samples += blocks * SAMPLES
        return place - at, length


def _adts_length(data: bytes, at: int) -> int:
    """Return the bytes of a frame, with its header."""
    return (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5


class LoasClock(Frames):
    """Counts the frames of LOAS; the rate is in the first of them, and now and then again."""

    MARK = re.compile(rb"\x56[\xe0-\xff]|ID3")
    MARK_LENGTH = 3
    HEADER = 8

    def _frame(self, data: bytes, at: int) -> tuple[Hashable, int] | None:
        if data[at] != 0x56 or data[at + 1] < 0xE0:
            return None
        length = 3 + ((data[at + 1] & 0x1F) << 8 | data[at + 2])
        return ("LOAS", length) if length >= self.HEADER else None

    def _step_into(self, kind: Hashable) -> None:
        self._kind = kind

    def _run(self, data: bytes, at: int) -> tuple[int, int]:
        place = at
        while len(data) - place >= self.HEADER:
            found = self._frame(data, place)
            if found is None:
                return place - at, 0
            if place + found[1] > len(data):
                return place - at, found[1]
            self._frames_at(data, place)
            place += found[1]
        return place - at, self.HEADER

    def _frames_at(self, data: bytes, at: int) -> None:
        """Count what a unit holds; nothing before its rate is known."""
        config = int.from_bytes(data[at + 3 : at + self.HEADER], "big")  # 40 bits
        if not config >> 39:  # it says its own, of version 0 with one program and one layer
            plain = config >> 38 & 1 == 0 and config >> 24 & 0x7F == 0
            index = config >> 15 & 15
            rate = RATES[index] if plain and index < len(RATES) else self._rate
            self._each = SAMPLES * (1 + (config >> 31 & 0x3F))
            if rate != self._rate:
                self._count(rate)
        if self._rate > 1:
            self._samples += self._each
