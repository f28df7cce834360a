"""What lies on a disk, in the order of keys, read folder by folder."""

from collections.abc import Iterator
from pathlib import Path

from agents.capture import is_key
from agents.storage.disk.additions import Entry
from agents.storage.disk.append import read_mark
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


def entries(layout: Layout) -> Iterator[Entry]:
    """Yield all that the disk holds, as a log of additions says it. Blocks."""
    for key in keys(layout, "contents"):
        yield Entry("contents", key, layout.content(key).stat().st_size)
    for key in keys(layout, "structures"):
        count, mark = read_mark(layout, key)
        yield Entry("structures", key, count, f"{mark:016x}")


def listing(layout: Layout, kind: Kind, after: str, limit: int) -> list[str]:
    """Return at most `limit` keys after `after`. Blocks."""
    found: list[str] = []
    for key in keys(layout, kind, after):
        if len(found) >= limit:
            break
        found.append(key)
    return found


def all_keys(layout: Layout) -> Iterator[tuple[Kind, str]]:
    """Yield kind and key of all that the disk holds. Blocks."""
    for kind in KINDS:
        for key in keys(layout, kind):
            yield kind, key


def _names(folder: Path, first: str) -> list[str]:
    """Return the names in a folder from `first` on, sorted; none when it is no folder."""
    try:
        return sorted(entry.name for entry in folder.iterdir() if entry.name >= first)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_at_home(key: str, first: str, second: str) -> bool:
    return is_key(key) and key[:2] == first and key[2:4] == second
