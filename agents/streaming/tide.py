"""The tide: every stream is read once a second, and the streams are spread over the second.

One timer serves all of them. A stream costs one call a second, and the reactor is never held up
by all of them at once.
"""

from collections.abc import Callable
from typing import Any

from twisted.application.service import Service
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

PERIOD = 1.0  # seconds between two tides of a stream
BEATS = 8  # in a period; of 500 streams, 63 are read at each, in 4 milliseconds

Ebb = Callable[[], None]
_log = Logger()


class Tide(Service):
    """Calls what was added once in a period.

    Args:
        reactor: which reactor.
    """

    def __init__(self, reactor: Any) -> None:
        self._beats: list[set[Ebb]] = [set() for _ in range(BEATS)]
        self._next = 0
        self._timer = LoopingCall.withCount(self._beat)
        self._timer.clock = reactor

    def startService(self) -> None:
        """Begin."""
        super().startService()
        self._timer.start(PERIOD / BEATS, now=False)

    def stopService(self) -> None:
        """Call nothing any more."""
        super().stopService()
        if self._timer.running:
            self._timer.stop()

    def add(self, ebb: Ebb) -> None:
        """Call something from now on; at a beat at which few others are called."""
        min(self._beats, key=len).add(ebb)

    def remove(self, ebb: Ebb) -> None:
        """Call it no more."""
        for beat in self._beats:
            beat.discard(ebb)

    def _beat(self, count: int) -> None:
        """Do what is due; after a pause of the whole process, each but once."""
        for _ in range(min(count, BEATS)):
            due = self._beats[self._next]
            self._next = (self._next + 1) % BEATS
            for ebb in tuple(due):
                self._call(ebb)

    def _call(self, ebb: Ebb) -> None:
        try:
            ebb()
        except Exception:
            _log.failure("a stream was not served at its tide")
