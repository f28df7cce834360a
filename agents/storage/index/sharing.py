"""Which index node answers for which keys: each has a share of the 256 groups of first bytes.

Every index node knows all of them from the master, and so all share alike without a word between
them. One that comes or goes moves only its own groups: the rendezvous of group and name.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

GROUPS = 256


def share(first_byte: int, index_nodes: Sequence[str]) -> str:
    """Return the name of the index node that answers for keys of a first byte.

    Args:
        first_byte: of the keys; the number of the group.
        index_nodes: names, at least one.
    """
    return max(index_nodes, key=lambda name: (_lot(first_byte, name), name))


@lru_cache(maxsize=16)
def owners(index_nodes: frozenset[str]) -> tuple[str, ...]:
    """Return for each of the groups, in order, the name of its index node."""
    names = sorted(index_nodes)
    return tuple(share(first_byte, names) for first_byte in range(GROUPS))


def groups_of(name: str, index_nodes: Iterable[str]) -> bytes:
    """Return the first bytes for which an index node answers, in order."""
    table = owners(frozenset(index_nodes))
    return bytes(group for group, owner in enumerate(table) if owner == name)


def mask(groups: bytes) -> int:
    """Return groups as one number with a bit for each, of which many are compared quickly."""
    return sum(1 << group for group in set(groups))


def _lot(first_byte: int, name: str) -> bytes:
    return blake2b(f"{first_byte:02x} {name}".encode(), digest_size=8).digest()
