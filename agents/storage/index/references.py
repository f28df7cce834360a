"""Counts how many captures refer to each content, and tells the master of those with many.

Only contents that were met lately are counted, in bounded memory, and the count begins anew with
each start. So it is about a lower bound: enough to know the logo of every page from a page of its
own, and it may only ever ask for more replicas (*INA §2.3.1*: representativeness).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable

from twisted.application.service import Service
from twisted.internet.interfaces import IReactorTime

from anet.tasks import Tasks, every
from hip import Peer

LEAST = 8  # references from which on a content is told of, at each doubling
TELL_EVERY = 5.0  # seconds
_COUNTED_LIMIT = 200_000  # contents; past it the one met longest ago is forgotten
_TOLD_LIMIT = 5_000  # contents told at once; others wait for the next time


class References(Service):
    """The counts of one index node.

    Args:
        clock: for how often the master is told.
        master: gives the link to it, if there is one.
        limit: contents counted.
    """

    def __init__(
        self,
        clock: IReactorTime,
        master: Callable[[], Peer | None],
        limit: int = _COUNTED_LIMIT,
    ) -> None:
        self._clock, self._master, self._limit = clock, master, limit
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._untold: OrderedDict[str, int] = OrderedDict()
        self._tasks = Tasks()

    def add(self, keys: Iterable[str]) -> None:
        """Count a reference to each of these contents."""
        for key in keys:
            count = self._counts[key] = self._counts.pop(key, 0) + 1
            if count >= LEAST and count & (count - 1) == 0:
                self._untold[key] = count
        for remembered in (self._counts, self._untold):
            while len(remembered) > self._limit:
                remembered.popitem(last=False)

    def take(self) -> dict[str, int]:
        """Return contents whose count has doubled since they were told of, and their counts."""
        count = min(len(self._untold), _TOLD_LIMIT)
        return dict(self._untold.popitem(last=False) for _ in range(count))

    def tell(self) -> None:
        """Tell the master, if there is one and something to tell."""
        master = self._master()
        if master is not None and self._untold:
            master.notify("referred", counts=self.take())

    def startService(self) -> None:
        """Begin to tell."""
        super().startService()
        self._tasks.start(every(self._clock, TELL_EVERY, self.tell), "telling of references")

    async def stopService(self) -> None:
        """Tell no more."""
        super().stopService()
        await self._tasks.stop()
