"""The two levels of the index of monthly batches (docs/reference/batches.md).

The first is `batches.json`: which batches there are, and how many pages of each are durable. The
second is a file `index` in each batch's folder: an entry of a fixed size for each page, at the
place that its serial says.
"""

import os
import re
import struct
from pathlib import Path
from typing import Self

import msgspec
from attrs import frozen

from anet.durable import sync_path

FIRST_LEVEL = "batches.json"
SECOND_LEVEL = "index"
FORMAT = "dlweb batches 1"
MOST = 2**32
"""Pages that a batch can have."""

_BATCH = re.compile(r"\d{4}(?:0[1-9]|1[0-2])", re.ASCII)
_IDENTIFIER = re.compile(rf"({_BATCH.pattern})-(\d{{1,10}})", re.ASCII)
_SUFFIX = re.compile(r"(?:\.[a-z0-9]{1,20}){1,3}", re.ASCII)
_ENTRY = struct.Struct(">IIQQ")
ENTRY_SIZE = _ENTRY.size


class BatchesError(Exception):
    """A folder of batches cannot be written or read; the message says why and what to do."""


@frozen(order=True)
class Identifier:
    """What a page is called among all batches.

    Attributes:
        batch: year and month, such as "200405".
        serial: of the page in its batch, from 0; 32 bits.
    """

    batch: str
    serial: int

    def __str__(self) -> str:
        return f"{self.batch}-{self.serial:010d}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the identifier that a person wrote; leading zeros of the serial may be left out.

        Raises:
            BatchesError: it is none.
        """
        match = _IDENTIFIER.fullmatch(text)
        if not match or int(match[2]) >= MOST:
            raise BatchesError(f"{text[:60]!r} is no identifier: write one like 200405-0000001234")
        return cls(match[1], int(match[2]))


def batch_of(date: str) -> str:
    """Return the batch of a date.

    Raises:
        BatchesError: it is no date of digits.
    """
    if not (date.isascii() and date.isdigit() and _BATCH.fullmatch(date[:6])):
        raise BatchesError(f"{date[:60]!r} is no date that has a year and a month")
    return date[:6]


@frozen
class Entry:
    """Where a page lies.

    Attributes:
        file: number of the data file.
        check: CRC-32 of the record.
        offset: the record's first byte in the file.
        length: bytes of the record.
    """

    file: int
    check: int
    offset: int
    length: int

    @property
    def end(self) -> int:
        """Return the byte after the record."""
        return self.offset + self.length

    def packed(self) -> bytes:
        """Return it as it stands in the index: four numbers, big-endian, 24 bytes."""
        return _ENTRY.pack(self.file, self.check, self.offset, self.length)


def entries(data: bytes) -> list[Entry]:
    """Return the entries of a piece of the index; a part of one at the end is none."""
    return [
        Entry(*numbers)
        for numbers in _ENTRY.iter_unpack(data[: len(data) // ENTRY_SIZE * ENTRY_SIZE])
    ]


class Batch(msgspec.Struct):
    """A batch, as the first level knows it.

    Attributes:
        batch: year and month.
        first_file: number of the first of its data files.
        count: its pages.
        first_date: of the earliest of them, as it was given.
        last_date: of the latest.
    """

    batch: str
    first_file: int
    count: int = 0
    first_date: str = ""
    last_date: str = ""

    def add(self, date: str) -> None:
        """Count a page of a date."""
        self.first_date = min(self.first_date or date, date)
        self.last_date = max(self.last_date, date)
        self.count += 1


class Catalogue(msgspec.Struct):
    """The first level of the index.

    Attributes:
        format: of the folder.
        suffix: of data files.
        files: how many data files there are; the next one gets this number.
        note: of whoever writes the batches.
        batches: in the order of their months.
    """

    format: str = FORMAT
    suffix: str = ".tianwang"
    files: int = 0
    note: str = ""
    batches: list[Batch] = msgspec.field(default_factory=list)

    @property
    def total(self) -> int:
        """Return the pages of all batches."""
        return sum(each.count for each in self.batches)

    def batch(self, name: str) -> Batch | None:
        """Return a batch, if there is one of the name."""
        return next((each for each in self.batches if each.batch == name), None)

    def save(self, folder: Path) -> None:
        """Put it into a folder in place of the one before, durably.

        Raises:
            OSError: the disk is full, or broken.
        """
        new = folder / f"{FIRST_LEVEL}.new"
        with new.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(folder / FIRST_LEVEL)
        sync_path(folder)


def load(folder: Path) -> Catalogue | None:
    """Return the first level of a folder's index; None if the folder has none yet.

    Raises:
        BatchesError: it cannot be read.
    """
    path = folder / FIRST_LEVEL
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Catalogue)
    except FileNotFoundError:
        return None
    except (ValueError, msgspec.MsgspecError, OSError) as error:
        raise BatchesError(f"{path} cannot be read: {error}; put back a copy of it") from None
    if found.format != FORMAT:
        raise BatchesError(f"{path} is of the format {found.format[:60]!r}, not {FORMAT!r}")
    sound = all(_BATCH.fullmatch(each.batch) and each.count >= 0 for each in found.batches)
    if not sound or not _SUFFIX.fullmatch(found.suffix):
        raise BatchesError(f"{path} names what is no batch; put back a copy of it")
    return found


def data_file(folder: Path, batch: str, number: int, suffix: str) -> Path:
    """Return where a data file lies."""
    return folder / batch / f"{number:08d}{suffix}"
