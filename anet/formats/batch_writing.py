"""Monthly batches of pages, written (*Web InfoMall §3.2*; docs/reference/batches.md).

    with BatchWriter(folder) as writer:
        for page in pages_after(writer.note):
            writer.add(page.date, tianwang_writing.record(page))
            ...
            writer.commit(note)  # now and then, and at the end

What is committed is durable. What was added after it is forgotten if the process is killed: the
next writer takes it away, and goes on with the serial after the last one that was committed.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from anet.durable import sync_path
from anet.formats.batch_files import OpenBatch, forget, locked
from anet.formats.batch_index import (
    MOST,
    Batch,
    BatchesError,
    Catalogue,
    Identifier,
    batch_of,
    load,
)
from anet.formats.serial import GIGABYTE

_AT_ONCE = 8  # batches whose files are open; captures come in the order of dates


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
        self._lock = locked(folder)
        try:
            self._catalogue = load(folder) or Catalogue(suffix=suffix)
            if self._catalogue.suffix != suffix:
                kind = self._catalogue.suffix
                raise BatchesError(f"{folder} has batches of {kind}, not of {suffix}")
            forget(folder, self._catalogue)
        except BaseException:
            os.close(self._lock)
            raise
        self._open: dict[str, OpenBatch] = {}
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

    def _batch(self, name: str) -> "OpenBatch":
        """Return a batch, open for more."""
        if name not in self._open:
            while len(self._open) >= _AT_ONCE:
                oldest = self._open.pop(next(iter(self._open)))
                oldest.sync()
                oldest.close()
            self._open[name] = self._opened(name)
        return self._open[name]

    def _opened(self, name: str) -> "OpenBatch":
        about = self._catalogue.batch(name)
        if about is None:
            number = self._next_file()
            about = Batch(name, number)
            (self._folder / name).mkdir(exist_ok=True)
            sync_path(self._folder)
            self._catalogue.batches.append(about)
            self._catalogue.batches.sort(key=lambda each: each.batch)
            return OpenBatch(self._folder, self._catalogue.suffix, about, number)
        return OpenBatch(self._folder, self._catalogue.suffix, about)

    def _next_file(self) -> int:
        self._catalogue.files += 1
        return self._catalogue.files - 1
