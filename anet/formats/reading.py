"""The records of a file of a web archive, whatever format and compression it has.

    with open_records(path) as reader:
        for each in reader:
            if isinstance(each, Damage): ...

What a file holds is told by its first bytes, and not by its name.
"""

from pathlib import Path

from anet.formats.record import IRecordReader


class UnknownFormat(Exception):
    """A file is no file of a web archive that is known here; the message says what it begins with."""


def open_records(path: Path, offset: int = 0) -> IRecordReader:
    """Return a reader of the records of a file: WARC, ARC, Tianwang, WACZ.

    The reader is a context manager, and has `close()`, which closes the file, and `seekable`:
    whether a reader can be started at the `offset` of any record that it yields.

    Args:
        path: the file.
        offset: the `Record.offset` at which to begin, in a file whose reader is seekable.

    Raises:
        UnknownFormat: it is none of these, or empty.
        OSError: it cannot be opened.
    """
    raise UnknownFormat(f"{path}: not known yet, at {offset}")


def inflate(path: Path, target: Path) -> None:
    """Write what a file holds without its compression, so that a reader of it is seekable.

    For files that are one gzip member or one zstd frame around everything. What is damaged is left
    out up to where reading can go on.

    Raises:
        OSError: the disk.
    """
    raise UnknownFormat(f"{path}: not known yet, to {target}")
