"""A WARC that was compressed as a whole, or in pieces that are not its records.

No record of it can be reached but by decompressing all that stands before. So it is decompressed
into a file, and read there.
"""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import BinaryIO

from zope.interface import implementer

from anet.formats.compressed import MOST_IN_VAIN, Compression, Member, beginnings
from anet.formats.record import Damage, DamagedRecord, IRecordReader, Record
from anet.formats.source import Source
from anet.formats.warc_head import BEGINNING, BadHeader, HeaderCut, parse_header
from anet.formats.warc_plain import PlainWarc

_LOOKED = 1024 * 1024
_NEWLINES = b"\r\n"


@implementer(IRecordReader)
class WholeWarc:
    """Reads the records of a WARC that is compressed as a whole, from its beginning.

    Offsets are those of the file without its compression; besides those of the damage of the
    compression itself, which comes first.

    Attributes:
        seekable: that a reader can be started nowhere but at the beginning.
    """

    seekable = False

    def __init__(self, source: Source, compression: Compression) -> None:
        self._source, self._compression = source, compression

    def __enter__(self) -> "WholeWarc":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        with TemporaryFile() as file:
            yield from inflated(self._source, self._compression, file)
            yield from PlainWarc(Source(file))


def inflated(source: Source, compression: Compression, target: BinaryIO) -> list[Damage]:
    """Write what members hold, one after the other, and return what could not be decompressed."""
    offset, damage, patience = 0, [], MOST_IN_VAIN * source.size
    while offset < source.size:
        member = Member(source, compression, offset)
        try:
            while piece := member.piece():
                target.write(piece)
            offset = member.end
        except DamagedRecord as error:
            patience -= member.end - offset
            end = _next(source, compression, offset + 1 if patience > 0 else member.end)
            damage.append(Damage(offset, end, str(error)))
            offset = end
    return damage


def is_whole(source: Source, compression: Compression, begin: int = 0) -> bool:
    """Return whether the first member holds more, or less, than one record."""
    member, data = Member(source, compression, begin), b""
    try:
        while not member.ended and len(data) < _LOOKED:
            data += member.piece()
    except DamagedRecord:
        pass
    try:
        header = parse_header(data)
    except HeaderCut:
        return not _follows(source, compression, member)
    except BadHeader:
        return False
    end = header.length + header.size
    if end <= len(data):
        return data[end:].lstrip(_NEWLINES).startswith(BEGINNING)
    return member.ended and not _follows(source, compression, member)


def _follows(source: Source, compression: Compression, member: Member) -> bool:
    """Return whether the next member begins with a record, or there is none."""
    if not member.ended or member.end >= source.size:
        return True
    try:
        data = Member(source, compression, member.end).taste()
    except DamagedRecord:
        return True
    return data.startswith(BEGINNING)


def _next(source: Source, compression: Compression, begin: int) -> int:
    """Return where the next member begins of which anything can be decompressed."""
    for place in beginnings(source, compression.magic, begin):
        try:
            if Member(source, compression, place).taste():
                return place
        except DamagedRecord:
            continue
    return source.size
