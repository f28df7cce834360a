"""Slices of a file, read in worker processes, past whatever ends a worker.

A worker notes at which record it is. When it dies on a slice (memory, time, a crash), the slice is
read again up to that record; a record at which workers die twice though the slice begins with it
is passed over, and told as damage.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from agents.archive.importing import slices
from agents.archive.importing.slices import Look, Read, Source
from agents.archive.importing.spool import Spool, SpoolFailed, reached
from anet.errors import TaskFailed, WorkerFailed, WorkersUnavailable
from anet.formats.reading import UnknownFormat
from anet.processes import Processes

_Shape = TypeVar("_Shape")

Broken = tuple[int, int, str]
"""Offset, end and cause of damage."""

_TIME = 60.0  # seconds for a slice, and one more for each …
_RATE = 10 << 20  # … bytes of the file: one record may be all of it
_NOWHERE = -1
_OF_THE_FILE = frozenset((slices.CannotRead.__name__, UnknownFormat.__name__))
PRELOAD = ("agents.archive.importing.slices",)
"""What the workers have loaded."""


class FileFailed(Exception):
    """A file cannot be read any more; the message says why. Other files are not touched."""


class FileReading:
    """Reads the slices of one file.

    Args:
        processes: the workers.
        spool: where contents go.
        path: of the file.

    Attributes:
        path: of the file.
        name: its name without its folder, as text.
        look: what it is; once `begin` has returned.
    """

    def __init__(self, processes: Processes, spool: Spool, path: Path) -> None:
        self.path = path
        self.name = os.fsencode(path.name).decode("utf-8", "replace")
        self.look = Look("", 0, 0)
        self._processes, self._spool = processes, spool
        self._read_from = path

    async def begin(self) -> None:
        """Look at the file.

        Raises:
            FileFailed: it is none that can be imported.
        """
        self.look = await self._sure(Look, slices.look, os.fsencode(self.path))
        if self.look.problem:
            raise FileFailed(self.look.problem)

    async def unpack(self) -> tuple[int, list[Broken]]:
        """Write it without its compression, if only that can be read from the middle.

        Returns:
            The bytes of what is read, and what could not be decompressed.

        Raises:
            FileFailed: it cannot be.
            SpoolFailed: there is no room.
        """
        if not self.look.seekable:
            self._read_from = self._spool.new()
            paths = os.fsencode(self.path), os.fsencode(self._read_from)
            damage = await self._sure(list[Broken], slices.unpack, *paths)
            return self._read_from.stat().st_size, damage
        return self.look.size, []

    def end(self) -> None:
        """Remove what `unpack` wrote."""
        if self._read_from != self.path:
            self._read_from.unlink(missing_ok=True)

    async def is_same(self, identity: str, hashed: int) -> bool:
        """Tell whether it is the file that had this identity when it was shorter."""
        return await self._sure(bool, slices.is_same, os.fsencode(self.path), identity, hashed)

    async def read(self, offset: int, until: int = 0, *, again: bool = True) -> tuple[Path, Read]:
        """Read the next slice; return it, and the folder of its contents.

        Args:
            offset: of its first record.
            until: the offset of the record before which it ends in any case; 0 for none.
            again: whether to try once more when a worker ends at the first record.

        Raises:
            FileFailed: the file cannot be read any more.
            SpoolFailed: the contents cannot be written.
            WorkersUnavailable: no worker starts.
        """
        source = Source(os.fsencode(self._read_from), self.name, self.look.identity)
        folder = self._spool.new()
        try:
            return folder, await self._run(
                Read, slices.read, source, offset, until, os.fsencode(folder)
            )
        except _Killed as killed:
            at = reached(folder)
            shutil.rmtree(folder, ignore_errors=True)
            if at is not None and at > offset:
                return await self.read(offset, at)
            if again:  # it may not have been the record's fault
                return await self.read(offset, until, again=False)
            return folder, await self._past(offset, str(killed))

    async def _past(self, offset: int, words: str) -> Read:
        """Return a slice that is nothing but the damage of a record that ends workers."""
        path = os.fsencode(self._read_from)
        try:
            after = await self._run(int, slices.after, path, offset)
        except _Killed:  # then even where it ends is not to be known
            after = offset + 1
        cause = f"nothing can read it: {words}"
        read = Read(next=after, damage=[(offset, after, cause)])
        if after == _NOWHERE:
            end = self._read_from.stat().st_size
            read = Read(next=offset, ended=True, damage=[(offset, end, cause)])
        return read

    async def _sure(self, shape: type[_Shape], function: Callable[..., Any], *args: Any) -> _Shape:
        """Run what is about the whole file; once more if the worker ends in the middle.

        Raises:
            FileFailed: it cannot be done.
        """
        try:
            return await self._run(shape, function, *args)
        except _Killed:
            pass
        try:
            return await self._run(shape, function, *args)
        except _Killed as killed:
            raise FileFailed(f"nothing can read it: {killed}") from None

    async def _run(self, shape: type[_Shape], function: Callable[..., Any], *args: Any) -> _Shape:
        time = _TIME + self.look.size / _RATE
        try:
            return msgspec.convert(await self._processes.run(function, *args, time=time), shape)
        except WorkersUnavailable:
            raise
        except WorkerFailed as error:
            if error.type == SpoolFailed.__name__:
                raise SpoolFailed(error.words) from None
            if error.type in _OF_THE_FILE:
                raise FileFailed(error.words) from None
            raise _Killed(str(error)) from None
        except TaskFailed as error:
            raise _Killed(str(error)) from None


class _Killed(Exception):
    """A worker ended, or gave up, in the middle of a task."""
