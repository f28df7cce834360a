"""A WARC of which parts are compressed and others are not, such as `cat a.warc.gz b.warc` makes.

One part ends where a record of the other kind begins: right after a record, and never within one,
for what was archived may be a WARC itself.
"""

from collections.abc import Iterator

from zope.interface import implementer

from anet.formats.compressed import GZIP, Compression
from anet.formats.record import Damage, IRecordReader, Record
from anet.formats.source import Source, SourceReader
from anet.formats.warc_head import VERSION_LINE
from anet.formats.warc_members import MembersWarc, begins
from anet.formats.warc_plain import PlainWarc, past_newlines

_LINE = 16  # bytes in which the line of a version is


@implementer(IRecordReader)
class JoinedWarc(SourceReader):
    """Reads the records of a WARC that is plain, compressed record by record, or both in turn.

    Attributes:
        seekable: that a reader can be started at any record.

    Args:
        source: holds them.
        compression: of its beginning; None if that is plain.
        begin: of the record to begin with.
    """

    seekable = True

    def __init__(self, source: Source, compression: Compression | None, begin: int = 0) -> None:
        self._source, self._compression, self._begin = source, compression, begin

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        compression, begin = self._compression or GZIP, self._begin
        is_plain = self._compression is None
        while begin < self._source.size:
            part = (
                self._plain(compression, begin) if is_plain else self._members(compression, begin)
            )
            yield from part
            begin, is_plain = part.end, not is_plain

    def _plain(self, compression: Compression, begin: int) -> PlainWarc:
        return plain_part(self._source, compression, begin)

    def _members(self, compression: Compression, begin: int) -> MembersWarc:
        source = self._source
        return MembersWarc(source, compression, begin, lambda place: is_plain_at(source, place))


def plain_part(source: Source, compression: Compression, begin: int) -> PlainWarc:
    """Return what reads plain records up to a member that begins with one."""
    return PlainWarc(source, begin, lambda place: begins(source, compression, place))


def is_plain_at(source: Source, place: int) -> bool:
    """Return whether a record that is not compressed begins at a byte, or after newlines."""
    return VERSION_LINE.match(source.read(past_newlines(source, place), _LINE)) is not None
