"""Compact collections behave as the plain ones do."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compact import Counts, Digests, HashMap, HashSet

KEYS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 3).map(lambda n: n * 4096)


@given(st.lists(KEYS))
def test_hash_set_is_a_set(keys: list[int]) -> None:
    """It holds what was added, once."""
    compact, plain = HashSet(), set()
    for key in keys:
        assert compact.add(key) is (key not in plain)
        plain.add(key)
        assert key in compact
    assert len(compact) == len(plain)


@pytest.mark.parametrize("step", [1, 2**16, -(2**32)])
def test_collections_grow_past_their_pages(step: int) -> None:
    """Thousands of keys, of many buckets or of one, are all held, and nothing else is."""
    keys = [number * step for number in range(5000)]
    Random(2).shuffle(keys)
    compact, mapped = HashSet(), HashMap()
    for number, key in enumerate(keys):
        assert compact.add(key)
        mapped[key] = number
    assert not any(compact.add(key) for key in keys)
    assert len(compact) == len(mapped) == len(keys)
    assert [mapped.get(key) for key in keys] == list(range(len(keys)))
    assert not any(number * step in compact for number in range(5000, 6000))


def test_digests_grow_past_their_pages() -> None:
    """Thousands of digests that begin alike come back, sorted."""
    digests = [b"%032d" % number for number in range(5000)]
    Random(3).shuffle(digests)
    compact = Digests()
    assert all(map(compact.add, digests))
    assert not any(map(compact.add, digests))
    assert list(compact) == sorted(digests)


@given(st.lists(st.tuples(KEYS, st.integers(0, 2**64 - 1))))
def test_hash_map_is_a_map(entries: list[tuple[int, int]]) -> None:
    """It gives the last value of each key."""
    compact, plain = HashMap(), {}
    for key, value in entries:
        compact[key] = value
        plain[key] = value
    assert len(compact) == len(plain)
    assert all(compact.get(key) == value for key, value in plain.items())
    assert all(compact.get(key + 1) == plain.get(key + 1) for key in plain if key < 2**62)


@given(
    st.lists(st.binary(min_size=32, max_size=32) | st.integers(0, 9).map(lambda n: b"%032d" % n))
)
def test_digests_come_back_sorted(digests: list[bytes]) -> None:
    """It gives each digest once, in order."""
    compact, plain = Digests(), set()
    for digest in digests:
        assert (digest in compact) is (digest in plain)
        assert compact.add(digest) is (digest not in plain)
        plain.add(digest)
    assert list(compact) == sorted(plain)
    assert len(compact) == len(plain)


@given(st.lists(KEYS))
def test_counts_are_never_too_low(keys: list[int]) -> None:
    """Few keys are counted as a dictionary would, except that two may share their cells."""
    compact, plain = Counts(), Counter[int]()
    for key in keys:
        plain[key] += 1
        assert plain[key] <= compact.add(key) <= plain.total()


def test_counts_of_many_keys_are_nearly_right() -> None:
    """A million others add next to nothing to a count."""
    compact, random = Counts(), Random(1)
    for _ in range(1_000_000):
        compact.add(random.getrandbits(64))
    assert max(compact.add(random.getrandbits(64)) for _ in range(1000)) < 15
