"""Which place in which content a date of a stream is: what leads readers to a sound. Pure.

Between two entries of one content (*INA §2.2.2*) signal and bytes came evenly enough to divide
what lies between them; where reception broke off there is nothing, and nothing is made up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from agents import dates
from agents.stream_offset import StreamOffset


@frozen
class StreamEntry:
    """A date at which the place in what came in was noted: a capture of a stream.

    Attributes:
        date: when that byte came, 20 digits.
        content: SHA-256 of the content in which it lies.
        offset: where in it.
    """

    date: str
    content: str
    offset: StreamOffset


def place_at(entries: Sequence[StreamEntry], date: str) -> StreamEntry | None:
    """Return the entry that would have been noted at `date`; None where nothing came in.

    Two agents may have received at once, as while a stream moves from one to the other. Then the
    entries of their pieces lie among each other.

    Args:
        entries: sorted by date, without gaps in their sequence: of each piece that was received
            then at least the last that is not after `date`, and the one that follows it.
        date: 20 digits.
    """
    behind = bisect_right(entries, date, key=lambda entry: entry.date)
    seen: set[str] = set()
    for before in reversed(entries[:behind]):
        if before.content not in seen:
            seen.add(before.content)
            after = next(
                (each for each in entries[behind:] if each.content == before.content), None
            )
            if after and goes_on(before, after):
                return _between(before, after, date)
    last = entries[behind - 1] if behind else None
    return last if last and last.date == date else None


def goes_on(before: StreamEntry, after: StreamEntry) -> bool:
    """Tell whether the second entry goes on in the content of the first.

    A source that repeats itself may give one content twice in a row; it begins at its first byte
    again, and the time between end and beginning belongs to neither.
    """
    return (
        before.content == after.content
        and before.offset.byte <= after.offset.byte
        and before.offset.milliseconds <= after.offset.milliseconds
        and before.date < after.date
    )


def _between(before: StreamEntry, after: StreamEntry, date: str) -> StreamEntry:
    """Return where it was at a date between two entries of a content."""
    start = _moment(before)
    part = (dates.to_datetime(date) - start) / (_moment(after) - start)

    def divide(first: int, last: int) -> int:
        return first + int((last - first) * part)

    milliseconds = divide(before.offset.milliseconds, after.offset.milliseconds)
    byte = divide(before.offset.byte, after.offset.byte)
    return StreamEntry(date, before.content, StreamOffset(milliseconds, byte))


def _moment(entry: StreamEntry) -> datetime:
    """Return its date as a moment, which differs by parts of a second."""
    return dates.to_datetime(entry.date)
