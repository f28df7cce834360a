"""Files of records with serial names, each whole before it has its name.

`PREFIX-20261122031500-00001.warc.gz`: what it is of, when the writing began, and a serial. A file
is written as `NAME.open`, made durable, and then renamed: a file without `.open` is whole. A killed
run leaves files of `.open`, which `discard_open` removes.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, count
from pathlib import Path
from typing import BinaryIO, Self

from attrs import frozen

from anet.durable import sync_path

GIGABYTE = 10**9
OPEN = ".open"
_MOVED = 1 << 20  # bytes that are moved at once from one file to the next
_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Bytes = Iterable[bytes]


@frozen
class Written:
    """Where a record lies.

    Attributes:
        file: the name of the file, without its folder.
        offset: its first byte, compressed if the file is.
        length: bytes from there.
    """

    file: str
    offset: int
    length: int


@frozen
class Serial:
    """How files are named.

    Attributes:
        prefix: what they are of.
        begun: when the writing began: 14 digits.
        suffix: what they hold: ".warc.gz".
    """

    prefix: str
    begun: str
    suffix: str

    def name(self, serial: int) -> str:
        """Return the name of a file.

        Raises:
            ValueError: the prefix is no part of a name.
        """
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError(f"no prefix of file names: {self.prefix!r}; use letters, digits, -._")
        return f"{self.prefix}-{self.begun}-{serial:05}{self.suffix}"

    def whole(self, folder: Path) -> dict[int, Path]:
        """Return the files of a folder that are whole, by their serials, in order."""
        begin, end = re.escape(f"{self.prefix}-{self.begun}-"), re.escape(self.suffix)
        named = re.compile(rf"{begin}(\d{{5,}}){end}")
        found = ((named.fullmatch(path.name), path) for path in folder.iterdir())
        return dict(sorted((int(match[1]), path) for match, path in found if match))

    def discard_open(self, folder: Path) -> list[Path]:
        """Remove what a killed run left half written; return what it was."""
        begin = f"{self.prefix}-{self.begun}-"
        left = [p for p in folder.glob(f"*{self.suffix}{OPEN}") if p.name.startswith(begin)]
        for path in left:
            path.unlink()
        return left


class SerialFiles:
    """Writes records into one file after another. For one thread; blocks.

    Several of them may share a serial, and so a folder: give each the same `serials`.
    """

    def __init__(
        self,
        folder: Path,
        serial: Serial,
        begin: Callable[[str], Bytes] = lambda _name: (),
        limit: int = GIGABYTE,
        serials: Iterator[int] | None = None,
        finished: Callable[[Path], None] = lambda _path: None,
    ) -> None:
        """Begin nothing yet.

        Args:
            folder: where they lie; there already.
            serial: how they are named.
            begin: what a file of a name begins with, such as a warcinfo record.
            limit: bytes of a file; one record, or group of records, may be larger.
            serials: numbers of the files to come; from 1 on.
            finished: called with each file that is whole and durable.
        """
        self._folder = folder
        self._serial = serial
        self._begin = begin
        self._limit = limit
        self._serials = count(1) if serials is None else serials
        self._finished = finished
        self._file: BinaryIO | None = None
        self._name = ""
        self._first = 0  # the byte after what the file begins with

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def write(self, *records: Bytes) -> list[Written]:
        """Append records that belong together, and stay in one file; say where they lie.

        When one of them cannot be written, none of them is.

        Raises:
            OSError: the disk is full, or broken.
        """
        file = self._file or self._opened()
        start = file.tell()
        try:
            lengths = [sum(map(file.write, record)) for record in records]
        except BaseException:
            file.seek(start)
            file.truncate()
            raise
        if file.tell() > self._limit and start > self._first:
            self._move(file, start)
            start = self._first
        offsets = accumulate(lengths, initial=start)
        return [Written(self._name, *place) for place in zip(offsets, lengths, strict=False)]

    def close(self) -> None:
        """Finish the file that is being written, if there is one."""
        if self._file is not None:
            file, self._file = self._file, None
            self._finish(file, self._name)

    def abandon(self) -> None:
        """Remove the file that is being written, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._open_path().unlink()

    def _opened(self) -> BinaryIO:
        self._name = self._serial.name(next(self._serials))
        if (self._folder / self._name).exists():
            raise FileExistsError(f"{self._folder / self._name} is there already")
        self._file = file = self._open_path().open("x+b")
        file.writelines(self._begin(self._name))
        self._first = file.tell()
        return file

    def _open_path(self) -> Path:
        return self._folder / (self._name + OPEN)

    def _move(self, full: BinaryIO, start: int) -> None:
        """Let what begins at a byte of a file be the first of the next one."""
        name = self._name
        file = self._opened()
        full.seek(start)
        shutil.copyfileobj(full, file, _MOVED)
        full.truncate(start)
        self._finish(full, name)

    def _finish(self, file: BinaryIO, name: str) -> None:
        path = self._folder / name
        file.flush()
        os.fsync(file.fileno())
        file.close()
        path.with_name(name + OPEN).rename(path)
        sync_path(self._folder)
        self._finished(path)
