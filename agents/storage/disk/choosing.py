"""On which disk of a node something new goes: weighted rendezvous of key and disk (pure)."""

import math
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Protocol, TypeVar


class Candidate(Protocol):
    """A disk that can take something."""

    @property
    def name(self) -> str:
        """Its own name, which it keeps."""

    @property
    def room(self) -> int:
        """About how many bytes it can still take."""


AnyCandidate = TypeVar("AnyCandidate", bound=Candidate)


def by_preference(key: str, disks: Iterable[AnyCandidate]) -> Sequence[AnyCandidate]:
    """Return disks in the order in which they should take a key.

    Each disk draws a lot from the key and its own name, weighted by its room in powers of two. So
    a disk with more room gets more, and one that comes or goes moves only its own share.
    """
    return sorted(disks, key=lambda disk: _lot(key, disk), reverse=True)


def _lot(key: str, disk: Candidate) -> float:
    draw = blake2b(f"{key} {disk.name}".encode(), digest_size=8).digest()
    fraction = (int.from_bytes(draw, "big") + 1) / (2**64 + 2)
    return 2.0 ** (max(2, disk.room).bit_length() - 41) / -math.log(fraction)
