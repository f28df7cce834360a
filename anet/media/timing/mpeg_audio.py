"""The time of MPEG audio, layers I to III: MP3 above all (ISO 11172-3 and 13818-3).

All headers that there can be are in one table, by their first three bytes: version, layer, bit
rate, sample rate, padding. A frame costs one look into it, at constant and at variable bit rate.
"""

import re
from collections.abc import Hashable
from itertools import product

from attrs import frozen

from anet.media.timing.frames import Frames

_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_KBITS = {  # by whether it is MPEG 1, and layer
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}


@frozen
class Kind:
    """What all frames of a stream have in common.

    Attributes:
        version: 3 for MPEG 1, 2 for MPEG 2, 0 for MPEG 2.5.
        layer: 1, 2 or 3.
        rate: samples in a second.
        samples: in a frame.
    """

    version: int
    layer: int
    rate: int
    samples: int


def _length(kind: Kind, kbits: int, padded: int) -> int:
    """Return the bytes of a frame; those of layer I come in slots of four."""
    slot = 4 if kind.layer == 1 else 1
    return (kind.samples * kbits * 125 // slot // kind.rate + padded) * slot


def _kinds() -> dict[Kind, dict[bytes, int]]:
    """Return the length of a frame for each header, by its kind."""
    kinds: dict[Kind, dict[bytes, int]] = {}
    for version, layer, rate_index in product(_RATES, (1, 2, 3), range(3)):
        samples = 384 if layer == 1 else 576 if layer == 3 and version != 3 else 1152
        kind = Kind(version, layer, _RATES[version][rate_index], samples)
        allowed = enumerate(_KBITS[version == 3, layer if version == 3 else min(layer, 2)], 1)
        kinds[kind] = {
            bytes((0xFF, 0xE0 | version << 3 | 4 - layer << 1 | bare, low)): length
            for (index, kbits), padded, bare in product(list(allowed), (0, 1), (0, 1))
            for length in [_length(kind, kbits, padded)]
            for low in (index << 4 | rate_index << 2 | padded << 1 | own for own in (0, 1))
        }
    return kinds


_KINDS = _kinds()
_HEADERS = {
    header: (kind, length) for kind, lengths in _KINDS.items() for header, length in lengths.items()
}


class MpegAudioClock(Frames):
    """Counts the frames of MPEG audio."""

    MARK = re.compile(rb"\xff[\xe2-\xe7\xf2-\xff][\x10-\xef]|ID3")
    MARK_LENGTH = 3
    HEADER = 3

    def _frame(self, data: bytes, at: int) -> tuple[Hashable, int] | None:
        return _HEADERS.get(data[at : at + 3])

    def _step_into(self, kind: Hashable) -> None:
        assert isinstance(kind, Kind)
        self._kind, self._lengths = kind, _KINDS[kind]
        self._each = kind.samples
        self._count(kind.rate)

    def _run(self, data: bytes, at: int) -> tuple[int, int]:
        length_of, place, frames, last = self._lengths.get, at, 0, 0
        while length := length_of(data[place : place + 3]):  # 40 times a second, for each stream
            place, frames, last = place + length, frames + 1, length
        is_cut = place > len(data)
        self._samples += (frames - is_cut) * self._each
        return (place - last - at, last) if is_cut else (place - at, 0)
