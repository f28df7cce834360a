"""DAT files of the Internet Archive, read: what Alexa knew of the pages of an ARC file."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from zope.interface import implementer

from anet.formats.record import Damage, IRecordReader, Record


def looks_like(beginning: bytes) -> bool:
    """Return whether what begins so, without its gzip, is a DAT file."""
    raise NotImplementedError


@implementer(IRecordReader)
class DatReader:
    """The records of a DAT file; a context manager.

    Attributes:
        seekable: whether a reader can begin at the offset of any record.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._path, self._offset = path, offset
        self.seekable = True

    def __enter__(self) -> "DatReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""

    def __iter__(self) -> Iterator[Record | Damage]:
        """Yield records, and damage where there is some."""
        raise NotImplementedError
