"""Moves replicas to where they are better, and removes those that are one too many: slowly.

This waits until no node has come or gone for a while, and while everything is counted and mended.
Each key is looked at again before it is touched. The nodes that keep it take it first, or read and
hash what they have; only then, and if that is still right with the nodes as they are by then, is
it removed elsewhere. A master that dies in between leaves a replica too many, which the next sweep
finds.
"""

from collections.abc import Callable

from twisted.internet.interfaces import IReactorTime

from agents.storage.catalogue import Catalogue
from agents.storage.disk.layout import Kind
from agents.storage.master.hands import Hands, Pace
from agents.storage.master.judging import Judge, Stored
from agents.storage.master.survey import look
from agents.storage.tidying import Shift
from anet.tasks import Tasks, every

_SUGGESTIONS_LIMIT = 10_000  # keys; a sweep finds the others again
_TICK = 0.1  # seconds


class Tidying:
    """Does what sweeps suggest.

    Args:
        clock: for all waiting.
        catalogue: who holds what.
        judge: makes a judge of the nodes as they are now.
        hands: copies and removes.
        is_calm: whether now is the time.
        rate: keys a second.

    Attributes:
        tidied: keys moved, or rid of a replica too many.
        on_done: called when more was suggested than was kept, and that is done.
    """

    def __init__(
        self,
        clock: IReactorTime,
        catalogue: Catalogue,
        judge: Callable[[], Judge],
        hands: Hands,
        is_calm: Callable[[], bool],
        rate: float,
    ) -> None:
        self._clock, self._catalogue, self._judge, self._hands = clock, catalogue, judge, hands
        self._is_calm, self._pace = is_calm, Pace(clock, rate)
        self._suggestions: dict[tuple[Kind, str], None] = {}
        self._more = False
        self._tasks = Tasks()
        self.tidied = 0
        self.on_done: Callable[[], None] = lambda: None

    @property
    def waiting(self) -> int:
        """Keys that are to be looked at."""
        return len(self._suggestions)

    def start(self) -> None:
        """Begin."""
        self._tasks.start(every(self._clock, _TICK, self._tidy), "tidying replicas")

    async def stop(self) -> None:
        """Begin nothing more."""
        await self._tasks.stop()

    def suggest(self, stored: Stored) -> None:
        """Have a key looked at when there is time."""
        if len(self._suggestions) < _SUGGESTIONS_LIMIT:
            self._suggestions[stored.kind, stored.key] = None
        else:
            self._more = True

    async def _tidy(self) -> None:
        while self._suggestions and self._is_calm():
            kind, key = next(iter(self._suggestions))
            del self._suggestions[kind, key]
            await self._shift(kind, key)
        if self._more and not self._suggestions:
            self._more = False
            self.on_done()

    async def _shift(self, kind: Kind, key: str) -> None:
        """Move or remove, if that is right, and still is when those that keep it have it."""
        await self._pace.turn()
        shift, mark = await self._right(kind, key)
        if shift is None:
            return
        for node in shift.keep:
            if not await self._hands.copy(kind, key, node, shift.drop[0]):
                return
        if await self._right(kind, key) != (shift, mark):
            return
        for node in shift.drop:
            if not await self._hands.remove(kind, key, node, mark):
                return
        self.tidied += 1

    async def _right(self, kind: Kind, key: str) -> tuple[Shift | None, str]:
        """Return what is right for a key as all is now, and the mark of its copies."""
        for stored in await look(self._catalogue, [(kind, key)]):
            return self._judge().shift(stored), stored.holdings[0].mark
        return None, ""
