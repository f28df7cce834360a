"""Records of ARC and DAT files that have gzip around them: as a rule, a member for each."""

from collections.abc import Iterator

from attrs import define

from anet.formats.compressed import MOST_IN_VAIN
from anet.formats.gzip_end import gzip_end
from anet.formats.members import MAGIC, Member
from anet.formats.plain import PlainFile
from anet.formats.record import Damage, DamagedRecord, Record
from anet.formats.url_record import LONGEST, Recorded, UrlRecord, parsed

_PEEKED = 8
_PIECE = 4096
_SKIPPED = 256 * 1024
_SEARCHED = 1024 * 1024
_NEAR = 32 * 1024  # bytes of a member in which a URL record has to begin, and end
_OVERHANG = 1024 * 1024  # bytes of a first record after which nobody looks for its member's end


@define
class MemberBlock:
    """An `IBlock` that lies in a gzip member."""

    member: Member
    left: int

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end. The last are given once all was checked.

        Raises:
            DamagedRecord: the member is damaged, ends too early, or holds more than the block.
        """
        data = self.member.read(min(size, self.left))
        if not data and size and self.left:
            raise DamagedRecord(f"its gzip member ends {self.left} bytes before the block")
        self.left -= len(data)
        if data and not self.left:
            self._check_end()
        return data

    def _check_end(self) -> None:
        """See that a newline, another record or nothing follows, and the checksum is right."""
        follows = self.member.peek(2)  # which is more than there is in a member of one record
        if self.member.failure:
            raise DamagedRecord(self.member.failure)
        if follows[:1] not in (b"", b"\n", b"\r") and not _url_record(self.member):
            raise DamagedRecord("its gzip member holds more than the block")


def walk_members(file: PlainFile, offset: int, recorded: Recorded) -> Iterator[Record | Damage]:
    """Yield the records of a file from a member on, and damage where there is some."""
    patience = MOST_IN_VAIN * file.size
    while offset < file.size:
        member = Member(file, offset)
        try:
            yield from _records(member, recorded)
            offset = member.end
        except DamagedRecord as error:
            found = _next(file, member, patience > 0)
            patience -= member.consumed
            yield Damage(offset, found, str(error))
            offset = found


def gzipped(file: PlainFile, offset: int) -> bool:
    """Return whether there is gzip around the records from an offset on.

    What begins with neither a member nor a record has lost its beginning; the first member that is
    found then tells.
    """
    beginning = file.read(offset, _SEARCHED)
    if beginning.startswith(MAGIC):
        return True
    if parsed(beginning.lstrip(b"\r\n").partition(b"\n")[0]):
        return False
    near = (place for place in _magic(file, offset) if place < offset + _SEARCHED)
    return any(_sound(file, place) for place in near)


def alone(file: PlainFile) -> bool:
    """Return whether the first record of a file is alone in its gzip member."""
    member = Member(file, 0)
    try:
        line = _line(member)
        if line is None or line.length > _OVERHANG:
            return True
        _skip(MemberBlock(member, line.length))
        return _line(member) is None
    except DamagedRecord:
        return True


def _records(member: Member, recorded: Recorded) -> Iterator[Record]:
    while line := _line(member):
        block = MemberBlock(member, line.length)
        peeked = member.peek(min(_PEEKED, line.length)) if line.length else b""
        yield recorded(line, member.offset, peeked, block)
        _skip(block)


def _line(member: Member) -> UrlRecord | None:
    """Take the next URL record; return None at the end of the member.

    Raises:
        DamagedRecord: there is something else.
    """
    while (piece := member.peek(_PIECE)) and not (rest := piece.lstrip(b"\r\n")):
        member.read(len(piece))
    if not piece:
        return None
    member.read(len(piece) - len(rest))
    found = _url_record(member)
    if not found:
        raise DamagedRecord("its gzip member holds something else than records")
    member.read(len(found.line) + 1)
    return found


def _url_record(member: Member) -> UrlRecord | None:
    """Return the URL record that comes next, without taking it."""
    line, newline, _ = member.peek(LONGEST).partition(b"\n")
    return parsed(line) if newline else None


def _skip(block: MemberBlock) -> None:
    while block.read(_SKIPPED):
        pass


def _next(file: PlainFile, member: Member, within: bool) -> int:
    """Return where the next member begins that holds a record; else the end of the file.

    Args:
        file: of the member.
        member: that is damaged, or holds something else.
        within: whether one that begins within what was read of it is sought, too.
    """
    try:
        while member.read(_SKIPPED):
            pass
        return member.end  # only what is in it was wrong
    except DamagedRecord:
        begin = member.offset + 1 if within else member.end
        end = gzip_end(file, member.offset) if within else None
        if end is not None and (end == file.size or _sound(file, end)):
            return end
        return next(filter(lambda at: _sound(file, at), _magic(file, begin)), file.size)


def _magic(file: PlainFile, offset: int) -> Iterator[int]:
    """Yield where members may begin."""
    for begin in range(offset, file.size, _SEARCHED):
        piece = file.read(begin, _SEARCHED + len(MAGIC) - 1)
        place = piece.find(MAGIC)
        while place >= 0:
            yield begin + place
            place = piece.find(MAGIC, place + 1)


def _sound(file: PlainFile, offset: int) -> bool:
    try:
        return _line(Member(file, offset, offset + _NEAR)) is not None
    except DamagedRecord:
        return False
