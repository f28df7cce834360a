"""What was stored a moment ago, until the logs of additions tell of it.

Notes are in memory only: an index node that has just started is sure of nothing until it has read
the logs of all nodes, and then they say all that was stored before.
"""

from collections.abc import Iterable

from twisted.internet.interfaces import IReactorTime

from agents.storage.disk.layout import Kind

KEPT = 60.0  # seconds that a note is kept at least; logs tell within a few
LIMIT = 100_000  # keys noted, some 300 bytes each; past it the older half is forgotten

Place = tuple[Kind, str]


class Notes:
    """Two halves, the younger of which is written; the older is forgotten at each change.

    Attributes:
        since: seconds by the clock from which on everything that was noted is still here.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._younger: dict[Place, tuple[str, ...]] = {}
        self._older: dict[Place, tuple[str, ...]] = {}
        self.since = self._changed = clock.seconds()

    def add(self, kind: Kind, key: str, nodes: Iterable[str]) -> None:
        """Take note that nodes hold a key now."""
        self._change_if_due()
        known = self._younger.get((kind, key), ())
        self._younger[kind, key] = tuple({*known, *nodes})  # a set would take four times as much

    def nodes(self, kind: Kind, key: str) -> set[str]:
        """Return the names of the nodes that were noted for a key."""
        place = (kind, key)
        return {*self._younger.get(place, ()), *self._older.get(place, ())}

    def forget(self, kind: Kind, key: str, node: str) -> None:
        """Take note that a node holds a key no more."""
        place = (kind, key)
        for half in (self._younger, self._older):
            if place in half:
                half[place] = tuple(name for name in half[place] if name != node)

    def forget_node(self, node: str) -> None:
        """Take note that a node may have lost what was stored there a moment ago."""
        for half in (self._younger, self._older):
            for place, nodes in half.items():
                if node in nodes:
                    half[place] = tuple(name for name in nodes if name != node)

    def _change_if_due(self) -> None:
        now = self._clock.seconds()
        if now - self._changed >= KEPT or len(self._younger) >= LIMIT // 2:
            self._older, self._younger = self._younger, {}
            self.since, self._changed = self._changed, now
