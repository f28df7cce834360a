"""Where an endless stream is closed into contents. Pure."""

from attrs import frozen

from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT

BEHIND_LIMIT = 8 * 2**20  # bytes behind the boundary; with more of them it is waited for another
SIZE_LIMIT = BYTE_LIMIT - 2**23  # bytes of a piece that is cut wherever it is
SECONDS_LIMIT = MILLISECONDS_LIMIT / 1000 - 60  # likewise
PATIENCE = 60.0  # seconds for which a moment is waited for that is on time
ANYWHERE = "no boundary"  # said of such a cut


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

    def cut(self, size: int, seconds: float, boundary: int, on_time: bool = True) -> Cut | None:
        """Return where a piece is to end; None if it is to go on.

        Its end is an entry, which dates lead by: it is not made while what comes is late.

        Args:
            size: bytes of it.
            seconds: since it began.
            boundary: byte of it up to which it may be cut; 0 or less if nowhere.
            on_time: whether that came just now, and not later than it was made.
        """
        large = size >= self.size
        why = "size" if large else "time"
        if not large and seconds < self.seconds:
            return None
        if boundary > 0 and size - boundary <= BEHIND_LIMIT:
            waits = not on_time and seconds < self.seconds + PATIENCE and size < SIZE_LIMIT
            return None if waits else Cut(boundary, why)
        if size >= SIZE_LIMIT or seconds >= SECONDS_LIMIT:
            return Cut(size, f"{why}: {ANYWHERE}")
        return None
