"""Taking turns at servers: one request at a time to each, and a pause after it (*INA §1.4.4*)."""

from collections import deque
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred

from agents.feeds.errors import Crowded

LINE = 10  # that wait for their turn at one server; others come again later
SHORTEST = 1.0  # seconds after which those come again at the earliest
PATIENCE = 10.0  # seconds of a server's rest that are waited out


@define(eq=False)
class _Lane:
    free_at: float = 0.0
    busy: bool = False
    away: int = 0  # that were sent away, and are to come again one after another
    waiting: deque[Deferred[None]] = field(factory=deque)
    timer: Any = None


class Lanes:
    """Who may ask which server when.

    Args:
        reactor: which reactor.
        pause: seconds between the end of a request to a server and the next.
    """

    def __init__(self, reactor: Any, pause: float) -> None:
        self._reactor = reactor
        self._pause = pause
        self._lanes: dict[str, _Lane] = {}

    def __len__(self) -> int:
        return len(self._lanes)

    async def enter(self, server: str, *, patient: bool = False) -> None:
        """Wait for a turn at a server, which is to be left afterwards.

        Args:
            server: its address.
            patient: whether to wait however many do, and however long it rests.

        Raises:
            Crowded: too many wait already, or it rests for long.
        """
        now = self._reactor.seconds()
        lane = self._lanes.setdefault(server, _Lane())
        rest = lane.free_at - now
        if not patient and (rest > PATIENCE or len(lane.waiting) >= LINE):
            lane.away += 1
            line = len(lane.waiting) + lane.away - 1
            raise Crowded(max(SHORTEST, max(0.0, rest) + line * self._pause))
        if lane.busy or lane.waiting or rest > 0:
            turn: Deferred[None] = Deferred(lambda turn: lane.waiting.remove(turn))
            lane.waiting.append(turn)
            self._wake(lane)
            await turn  # whoever wakes it has taken the lane for it
        else:
            lane.busy = True

    def leave(self, server: str, rest: float = 0.0) -> None:
        """End a turn; leave the server alone for some seconds if it asks for that."""
        lane = self._lanes[server]
        lane.busy = False
        lane.away = max(0, lane.away - 1)
        lane.free_at = self._reactor.seconds() + max(self._pause, rest)
        self._wake(lane)

    def is_awaited(self, server: str) -> bool:
        """Tell whether anybody waits for a turn at a server."""
        lane = self._lanes.get(server)
        return lane is not None and bool(lane.waiting)

    def sweep(self) -> None:
        """Forget the servers that are neither asked nor at rest."""
        now = self._reactor.seconds()
        for server, lane in list(self._lanes.items()):
            if not lane.busy and not lane.waiting and lane.free_at <= now:
                del self._lanes[server]

    def _wake(self, lane: _Lane) -> None:
        if lane.busy or lane.timer is not None or not lane.waiting:
            return
        wait = max(0.0, lane.free_at - self._reactor.seconds())
        lane.timer = self._reactor.callLater(wait, self._next, lane)

    def _next(self, lane: _Lane) -> None:
        lane.timer = None
        if lane.waiting and not lane.busy:
            lane.busy = True
            lane.waiting.popleft().callback(None)
