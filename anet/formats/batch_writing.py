"""Monthly batches of pages, written (*Web InfoMall §3.2*; docs/reference/batches.md).

    with BatchWriter(folder) as writer:
        for page in pages_after(writer.note):
            writer.add(page.date, tianwang_writing.record(page))
            ...
            writer.commit(note)  # now and then, and at the end

What is committed is durable. What was added after it is forgotten if the process is killed: the
next writer takes it away, and goes on with the serial after the last one that was committed.
"""

import fcntl
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self
from zlib import crc32

from anet.durable import sync_path
from anet.formats.batch_index import (
    ENTRY_SIZE,
    MOST,
    SECOND_LEVEL,
    Batch,
    BatchesError,
    Catalogue,
    Entry,
    Identifier,
    batch_of,
    data_file,
    entries,
    load,
)
from anet.formats.serial import GIGABYTE

_AT_ONCE = 8  # batches whose files are open; captures come in the order of dates
_BUFFER = 1 << 20
_FOLDER = re.compile(r"\d{6}", re.ASCII)
_NUMBERED = re.compile(r"(\d{8})\..+", re.ASCII)


class BatchWriter:
    """Writes records into a folder of batches; one at a time for each folder. Blocks.

    Attributes:
        total: pages in all batches, with those that are not committed.
        note: what the last commit noted.

    Args:
        folder: made if new.
        suffix: of data files: what the records are.
        limit: bytes after which the next data file of a batch is begun.

    Raises:
        BatchesError: another process writes here, or the batches hold records of another kind, or
            less than their index says.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path, suffix: str = ".tianwang", limit: int = GIGABYTE) -> None:
        self._folder, self._limit = folder, limit
        self._lock = _locked(folder)
        try:
            self._catalogue = load(folder) or Catalogue(suffix=suffix)
            if self._catalogue.suffix != suffix:
                kind = self._catalogue.suffix
                raise BatchesError(f"{folder} has batches of {kind}, not of {suffix}")
            _forget(folder, self._catalogue)
        except BaseException:
            os.close(self._lock)
            raise
        self._open: dict[str, _OpenBatch] = {}
        self._failed = False
        self.total, self.note = self._catalogue.total, self._catalogue.note

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, date: str, record: Iterable[bytes]) -> Identifier:
        """Append a record to the batch of its month; return the identifier of the page.

        When it cannot be written, there is nothing of it.

        Args:
            date: of the page, from the year on, at least to the month; digits.
            record: its bytes, in pieces.

        Raises:
            BatchesError: the date is none, or the month is full.
            OSError: the disk is full, or broken; then only closing makes sense.
        """
        batch = self._batch(batch_of(date))
        serial = batch.about.count
        if serial >= MOST:
            raise BatchesError(f"the batch {batch.about.batch} is full: serials have 32 bits")
        if batch.end >= self._limit:
            batch.begin(self._next_file())
        try:
            batch.append(record)
        except OSError:
            self._failed = True
            raise
        batch.about.add(date)
        self.total += 1
        return Identifier(batch.about.batch, serial)

    def commit(self, note: str = "") -> None:
        """Make all pages so far durable, together with a note of the caller.

        Raises:
            BatchesError: a page could not be written before.
            OSError: the disk is full, or broken; nothing is promised of what was not committed.
        """
        if self._failed:
            raise BatchesError("the disk failed before; close, and begin after the last commit")
        for batch in self._open.values():
            batch.sync()
        self._catalogue.note = self.note = note
        self._catalogue.save(self._folder)

    def close(self) -> None:
        """Close the folder; what was not committed is forgotten. Can be done again."""
        for batch in self._open.values():
            batch.close()
        self._open.clear()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _batch(self, name: str) -> "_OpenBatch":
        """Return a batch, open for more."""
        if name not in self._open:
            while len(self._open) >= _AT_ONCE:
                oldest = self._open.pop(next(iter(self._open)))
                oldest.sync()
                oldest.close()
            self._open[name] = self._opened(name)
        return self._open[name]

    def _opened(self, name: str) -> "_OpenBatch":
        about = self._catalogue.batch(name)
        if about is None:
            number = self._next_file()
            about = Batch(name, number)
            (self._folder / name).mkdir(exist_ok=True)
            sync_path(self._folder)
            self._catalogue.batches.append(about)
            self._catalogue.batches.sort(key=lambda each: each.batch)
            return _OpenBatch(self._folder, self._catalogue.suffix, about, number)
        return _OpenBatch(self._folder, self._catalogue.suffix, about)

    def _next_file(self) -> int:
        self._catalogue.files += 1
        return self._catalogue.files - 1


class _OpenBatch:
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


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _locked(folder: Path) -> int:
    """Make a folder, and keep it for this process; return the descriptor that does."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise BatchesError(f"another process writes batches into {folder}; wait for it") from None
    return descriptor


def _last_entry(folder: Path, about: Batch) -> Entry | None:
    if not about.count:
        return None
    with (folder / about.batch / SECOND_LEVEL).open("rb") as index:
        index.seek((about.count - 1) * ENTRY_SIZE)
        return entries(index.read(ENTRY_SIZE))[0]


def _forget(folder: Path, catalogue: Catalogue) -> None:
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
