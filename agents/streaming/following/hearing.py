"""Titles within segments: timed metadata of ID3 in MPEG streams, and what other formats have."""

from agents.streaming.following.chronicle import Chronicle
from anet.media.interface import ISignalClock
from anet.media.timing import clock_for

_LOOKED_AT = 16 * 1024  # bytes by which a format is known


class Hearing:
    """Listens to one segment while it comes.

    Args:
        chronicle: is told of titles.
    """

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._head = b""
        self._clock: ISignalClock | None = None

    def take(self, piece: bytes) -> None:
        """Take the next bytes."""
        if self._clock is None:
            self._head += piece
            if len(self._head) >= _LOOKED_AT:
                self._begin()
        else:
            self._feed(self._clock, piece)

    def end(self) -> None:
        """Take note that there are no more."""
        if self._clock is None:
            self._begin()

    def _begin(self) -> None:
        self._clock = clock_for("", self._head)
        self._feed(self._clock, self._head)

    def _feed(self, clock: ISignalClock, piece: bytes) -> None:
        for _, said in clock.feed(piece):
            if said.title:
                self._chronicle.say(said)
