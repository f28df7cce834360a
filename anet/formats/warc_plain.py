"""The records of a WARC that is not compressed, or not any more.

Nothing but its length says where a record ends, so a length is believed only if the block is
followed by an empty line, the next record, or the end of the file. Otherwise the record is damage,
up to the next that is sound: one that has all that ISO 28500 asks of a header, and whose length
can be believed. It may begin anywhere, for what is cut or inserted shifts what follows.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from zope.interface import implementer

from anet.formats.compressed import beginnings
from anet.formats.record import Damage, IRecordReader, Record
from anet.formats.source import Source, SourceBlock, SourceReader
from anet.formats.warc_head import (
    BEGINNING,
    MOST_HEADER,
    VERSION_LINE,
    BadHeader,
    Header,
    HeaderCut,
    parse_header,
)

_HEADER_READS = (4 * 1024, 64 * 1024, MOST_HEADER + 1)
_AFTER = 64  # bytes in which a record has to follow a block that no empty line follows
_LOOKED_THROUGH = 64 * 1024  # bytes of a block, so that no file makes a reader look for hours
_LOOKED_AT = 8  # beginnings of records in them; all but one would have to be of a block
_EMPTY_LINE = b"\r\n\r\n"


class _Unsound(Exception):
    """No record that can be trusted is here; the message says why."""


def never(_: int) -> bool:
    """Return that nothing else begins at a byte."""
    return False


@implementer(IRecordReader)
class PlainWarc(SourceReader):
    """Reads the records of a plain WARC.

    Attributes:
        seekable: that a reader can be started at any record.
        end: the byte at which reading ended, once it did.

    Args:
        source: holds them.
        begin: of the record to begin with.
        is_other: tells whether something else begins at a byte, at which reading is to end.
    """

    seekable = True

    def __init__(
        self, source: Source, begin: int = 0, is_other: Callable[[int], bool] = never
    ) -> None:
        self._source, self._begin, self._is_other = source, begin, is_other
        self.end = source.size

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        source, begin = self._source, past_newlines(self._source, self._begin)
        while begin < source.size:
            try:
                header, after = sound_record(source, begin)
            except _Unsound as error:
                if self._is_other(begin):
                    self.end = begin
                    return
                end = next_sound(source, begin + 1)
                yield Damage(begin, end, str(error))
                begin = end
                continue
            block = begin + header.length
            yield Record(
                header.version,
                header.kind,
                header.fields,
                begin,
                header.size,
                SourceBlock(source, block, block + header.size),
            )
            begin = past_newlines(source, after)


def sound_record(source: Source, begin: int) -> tuple[Header, int]:
    """Return the header that begins at a byte, and where reading goes on after its block.

    Raises:
        _Unsound: none that can be trusted is there.
    """
    try:
        header = _header(source, begin)
    except BadHeader as error:
        raise _Unsound(str(error)) from None
    end = begin + header.length + header.size
    if end > source.size:
        held = source.size - begin - header.length
        raise _Unsound(f"the file ends after {held} of the block's {header.size} bytes")
    after = source.peek(end, _AFTER)
    rest = after.lstrip(b"\r\n")
    if not rest or rest.startswith(BEGINNING):
        return header, end
    if not after.startswith(_EMPTY_LINE):
        raise _Unsound(f"the block of {header.size} bytes is not followed by an empty line")
    if _is_across(source, begin + header.length, end):
        raise _Unsound(f"the block of {header.size} bytes ends within another record")
    return header, end + len(_EMPTY_LINE)


def _is_across(source: Source, begin: int, end: int) -> bool:
    """Return whether a record begins in a block that is followed by nonsense, and ends behind it.

    Then it is not of the block: the length is wrong, and an empty line is there by chance.
    """
    begin = max(begin, end - _LOOKED_THROUGH)
    lines = VERSION_LINE.finditer(source.peek(begin, end - begin))
    for line in deque(lines, _LOOKED_AT):  # of true records, only the last can be the one
        place = begin + line.start()
        with suppress(BadHeader):
            header = _header(source, place)
            if place + header.length + header.size > end:
                return True
    return False


def next_sound(source: Source, begin: int) -> int:
    """Return where the next record begins that is complete; else the end of the file."""
    for place in beginnings(source, VERSION_LINE, begin):
        try:
            header, _ = sound_record(source, place)
        except _Unsound:
            continue
        if header.complete:
            return place
    return source.size


def past_newlines(source: Source, offset: int) -> int:
    """Return the first byte from `offset` on that is of no newline."""
    while piece := source.read(offset, _AFTER):
        rest = piece.lstrip(b"\r\n")
        offset += len(piece) - len(rest)
        if rest:
            break
    return offset


def _header(source: Source, begin: int) -> Header:
    for size in _HEADER_READS:
        data = source.read(begin, size)
        try:
            return parse_header(data)
        except HeaderCut:
            if len(data) < size:
                raise
    raise BadHeader(f"the header does not end within {MOST_HEADER} bytes")
