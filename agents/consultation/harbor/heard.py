"""What was heard of a stream on a day: stretches without a break, and the gaps between. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from attrs import evolve, frozen

from agents import dates
from agents.consultation.streams.tables import Piece

TOLERANCE = 1.0  # seconds between two pieces of one reception that are no gap


@frozen
class Stretch:
    """A time in which a stream was heard without a break, or not at all.

    Attributes:
        first: date at which it begins, 20 digits.
        last: date at which it ends.
        why: why nothing was heard before it, or in it.
    """

    first: str
    last: str
    why: str = ""

    @property
    def seconds(self) -> float:
        """How long it is."""
        return between(self.first, self.last)


def stretches(pieces: Sequence[Piece]) -> list[Stretch]:
    """Return the stretches that pieces make up, in order."""
    found: list[Stretch] = []
    session = ""
    for piece in pieces:
        goes_on = piece.session == session and not piece.why
        if found and goes_on and between(found[-1].last, piece.first) <= TOLERANCE:
            found[-1] = evolve(found[-1], last=max(found[-1].last, piece.last))
        else:
            found.append(Stretch(piece.first, piece.last, piece.why))
        session = piece.session
    return found


def gaps(heard: Sequence[Stretch]) -> list[Stretch]:
    """Return what lies between stretches."""
    return [
        Stretch(before.last, after.first, after.why)
        for before, after in pairwise(heard)
        if before.last < after.first
    ]


def within(heard: Sequence[Stretch], first: str, last: str) -> list[Stretch]:
    """Return stretches, cut to what lies between two dates."""
    cut = [evolve(each, first=max(first, each.first), last=min(last, each.last)) for each in heard]
    return [each for each in cut if each.first < each.last]


def between(first: str, last: str) -> float:
    """Return the seconds from one date to another."""
    return (dates.to_datetime(last) - dates.to_datetime(first)).total_seconds()
