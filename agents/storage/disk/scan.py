"""What lies on a disk, in the order of keys, read folder by folder."""

from collections.abc import Iterator
from heapq import merge
from itertools import groupby, islice, takewhile
from pathlib import Path

from agents.capture import is_key
from agents.storage.disk.additions import Entry
from agents.storage.disk.append import read_mark
from agents.storage.disk.depot import NO_DEPOT, Depot, sizes_of
from agents.storage.disk.layout import CAPTURES, KINDS, Kind, Layout


def keys(layout: Layout, kind: Kind, after: str = "") -> Iterator[str]:
    """Yield the keys of a kind that the disk holds, sorted, those after `after` only.

    Files that are not named as the layout says are passed over. Blocks; belongs in a worker.
    """
    top = layout.root / kind
    suffix = CAPTURES if kind == "structures" else ""
    for first in _names(top, after[:2]):
        for second in _names(top / first, after[2:4] if first == after[:2] else ""):
            for name in _names(top / first / second, ""):
                key = name.removesuffix(suffix)
                if name.endswith(suffix) and key > after and _is_at_home(key, first, second):
                    yield key


def held(layout: Layout, kind: Kind, after: str = "", depot: Depot = NO_DEPOT) -> Iterator[str]:
    """Yield the keys that the disk or its depot holds, as `keys` does. Blocks.

    Contents move from the disk to the depot, and never back: so the disk is asked first, for one
    first byte at a time, and then the depot, and nothing that moves meanwhile is missed.
    """
    if kind == "structures" or depot is NO_DEPOT:
        yield from keys(layout, kind, after)
        return
    for first in range(int(after[:2] or "0", 16), 256):
        prefix = f"{first:02x}"
        found = keys(layout, kind, max(after, prefix))
        here = _beginning(prefix, found)
        yield from (key for key, _ in groupby(merge(here, depot.keys(prefix, after))))


def _beginning(prefix: str, found: Iterator[str]) -> list[str]:
    return list(takewhile(lambda key: key.startswith(prefix), found))


def entries(layout: Layout, depot: Depot = NO_DEPOT) -> Iterator[Entry]:
    """Yield all that the disk holds, as a log of additions says it. Blocks."""
    for key in held(layout, "contents", "", depot):
        for size in sizes_of(layout, depot, [key]).values():  # none when it is gone meanwhile
            yield Entry("contents", key, size)
    for key in keys(layout, "structures"):
        count, mark = read_mark(layout, key)
        yield Entry("structures", key, count, f"{mark:016x}")


def listing(
    layout: Layout, kind: Kind, after: str, limit: int, depot: Depot = NO_DEPOT
) -> list[str]:
    """Return at most `limit` keys after `after`. Blocks."""
    return list(islice(held(layout, kind, after, depot), limit))


def all_keys(layout: Layout, depot: Depot = NO_DEPOT) -> Iterator[tuple[Kind, str]]:
    """Yield kind and key of all that the disk holds. Blocks."""
    for kind in KINDS:
        for key in held(layout, kind, "", depot):
            yield kind, key


def _names(folder: Path, first: str) -> list[str]:
    """Return the names in a folder from `first` on, sorted; none when it is no folder."""
    try:
        return sorted(entry.name for entry in folder.iterdir() if entry.name >= first)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_at_home(key: str, first: str, second: str) -> bool:
    return is_key(key) and key[:2] == first and key[2:4] == second
