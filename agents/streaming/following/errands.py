"""What is to be fetched of a stream, within limits: oldest first, and oldest given up first.

waiting --a hand is free--> under way --fetched--> done
under way --no answer, a fault of the server--> waiting, for a while
under way --refused several times--> given up
waiting --too many wait, or it is listed no more--> given up
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from attrs import define, field

from agents.streaming.following.errors import NotFetched
from agents.streaming.following.fetching import Kept
from anet.backoff import Backoff
from anet.media.segments import Resource, Segment
from anet.tasks import Tasks

REFUSALS = 4  # after which something is given up: segments may be listed shortly before they exist
COMPUTED_REFUSALS = 20  # likewise, of those of which only the clock says that they exist
_FIRST, _LONGEST = 0.5, 8.0  # seconds between two attempts


@define(eq=False)
class Errand:
    """Something to fetch.

    Attributes:
        resource: what, by its canonical URL.
        track: of which track it is.
        segment: which segment it is; None for what segments need.
        refusals: how often its server refused it.
        attempts: how often it was asked for.
        given_up: why it will not be fetched; or empty.
    """

    resource: Resource
    track: str
    segment: Segment | None = None
    refusals: int = 0
    attempts: int = 0
    given_up: str = ""
    backoff: Backoff = field(factory=lambda: Backoff(_FIRST, _LONGEST))


class Errands:
    """Fetches what is asked for, a few at once.

    Args:
        reactor: which reactor.
        fetch: fetches one; raises `NotFetched`.
        done: called with one that was fetched, or given up (then without what was kept).
        hands: how many are under way at once.
        limit: how many wait at most.
    """

    def __init__(
        self,
        reactor: Any,
        fetch: Callable[[Errand], Awaitable[Kept]],
        done: Callable[[Errand, Kept | None], None],
        hands: int,
        limit: int,
    ) -> None:
        self._reactor, self._fetch, self._done = reactor, fetch, done
        self._hands, self._limit = hands, limit
        self._waiting: deque[Errand] = deque()
        self._resting: dict[Errand, Any] = {}  # those that failed, with their timers
        self._under_way: set[Errand] = set()
        self._tasks = Tasks()
        self._stopped = self._last = False

    def __len__(self) -> int:
        """Return how many are not done."""
        return len(self._waiting) + len(self._resting) + len(self._under_way)

    def add(self, errand: Errand) -> None:
        """Have something fetched; if too much waits, the oldest is given up."""
        self._waiting.append(errand)
        if len(self._waiting) + len(self._resting) > self._limit:
            self._give_up(self._oldest(), "the network does not keep up")
        self._go()

    def listed(self, track: str, oldest: int) -> None:
        """Give up segments that failed and are listed no more, being before the oldest listed."""
        for errand in list(self._resting):
            segment = errand.segment
            if errand.track == track and segment is not None and segment.number < oldest:
                self._give_up(errand, "it could not be fetched while it was listed")

    def drop(self, track: str) -> None:
        """Give up what waits of a track: it is another one now."""
        for errand in [*self._resting, *self._waiting]:
            if errand.track == track:
                self._give_up(errand, "the stream began anew")

    def end(self) -> None:
        """Bear few failures from now on, of any kind: the stream is over, and its server may go."""
        self._last = True
        for errand, timer in list(self._resting.items()):
            timer.cancel()
            self._again(errand)

    async def stop(self) -> None:
        """Fetch no more; what waits is neither done nor given up."""
        self._stopped = True
        for timer in self._resting.values():
            timer.cancel()
        self._resting.clear()
        self._waiting.clear()
        await self._tasks.stop()

    def _oldest(self) -> Errand:
        return next(iter(self._resting)) if self._resting else self._waiting[0]

    def _give_up(self, errand: Errand, why: str) -> None:
        timer = self._resting.pop(errand, None)
        if timer is not None:
            timer.cancel()
        else:
            self._waiting.remove(errand)
        errand.given_up = why
        self._done(errand, None)

    def _go(self) -> None:
        while self._waiting and len(self._under_way) < self._hands and not self._stopped:
            errand = self._waiting.popleft()
            self._under_way.add(errand)
            self._tasks.start(self._run(errand), f"fetching {errand.resource.url}")

    async def _run(self, errand: Errand) -> None:
        errand.attempts += 1
        kept: Kept | None = None
        try:
            kept = await self._fetch(errand)
        except NotFetched as error:
            errand.refusals += error.is_refusal or self._last
            if errand.refusals < (REFUSALS if self._last else _borne(errand.segment)):
                self._rest(errand)
                return
            errand.given_up = str(error)
        finally:
            self._under_way.discard(errand)
            self._go()
        self._done(errand, kept)

    def _rest(self, errand: Errand) -> None:
        if not self._stopped:
            wait = errand.backoff.next()
            self._resting[errand] = self._reactor.callLater(wait, self._again, errand)

    def _again(self, errand: Errand) -> None:
        del self._resting[errand]
        self._waiting.appendleft(errand)
        self._go()


def _borne(segment: Segment | None) -> int:
    return COMPUTED_REFUSALS if segment is not None and segment.computed else REFUSALS
