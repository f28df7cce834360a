"""How long crawlers whose link closed are waited for."""

from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime


class Absences:
    """One timer for each attempt whose crawler is away."""

    def __init__(self, clock: IReactorTime, give_up: Callable[[str, str], None]) -> None:
        """Call `give_up` with the attempt and the reason when its time is over."""
        self._clock, self._give_up = clock, give_up
        self._timers: dict[str, IDelayedCall] = {}

    def begin(self, attempt: str, patience: float, reason: str) -> None:
        """Wait `patience` seconds for the crawler of an attempt; give up with `reason` then."""
        self.end(attempt)
        self._timers[attempt] = self._clock.callLater(patience, self._over, attempt, reason)

    def end(self, attempt: str) -> None:
        """Stop waiting, because the crawler is back or the attempt has ended."""
        timer = self._timers.pop(attempt, None)
        if timer is not None:
            timer.cancel()

    def clear(self) -> None:
        """Stop all waiting."""
        for attempt in list(self._timers):
            self.end(attempt)

    def _over(self, attempt: str, reason: str) -> None:
        del self._timers[attempt]
        self._give_up(attempt, reason)
