"""What the clocks of all formats have in common: they walk from unit to unit of the bytes."""

import re
from collections.abc import Sequence

from zope.interface import implementer

from anet.media.interface import ISignalClock, Said
from anet.media.timing.tags import said_in

PREAMBLE_LIMIT = 65_536  # bytes that are kept for decoders
UNITS = 5000  # that are looked at in one go, and one more for each `SMALL` bytes
SMALL = 32  # bytes of a unit; media have larger ones, and few tags
TAGS = 100  # that are read in one go


@implementer(ISignalClock)
class Walk:
    """Takes bytes as they come, and has its format look at them where a unit begins.

    What a format decides hangs on the bytes alone, never on how they were cut: it waits until it
    has what it must see. So it holds one header at most, and what it passes over is not kept.
    """

    MARK = re.compile(rb"(?!)")
    """What may be the first bytes of a unit, where the walk lost its way."""
    MARK_LENGTH = 1
    """Bytes that `MARK` looks at, at most."""

    def __init__(self) -> None:
        self.position = self.boundary = 0
        self.seconds = 0.0
        self.preamble = b""
        self._start = 0  # where the walk goes on; what is held begins there
        self._held = bytearray()
        self._wanted = 0  # bytes from there without which it cannot
        self._lost = False  # whether it looks for a mark
        self._said: list[tuple[int, Said]] = []
        self._tags = 0  # that were read in this go

    def feed(self, data: bytes) -> Sequence[tuple[int, Said]]:
        """Take the next bytes; return what was said within them, with the byte of each."""
        passed = max(0, self._start - self.position)
        self.position += len(data)
        if self.position < self._start + self._wanted:
            self._held += data[passed:]
            return ()
        self._tags = 0
        whole = b"".join((self._held, data[passed:]))  # the one time that a second is copied
        done, self._wanted = self._walk(whole)
        self._start += done
        self._held = bytearray(whole[done:])
        said, self._said = self._said, []
        return said

    def _walk(self, data: bytes) -> tuple[int, int]:
        """Go on in what is held.

        Returns:
            how many bytes were passed, some of which may be still to come, and how many behind
            them must have come before the walk can go on.
        """
        at = 0
        for _ in range(UNITS + len(data) // SMALL):
            if at > len(data):
                return at, 0
            if self._lost:
                found = self.MARK.search(data, at)
                known = len(data) - self.MARK_LENGTH + 1  # from here on other marks may begin
                if not found or found.start() >= known:
                    return max(at, known), self.MARK_LENGTH
                self._lost, at = False, found.start()
            length = self._unit(data, at)
            if length <= 0:
                return at, -length
            at += length
        self._search()  # so many are no media, and looking at them would hold up other streams
        return max(at, len(data)), 0

    def _unit(self, data: bytes, at: int) -> int:
        """Return how many bytes lead to the next unit; or how many are wanted here, negative."""
        raise NotImplementedError

    def _arrive(self, at: int, seconds: float, preamble: bytes = b"") -> None:
        """Note that the media may be cut here."""
        self.boundary, self.seconds, self.preamble = self._start + at, seconds, preamble

    def _tell(self, at: int, raw: bytes) -> None:
        """Read what is said in a tag, or in headers, which stands here."""
        self._tags += 1
        said = said_in(raw) if self._tags <= TAGS else None
        if said:
            self._said.append((self._start + at, said))

    def _search(self) -> int:
        """Look for a mark from the next byte on; returned by `_unit` where none begins."""
        self._lost = True
        return 1
