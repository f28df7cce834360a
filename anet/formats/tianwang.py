"""Tianwang files, read: format 1.0 (*Web InfoMall §3.1*; docs/reference/tianwang.md).

Data that are compressed are inflated on the way. Fields of a record are those a WARC would have,
and all attributes of its header, as `Tianwang-NAME`.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO, Self, cast

from attrs import define
from isal import isal_zlib
from zope.interface import implementer

from anet.formats import tianwang_header
from anet.formats.compressed import GZIP
from anet.formats.members import MAGIC, ZLIB, Inflated
from anet.formats.page import Page, split_head
from anet.formats.plain import PlainBlock, PlainFile
from anet.formats.record import Damage, DamagedRecord, IRecordReader, Record
from anet.formats.source import Source
from anet.formats.tianwang_header import BEGINNING, LONGEST, TianwangHeader
from anet.formats.walking import Header, Standing, Walk
from anet.formats.warc_whole import inflated

_HTTP_TYPE = "application/http;msgtype=response"
_OTHER_TYPE = "application/octet-stream"
_SKIPPED = 256 * 1024


@define
class InflatedBlock:
    """An `IBlock` that is compressed in the file.

    Attributes:
        data: what it holds.
        left: bytes that are still to come, as the header says.
    """

    data: Inflated
    left: int

    def peek(self, size: int) -> bytes:
        """Return the next bytes without taking them; fewer only at the end, or before damage.

        Raises:
            DamagedRecord: there is none before the damage.
        """
        return self.data.peek(min(size, self.left))

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end.

        Raises:
            DamagedRecord: it is damaged, or not as long as the header says.
        """
        data = self.data.read(min(size, self.left))
        self.left -= len(data)
        if not data and size and self.left:
            raise DamagedRecord(f"{self.left} bytes less are compressed than the header says")
        if not self.left and self.data.peek(1):
            raise DamagedRecord("more bytes are compressed than the header says")
        return data


Block = PlainBlock | InflatedBlock


def looks_like(beginning: bytes) -> bool:
    """Return whether what begins so is a Tianwang file."""
    return tianwang_header.parsed(beginning.lstrip(b"\r\n")) is not None


@implementer(IRecordReader)
class TianwangReader:
    """The records of a Tianwang file; a context manager.

    Attributes:
        seekable: whether a reader can begin at the offset of any record: not with gzip around all.

    Args:
        path: the file.
        offset: of the record at which to begin.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._path, self._file, self._offset = path, PlainFile(path), offset
        self.seekable = self._file.read(0, len(MAGIC)) != MAGIC

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; can be done again."""
        self._file.close()

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some.

        With gzip around all, offsets are those without it, and the file is inflated on the disk.
        """
        if not self.seekable:
            packed = self._file
            self._file, damage = _unpacked(self._path)
            packed.close()
            self.seekable = True
            yield from damage
        for each in Walk(self._file, _header, BEGINNING, self._offset):
            if isinstance(each, Damage):
                yield each
                continue
            block = _block(self._file, each)
            yield _record(each.header, block)
            if wrong := each.wrong or _rest(block):
                yield Damage(each.header.begin, each.next, wrong)


def _unpacked(path: Path) -> tuple[PlainFile, list[Damage]]:
    """Return what the gzip members of a file hold, as far as it is sound, as a file; and damage."""
    with path.open("rb", buffering=0) as file, NamedTemporaryFile() as target:
        damage = inflated(Source(file), GZIP, cast("BinaryIO", target))
        target.flush()
        return PlainFile(Path(target.name)), damage


def _header(file: PlainFile, offset: int) -> Header[TianwangHeader] | None:
    """Return the header that begins at a byte of a file, if one does."""
    found = tianwang_header.parsed(file.read(offset, LONGEST))
    return Header(offset, offset + found.bytes, found.length, found) if found else None


def _block(file: PlainFile, standing: Standing[TianwangHeader]) -> Block:
    header = standing.header
    data = PlainBlock(file, header.block, standing.end, standing.wrong)
    size = header.facts.unzip_length
    return data if size is None else InflatedBlock(Inflated(data.read, ZLIB), size)


def _record(header: Header[TianwangHeader], block: Block) -> Record:
    try:
        http = block.peek(5).upper() == b"HTTP/"
    except DamagedRecord:
        http = False
    kind, media_type = ("response", _HTTP_TYPE) if http else ("resource", _OTHER_TYPE)
    size = header.facts.unzip_length
    size = header.size if size is None else size
    about = (("WARC-Type", kind), ("Content-Type", media_type), ("Content-Length", str(size)))
    version = f"Tianwang/{header.facts.get('version')}"
    return Record(version, kind, (*about, *header.facts.fields), header.begin, size, block)


def _rest(block: Block) -> str:
    """Read what nobody has read of a block; return why that cannot be done."""
    if isinstance(block, PlainBlock):
        return ""
    try:
        while block.read(_SKIPPED):
            pass
    except DamagedRecord as error:
        return str(error)
    return ""


def page_in(data: bytes, limit: int) -> Page:
    """Return the page of a record that is in memory.

    Args:
        data: the record.
        limit: bytes of the largest block that is inflated.

    Raises:
        DamagedRecord: it is none, or larger than that.
    """
    header = tianwang_header.parsed(data)
    if header is None:
        raise DamagedRecord("the header of the record is damaged")
    block = data[header.bytes : header.bytes + header.length]
    size = header.unzip_length
    if size is not None:
        block = _inflated(block, size, limit)
    head, body = split_head(block)
    about = dict(header.fields)
    date = "".join(filter(str.isdigit, about.get("WARC-Date", "")))
    address, origin = header.get("ip"), header.get("origin")
    return Page(about["WARC-Target-URI"], date, head, body, address, origin=origin)


def _inflated(data: bytes, size: int, limit: int) -> bytes:
    if size > limit:
        raise DamagedRecord(f"it has {size} bytes, more than are read at once")
    inflate = isal_zlib.decompressobj(wbits=ZLIB)
    try:
        block: bytes = inflate.decompress(data, size + 1)
    except isal_zlib.error as error:  # type: ignore[misc]
        raise DamagedRecord(f"compressed data are damaged: {error}") from None
    if len(block) != size or not inflate.eof:
        raise DamagedRecord(f"its compressed data are not the {size} bytes that its header says")
    return block
