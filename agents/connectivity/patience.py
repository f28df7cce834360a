"""Repeats what fails for a while, for as long as anything moves."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from twisted.internet.interfaces import IReactorTime

from agents.connectivity.errors import Stalled
from anet.backoff import Backoff
from anet.tasks import sleep

_FIRST, _LONGEST = 0.25, 10.0  # seconds between tries

_Result = TypeVar("_Result")


class Patience:
    """How long one deposit may go without progress.

    Attributes:
        retries: times that something was repeated.
        waiting_for: why nothing moves now, or empty.
    """

    def __init__(self, clock: IReactorTime, seconds: float) -> None:
        """Bear `seconds` without progress."""
        self.retries = 0
        self.waiting_for = ""
        self._clock, self._seconds = clock, seconds
        self._moved = clock.seconds()

    def moved(self) -> None:
        """Take note of progress."""
        self._moved = self._clock.seconds()
        self.waiting_for = ""

    async def insist(
        self,
        action: Callable[[], Awaitable[_Result]],
        passing: Callable[[Exception], bool],
    ) -> _Result:
        """Do `action` until it succeeds.

        Args:
            action: what may be repeated without harm.
            passing: tells whether an error may pass by itself; any other is raised.

        Raises:
            Stalled: nothing has moved for too long.
        """
        backoff = Backoff(_FIRST, _LONGEST)
        while True:
            try:
                result = await action()
            except Exception as error:
                if not passing(error):
                    raise
                await self.pause(backoff, str(error))
            else:
                self.moved()
                return result

    async def pause(self, backoff: Backoff, reason: str) -> None:
        """Wait before something is tried again.

        Raises:
            Stalled: nothing has moved for too long.
        """
        silent = self._clock.seconds() - self._moved
        if silent >= self._seconds:
            raise Stalled(f"nobody took anything for {silent:.0f} seconds: {reason}")
        self.retries += 1
        self.waiting_for = reason[:300]
        await sleep(self._clock, backoff.next())
