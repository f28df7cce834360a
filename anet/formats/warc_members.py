"""The records of a WARC that is compressed record by record, as ISO 28500 Annex D wants it.

A member whose checksum holds but whose record does not is damage as a whole. After a member that
cannot be decompressed, reading goes on at the next that is, and that begins with a record; never
within one that can be, and of which only the checksum is wrong. What is small is decompressed and
looked at before it is given out; what is large is a stream that raises `DamagedRecord` if it turns
out not to be what its header says.
"""

from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from attrs import evolve
from zope.interface import implementer

from anet.formats.compressed import GZIP, MOST_IN_VAIN, Compression, Member, beginnings
from anet.formats.gzip_end import gzip_end
from anet.formats.record import Damage, DamagedRecord, IBlock, IRecordReader, Record
from anet.formats.source import HeldBlock, Source, SourceReader
from anet.formats.warc_head import (
    BEGINNING,
    BadHeader,
    Header,
    HeaderCut,
    parse_header,
)
from anet.formats.warc_plain import PlainWarc, never

_EMPTY_LINE = b"\r\n\r\n"
_NEWLINES = b"\r\n"
_IN_MEMORY = 8 * 1024 * 1024
_HELD = 256 * 1024
_AFTER = 64


@implementer(IBlock)
class _MemberBlock:
    """A block that is decompressed while it is read.

    The last of it is not given out before what follows it was looked at, and the checksum: who
    reads a block to its end has the whole of it.
    """

    def __init__(self, member: Member, held: bytes, size: int) -> None:
        self._member, self._size, self._left = member, size, size
        self._held, self._at = held, 0
        self._after: bytes | None = None
        self._wrong = ""

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end.

        Raises:
            DamagedRecord: it ends before it should, or what follows is no end.
        """
        if self._wrong:
            raise DamagedRecord(self._wrong)
        try:
            return self._read(size)
        except DamagedRecord as error:
            self._wrong = str(error)
            raise

    def after(self) -> bytes:
        """Read to the end, and return some bytes of the record that follows, if one does.

        Raises:
            DamagedRecord: something else follows, or the block ends before it should.
        """
        while self._left:
            self.read(_HELD)
        if self._after is None:
            self._after = self._look()
        return self._after

    def _read(self, size: int) -> bytes:
        if self._at == len(self._held) and self._left:
            self._held, self._at = self._member.piece(), 0
            if not self._held:
                read = self._size - self._left
                raise DamagedRecord(f"the block ends after {read} of {self._size} bytes")
        if self._after is None and len(self._held) - self._at >= self._left:
            self._after = self._look()
        data = self._held[self._at : self._at + min(size, self._left)]
        self._at += len(data)
        self._left -= len(data)
        return data

    def _look(self) -> bytes:
        rest = self._held[self._at + self._left :]
        while len(rest.lstrip(_NEWLINES)) < len(BEGINNING):
            piece = self._member.piece()
            if not piece:
                break
            rest = rest[-len(_EMPTY_LINE) :] + piece
        return _sound(rest)


@implementer(IRecordReader)
class MembersWarc(SourceReader):
    """Reads the records of a WARC with a gzip member, or a zstd frame, for each.

    Attributes:
        seekable: that a reader can be started at any record.
        end: the byte at which reading ended, once it did.

    Args:
        source: holds them.
        compression: of its members.
        begin: of the member to begin with.
        is_other: tells whether something else begins at a byte, at which reading is to end.
    """

    seekable = True

    def __init__(
        self,
        source: Source,
        compression: Compression,
        begin: int = 0,
        is_other: Callable[[int], bool] = never,
    ) -> None:
        self._source, self._compression, self._begin = source, compression, begin
        self._is_other, self.end = is_other, source.size
        self._patience = MOST_IN_VAIN * source.size

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        source, offset = self._source, self._begin
        while offset < source.size:
            member = Member(source, self._compression, offset)
            try:
                data = member.beginning(_HELD)
                if member.ended and not data.lstrip(_NEWLINES):
                    offset = member.end
                    continue
                header, data = _header(member, data)
                version, kind, fields, length, size = header
                if member.ended:
                    after = _after(data, length + size)
                    block: IBlock = HeldBlock(data, length, length + size)
                    yield Record(version, kind, fields, offset, size, block)
                else:
                    block = stream = _MemberBlock(member, data[length:], size)
                    yield Record(version, kind, fields, offset, size, block)
                    after = stream.after()
                if after:
                    yield from self._others(member, length + size)
                offset = member.end
            except (DamagedRecord, BadHeader) as error:
                if self._is_other(offset):
                    self.end = offset
                    return
                end = self._resume(member)
                yield Damage(offset, end, str(error))
                offset = end

    def _others(self, member: Member, begin: int) -> Iterator[Record | Damage]:
        """Yield the records of a member from a byte of it on: it has more than one."""
        again = Member(self._source, self._compression, member.offset)
        with SpooledTemporaryFile(_IN_MEMORY) as file:
            while piece := again.piece():
                file.write(piece)
            for each in PlainWarc(Source(cast("BinaryIO", file)), begin):
                if isinstance(each, Record):
                    yield evolve(each, offset=member.offset)
                else:
                    cause = f"{each.cause} (from byte {each.offset} to {each.end} of a member)"
                    yield Damage(member.offset, again.end, cause)
            member.end = again.end

    def _resume(self, member: Member) -> int:
        """Return where reading goes on after a member that holds no sound record.

        Others may begin in one that is damaged; but in no file are they sought for ever.
        """
        try:
            member.skip()
        except DamagedRecord:
            return self._resume_after_damage(member)
        return member.end

    def _resume_after_damage(self, member: Member) -> int:
        source, compression = self._source, self._compression
        self._patience -= member.end - member.offset
        if self._patience < 0:
            return next_member(source, compression, member.end)
        end = gzip_end(source, member.offset) if compression is GZIP else None
        if end is not None and (
            end == source.size or begins(source, compression, end) or self._is_other(end)
        ):
            return end
        return next_member(source, compression, member.offset + 1)


def next_member(source: Source, compression: Compression, begin: int) -> int:
    """Return where the next member begins that begins with a record; else the end of the file."""
    for place in beginnings(source, compression.magic, begin):
        if begins(source, compression, place):
            return place
    return source.size


def begins(source: Source, compression: Compression, place: int) -> bool:
    """Return whether a member begins at a byte, and a record in it."""
    try:
        parse_header(Member(source, compression, place).taste())
    except HeaderCut:
        return True
    except (BadHeader, DamagedRecord):
        return False
    return True


def _header(member: Member, data: bytes) -> tuple[Header, bytes]:
    """Return the header with which a member begins, and what of the member was read for it."""
    while True:
        try:
            return parse_header(data), data
        except HeaderCut:
            piece = member.piece()
            if not piece:
                raise
            data += piece


def _after(data: bytes, end: int) -> bytes:
    """Return what follows a block that ends at a byte of a member, besides newlines.

    Raises:
        DamagedRecord: that is no record, or the block is longer than the member.
    """
    if end + len(_EMPTY_LINE) == len(data) and data.endswith(_EMPTY_LINE):
        return b""
    if end > len(data):
        raise DamagedRecord(f"the member ends {end - len(data)} bytes before its block")
    return _sound(data[end : end + _AFTER])


def _sound(after: bytes) -> bytes:
    rest = after.lstrip(_NEWLINES)
    if rest and not rest.startswith(BEGINNING):
        raise DamagedRecord("the member goes on behind its block, with no record")
    return rest
