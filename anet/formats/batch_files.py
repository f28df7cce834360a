"""The files of monthly batches, as their writer appends to them, and cuts off what does not count.

See `batch_writing`, which says when.
"""

import fcntl
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from anet.durable import sync_path
from anet.formats.batch_index import (
    ENTRY_SIZE,
    SECOND_LEVEL,
    Batch,
    BatchesError,
    Catalogue,
    Entry,
    data_file,
    entries,
)

_BUFFER = 1 << 20
_FOLDER = re.compile(r"\d{6}", re.ASCII)
_NUMBERED = re.compile(r"(\d{8})\..+", re.ASCII)


class OpenBatch:
    """A batch to whose end records are written.

    Attributes:
        about: as the first level knows it.
        end: the byte of the data file after its last record.
    """

    def __init__(self, folder: Path, suffix: str, about: Batch, number: int | None = None) -> None:
        self._folder, self._suffix, self.about = folder, suffix, about
        self._index = (folder / about.batch / SECOND_LEVEL).open("ab", _BUFFER)
        if number is None:
            last = _last_entry(folder, about)
            number = last.file if last else about.first_file
        self._go_on(number)

    def begin(self, number: int) -> None:
        """Begin a data file, after the one before is durable."""
        _sync(self._data)
        self._data.close()
        self._go_on(number)

    def _go_on(self, number: int) -> None:
        path = data_file(self._folder, self.about.batch, number, self._suffix)
        self._data: BinaryIO = path.open("ab", _BUFFER)
        self._number, self.end = number, self._data.tell()

    def append(self, record: Iterable[bytes]) -> None:
        """Write a record and its entry, or nothing of them."""
        check, length = 0, 0
        try:
            for piece in record:
                self._data.write(piece)
                check, length = crc32(piece, check), length + len(piece)
            self._index.write(Entry(self._number, check, self.end, length).packed())
        except BaseException:
            self._data.truncate(self.end)
            raise
        self.end += length

    def sync(self) -> None:
        """Make all of it durable: data before what says where they are."""
        _sync(self._data)
        _sync(self._index)
        sync_path(self._folder / self.about.batch)

    def close(self) -> None:
        """Close its files."""
        for file in (self._data, self._index):
            with suppress(OSError):  # of what is forgotten anyway
                file.close()


def locked(folder: Path) -> int:
    """Make a folder, and keep it for this process; return the descriptor that does."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise BatchesError(f"another process writes batches into {folder}; wait for it") from None
    return descriptor


def forget(folder: Path, catalogue: Catalogue) -> None:
    """Take away all that was written and not committed.

    Raises:
        BatchesError: there is less than was committed.
    """
    found = {path.name for path in folder.iterdir() if _FOLDER.fullmatch(path.name)}
    for name in sorted(found | {each.batch for each in catalogue.batches}):
        about = catalogue.batch(name) or Batch(name, catalogue.files)
        _cut(folder / name / SECOND_LEVEL, about.count * ENTRY_SIZE)
        last = _last_entry(folder, about)
        for path in (folder / name).iterdir():
            match = _NUMBERED.fullmatch(path.name)
            if match and (last is None or int(match[1]) >= catalogue.files):
                path.unlink()
        if last:
            _cut(data_file(folder, name, last.file, catalogue.suffix), last.end)


def _cut(path: Path, size: int) -> None:
    """Let a file end after so many bytes; one that is not there has none."""
    try:
        held = path.stat().st_size
    except FileNotFoundError:
        held = 0
    if held < size:
        words = f"{path} has {held} bytes, and {size} were committed; put back a copy of it"
        raise BatchesError(words)
    if held > size:
        os.truncate(path, size)


def _last_entry(folder: Path, about: Batch) -> Entry | None:
    if not about.count:
        return None
    with (folder / about.batch / SECOND_LEVEL).open("rb") as index:
        index.seek((about.count - 1) * ENTRY_SIZE)
        return entries(index.read(ENTRY_SIZE))[0]


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
