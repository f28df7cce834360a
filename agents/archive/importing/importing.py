"""One import: parts side by side, the files of a part one after another, slice after slice.

While a slice is loaded, the next one of its file is read; so at most two slices of each part are
anywhere at once.
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

from twisted.internet.defer import Deferred

from agents.archive.importing.figures import Figures
from agents.archive.importing.finding import FoundFile, Parts
from agents.archive.importing.loading import Loading
from agents.archive.importing.looking import refuse
from agents.archive.importing.reading import FileFailed, FileReading
from agents.archive.importing.revisits import Revisits
from agents.archive.importing.spool import Spool
from agents.archive.importing.state import FileState, ImportState, file_key
from agents.storage.stores.together import for_each
from anet.processes import Processes
from anet.workers import Workers


class Importing:
    """One import.

    Args:
        store: the `IStore` to write.
        state: what imports into it have done.
        spool: where contents wait.
        processes: read files.
        workers: threads for what blocks.
        figures: how it is getting on.
    """

    def __init__(
        self,
        store: Any,
        state: ImportState,
        spool: Spool,
        processes: Processes,
        workers: Workers,
        figures: Figures,
    ) -> None:
        self._figures = figures
        self._store, self._state, self._spool = store, state, spool
        self._processes, self._workers = processes, workers
        self._seen: set[bytes] = set()  # the keys of the files of this import
        self._loading = Loading(store, state, workers, self._figures)
        self._revisits = Revisits(store, state, workers, spool.path, self._figures)

    async def run(
        self, files: Sequence[FoundFile], parts: Parts, at_once: int, *, again: bool = False
    ) -> Figures:
        """Import files.

        Args:
            files: those of other parts are left alone.
            parts: which are imported.
            at_once: how many of them side by side.
            again: read also what was imported already.

        Raises:
            StorageError: the store failed.
            ArchiveError: the spool or the state did; what was imported is safe in any case, and
                the same command goes on where it stopped.
        """
        shares: dict[int, list[FoundFile]] = {}
        for file in files:
            name = os.fsencode(file.path.name)
            if parts.takes(name):
                shares.setdefault(parts.of(name), []).append(file)
                self._figures.size += file.size
                self._figures.files_left += 1

        async def part(share: list[FoundFile]) -> None:
            for file in share:
                await self._file(file, again=again)

        await for_each(_each(list(shares.values())), part, at_once)
        await self._revisits.settle(self._seen)
        self._figures.absent = list(self._store.absent)
        return self._figures

    async def _file(self, file: FoundFile, *, again: bool) -> None:
        """Import a file; one that cannot be is told, and the others go on."""
        reading = FileReading(self._processes, self._spool, file.path)
        progress = _Progress(self._figures, file.size)
        try:
            await reading.begin()
            state = None if again else await self._state_of(reading)
            if state is None:
                state = FileState(reading.look.identity, reading.look.hashed)
            self._seen.add(file_key(reading.name, state.identity))
            if state.size >= reading.look.size:
                self._tell_again(state)
                self._figures.files_known += 1
            else:
                await self._slices(reading, state, progress)
                self._figures.files += 1
        except FileFailed as error:
            refuse(self._figures, file, reading, str(error))
        finally:
            await self._workers.run(reading.end)
        progress.reach(1.0)
        self._figures.files_left -= 1

    async def _state_of(self, reading: FileReading) -> FileState | None:
        """Return how far a file is; None if it was never begun, or is not in this target."""
        for state in await self._workers.run(self._state.files, reading.name):
            if await reading.is_same(state.identity, state.hashed):
                held = not state.content or await self._store.size(state.content) is not None
                return state if held else None
        return None

    async def _slices(self, reading: FileReading, state: FileState, progress: "_Progress") -> None:
        """Import what is left of a file."""
        if state.size >= 0:
            state.go_on(anew=not reading.look.seekable)
        self._tell_again(state)
        reading.look.identity, reading.look.hashed = state.identity, state.hashed
        size, damage = await reading.unpack()
        if not state.next:
            self._loading.tell_damage(reading, state, damage)
        ahead = Deferred.fromCoroutine(reading.read(state.next))
        try:
            while state.size < 0:
                folder, read = await ahead
                if not read.ended:
                    ahead = Deferred.fromCoroutine(reading.read(read.next))
                await self._loading.load(reading, state, folder, read)
                progress.reach(state.next / max(1, size))
        except BaseException:
            ahead.cancel()
            with suppress(Exception):
                await ahead
            raise

    def _tell_again(self, state: FileState) -> None:
        """Say again what is wrong with what was imported before of a file."""
        self._figures.damage += state.damage
        self._figures.digests += state.digests
        for words in state.told:
            self._figures.tell(words)


class _Progress:
    """Adds to the figures how much of a file is done."""

    def __init__(self, figures: Figures, size: int) -> None:
        self._figures, self._size, self._told = figures, size, 0

    def reach(self, part: float) -> None:
        """Say which part of the file is done, 1 for all."""
        done = round(self._size * min(1.0, part))
        self._figures.done += done - self._told
        self._told = done


async def _each(shares: list[list[FoundFile]]) -> AsyncIterator[list[FoundFile]]:
    for share in shares:
        yield share
