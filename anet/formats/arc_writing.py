"""ARC files, written: version 1, or 2 when it is asked for.

    file.write(compressed(version_block("A-00001.arc.gz", "20261122033000")))
    file.write(compressed(record_bytes(page)))

Each of these is a gzip member of its own in an `.arc.gz`, or written as it is in an `.arc`. A
record that was read from an ARC is written again byte for byte with `again`.
"""

from collections.abc import Iterable

from anet.formats.page import Bytes, Page
from anet.formats.record import Fields


def version_block(name: str, date: str, version: int = 1) -> bytes:
    """Return the record with which a file begins.

    Args:
        name: of the file.
        date: of the file: digits, UTC.
        version: 1 or 2.

    Raises:
        CannotWrite: the name has a space in it.
    """
    raise NotImplementedError


def record_bytes(page: Page, version: int = 1, *, file: str = "-", offset: int = 0) -> bytes:
    """Return the record of a page.

    Args:
        page: what it is of.
        version: as in the file's version block.
        file: the name of the file, which version 2 repeats.
        offset: the byte at which the record begins, which version 2 repeats.

    Raises:
        CannotWrite: its URL has a space or a control character in it, or is longer than readers
            take.
    """
    raise NotImplementedError


def again(fields: Fields, block: Iterable[Bytes]) -> bytes:
    """Return a record that was read from an ARC file as it lay there.

    Args:
        fields: of the `Record`, with its `Arc-Line`.
        block: of the record, in pieces.

    Raises:
        CannotWrite: it is of another format.
    """
    raise NotImplementedError


def compressed(record: bytes, level: int = 1) -> bytes:
    """Return a record as a gzip member."""
    raise NotImplementedError
