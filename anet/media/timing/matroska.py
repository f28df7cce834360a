"""The time of live WebM and Matroska (RFC 8794, RFC 9559): clusters, each with its time."""

import re

from anet.media.timing.stamps import Stamps
from anet.media.timing.walk import PREAMBLE_LIMIT, Walk

HEADER = 12  # bytes of an identifier and a size, at most
LONGEST = 2**28  # bytes of an element; what says to be longer is none
UNKNOWN = -1
EBML, SEGMENT, INFO, TRACKS, CLUSTER = 0x1A45DFA3, 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675
TIMESTAMP, SCALE = 0xE7, 0x2AD7B1
HEADS = {EBML, INFO, TRACKS}  # what decoders must know
IN_CLUSTER = {0xA3, 0xA0, 0xA7, 0xAB, 0xAF, 0x5854}  # blocks, and what stands between them
IN_SEGMENT = {0x114D9B74, 0x1C53BB6B, 0x1941A469, 0x1043A770, 0x1254C367}  # seek head, cues, tags…
EVERYWHERE = {0xEC, 0xBF}  # void, checksum


class MatroskaClock(Walk):
    """Goes by the times of clusters."""

    MARK = re.compile(rb"\x1f\x43\xb6\x75|\x1a\x45\xdf\xa3")
    MARK_LENGTH = 4

    def __init__(self) -> None:
        super().__init__()
        self._stamps = Stamps(1000)
        self._heads = bytearray()
        self._heading = False
        self._cluster: int | None = None  # where the cluster begins whose time is still to come

    def _unit(self, data: bytes, at: int) -> int:
        if len(data) - at < HEADER:
            return -HEADER
        found = _element(data, at)
        if found is None:
            return self._search()
        kind, header, size = found
        if kind in (SEGMENT, CLUSTER):
            self._open(kind, data[at : at + header], at)
            return header
        if kind in HEADS or kind == TIMESTAMP:
            length = header + size
            if length > PREAMBLE_LIMIT:
                return length
            if len(data) - at < length:
                return -length
            self._look(kind, data[at : at + length], header, at)
        return header + size

    def _open(self, kind: int, raw: bytes, at: int) -> None:
        """Go into the element that holds all others, or into a cluster."""
        if kind == CLUSTER:
            self._cluster = self._start + at
        elif self._heading and len(self._heads) <= PREAMBLE_LIMIT:
            self._heads += b"\x18\x53\x80\x67\x01" + b"\xff" * 7  # of a size that is unknown

    def _look(self, kind: int, raw: bytes, header: int, at: int) -> None:
        """Look at an element that is there whole."""
        if kind == TIMESTAMP:
            self._time(int.from_bytes(raw[header:], "big"))
            return
        if kind == EBML:
            self._heads.clear()
            self._heading, self._cluster = True, None
            self._arrive(at, self._stamps.seconds)
        elif kind == INFO:
            self._stamps = Stamps(10**9 // _scale(raw, header), seconds=self._stamps.seconds)
        if self._heading and len(self._heads) <= PREAMBLE_LIMIT:
            self._heads += raw

    def _time(self, stamp: int) -> None:
        """Go on to the time of a cluster; before it the media may be cut."""
        if self._cluster is None:
            return
        self._stamps.tick(stamp)
        heads = bytes(self._heads) if len(self._heads) <= PREAMBLE_LIMIT else b""
        self._arrive(self._cluster - self._start, self._stamps.seconds, heads)
        self._cluster, self._heading = None, False


def _element(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the identifier of the element that begins here, and bytes of header and of body.

    None for one that is unknown, too long, or of unknown length where it must have one.
    """
    width = 9 - data[at].bit_length()
    kind = int.from_bytes(data[at : at + width], "big")
    place = at + width
    long = 9 - data[place].bit_length()
    if width > 4 or long > 8:
        return None
    size = int.from_bytes(data[place : place + long], "big") & (1 << 7 * long) - 1
    if kind in (SEGMENT, CLUSTER):
        return kind, width + long, UNKNOWN
    known = kind in HEADS or kind in IN_CLUSTER or kind in IN_SEGMENT or kind in EVERYWHERE
    if not (known or kind == TIMESTAMP) or size > LONGEST:
        return None
    return kind, width + long, size


def _scale(raw: bytes, header: int) -> int:
    """Return the nanoseconds that a time counts; a million where nothing is said."""
    place = raw.find(SCALE.to_bytes(3, "big"), header)
    if place < 0 or place + 4 > len(raw):
        return 1_000_000
    width = raw[place + 3] & 0x7F
    found = int.from_bytes(raw[place + 4 : place + 4 + min(width, 8)], "big")
    return found if 0 < found <= 10**9 else 1_000_000
