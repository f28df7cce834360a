"""What a node holds, in memory: a Bloom filter with a deletion set beside it (*INA §2.3.1*).

A negative is definite; a positive must be checked on the disk.
"""

import time
from collections.abc import Iterable
from typing import TypeAlias

from attrs import Factory, frozen
from pybloom_live import BloomFilter

from agents.storage.disk.layout import KINDS, Kind

Change: TypeAlias = tuple[Kind, str, bool]  # kind and key of what came, or is gone

ERROR_RATE = 0.001
LEAST_CAPACITY = 100_000
_PAUSE_EVERY = 500  # keys between two breaths, while another thread builds a filter


@frozen
class Survey:
    """What a scan of a disk found.

    Attributes:
        filter: all of it.
        counts: how many of each kind.
        groups: first bytes of the keys (see `anet.multicast`).
        removed: what is in the filter, and gone.
    """

    filter: BloomFilter
    counts: dict[Kind, int]
    groups: set[int]
    removed: set[str] = Factory(set)

    def holds(self, kind: Kind, key: str) -> bool:
        """Tell whether the disk may have it; False is definite."""
        token = _token(kind, key)
        return token not in self.removed and token in self.filter

    def follow(self, changes: Iterable[Change]) -> None:
        """Take in what was added and taken away since the scan began; for many in a worker."""
        for kind, key, gone in changes:
            held = self.holds(kind, key)
            self.counts[kind] += (not gone and not held) - (gone and held)
            if gone and held:
                self.removed.add(_token(kind, key))
            elif not gone:
                self.removed.discard(_token(kind, key))
                self.groups.add(int(key[:2], 16))
                self.filter.add(_token(kind, key))


class FilterTooSmall(Exception):
    """There is more than the filter has room for; `needed` says how much."""

    def __init__(self, needed: int) -> None:
        super().__init__(needed)
        self.needed = needed


def survey(found: Iterable[tuple[Kind, str]], capacity: int) -> Survey:
    """Build a filter of what a scan yields. Blocks, and computes: breathes now and then.

    Args:
        found: kinds and keys.
        capacity: keys the filter has room for.

    Raises:
        FilterTooSmall: there are more.
    """
    filter_ = BloomFilter(capacity, ERROR_RATE)
    counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)
    groups: set[int] = set()
    for number, (kind, key) in enumerate(found, 1):
        if number % _PAUSE_EVERY == 0:
            time.sleep(0.0005)  # the reactor's thread needs the interpreter too
        counts[kind] += 1
        if number <= capacity:
            groups.add(int(key[:2], 16))
            filter_.add(_token(kind, key), skip_check=True)
    if sum(counts.values()) > capacity:
        raise FilterTooSmall(sum(counts.values()))
    return Survey(filter_, counts, groups)


class Holdings:
    """What the node holds, as far as memory knows; lives in the reactor's thread.

    Until the first survey is in, everything is possible.

    Attributes:
        counts: contents and structure files held.
        groups: first bytes of their keys.
    """

    def __init__(self, removed_limit: int = 10_000) -> None:
        self.counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        self.groups: set[int] = set()
        self._filter: BloomFilter | None = None
        self._removed: set[str] = set()
        self._removed_limit = removed_limit
        self._since: list[Change] = []
        self._surveying = False

    @property
    def surveyed(self) -> bool:
        """Tell whether a negative is possible yet."""
        return self._filter is not None

    @property
    def wants_survey(self) -> bool:
        """Tell whether the filter is missing, nearly full, or holds too much that is gone."""
        if self._surveying:
            return False
        if self._filter is None or len(self._removed) > self._removed_limit:
            return True
        return bool(self._filter.count >= 0.9 * self._filter.capacity)

    def may_hold(self, kind: Kind, key: str) -> bool:
        """Tell whether the disk may have it; False is definite."""
        if self._filter is None:
            return True
        token = _token(kind, key)
        return token not in self._removed and token in self._filter

    def add(self, kind: Kind, key: str, *, new: bool = True) -> None:
        """Take note of what was made durable; `new` says whether it counts."""
        self.counts[kind] += new
        self.groups.add(int(key[:2], 16))
        self._removed.discard(_token(kind, key))
        if self._surveying:
            self._since.append((kind, key, False))
        self._put(kind, key)

    def remove(self, kind: Kind, key: str) -> None:
        """Take note of what was taken away."""
        self.counts[kind] -= 1
        self._removed.add(_token(kind, key))
        if self._surveying:
            self._since.append((kind, key, True))

    def begin_survey(self) -> int:
        """Remember what is added from now on; return the capacity that the new filter needs."""
        self._surveying = True
        self._since.clear()
        return max(LEAST_CAPACITY, 2 * sum(self.counts.values()))

    def since_survey(self) -> list[Change]:
        """Return what was added and taken away since a survey began, or since the last call."""
        since, self._since = self._since, []
        return since

    def end_survey(self, result: Survey | None) -> None:
        """Take over what a survey found, and what happened while it looked; None: it failed."""
        self._surveying = False
        since = self.since_survey()
        if result is not None:
            result.follow(since)
            self._filter, self.counts = result.filter, dict(result.counts)
            self.groups, self._removed = set(result.groups), set(result.removed)

    def snapshot(self) -> Survey | None:
        """Return the filter, and what was taken away since; None while there is no filter.

        The filter itself is not copied, so that it may have more in it by the time it is used.
        """
        if self._filter is None:
            return None
        counts, groups = dict(self.counts), set(self.groups)
        return Survey(self._filter, counts, groups, set(self._removed))

    def _put(self, kind: Kind, key: str) -> None:
        if self._filter is None:
            return
        if self._filter.count >= self._filter.capacity:
            self._filter = None  # full: everything is possible until the next survey is in
        else:
            self._filter.add(_token(kind, key))


def _token(kind: Kind, key: str) -> str:
    return kind[0] + key
