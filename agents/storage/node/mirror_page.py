"""What a storage node's page tells of the store that it copies all to."""

import time

from agents.page import Badge, Cell, Figures, Note, Section, human_bytes, human_seconds
from agents.storage.cells import warned
from agents.storage.figures import Figure
from agents.storage.node.mirroring import Mirroring

PREFIX = "mirror_"


def figures(mirroring: Mirroring) -> list[Figure]:
    """Return what is measured of a mirror."""
    return [
        Figure(f"{PREFIX}runs", "copies to the mirror", lambda: mirroring.runs, total=True),
        Figure(f"{PREFIX}failing", "mirror behind", lambda: bool(mirroring.problem)),
        Figure(f"{PREFIX}lost", "not in the mirror", lambda: mirroring.figures.lost),
    ]


def sections(mirroring: Mirroring) -> list[Section]:
    """Return where the mirror is, how far the copy is that runs or ran last, and what failed."""
    told = mirroring.figures
    ago = f"{human_seconds(time.time() - mirroring.ended)} ago" if mirroring.ended else "none yet"
    found: list[Section] = [
        Figures(
            "Mirror",
            {
                "state": _state(mirroring),
                "last whole copy": ago,
                "contents copied": told.contents,
                "bytes copied": human_bytes(told.bytes),
                "contents known there": told.contents_known,
                "URLs copied": told.structures,
                "URLs unchanged": told.structures_known,
                "lost": warned(told.lost),
                "where": mirroring.address.partition("?")[0],
            },
        )
    ]
    if mirroring.problem:
        found.insert(0, Note("The mirror is behind", mirroring.problem, "bad"))
    return found


def _state(mirroring: Mirroring) -> Cell:
    if mirroring.problem:
        return Badge("behind", "bad")
    if mirroring.figures.doing:
        return Badge("copying")
    return Badge("up to date", "good")
