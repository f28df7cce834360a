"""Monthly batches of pages, read by identifier (*Web InfoMall §3.2*; docs/reference/batches.md).

    with Batches(folder) as batches:
        page = batches.read("200405", 1234)

A page costs two reads of the disk at most: its entry in the index, and its record.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, cast
from zlib import crc32

from anet.formats.batch_index import (
    ENTRY_SIZE,
    MOST,
    SECOND_LEVEL,
    Batch,
    BatchesError,
    Entry,
    Identifier,
    data_file,
    entries,
    load,
)
from anet.formats.page import Page, split_head
from anet.formats.reading import open_records
from anet.formats.record import DamagedRecord, IBlock, Record
from anet.formats.tianwang import TianwangReader, page_in

AT_ONCE = 256 * 1024 * 1024
"""Bytes of the largest page that is read into memory."""

TIANWANG = ".tianwang"
"""The suffix of data files that are in the Tianwang format."""

_FILES = 64  # that are kept open
_RUN = 4096  # entries of the index that are read at once
_PIECE = 1 << 20


class Batches:
    """Reads the pages of a folder of batches that are committed; a context manager. Blocks.

    Args:
        folder: that a `BatchWriter` writes, or has written.

    Raises:
        BatchesError: there are no batches.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[Path, int] = {}
        self._load()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; can be done again."""
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()

    @property
    def batches(self) -> list[Batch]:
        """Return the batches, as they were committed last."""
        self._load()
        return list(self._batches.values())

    def read(self, batch: str, serial: int) -> Page:
        """Return a page.

        Raises:
            BatchesError: there is none of this identifier, it is damaged, or larger than `AT_ONCE`;
                then `record` gives it.
        """
        name = Identifier(batch, serial)
        return self._page(name, self._entries(name, 1)[0])

    def read_run(self, batch: str, first: int, count: int) -> Iterator[Page]:
        """Yield pages that follow one another in a batch; fewer at its end.

        Raises:
            BatchesError: there is no first one, or a page is damaged, or larger than `AT_ONCE`.
        """
        while count > 0:
            found = self._entries(Identifier(batch, first), min(count, _RUN))
            for serial, entry in enumerate(found, first):
                yield self._page(Identifier(batch, serial), entry)
            first, count = first + len(found), count - len(found)
            if self._count(Identifier(batch, first)) <= first:
                break

    def between(self, first: Identifier, last: Identifier) -> Iterator[tuple[Identifier, Page]]:
        """Yield the pages from one to another, with what they are called; fewer at the end.

        Raises:
            BatchesError: there is no first one, or a page is damaged, or larger than `AT_ONCE`.
        """
        names = [each.batch for each in self.batches if first.batch < each.batch <= last.batch]
        for batch in (first.batch, *names):
            begin = first.serial if batch == first.batch else 0
            end = last.serial if batch == last.batch else MOST - 1
            run = self.read_run(batch, begin, end - begin + 1)
            for serial, page in enumerate(run, begin):
                yield Identifier(batch, serial), page

    @contextmanager
    def record(self, batch: str, serial: int) -> Iterator[Record]:
        """Give the record of a page, whose block is read in pieces, however large it is.

        Raises:
            BatchesError: there is none of this identifier, or it is damaged.
        """
        name = Identifier(batch, serial)
        entry = self._entries(name, 1)[0]
        with self._reader(self._data_file(name, entry), entry.offset) as reader:
            found = next(iter(reader), None)
            if not isinstance(found, Record):
                raise BatchesError(f"{name} is damaged: {found.cause if found else 'it is gone'}")
            yield found

    def _reader(self, path: Path, offset: int) -> Any:
        if self._suffix == TIANWANG:
            return TianwangReader(path, offset)
        return open_records(path, offset)

    def _page(self, name: Identifier, entry: Entry) -> Page:
        if entry.length > AT_ONCE:
            raise BatchesError(f"{name} is too large to be read at once: {entry.length} bytes")
        path = self._data_file(name, entry)
        data = self._pread(path, entry.length, entry.offset)
        if len(data) != entry.length or crc32(data) != entry.check:
            raise BatchesError(f"{name} is damaged in {path}, at byte {entry.offset}")
        try:
            if self._suffix == TIANWANG:
                return page_in(data, AT_ONCE)
            with self.record(name.batch, name.serial) as record:
                return _page_of(record)
        except DamagedRecord as error:
            raise BatchesError(f"{name} cannot be read: {error}") from None

    def _entries(self, name: Identifier, count: int) -> list[Entry]:
        """Return the entries of some pages, at least of the first."""
        count = min(count, self._count(name) - name.serial)
        if count < 1:
            raise BatchesError(f"there is no page {name}")
        path = self._folder / name.batch / SECOND_LEVEL
        data = self._pread(path, count * ENTRY_SIZE, name.serial * ENTRY_SIZE)
        if len(data) != count * ENTRY_SIZE:
            raise BatchesError(f"{path} is shorter than it was; put back a copy of it")
        return entries(data)

    def _count(self, name: Identifier) -> int:
        """Return how many pages a batch has; asks again when there may be more by now."""
        for again in (False, True):
            if again:
                self._load()
            batch = self._batches.get(name.batch)
            if batch and batch.count > name.serial:
                return batch.count
        return 0

    def _load(self) -> None:
        catalogue = load(self._folder)
        if catalogue is None:
            raise BatchesError(f"there are no batches in {self._folder}")
        self._suffix = catalogue.suffix
        self._batches = {each.batch: each for each in catalogue.batches}

    def _data_file(self, name: Identifier, entry: Entry) -> Path:
        return data_file(self._folder, name.batch, entry.file, self._suffix)

    def _pread(self, path: Path, size: int, offset: int) -> bytes:
        descriptor = self._files.get(path)
        if descriptor is None:
            if len(self._files) >= _FILES:
                os.close(self._files.pop(next(iter(self._files))))
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                raise BatchesError(f"{path} is gone; put back a copy of it") from None
            self._files[path] = descriptor
        return os.pread(descriptor, size, offset)


def _page_of(record: Record) -> Page:
    """Return a record of any format as a page.

    Raises:
        DamagedRecord: it cannot be read to its end, or is too large.
    """
    if record.size > AT_ONCE:
        raise DamagedRecord(f"it has {record.size} bytes, more than are read at once")
    block = b"".join(pieces_of(record))
    head, body = split_head(block) if record.kind != "resource" else (b"", block)
    date = "".join(filter(str.isdigit, record.get("WARC-Date")))
    address = record.get("WARC-IP-Address")
    return Page(record.get("WARC-Target-URI").strip("<>"), date, head, body, address)


def pieces_of(record: Record) -> Iterator[bytes]:
    """Yield the block of a record.

    Raises:
        DamagedRecord: it cannot be read to its end.
    """
    while piece := cast(IBlock, record.block).read(_PIECE):
        yield piece
