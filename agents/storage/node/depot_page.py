"""What a storage node's page tells of the object store that its contents are given to."""

from collections.abc import Sequence

from agents.page import Badge, Cell, Figures, Note, Section, human_bytes
from agents.storage.disk.shipping import Shipping
from agents.storage.disk.store import DiskStore
from agents.storage.figures import Figure

PREFIX = "bucket_"


def figures(disks: Sequence[DiskStore]) -> list[Figure]:
    """Return what is measured of the bucket; `disks` is followed as disks come and go."""
    return [
        Figure(f"{PREFIX}behind_bytes", "log not yet in the bucket", lambda: _behind(disks)),
        Figure(f"{PREFIX}failing", "disks whose bucket fails", lambda: len(_problems(disks))),
    ]


def sections(disks: Sequence[DiskStore]) -> list[Section]:
    """Return how much of each disk's log its bucket does not have yet, and what is the matter."""
    told: dict[str, Cell] = {"state": _state(disks)}
    for disk, shipping in _shipping(disks):
        told[f"log of {disk.name} not yet there"] = human_bytes(shipping.behind)
    notes = [
        Note(f"Contents stay on the disk {disk.name} for now", shipping.problem, "bad")
        for disk, shipping in _shipping(disks)
        if shipping.problem
    ]
    return [*notes, Figures("Bucket", told)]


def _state(disks: Sequence[DiskStore]) -> Cell:
    if _problems(disks):
        return Badge("behind", "bad")
    return Badge("giving") if _behind(disks) else Badge("up to date", "good")


def _behind(disks: Sequence[DiskStore]) -> int:
    return sum(shipping.behind for _, shipping in _shipping(disks))


def _problems(disks: Sequence[DiskStore]) -> list[str]:
    return [shipping.problem for _, shipping in _shipping(disks) if shipping.problem]


def _shipping(disks: Sequence[DiskStore]) -> list[tuple[DiskStore, Shipping]]:
    return [(disk, disk.shipping) for disk in disks if disk.shipping is not None]
