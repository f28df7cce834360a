"""Boxes of ISO media (ISO 14496-12): what their headers say, within what was given."""

from collections.abc import Iterator

from attrs import frozen

HEADER = 8
LONG_HEADER = 16
BOXES = 4096  # within one that are looked at


@frozen
class Box:
    """A box within bytes.

    Attributes:
        kind: its four letters.
        body: where what it holds begins.
        end: where it ends; beyond what was given where that is not all.
    """

    kind: bytes
    body: int
    end: int


def box_at(data: bytes, at: int) -> Box | None:
    """Return the box that begins here; None for what is none, which has no end too.

    At least `LONG_HEADER` bytes must be there.
    """
    size, body = int.from_bytes(data[at : at + 4], "big"), at + HEADER
    if size == 1:
        size, body = int.from_bytes(data[at + 8 : at + 16], "big"), at + LONG_HEADER
    kind = data[at + 4 : at + 8]
    return Box(kind, body, at + size) if at + size >= body and len(kind) == 4 else None


def boxes_in(data: bytes, start: int, end: int) -> Iterator[Box]:
    """Yield the boxes that lie there whole, one behind another."""
    end = min(end, len(data))
    for _ in range(BOXES):
        box = box_at(data, start) if start + HEADER <= end else None
        if box is None or box.end > end:
            return
        yield box
        start = box.end


def number(data: bytes, at: int, size: int = 4) -> int:
    """Return the number that is written there; of what lies outside, 0."""
    return int.from_bytes(data[at : at + size], "big")
