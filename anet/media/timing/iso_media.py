"""The time of fragmented MP4 and CMAF (ISO 14496-12): fragments, each with its decode time."""

import re
from collections.abc import Iterator

from attrs import define, frozen

from anet.media.timing.boxes import HEADER, LONG_HEADER, Box, box_at, boxes_in, number
from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

HELD = {b"ftyp", b"moov", b"moof", b"emsg"}  # boxes that are looked into
HELD_LIMIT = 2**20  # bytes of one of them
OTHERS = {b"styp", b"sidx", b"ssix", b"prft", b"mdat", b"free", b"skip", b"uuid", b"mfra", b"meta"}
LONGEST = 2**28  # bytes of any; what says to be longer is none
PATIENCE = 10.0  # seconds after which media without key frames are cut at any fragment
TRACKS = 64  # that are told apart, at most
NOT_A_KEY = 0x10000  # flag of a sample that others must be decoded for


@define
class Track:
    """A track, as the header of the media describes it.

    Attributes:
        scale: parts of a second in which its time is told.
        media: "soun", "vide" or something else.
        flags: of its samples, where nothing else is said.
    """

    scale: int = 0
    media: bytes = b""
    flags: int = 0


class IsoMediaClock(Walk):
    """Goes by the decode times of the first audio track, or of the first track."""

    MARK = re.compile(rb"(?s)\0...(?:ftyp|styp|moov|moof|sidx|prft|emsg)")
    MARK_LENGTH = 8

    def __init__(self) -> None:
        super().__init__()
        self._tracks: dict[int, Track] = {}
        self._leading = 0  # number of the track that tells the time
        self._stamps = Stamps(1)
        self._type = self._heads = b""  # `ftyp`; `ftyp` and `moov`
        self._chunk: int | None = None  # where what belongs to the next fragment begins

    def _unit(self, data: bytes, at: int) -> int:
        if len(data) - at < LONG_HEADER:
            return -LONG_HEADER
        box = box_at(data, at)
        if box is None or box.kind not in HELD | OTHERS or box.end - at > LONGEST:
            self._chunk = None
            return self._search()
        length = box.end - at
        if self._chunk is None:
            self._chunk = self._start + at
        if box.kind == b"mdat":
            self._chunk = None
        elif box.kind in HELD and length <= HELD_LIMIT:
            if len(data) - at < length:
                return -length
            self._look(data[at : box.end], at)
        return length

    def _look(self, raw: bytes, at: int) -> None:
        """Look into a box that is there whole."""
        kind = raw[4:8]
        if kind == b"ftyp":
            self._type = self._heads = raw[: PREAMBLE_LIMIT + 1]
        elif kind == b"moov":
            self._heads = self._type + raw[: PREAMBLE_LIMIT + 1]
            self._begin(raw)
        elif kind == b"moof":
            self._fragment(raw)
        elif b"ID3" in raw[:512]:
            self._tell(at, raw[raw.index(b"ID3") :])

    def _begin(self, raw: bytes) -> None:
        """Take the tracks that are described."""
        self._tracks = dict(list(_tracks(raw))[:TRACKS])
        ranked = sorted(self._tracks, key=lambda each: self._tracks[each].media != b"soun")
        ranked = [each for each in ranked if self._tracks[each].scale]
        self._leading = ranked[0] if ranked else 0
        scale = self._tracks[self._leading].scale if ranked else 1
        self._stamps = Stamps(scale, seconds=self._stamps.seconds)

    def _fragment(self, raw: bytes) -> None:
        """Go on to where a fragment begins; before it the media may be cut."""
        pictures = any(track.media == b"vide" for track in self._tracks.values())
        key = not pictures
        for box in boxes_in(raw, HEADER, len(raw)):
            if box.kind != b"traf":
                continue
            fragment = Fragment.of(raw, box)
            track = self._tracks.get(fragment.track, Track())
            if fragment.track == self._leading and fragment.time is not None:
                self._stamps.tick(fragment.time)
            flags = track.flags if fragment.flags is None else fragment.flags
            key |= track.media == b"vide" and not flags & NOT_A_KEY
        place = self._chunk
        if place is not None and (key or self._stamps.seconds - self.seconds > PATIENCE):
            heads = self._heads if len(self._heads) <= PREAMBLE_LIMIT else b""
            self._arrive(place - self._start, self._stamps.seconds, heads)


@frozen
class Fragment:
    """What belongs to one track in a fragment.

    Attributes:
        track: its number.
        time: when it begins, in parts of a second.
        flags: of its first sample.
    """

    track: int
    time: int | None
    flags: int | None

    @classmethod
    def of(cls, raw: bytes, traf: Box) -> "Fragment":
        """Read what a `traf` says."""
        track, time, flags = 0, None, None
        for box in boxes_in(raw, traf.body, traf.end):
            given, body = number(raw, box.body) & 0xFFFFFF, box.body + 4
            if box.kind == b"tfhd":
                track = number(raw, body)
                place = body + 4 + _sizes(given, {0x1: 8, 0x2: 4, 0x8: 4, 0x10: 4})
                flags = number(raw, place) if given & 0x20 else None
            elif box.kind == b"tfdt":
                time = number(raw, body, 8 if number(raw, box.body, 1) == 1 else 4)
            elif box.kind == b"trun":
                place = body + 4 + (4 if given & 0x1 else 0)
                if given & 0x400 and not given & 0x4:
                    place += _sizes(given, {0x100: 4, 0x200: 4})
                flags = number(raw, place) if given & 0x404 else flags
                break
        return cls(track, time, flags)


def _sizes(given: int, fields: dict[int, int]) -> int:
    """Return the bytes of those fields that are there, by their flags."""
    return sum(size for flag, size in fields.items() if given & flag)


def _tracks(moov: bytes) -> Iterator[tuple[int, Track]]:
    """Yield the tracks that a header describes, by their numbers."""
    defaults = {}
    for box in boxes_in(moov, HEADER, len(moov)):
        if box.kind == b"mvex":
            extends = (each for each in boxes_in(moov, box.body, box.end) if each.kind == b"trex")
            defaults = {
                number(moov, each.body + 4): number(moov, each.body + 20) for each in extends
            }
    for box in boxes_in(moov, HEADER, len(moov)):
        if box.kind == b"trak":
            key, scale, media = 0, 0, b""
            for each in _descend(moov, box):
                later = moov[each.body : each.body + 1] == b"\1"  # its dates are longer
                if each.kind == b"tkhd":
                    key = number(moov, each.body + (20 if later else 12))
                elif each.kind == b"mdhd":
                    scale = number(moov, each.body + (20 if later else 12))
                elif each.kind == b"hdlr":
                    media = moov[each.body + 8 : each.body + 12]
            yield key, Track(scale, media, defaults.get(key, 0))


def _descend(raw: bytes, trak: Box) -> Iterator[Box]:
    """Yield what a track holds, and what its media hold."""
    for box in boxes_in(raw, trak.body, trak.end):
        yield box
        if box.kind == b"mdia":
            yield from boxes_in(raw, box.body, box.end)
