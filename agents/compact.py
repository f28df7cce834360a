"""Compact collections for crawls of millions of URLs: 8, 16 and 32 bytes an entry.

Each but `Counts` spreads its entries over buckets that stay sorted, so that look-ups are quick,
growth never stops the reactor to rebuild a table, and memory is little more than the entries
themselves. They take 64-bit hashes; two URLs of one crawl share one with a chance of 1 in 400,000
at ten million. What was measured is in docs/decisions/0014-what-a-crawl-remembers.md.
"""

from bisect import bisect_left
from collections.abc import Iterator
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PAGESIZE, mmap
from typing import Literal

_BUCKETS = 512
_DIGEST_BUCKETS = 4 * _BUCKETS  # as their entries are longer, and to add one moves those after it
_FEW = 128  # bytes that a bucket takes of the heap at first
_MASK = 0xFFFF_FFFF_FFFF_FFFF


class _Bucket:
    """Cells in memory of their own, which grows page by page, once there are more than a few.

    Of the heap, buckets that grow in turn would take much more than they hold: what one leaves
    behind as it grows is too small for the others, and other things settle in between. But the
    first page of each would cost a small crawl more time than all that it puts there.

    Attributes:
        cells: the cells, and free ones after them.
        size: cells in use.
    """

    __slots__ = ("_format", "_memory", "cells", "size")

    def __init__(self, format: Literal["B", "Q"]) -> None:
        self._format = format
        self._memory: bytearray | mmap = bytearray()
        self.cells: memoryview[int] = memoryview(b"").cast(format)
        self.size = 0

    def make_room(self, place: int, count: int) -> None:
        """Move the cells from a place on by so many; those left free hold anything."""
        if self.size + count > len(self.cells):
            self._grow()
        self.cells[place + count : self.size + count] = self.cells[place : self.size]
        self.size += count

    def _grow(self) -> None:
        self.cells.release()
        memory = self._memory
        if isinstance(memory, mmap):
            memory.resize(len(memory) + PAGESIZE)
        elif not memory:
            self._memory = bytearray(_FEW)
        else:
            self._memory = mmap(-1, PAGESIZE, MAP_PRIVATE | MAP_ANONYMOUS)
            self._memory[: len(memory)] = memory
        self.cells = memoryview(self._memory).cast(self._format)


class HashSet:
    """A set of 64-bit integers, 8 bytes each."""

    def __init__(self) -> None:
        self._buckets = [_Bucket("Q") for _ in range(_BUCKETS)]
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, key: int) -> bool:
        """Add a key, of which the low 64 bits count; tell whether it is new."""
        key &= _MASK
        bucket = self._buckets[key % _BUCKETS]
        place = bisect_left(bucket.cells, key, 0, bucket.size)
        if place < bucket.size and bucket.cells[place] == key:
            return False
        bucket.make_room(place, 1)
        bucket.cells[place] = key
        self._size += 1
        return True

    def __contains__(self, key: int) -> bool:
        key &= _MASK
        bucket = self._buckets[key % _BUCKETS]
        place = bisect_left(bucket.cells, key, 0, bucket.size)
        return place < bucket.size and bucket.cells[place] == key


class HashMap:
    """A map from 64-bit integers to 64-bit integers, 16 bytes each."""

    def __init__(self) -> None:
        self._keys = [_Bucket("Q") for _ in range(_BUCKETS)]
        self._values = [_Bucket("Q") for _ in range(_BUCKETS)]
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __setitem__(self, key: int, value: int) -> None:
        key &= _MASK
        keys, values = self._keys[key % _BUCKETS], self._values[key % _BUCKETS]
        place = bisect_left(keys.cells, key, 0, keys.size)
        if place == keys.size or keys.cells[place] != key:
            keys.make_room(place, 1)
            values.make_room(place, 1)
            keys.cells[place] = key
            self._size += 1
        values.cells[place] = value & _MASK

    def get(self, key: int) -> int | None:
        """Return the value of a key, or None."""
        key &= _MASK
        keys = self._keys[key % _BUCKETS]
        place = bisect_left(keys.cells, key, 0, keys.size)
        if place < keys.size and keys.cells[place] == key:
            return self._values[key % _BUCKETS].cells[place]
        return None


class Counts:
    """How often each 64-bit integer came, in 4 MB however many there are (a count-min sketch).

    A key counts in two cells, and only in the lower one when they differ. Where others share both
    cells the count is too high, never too low: by a hundred at most for nearly all keys, when ten
    million have been counted. Memory is taken as cells are used, so a small crawl takes little.
    """

    _CELLS = 2**19  # in each of two rows

    def __init__(self) -> None:
        self._cells = memoryview(bytearray(8 * self._CELLS)).cast("I")

    def add(self, key: int) -> int:
        """Count a key once more; return how often it came."""
        cells = self._cells
        first = key % self._CELLS
        second = self._CELLS + (key >> 32) % self._CELLS
        count = min(cells[first], cells[second]) + 1
        if cells[first] < count:
            cells[first] = count
        if cells[second] < count:
            cells[second] = count
        return count


class Digests:
    """A set of SHA-256 digests, 32 bytes each; it gives them back in order."""

    SIZE = 32

    def __init__(self) -> None:
        self._buckets = [_Bucket("B") for _ in range(_DIGEST_BUCKETS)]
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, digest: bytes) -> bool:
        """Add a digest of 32 bytes; tell whether it is new."""
        bucket = self._bucket(digest)
        place = self._place(bucket, digest)
        if self._holds(bucket, place, digest):
            return False
        bucket.make_room(place, self.SIZE)
        bucket.cells[place : place + self.SIZE] = digest
        self._size += 1
        return True

    def __contains__(self, digest: bytes) -> bool:
        bucket = self._bucket(digest)
        return self._holds(bucket, self._place(bucket, digest), digest)

    def __iter__(self) -> Iterator[bytes]:
        for bucket in self._buckets:
            for place in range(0, bucket.size, self.SIZE):
                yield bytes(bucket.cells[place : place + self.SIZE])

    def _bucket(self, digest: bytes) -> _Bucket:
        return self._buckets[(digest[0] << 8 | digest[1]) * _DIGEST_BUCKETS >> 16]

    def _holds(self, bucket: _Bucket, place: int, digest: bytes) -> bool:
        return place < bucket.size and bucket.cells[place : place + self.SIZE] == digest

    def _place(self, bucket: _Bucket, digest: bytes) -> int:
        """Return where in its bucket a digest is, or belongs."""
        low, high = 0, bucket.size // self.SIZE
        while low < high:
            middle = (low + high) // 2
            if bytes(bucket.cells[middle * self.SIZE : (middle + 1) * self.SIZE]) < digest:
                low = middle + 1
            else:
                high = middle
        return low * self.SIZE
