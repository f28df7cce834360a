"""A WARC that was compressed as a whole, or in pieces that are not its records.

No record of it can be reached but by decompressing all that stands before. So it is decompressed
into a file, and read there.
"""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import BinaryIO

from zope.interface import implementer

from anet.formats.compressed import GZIP, MOST_IN_VAIN, Compression, Member, beginnings
from anet.formats.gzip_end import gzip_end
from anet.formats.proving import NOT_PROVEN, blank_unproven
from anet.formats.record import Damage, DamagedRecord, IRecordReader, Record
from anet.formats.source import Source, SourceReader
from anet.formats.warc_head import BEGINNING, BadHeader, HeaderCut, parse_header
from anet.formats.warc_joined import is_plain_at, plain_part
from anet.formats.warc_plain import PlainWarc

_LOOKED = 1024 * 1024
_NEWLINES = b"\r\n"


@implementer(IRecordReader)
class WholeWarc(SourceReader):
    """Reads the records of a WARC that is compressed as a whole, from its beginning.

    Offsets are those of the file without its compression; besides those of the damage of the
    compression itself, which comes first.

    Attributes:
        seekable: that a reader can be started nowhere but at the beginning.
    """

    seekable = False

    def __init__(self, source: Source, compression: Compression) -> None:
        self._source, self._compression = source, compression

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        with TemporaryFile() as file:
            yield from inflated(self._source, self._compression, file)
            yield from PlainWarc(Source(file))


def inflated(source: Source, compression: Compression, target: BinaryIO) -> list[Damage]:
    """Write what members hold, one after the other, and return what could not be decompressed.

    What is wrong in a member may have spoilt what it gave before that was noticed. So of a damaged
    one nothing is left but the records that a digest of theirs proves; the rest is blank. Plain
    records between members are written as they are.

    Args:
        source: the file.
        compression: of its members.
        target: empty, and open for reading, too.
    """
    offset, damage, patience = 0, [], MOST_IN_VAIN * source.size
    unproven: list[tuple[int, int]] = []
    while offset < source.size:
        begin, member = target.tell(), Member(source, compression, offset)
        try:
            while piece := member.piece():
                target.write(piece)
            offset = member.end
        except DamagedRecord as error:
            if is_plain_at(source, offset):
                offset = _copy_plain(source, compression, offset, target)
                continue
            patience -= member.end - offset
            end = _after_damage(source, compression, member, patience > 0)
            if member.cut and end == source.size:
                damage.append(Damage(offset, end, str(error)))
            else:
                damage.append(Damage(offset, end, f"{NOT_PROVEN}: {error}"))
                unproven.append((begin, target.tell()))
            offset = end
    if unproven:
        blank_unproven(target, unproven)
    return damage


def _copy_plain(source: Source, compression: Compression, begin: int, target: BinaryIO) -> int:
    """Write the plain records that begin at a byte, and return where they end."""
    part = plain_part(source, compression, begin)
    for _ in part:
        pass
    while begin < part.end and (data := source.read(begin, min(_LOOKED, part.end - begin))):
        target.write(data)
        begin += len(data)
    return part.end


def _after_damage(
    source: Source, compression: Compression, member: Member, is_patient: bool
) -> int:
    """Return where reading goes on after a damaged member.

    Others may begin in it, but not if only its checksum is wrong: these were archived.
    """
    if not is_patient:
        return _next(source, compression, member.end)
    end = gzip_end(source, member.offset) if compression is GZIP else None
    if end is not None and (end == source.size or is_plain_at(source, end)):
        return end
    return _next(source, compression, member.offset + 1 if end is None else end)


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
