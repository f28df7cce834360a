"""Which feed is due next: one heap and one timer for all of them."""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

from agents.feeds.followed import Doing, Followed


class Agenda:
    """Feeds that wait, by when they are due.

    A feed that is put in again, or is forgotten, leaves its former place behind, which counts no
    more.

    Args:
        reactor: which reactor.
        begin: called with a feed that is due.
        has_room: tells whether more may be begun now; `look` is called when there is again.
    """

    def __init__(
        self, reactor: Any, begin: Callable[[Followed], None], has_room: Callable[[], bool]
    ) -> None:
        self._reactor = reactor
        self._begin = begin
        self._has_room = has_room
        self._heap: list[tuple[float, int, Followed]] = []
        self._numbers = count()
        self._timer: Any = None

    def put(self, followed: Followed, seconds: float) -> None:
        """Let a feed wait for some seconds."""
        followed.doing = Doing.WAITING
        followed.due = self._reactor.seconds() + max(0.0, seconds)
        heapq.heappush(self._heap, (followed.due, next(self._numbers), followed))
        self._set_timer()

    def look(self) -> None:
        """Begin what is due, as far as there is room."""
        now = self._reactor.seconds()
        while self._heap and self._heap[0][0] <= now and self._has_room():
            due, _, followed = heapq.heappop(self._heap)
            if followed.doing is Doing.WAITING and followed.due == due:
                followed.doing = Doing.LOOKING
                self._begin(followed)
        self._set_timer()

    def tidy(self, feeds: int) -> None:
        """Remove the places that count no more, when they are most."""
        if len(self._heap) > 1000 + 4 * feeds:
            self._heap = [
                each
                for each in self._heap
                if each[2].due == each[0] and each[2].doing is Doing.WAITING
            ]
            heapq.heapify(self._heap)

    def clear(self) -> None:
        """Forget all feeds."""
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self) -> None:
        if not self._heap or not self._has_room():
            return
        due = self._heap[0][0]
        if self._timer is not None:
            if self._timer.getTime() <= due:
                return
            self._timer.cancel()
        self._timer = self._reactor.callLater(max(0.0, due - self._reactor.seconds()), self._ring)

    def _ring(self) -> None:
        self._timer = None
        self.look()
