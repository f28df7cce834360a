"""A walk from record to record through a file that says before each block how long it is.

That is how ARC and Tianwang files are made, and neither has anything else by which the beginning of
a record is known for sure. So a walk believes a length when a newline or the end of the file
follows the block, and searches otherwise. What is found by searching is believed by the rule of
*Web InfoMall §3.1*: three records that follow one another, one newline after each; fewer only if
the last of them ends with the file.
"""

import re
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from attrs import frozen

from anet.formats.plain import PlainFile
from anet.formats.record import Damage

CONTINUOUS = 3  # records that have to follow one another to be believed

_Facts = TypeVar("_Facts")
_REMEMBERED = 1_000_000  # places of records
_PIECE = 1024 * 1024
_OVERLAP = 64  # no pattern of a beginning matches more
_NO_RECORD = "no record begins here, or the one before it is longer than it says"


@frozen
class Header(Generic[_Facts]):
    """What stands before a block.

    Attributes:
        begin: its first byte in the file.
        block: the first byte of the block.
        size: bytes of the block.
        facts: what it says besides.
    """

    begin: int
    block: int
    size: int
    facts: _Facts


@frozen
class Standing(Generic[_Facts]):
    """A record, where it stands.

    Attributes:
        header: of it.
        end: the byte after those of the block that can be read.
        next: the byte at which reading goes on.
        wrong: why these are not the whole block; empty if they are.
    """

    header: Header[_Facts]
    end: int
    next: int
    wrong: str = ""


Parse = Callable[[PlainFile, int], Header[_Facts] | None]
"""Returns the header that begins at a byte, if one does."""


class Walk(Generic[_Facts]):
    """The records of a file, and damage, in order.

    Args:
        file: holds them.
        parse: reads the header at a byte.
        beginning: matches what ends where a record may begin, and looks ahead at most 64 bytes.
        offset: of the record at which to begin.
    """

    def __init__(
        self, file: PlainFile, parse: Parse[_Facts], beginning: re.Pattern[bytes], offset: int = 0
    ) -> None:
        self._file, self._parse, self._beginning, self._offset = file, parse, beginning, offset
        self._known: tuple[int, Header[_Facts] | None] = (-1, None)

    def __iter__(self) -> Iterator[Standing[_Facts] | Damage]:
        """Yield records where they stand, and damage where no record is known to begin."""
        offset = self._past_newlines(self._offset)
        while offset < self._file.size:
            header = self._header(offset)
            if header:
                standing = self._standing(header)
                yield standing
                offset = standing.next
            else:
                found = self._found(offset)
                yield Damage(offset, found, _NO_RECORD)
                offset = found

    def _standing(self, header: Header[_Facts]) -> Standing[_Facts]:
        """Return where a record ends, and what is wrong with that."""
        end, size = header.block + header.size, self._file.size
        if end > size:
            found = self._found(header.block)
            held = found - header.block
            wrong = f"{held} of the {header.size} bytes of the block are there"
            return Standing(header, found, found, wrong)
        after = self._after(header)
        if after is not None and (after == size or self._header(after)):
            return Standing(header, end, after)
        inner = self._covered(header.block, end)
        if inner is not None:
            wrong = f"the block of {header.size} bytes covers a record after {inner - header.block}"
            return Standing(header, inner, inner, wrong)
        if after is not None:
            return Standing(header, end, after)
        wrong = f"nothing ends the block after {header.size} bytes"
        return Standing(header, end, self._found(end), wrong)

    def _after(self, header: Header[_Facts]) -> int | None:
        """Return the byte after a record and newlines; None if something else follows its block."""
        end = header.block + header.size
        after = self._past_newlines(end)
        followed = after > end or after == self._file.size or self._header(after)
        return after if followed else None

    def _strictly_after(self, place: int) -> int | None:
        """Return the byte after the record at a place and its one newline, if all that is there.

        A record of a file that is in a block has the block's newline after its own.
        """
        header = self._header(place)
        end = header.block + header.size if header else self._file.size + 1
        if end < self._file.size and self._file.read(end, 1) == b"\n":
            return end + 1
        return end if end == self._file.size else None

    def _covered(self, begin: int, end: int) -> int | None:
        """Return where records begin that a block covers, so that its length must be wrong.

        One of them lies across the end of the block. Those of a file that the block holds end with
        it, or before.
        """
        failed: set[int] = set()  # so that no row of records is gone along twice
        for place in self._places(begin, end):
            if place not in failed:
                row = self._row(place, end)
                if row is None:
                    return place
                failed.update(row[: max(_REMEMBERED - len(failed), 0)])
        return None

    def _row(self, place: int, end: int) -> list[int] | None:
        """Return the records from a place on, if they do not lie across an end; None if they do."""
        crossed, count = False, 0
        row: list[int] = []
        while place < self._file.size and not (crossed and count >= CONTINUOUS):
            if count < _REMEMBERED:
                row.append(place)
            after = self._strictly_after(place)
            if after is None or (place >= end and not crossed):
                return row
            crossed = crossed or place < end < after - 1
            count, place = count + 1, after
        return None if crossed else row

    def _found(self, offset: int) -> int:
        """Return where the next records are that can be believed; else the end of the file."""
        for place in self._places(offset, self._file.size):
            if self._believed(place):
                return place
        return self._file.size

    def _believed(self, place: int) -> bool:
        for _ in range(CONTINUOUS):
            after = self._strictly_after(place)
            if after is None:
                return False
            if after == self._file.size:
                return True
            place = after
        return True

    def _places(self, begin: int, end: int) -> Iterator[int]:
        """Yield where a record may begin: here, after one spoilt byte, or where it looks so."""
        yield from (place for place in (begin, begin + 1) if place < end)
        last = begin + 1
        for offset in range(begin, min(end, self._file.size), _PIECE):
            piece = self._file.read(max(offset - 1, 0), _PIECE + _OVERLAP)
            for match in self._beginning.finditer(piece):
                place = max(offset - 1, 0) + match.end()
                if last < place < end:
                    last = place
                    yield place

    def _header(self, offset: int) -> Header[_Facts] | None:
        """Return the header at a byte; the last one asked for is known."""
        if self._known[0] != offset:
            self._known = (offset, self._parse(self._file, offset))
        return self._known[1]

    def _past_newlines(self, offset: int) -> int:
        """Return the first byte that is of no newline."""
        while piece := self._file.read(offset, 4096):
            rest = piece.lstrip(b"\n")
            offset += len(piece) - len(rest)
            if rest:
                break
        return offset
