"""Tianwang files, read: format 1.0 (*Web InfoMall §3.1*; docs/reference/tianwang.md)."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from zope.interface import implementer

from anet.formats.record import Damage, IRecordReader, Record


def looks_like(beginning: bytes) -> bool:
    """Return whether what begins so is a Tianwang file."""
    raise NotImplementedError


@implementer(IRecordReader)
class TianwangReader:
    """The records of a Tianwang file; a context manager.

    Attributes:
        seekable: whether a reader can begin at the offset of any record.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._path, self._offset = path, offset
        self.seekable = True

    def __enter__(self) -> "TianwangReader":
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
