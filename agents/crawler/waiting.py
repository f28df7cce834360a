"""Why a crawl is not fetching, and until when: it is never silent about it."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from anet.clock import wall
from anet.tasks import sleep

SLOW = 3.0  # seconds after which one answer is worth a word
PAUSED = "paused by an operator, until somebody calls resume"


class Waiting:
    """What a crawl waits for.

    Args:
        clock: the reactor.

    Attributes:
        reason: why nothing is being fetched, or empty.
        until: when that ends, by the clock; 0 when nobody can tell.
        paused: whether an operator has paused the crawl.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self.reason = ""
        self.until = 0.0
        self.paused = False
        self._clock = clock
        self._began = clock.seconds()
        self._doing, self._longest = "", 0.0
        self._resumed: Deferred[None] | None = None

    def begin(self, reason: str = "") -> None:
        """Take note that something begins: a wait for a reason, or else the work on a URL."""
        self.reason, self.until, self._began = reason, 0.0, self._clock.seconds()
        self._doing, self._longest = "", 0.0

    def doing(self, what: str = "", longest: float = 0.0) -> None:
        """Take note of a step of the work on a URL, which is worth a word once it takes long.

        Args:
            what: in words; empty when the server is at work.
            longest: seconds after which the step is given up.
        """
        self._doing, self._longest, self._began = what, longest, self._clock.seconds()

    def now(self, server: str) -> tuple[str, float]:
        """Return why nothing comes now, or nothing when something does, and until when.

        That is in seconds since the epoch; 0 when nobody can tell.

        Args:
            server: which is being asked, or empty.
        """
        seconds = self._clock.seconds() - self._began
        if self.reason or not server or seconds < SLOW:
            return self.reason, self._date(self.until)
        if not self._doing:
            return f"{server} has been answering for {seconds:.0f} s", 0.0
        until = self._began + self._longest if self._longest else 0.0
        return f"{self._doing}, for {seconds:.0f} s", self._date(until)

    def sleep(self, seconds: float, reason: str) -> Deferred[None]:
        """Wait so many seconds for a reason."""
        self.begin(reason)
        self.until = self._began + seconds
        return sleep(self._clock, seconds).addBoth(self._over)

    def pause(self) -> bool:
        """Fetch nothing from the next URL on; tell whether that is new."""
        before, self.paused = self.paused, True
        return not before

    def resume(self) -> bool:
        """Go on; tell whether the crawl was paused."""
        before, self.paused = self.paused, False
        resumed, self._resumed = self._resumed, None
        if resumed is not None:
            resumed.callback(None)
        return before

    async def gate(self) -> None:
        """Wait as long as the crawl is paused."""
        if self.paused:
            self.begin(PAUSED)
            self._resumed = Deferred()
            await self._resumed.addBoth(self._over)

    def _date(self, moment: float) -> float:
        return wall(self._clock, moment) if moment else 0.0

    def _over(self, result: Any) -> Any:
        self.begin()
        return result
