"""How many replicas are missing, and how far their repair is: what a person is told."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

from attrs import define, field, frozen

from agents.storage.disk.layout import Kind
from agents.storage.master.judging import Stored, Verdict
from agents.storage.master.orders import Drain

Part: TypeAlias = tuple[Kind, int]  # the keys of a kind that begin with a byte


@frozen
class DrainStatus:
    """How far a drain is.

    Attributes:
        node: which is being emptied.
        disk: its disk; empty for the whole node.
        left: what it holds that is not yet safe elsewhere; None before it was counted.
    """

    node: str
    disk: str
    left: int | None


@define
class Census:
    """What a count of all replicas found.

    Attributes:
        looked: keys looked at.
        short: those below target, by part.
        last: those among them that no more than one node that is up holds, by part.
        lost: those that nobody who is up holds.
        ample: those with more than is wanted.
        astray: those that would be better elsewhere.
        left: what drains hold that is not safe elsewhere.
    """

    looked: int = 0
    short: Counter[Part] = field(factory=Counter)
    last: Counter[Part] = field(factory=Counter)
    lost: int = 0
    ample: int = 0
    astray: int = 0
    left: Counter[Drain] = field(factory=Counter)

    @property
    def missing(self) -> int:
        """How many are below target and can be mended, if there is room."""
        return self.short.total()

    def take(
        self, stored: Stored, verdict: Verdict, drained: Iterable[Drain], is_last: bool = False
    ) -> None:
        """Count something that needs something."""
        if verdict == "short":
            self.short[part_of(stored)] += 1
            self.last[part_of(stored)] += is_last
            self.left.update(drained)
        elif verdict == "moving":
            self.left.update(drained)
        elif verdict == "lost":
            self.lost += 1
            self.left.update(drained)
        elif verdict == "ample":
            self.ample += 1
        elif verdict == "astray":
            self.astray += 1


class Progress:
    """How a repair stands.

    Attributes:
        census: the last count that came to its end; None before the first.
        mended: what has been brought to its target since the master started.
        counting: how much of a count of all is done, from 0 to 1; None when there is none.
        unread: names of nodes of which not all is known (see `unread`).
        is_read: whether all is known of what a drain is to empty.
    """

    def __init__(self) -> None:
        self.unread: Callable[[], set[str]] = set
        self.is_read: Callable[[Drain], bool] = lambda drain: True
        self._whole = False
        self.census: Census | None = None
        self.mended = 0
        self.counting: float | None = None
        self._drains: frozenset[Drain] = frozenset()
        self._doubts = 0
        self._open: frozenset[Drain] = frozenset()
        self._since, self._before = 0.0, 0

    @property
    def doubts(self) -> int:
        """How often what was counted came into doubt."""
        return self._doubts

    def doubt(self) -> None:
        """Take note that a log is unread: nothing is called enough before it is counted again."""
        self._whole = False
        self.doubt_drains()

    def doubt_drains(self) -> None:
        """Take note that what drains hold must be counted again before one may go."""
        self._doubts += 1
        self._drains = frozenset()

    def counted(
        self, census: Census, drains: frozenset[Drain], now: float, doubts: int = 0
    ) -> None:
        """Take a count that came to its end.

        Args:
            census: what it found.
            drains: those there were when it began.
            now: when it ended.
            doubts: how many there were when it began; one that came since holds.
        """
        self.census = census
        self._whole = doubts == self._doubts and not self.unread()
        self._drains = drains if doubts == self._doubts else frozenset()
        self._open = frozenset(drain for drain, left in census.left.items() if left > 0)
        self._since, self._before = now, self.mended

    def has_mended(self, stored: Stored, drained: Iterable[Drain]) -> None:
        """Take note that something is at its target again."""
        self.mended += 1
        if self.census is not None and self.census.short[part_of(stored)] > 0:
            self.census.short[part_of(stored)] -= 1
            self.census.left.subtract(drained)

    @property
    def below(self) -> int | None:
        """How many keys are below target, lost ones among them; None before they were counted.

        There are none only when all logs were read before the count.
        """
        found = 0 if self.census is None else self.census.missing + self.census.lost
        return found or (0 if self._whole and not self.unread() else None)

    @property
    def repaired(self) -> float | None:
        """How much of what the last count found is mended, from 0 to 1; None without any."""
        done = self.mended - self._before
        if self.census is None or not self.census.missing:
            return None
        return done / (done + self.census.missing)

    def seconds_left(self, now: float) -> float | None:
        """Return how long the repair takes at the pace it had; None when nobody can tell."""
        done = self.mended - self._before
        if self.census is None or done <= 0:
            return None
        return self.census.missing * max(0.0, now - self._since) / done

    def drains(self, ordered: Iterable[Drain]) -> list[DrainStatus]:
        """Return how far drains are."""
        return [
            DrainStatus(drain.node, drain.disk, self.left(drain))
            for drain in sorted(ordered, key=lambda drain: (drain.node, drain.disk))
        ]

    def left(self, drain: Drain) -> int | None:
        """Return what a drain holds that is not safe elsewhere; None while that must be counted.

        Nothing is left only when a count has found that.
        """
        if self.census is None or drain not in self._drains or not self.is_read(drain):
            return None
        left = max(0, self.census.left[drain])
        return None if drain in self._open and not left else left

    @property
    def is_draining(self) -> bool:
        """Whether the last count has found something left of a drain."""
        return bool(self._open)


def part_of(stored: Stored) -> Part:
    """Return the part that a key is in."""
    return stored.kind, int(stored.key[:2], 16)
