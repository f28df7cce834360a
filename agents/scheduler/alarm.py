"""Wakes a loop when there may be something to do, and now and then in any case."""

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime


class Alarm:
    """A bell for one sleeper; rings while it is awake are one ring when it lies down."""

    def __init__(self, clock: IReactorTime, longest: float) -> None:
        """Wake the sleeper after `longest` seconds without a ring."""
        self._clock, self._longest = clock, longest
        self._rung = True
        self._sleeper: Deferred[None] | None = None

    def ring(self) -> None:
        """Wake the sleeper."""
        self._rung = True
        sleeper, self._sleeper = self._sleeper, None
        if sleeper is not None:
            sleeper.callback(None)

    async def wait(self) -> None:
        """Sleep until the next ring."""
        if not self._rung:
            self._sleeper = Deferred()
            late = self._clock.callLater(self._longest, self.ring)
            try:
                await self._sleeper
            finally:
                self._sleeper = None
                if late.active():
                    late.cancel()
        self._rung = False
