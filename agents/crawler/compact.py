"""Compact collections for crawls of millions of URLs: 8, 16 and 32 bytes an entry.

Each but `Counts` spreads its entries over buckets that stay sorted, so that look-ups are quick,
growth never stops the reactor to rebuild a table, and memory is little more than the entries
themselves. They take 64-bit hashes; two URLs of one crawl share one with a chance of 1 in 400,000
at ten million. What was measured is in docs/decisions/0014-what-a-crawl-remembers.md.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator

_BUCKETS = 4096
_MASK = 0xFFFF_FFFF_FFFF_FFFF


class HashSet:
    """A set of 64-bit integers, 8 bytes each."""

    def __init__(self) -> None:
        self._buckets: list[array[int]] = [array("Q") for _ in range(_BUCKETS)]
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, key: int) -> bool:
        """Add a key, of which the low 64 bits count; tell whether it is new."""
        key &= _MASK
        bucket = self._buckets[key % _BUCKETS]
        place = bisect_left(bucket, key)
        if place < len(bucket) and bucket[place] == key:
            return False
        bucket.insert(place, key)
        self._size += 1
        return True

    def __contains__(self, key: int) -> bool:
        key &= _MASK
        bucket = self._buckets[key % _BUCKETS]
        place = bisect_left(bucket, key)
        return place < len(bucket) and bucket[place] == key


class HashMap:
    """A map from 64-bit integers to 64-bit integers, 16 bytes each."""

    def __init__(self) -> None:
        self._keys: list[array[int]] = [array("Q") for _ in range(_BUCKETS)]
        self._values: list[array[int]] = [array("Q") for _ in range(_BUCKETS)]
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __setitem__(self, key: int, value: int) -> None:
        key &= _MASK
        keys, values = self._keys[key % _BUCKETS], self._values[key % _BUCKETS]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            values[place] = value & _MASK
            return
        keys.insert(place, key)
        values.insert(place, value & _MASK)
        self._size += 1

    def get(self, key: int) -> int | None:
        """Return the value of a key, or None."""
        key &= _MASK
        keys = self._keys[key % _BUCKETS]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            return self._values[key % _BUCKETS][place]
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
        self._buckets = [bytearray() for _ in range(_BUCKETS)]
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, digest: bytes) -> bool:
        """Add a digest of 32 bytes; tell whether it is new."""
        bucket = self._bucket(digest)
        place = self._place(bucket, digest)
        if bucket[place : place + self.SIZE] == digest:
            return False
        bucket[place:place] = digest
        self._size += 1
        return True

    def __contains__(self, digest: bytes) -> bool:
        bucket = self._bucket(digest)
        place = self._place(bucket, digest)
        return bucket[place : place + self.SIZE] == digest

    def __iter__(self) -> Iterator[bytes]:
        for bucket in self._buckets:
            for place in range(0, len(bucket), self.SIZE):
                yield bytes(bucket[place : place + self.SIZE])

    def _bucket(self, digest: bytes) -> bytearray:
        return self._buckets[digest[0] << 4 | digest[1] >> 4]

    def _place(self, bucket: bytearray, digest: bytes) -> int:
        """Return where in its bucket a digest is, or belongs."""
        low, high = 0, len(bucket) // self.SIZE
        while low < high:
            middle = (low + high) // 2
            if bucket[middle * self.SIZE : (middle + 1) * self.SIZE] < digest:
                low = middle + 1
            else:
                high = middle
        return low * self.SIZE
