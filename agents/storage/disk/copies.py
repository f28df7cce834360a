"""Copies of one structure file on several disks, read as the set that they are together."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

from attrs import define, evolve

from agents.capture import Capture
from agents.dates import InvalidDate, to_datetime
from agents.storage.disk.layout import Layout
from agents.storage.disk.structures import ALL, Nearest, find_nearest, read_captures
from agents.storage.errors import DamagedStructure


def captures_of(
    layouts: Sequence[Layout],
    key: str,
    first: str = "",
    last: str = "~",
    *,
    after: bytes = b"",
    limit: int = ALL,
    heads: bool = True,
    versions: bool = False,
    damage: list[DamagedStructure] | None = None,
) -> Iterator[Capture]:
    """Yield the captures of all copies, each once, in the order of their dates.

    Of several copies a damaged line is passed over, since another may have it; of one it is not,
    unless `damage` is given.

    Args:
        layouts: the disks to look at.
        key, first, last, after, limit, heads, versions: see `read_captures`.
        damage: takes all that is wrong, and nothing is raised: for who goes on with what is sound.

    Raises:
        DamagedStructure: the only copy is damaged or cannot be read, or nothing of any can be.
    """
    found_damage: list[DamagedStructure] = [] if damage is None else damage
    lines = None if damage is None and len(layouts) == 1 else found_damage
    bounds: dict[str, Any] = {"after": after, "limit": limit, "damage": lines}
    bounds |= {"heads": heads, "versions": versions}
    copies = [
        _until_damaged(read_captures(layout, key, first, last, **bounds), found_damage)
        for layout in layouts
    ]
    found = 0
    for capture in islice(_once(heapq.merge(*copies, key=_place)), limit):
        found += 1
        yield capture
    if damage is None and found_damage and (len(layouts) == 1 or not found):
        raise found_damage[0]


def nearest_of(
    layouts: Sequence[Layout], key: str, date: str, *, exact: bool = False
) -> Nearest | None:
    """Return the capture nearest to a date among those of all copies (see `find_nearest`).

    One copy is searched; of several, which is rare, all lines are read.

    Raises:
        DamagedStructure: as `captures_of`.
    """
    if len(layouts) == 1:
        try:
            return find_nearest(layouts[0], key, date, exact=exact)
        except OSError as error:
            raise _unreadable(error) from None
    search = _Search(date)
    for capture in captures_of(layouts, key, heads=False):
        search.take(capture)
    found = search.found
    if found is None or (exact and found.capture.date != date):
        return None
    chosen = found.capture
    whole = captures_of(layouts, key, chosen.date, chosen.date)
    same = (each for each in whole if each.content == chosen.content)
    return evolve(found, capture=next(same, chosen))


@define
class _Search:
    """Finds the nearest in a row of captures; of two equally far, the earlier."""

    date: str
    found: Nearest | None = None

    def take(self, capture: Capture) -> None:
        """Take the next capture, in the order of dates."""
        found = self.found
        if found is None:
            self.found = Nearest(capture, 1, capture.date, capture.date, None, None)
            return
        before = found.last
        found = evolve(found, count=found.count + 1, last=capture.date)
        same_and_before = capture.date == found.capture.date < self.date
        if same_and_before or self._gap(capture.date) < self._gap(found.capture.date):
            found = evolve(found, capture=capture, previous=before, next=None)
        elif found.next is None:
            found = evolve(found, next=capture.date)
        self.found = found

    def _gap(self, date: str) -> timedelta:
        try:
            return abs(to_datetime(date) - to_datetime(self.date))
        except InvalidDate as error:
            raise DamagedStructure(str(error)) from None


def _place(capture: Capture) -> tuple[str, str]:
    return capture.date, capture.content


def _once(captures: Iterable[Capture]) -> Iterator[Capture]:
    """Yield sorted captures without those that are the same as the one before."""
    former = None
    for capture in captures:
        if _place(capture) != former:
            former = _place(capture)
            yield capture


def _until_damaged(
    captures: Iterable[Capture], damage: list[DamagedStructure]
) -> Iterator[Capture]:
    try:
        yield from captures
    except DamagedStructure as error:
        damage.append(error)
    except OSError as error:
        damage.append(_unreadable(error))


def _unreadable(error: OSError) -> DamagedStructure:
    return DamagedStructure(f"the disk does not give it: {error}; another node's copy has it")
