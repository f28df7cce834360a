"""Which entries of a feed were met before, in 8 bytes each. Pure.

Four bytes say which entry, four which version of it; among the few hundred entries of a feed, two
share the former once in millions of feeds, and then a page is told of late.
"""

from collections.abc import Iterable
from struct import iter_unpack, pack

from attrs import frozen
from xxhash import xxh32_intdigest

from agents import urls
from agents.feeds.document import Entry

LEAST = 20  # entries remembered of the shortest feed
PAGE_LIMIT = 2000  # characters of a URL that is told


@frozen
class News:
    """What of a feed is new.

    Attributes:
        new: pages of entries that were not there before.
        changed: pages of entries that are not as they were.
        entries: how many entries are new.
        overlap: whether any entry had been met before.
        seen: the entries met now, and before.
    """

    new: list[str]
    changed: list[str]
    entries: int
    overlap: bool
    seen: bytes


def compare(entries: Iterable[Entry], seen: bytes) -> News:
    """Return what is new of some entries, given those seen before.

    Twice as many are remembered as were there at once, for a feed may show old ones again.
    """
    before: dict[int, int] = dict(iter_unpack("<II", seen[: len(seen) // 8 * 8]))
    now: dict[int, int] = {}
    new: dict[str, None] = {}
    changed: dict[str, None] = {}
    count, overlap = 0, False
    for entry in entries:
        name = xxh32_intdigest(entry.id.encode("utf-8", "replace"))
        version = xxh32_intdigest(entry.version.encode("utf-8", "replace"))
        if name in now:
            continue
        now[name] = version
        met = before.get(name)
        count += met is None
        overlap = overlap or met is not None
        page = urls.canonical(entry.url, entry.base or None) if entry.url else None
        if page is not None and met != version and len(page) <= PAGE_LIMIT:
            (new if met is None else changed)[page] = None
    told = [page for page in changed if page not in new]
    return News(list(new), told, count, overlap, _merged(now, before))


def _merged(now: dict[int, int], before: dict[int, int]) -> bytes:
    most = max(LEAST, 2 * len(now), len(before))
    kept = {**now, **{name: version for name, version in before.items() if name not in now}}
    return b"".join(pack("<II", *item) for item, _ in zip(kept.items(), range(most), strict=False))
