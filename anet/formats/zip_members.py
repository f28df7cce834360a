"""The members of a zip file from anybody, read in bounds.

No name of a member ever becomes a name of a file. A table of members that is too large, members
that lie over each other, are encrypted, or would grow beyond measure are left out, and told.
"""

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Self, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from attrs import frozen

from anet.formats.record import Damage

TABLE_LIMIT = 4 << 20  # bytes of the table of members
GROWTH_LIMIT = 200  # times that a packed member may grow
_SMALL = 1 << 20  # bytes to which any may grow
_LOCAL_HEAD = 30  # bytes before the name that stands before a member
_ENCRYPTED = 1
_FAR = 1 << 62  # a byte that no file has
_PIECE = 1 << 20


class BadMember(Exception):
    """A member cannot be read; the message says why."""


class NotZip(Exception):
    """A file is no zip file, or one whose table of members is not read; the message says why."""


@frozen
class Member:
    """A file in a zip file.

    Attributes:
        name: as it says; anything.
        begin: the byte of the zip file at which its bytes begin.
        end: the byte after them.
        size: bytes it has when it is unpacked, as the table says.
        stored: whether it lies there as it is.
        info: of the library.
    """

    name: str
    begin: int
    end: int
    size: int
    stored: bool
    info: ZipInfo


class ZipMembers:
    """A zip file that is open for reading. Blocks.

    Attributes:
        members: that can be read, in the order in which they lie.
        problems: what is wrong with the others.
    """

    def __init__(self, path: Path) -> None:
        """Read the table of members.

        Raises:
            NotZip: it is none.
            OSError: it cannot be read.
        """
        self._file = path.open("rb")
        self.members: list[Member] = []
        self.problems: list[Damage] = []
        try:
            self._size = self._file.seek(0, io.SEEK_END)
            self._zip = ZipFile(_Limited(self._file))
            self._list()
        except (BadZipFile, struct.error, ValueError, NotImplementedError) as error:
            self._file.close()
            raise NotZip(f"{path} is no zip file that can be read: {error}") from None
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def get(self, name: str) -> Member | None:
        """Return the member of a name."""
        return next((each for each in self.members if each.name == name), None)

    def file(self, member: Member) -> BinaryIO:
        """Return the bytes of a member as a file that can be read at any place.

        One that is packed is unpacked into a temporary file, which goes when it is closed. The
        checksum of one that is not packed is not looked at; `pieces` does.

        Raises:
            BadMember: it cannot be unpacked.
            OSError: the disk is full.
        """
        if member.stored:
            return io.BufferedReader(_Slice(self._file, member.begin, member.end), _PIECE)
        unpacked = cast(BinaryIO, TemporaryFile())  # noqa: SIM115 (the caller closes it)
        try:
            unpacked.writelines(self.pieces(member))
        except BaseException:
            unpacked.close()
            raise
        unpacked.seek(0)
        return unpacked

    def pieces(self, member: Member) -> Iterator[bytes]:
        """Yield the bytes of a member, and see that they are what its checksum says.

        Raises:
            BadMember: they are not, or cannot be unpacked.
            OSError: the file cannot be read.
        """
        try:
            with self._zip.open(member.info) as file:
                while piece := file.read(_PIECE):
                    yield piece
        except (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
            raise BadMember(f"{member.name!r} cannot be read: {error}") from None

    def _list(self) -> None:
        end = 0
        for info in sorted(self._zip.infolist(), key=lambda info: info.header_offset):
            if info.filename.endswith("/"):
                continue
            begin = self._begin(info)
            cause = self._cause(info, begin, end)
            if cause:
                at = info.header_offset
                self.problems.append(Damage(at, at, f"{info.filename!r} {cause}"))
                continue
            end = begin + info.compress_size
            stored = info.compress_type == ZIP_STORED
            self.members.append(Member(info.filename, begin, end, info.file_size, stored, info))

    def _begin(self, info: ZipInfo) -> int:
        """Return where a member's bytes begin; behind its own head, that repeats the table's."""
        if not 0 <= info.header_offset < self._size:
            return -1
        self._file.seek(info.header_offset)
        head = self._file.read(_LOCAL_HEAD)
        if len(head) < _LOCAL_HEAD or not head.startswith(b"PK\3\4"):
            return -1
        name, extra = struct.unpack("<HH", head[26:30])
        return int(info.header_offset + _LOCAL_HEAD + name + extra)

    def _cause(self, info: ZipInfo, begin: int, end: int) -> str:
        """Return why a member is not read; empty if it is."""
        if begin < 0 or begin + info.compress_size > self._size:
            return "is not where the table says"
        if info.header_offset < end:
            return "lies over another member"
        if info.flag_bits & _ENCRYPTED:
            return "is encrypted"
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            return "is packed in a way that is not known here"
        if info.compress_type == ZIP_STORED and info.file_size != info.compress_size:
            return "has two sizes"
        if info.file_size > max(_SMALL, info.compress_size * GROWTH_LIMIT):
            return f"would grow more than {GROWTH_LIMIT} times"
        return ""


class _Limited(io.RawIOBase):
    """A file of which only so much is read at once: the table of members is read in one piece."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET and not 0 <= offset < _FAR:
            raise BadZipFile(f"its table of members points at byte {offset}")
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        if size > TABLE_LIMIT:
            raise BadZipFile(f"its table of members has more than {TABLE_LIMIT} bytes")
        return self._file.read(TABLE_LIMIT if size < 0 else size)


class _Slice(io.RawIOBase):
    """A part of a file, as a file."""

    def __init__(self, file: BinaryIO, begin: int, end: int) -> None:
        self._file = file
        self._begin = begin
        self._end = end
        self._at = begin

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: self._begin, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        self._at = max(self._begin, base + offset)
        return self._at - self._begin

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._at)
        piece = self._file.read(max(0, min(len(buffer), self._end - self._at)))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
