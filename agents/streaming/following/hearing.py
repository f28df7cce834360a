"""Titles within segments: timed metadata of ID3 in MPEG streams, and what other formats have."""

from agents.streaming.following.chronicle import Chronicle
from agents.streaming.following.fetching import Sink
from anet.media.interface import ISignalClock
from anet.media.timing import clock_for

_LOOKED_AT = 16 * 1024  # bytes by which a format is known


class Hearing:
    """Listens to segments while they come.

    Args:
        chronicle: is told of titles.
    """

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle

    def sink(self) -> Sink:
        """Return what takes the bytes of a segment."""
        return _Listener(self._chronicle).take


class _Listener:
    """Listens to one segment."""

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._head = b""
        self._clock: ISignalClock | None = None

    def take(self, piece: bytes) -> None:
        """Take the next bytes."""
        if self._clock is None:
            self._head += piece
            if len(self._head) < _LOOKED_AT:
                return
            self._clock, piece = clock_for("", self._head), self._head
        for _, said in self._clock.feed(piece):
            if said.title:
                self._chronicle.say(said)
