"""The records of a file of a web archive, whatever format and compression it has.

    with open_records(path) as reader:
        for each in reader:
            if isinstance(each, Damage): ...

What a file holds is told by its first bytes, and not by its name; if these are damaged, by what
stands behind them. docs/reference/formats.md says what is read, and how damage is told.
"""

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol, Self, cast

from anet.formats import arc, tianwang
from anet.formats.arc import ArcReader
from anet.formats.compressed import GZIP, Compression, Member, beginnings, compression_of
from anet.formats.record import Damage, DamagedRecord, Record
from anet.formats.source import Source
from anet.formats.tianwang import TianwangReader
from anet.formats.wacz_records import OpenWarc, WaczRecords, stored
from anet.formats.warc_head import BEGINNING
from anet.formats.warc_joined import JoinedWarc
from anet.formats.warc_members import next_member
from anet.formats.warc_plain import next_sound, past_newlines
from anet.formats.warc_whole import WholeWarc, inflated, is_whole
from anet.formats.zip_members import BadMember, NotZip

_TASTE = 16 * 1024
_SEARCHED = 16 * 1024 * 1024  # bytes of a damaged beginning that are looked through
_ZIP = b"PK\x03\x04"
_SHOWN = 16


class UnknownFormat(Exception):
    """A file is of no web archive that is known here; the message says what it begins with.

    It does not name the file: whoever tells it does.
    """


class RecordReader(Protocol):
    """An `IRecordReader` that is open.

    Attributes:
        seekable: whether a reader can be started at the `offset` of any record that it yields.
    """

    seekable: bool

    def __iter__(self) -> Iterator[Record | Damage]: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def close(self) -> None:
        """Close the file; can be done again."""


def open_records(path: Path, offset: int = 0) -> RecordReader:
    """Return a reader of the records of a file: WARC, ARC, DAT, Tianwang, WACZ.

    Args:
        path: the file.
        offset: the `Record.offset` at which to begin, in a file whose reader is seekable.

    Raises:
        UnknownFormat: it is none of these, or empty.
        OSError: it cannot be opened.
    """
    wacz = _open_wacz(path, offset)
    if wacz:
        return wacz
    source = Source(path.open("rb", buffering=0))
    try:
        taste = _taste(source)
        reader = _open_warc(source, taste, offset)
        if reader:
            return reader
    except BaseException:
        source.close()
        raise
    shown = bytes(source.view(0, _SHOWN))
    source.close()
    if arc.looks_like(taste):
        return ArcReader(path, offset)
    if tianwang.looks_like(taste):
        return TianwangReader(path, offset)
    begin = f"begins with {shown!r}" if shown else "is empty"
    raise UnknownFormat(f"{begin}: no WARC, ARC, WACZ or Tianwang file")


def open_warc(file: BinaryIO, offset: int = 0) -> RecordReader:
    """Return a reader of the records of a WARC that is open, and closes it.

    Raises:
        UnknownFormat: it is none.
        OSError: it cannot be read.
    """
    source = Source(file)
    reader = _open_warc(source, _taste(source), offset)
    if not reader:
        raise UnknownFormat(f"what begins with {bytes(source.view(0, _SHOWN))!r} is no WARC")
    return reader


def inflate(path: Path, target: Path) -> list[Damage]:
    """Write what a file holds without its compression, so that a reader of it is seekable.

    For files whose reader is not: one gzip member or zstd frame around everything, or a WACZ of
    which WARCs are packed.

    Returns:
        What could not be decompressed, and is left out.

    Raises:
        UnknownFormat: it is not compressed in a way that is known.
        OSError: the disk.
    """
    with path.open("rb", buffering=0) as file, target.open("w+b") as to:
        source = Source(file)
        if source.view(0, len(_ZIP)) == _ZIP:
            return stored(path, to)
        compression = compression_of(source)
        if not compression:
            raise UnknownFormat("is compressed neither with gzip nor with zstd")
        return inflated(source, compression, to)


def _open_warc(source: Source, taste: bytes, offset: int) -> RecordReader | None:
    """Return a reader of a WARC; None if it is none."""
    compression = compression_of(source)
    if taste.startswith(BEGINNING):
        return _reader(source, compression, offset)
    if arc.looks_like(taste) or tianwang.looks_like(taste):
        return None
    beginning = Source(io.BytesIO(source.peek(0, _SEARCHED)))
    member = next_member(beginning, compression or GZIP, 0)
    if compression and member < beginning.size:
        return _reader(source, compression, offset)
    plain = next_sound(beginning, 0)
    if min(member, plain) == beginning.size:
        return None
    return _reader(source, GZIP if member < plain else None, offset)


def _reader(source: Source, compression: Compression | None, offset: int) -> RecordReader:
    if compression and not offset and is_whole(source, compression):
        return WholeWarc(source, compression)
    return JoinedWarc(source, compression, offset)


def _open_wacz(path: Path, offset: int) -> RecordReader | None:
    """Return a reader of a WACZ; None if it is none, or cut: its WARCs are searched for then."""
    with path.open("rb") as file:
        if file.read(len(_ZIP)) != _ZIP:
            return None
    with suppress(NotZip):
        return WaczRecords(path, offset, cast("OpenWarc", _open_member))
    return None


def _open_member(file: BinaryIO, offset: int) -> RecordReader:
    """Return a reader of a WARC that is a part of a file."""
    try:
        return open_warc(file, offset)
    except UnknownFormat as error:
        raise BadMember(str(error)) from None


def _taste(source: Source) -> bytes:
    """Return the first bytes of what a file holds, as far as they can be decompressed."""
    compression = compression_of(source)
    if not compression:
        return bytes(source.view(past_newlines(source, 0), _TASTE))
    for place in beginnings(source, compression.magic, 0):
        try:
            return Member(source, compression, place).taste()
        except DamagedRecord:
            break
    return b""
