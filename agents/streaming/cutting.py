"""Where an endless stream is closed into contents, and when its time is noted. Pure."""

from attrs import define, frozen

from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT

BEHIND_LIMIT = 8 * 2**20  # bytes behind the boundary; with more of them it is waited for another
SIZE_LIMIT = BYTE_LIMIT - 2**23  # bytes of a piece that is cut wherever it is
SECONDS_LIMIT = MILLISECONDS_LIMIT / 1000 - 60  # likewise
ANYWHERE = "no boundary"  # said of such a cut
LEAP = 0.5  # seconds by which the signal leaps ahead, or stays behind, for an entry of its own
LEAPS = 20  # such entries in a piece: the clocks of some streams cannot be trusted


@frozen
class Cut:
    """Where a piece is to end.

    Attributes:
        byte: of the piece.
        why: "time" or "size", maybe with `ANYWHERE`.
    """

    byte: int
    why: str


@frozen
class Lengths:
    """How long pieces are.

    Attributes:
        seconds: after which one is closed.
        size: bytes after which it is, too.
    """

    seconds: float
    size: int

    def cut(self, size: int, seconds: float, boundary: int) -> Cut | None:
        """Return where a piece is to end; None if it is to go on.

        Args:
            size: bytes of it.
            seconds: since it began.
            boundary: byte of it up to which it may be cut; 0 or less if nowhere.
        """
        large = size >= self.size
        why = "size" if large else "time"
        if not large and seconds < self.seconds:
            return None
        if boundary > 0 and size - boundary <= BEHIND_LIMIT:
            return Cut(boundary, why)
        if size >= SIZE_LIMIT or seconds >= SECONDS_LIMIT:
            return Cut(size, f"{why}: {ANYWHERE}")
        return None


@define
class Noting:
    """Says when real time and signal time are to be noted together (*INA §1.6*).

    Readers divide what lies between two entries evenly. So there is one at regular intervals, and
    one where the signal leaps, as it does when a server sends what it has held.

    Attributes:
        interval: seconds between two entries.
    """

    interval: float
    _at: float = 0.0
    _signal: float = 0.0
    _leaps: int = 0

    def begin(self, at: float, signal: float) -> None:
        """Begin a piece, which always has an entry at its first byte."""
        self._at, self._signal, self._leaps = at, signal, 0

    def is_due(self, at: float, signal: float) -> bool:
        """Tell whether a moment is to be noted; it then is taken as noted."""
        passed = at - self._at
        leaps = abs(signal - self._signal - passed) > LEAP and self._leaps < LEAPS
        if not leaps and passed < self.interval:
            return False
        self._leaps += leaps
        self._at, self._signal = at, signal
        return True
