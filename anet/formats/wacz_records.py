"""The records of a WACZ file: those of its WARCs, and one for each of its other files.

Pages, logs and the package itself are no records, but would be lost if they were passed over: each
is read as a `resource` of the name `urn:wacz:…`. Indexes can be made again, and are passed over.
Offsets are those of the WACZ file, so that a reader can be started at any record; where WARCs are
packed, which the specification forbids, they are not, and `stored` makes a file of which they are.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Self
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from zipfile import ZipFile, ZipInfo

from attrs import evolve
from zope.interface import Attribute, implementer

from anet.formats.record import Damage, DamagedRecord, IBlock, IRecordReader, Record
from anet.formats.wacz import Wacz, is_warc
from anet.formats.zip_members import BadMember, Member, ZipMembers


class IWarcReader(IRecordReader):
    """The records of a WARC, which says whether it can be read from any of them on."""

    seekable = Attribute("bool: whether each record is compressed by itself, or not at all")


OpenWarc = Callable[[BinaryIO, int], IWarcReader]
"""Reads the records of a WARC from a byte on; offsets are those of that file.

Raises `BadMember` when it is none.
"""

_LARGE = (1 << 31) - 1  # bytes of a member from which on it takes zip64
_ONE_MEMBER = "is one gzip member around all records: take it out, and import it by itself"

_MEDIA_TYPES = {".json": "application/json", ".jsonl": "application/jsonl", ".log": "text/plain"}


@implementer(IRecordReader)
class WaczRecords:
    """Reads a WACZ file; also a context manager. Blocks.

    Attributes:
        seekable: whether a reader can be started at the offset of any of its records.
    """

    def __init__(self, path: Path, offset: int, open_warc: OpenWarc) -> None:
        """Open a file.

        Args:
            path: of the file.
            offset: of the record to begin with; 0 for all, and for what is wrong with the package.
            open_warc: reads its WARCs.

        Raises:
            NotZip: it is no zip file that can be read.
            OSError: it cannot be opened.
        """
        self._wacz = Wacz(path)
        self._offset = offset
        self._open_warc = open_warc
        self.seekable = all(member.stored for member in self._wacz.warcs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._wacz.zip.close()

    def __iter__(self) -> Iterator[Record | Damage]:
        if self._offset == 0:
            yield from self._wacz.verified()
        for member in self._wacz.zip.members:
            if member.end <= self._offset or member.name.startswith("indexes/"):
                continue
            if is_warc(member):
                yield from self._warc(member)
            else:
                yield self._other(member)

    def _warc(self, member: Member) -> Iterator[Record | Damage]:
        try:
            file = self._wacz.zip.file(member)
            reader = self._open_warc(file, max(0, self._offset - member.begin))
        except BadMember as error:
            yield Damage(member.begin, member.end, f"{member.name!r}: {error}")
            return
        with file:
            if reader.seekable:
                yield from (_moved(each, member.begin) for each in reader)
            else:
                yield Damage(member.begin, member.end, f"{member.name!r} {_ONE_MEMBER}")

    def _other(self, member: Member) -> Record:
        suffix = Path(member.name).suffix
        name = f"urn:wacz:{quote(member.name)}"
        identity = uuid5(NAMESPACE_URL, f"{name} {member.info.CRC:08x}")
        fields = (
            ("WARC-Type", "resource"),
            ("WARC-Record-ID", f"<urn:uuid:{identity}>"),
            ("WARC-Date", _date(member)),
            ("WARC-Target-URI", name),
            ("Content-Type", _MEDIA_TYPES.get(suffix, "application/octet-stream")),
            ("Content-Length", str(member.size)),
        )
        block = _Block(self._wacz.zip.pieces(member))
        return Record("WARC/1.1", "resource", fields, member.begin, member.size, block)


def stored(path: Path, target: BinaryIO) -> list[Damage]:
    """Write a WACZ file whose members are not packed, and the same otherwise.

    Returns:
        Members that could not be unpacked; what was read of them is written.

    Raises:
        NotZip: it is no zip file that can be read.
        OSError: the disk.
    """
    damage: list[Damage] = []
    with ZipMembers(path) as source, ZipFile(target, "w") as copy:
        for member in source.members:
            info = ZipInfo(member.name, member.info.date_time)
            try:
                with copy.open(info, "w", force_zip64=member.size > _LARGE) as file:
                    file.writelines(source.pieces(member))
            except BadMember as error:
                damage.append(Damage(member.begin, member.end, str(error)))
    return damage


def _date(member: Member) -> str:
    """Return when a member was packed; the zip format's first day when it says no such date."""
    try:
        date = datetime(*member.info.date_time)
    except ValueError:
        date = datetime(1980, 1, 1)
    return date.isoformat() + "Z"


def _moved(each: Record | Damage, begin: int) -> Record | Damage:
    if isinstance(each, Record):
        return evolve(each, offset=each.offset + begin)
    return evolve(each, offset=each.offset + begin, end=each.end + begin)


@implementer(IBlock)
class _Block:
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def read(self, size: int) -> bytes:
        try:
            if not self._left:
                self._left = next(self._pieces, b"")
        except BadMember as error:
            raise DamagedRecord(str(error)) from None
        piece, self._left = self._left[:size], self._left[size:]
        return piece
