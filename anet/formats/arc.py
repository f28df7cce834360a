"""ARC files, read: version 1 and 2, plain or with gzip around each record (Burner, Kahle 1996).

DAT files (`dat.py`) are ARC files, too, whose records are metadata of those in another.

Fields of a record are those a WARC would have, and `Arc-Line`, its URL record as it lies in the
file (each byte a character), of which it can be written again (`arc_writing.again`). There is no
WARC-Date if the 14 digits of the line are no date.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from zope.interface import implementer

from anet.formats.arc_members import alone, gzipped, walk_members
from anet.formats.plain import PlainBlock, PlainFile
from anet.formats.record import Damage, Fields, IRecordReader, Record
from anet.formats.url_record import BEGINNING, DAT_TYPE, LONGEST, UrlRecord, parsed
from anet.formats.walking import Header, Standing, Walk

_LINE = 4096  # bytes in which most lines are whole
_PEEKED = 8  # bytes of a block by which it is known what it is
_HTTP_TYPE = "application/http;msgtype=response"


def looks_like(beginning: bytes) -> bool:
    """Return whether what begins so, without its gzip, is an ARC or a DAT file."""
    return parsed(beginning.lstrip(b"\r\n").partition(b"\n")[0]) is not None


def recorded(line: UrlRecord, offset: int, peeked: bytes, block: object) -> Record:
    """Return a record.

    Args:
        line: that stands before its block.
        offset: of it in the file, or of its gzip member.
        peeked: the first bytes of the block.
        block: all of it.
    """
    kind, more = _kind(line, peeked)
    said = line.fields[1:] if kind == "warcinfo" else line.fields  # which has no target
    fields = (("WARC-Type", kind), *more, *said)
    return Record(f"ARC/{line.version}", kind, fields, offset, line.length, block)


def _kind(line: UrlRecord, peeked: bytes) -> tuple[str, Fields]:
    """Return the type of a record, and the fields that say what its block is."""
    if line.media_type == DAT_TYPE:
        return "metadata", (("Content-Type", DAT_TYPE),)
    scheme = line.url.partition(":")[0].lower()
    media_type = line.media_type or "application/octet-stream"
    if scheme == "filedesc":
        name = line.url.partition("://")[2]
        return "warcinfo", (("WARC-Filename", name), ("Content-Type", media_type))
    if scheme in ("http", "https") and peeked[:5].upper() == b"HTTP/":
        return "response", (("Content-Type", _HTTP_TYPE), ("Arc-Content-Type", line.media_type))
    if peeked == b"DELETED_":  # Alexa wrote a note over pages that it had to remove
        return "metadata", (("Content-Type", "text/plain"), ("Arc-Content-Type", line.media_type))
    return ("response" if scheme == "dns" else "resource"), (("Content-Type", media_type),)


@implementer(IRecordReader)
class ArcReader:
    """The records of an ARC or a DAT file; a context manager.

    Attributes:
        seekable: whether a reader can begin at the offset of any record; not so for a gzip member
            that holds several.

    Args:
        path: the file, plain or with gzip around its records.
        offset: of the record at which to begin.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._file, self._offset = PlainFile(path), offset
        self._gzip = gzipped(self._file, offset)
        self.seekable = not self._gzip or offset > 0 or alone(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; can be done again."""
        self._file.close()

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        if self._gzip:
            return walk_members(self._file, self._offset, recorded)
        return self._walk()

    def _walk(self) -> Iterator[Record | Damage]:
        for each in Walk(self._file, _header, BEGINNING, self._offset):
            if isinstance(each, Damage):
                yield each
                continue
            yield self._record(each)
            if each.wrong:
                yield Damage(each.header.begin, each.next, each.wrong)

    def _record(self, standing: Standing[UrlRecord]) -> Record:
        header = standing.header
        block = PlainBlock(self._file, header.block, standing.end, standing.wrong)
        return recorded(header.facts, header.begin, block.peek(_PEEKED), block)


def _header(file: PlainFile, offset: int) -> Header[UrlRecord] | None:
    """Return the URL record that begins at a byte of a file, if one does."""
    begins_line = offset == 0 or file.read(offset - 1, 1) == b"\n"
    line, newline, _ = file.read(offset, _LINE).partition(b"\n")
    if begins_line and not newline and len(line) == _LINE:
        line, newline, _ = file.read(offset, LONGEST).partition(b"\n")
    found = parsed(line, begins_line=begins_line) if newline else None
    return Header(offset, offset + len(line) + 1, found.length, found) if found else None
