"""Brings a slice into the store: contents first, then captures, then the state; all durable."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.archive.importing.captures import Found, Repeat
from agents.archive.importing.figures import Figures
from agents.archive.importing.reading import Broken, FileReading
from agents.archive.importing.slices import Read
from agents.archive.importing.spool import Place, contents_of
from agents.archive.importing.state import FileState, ImportState
from agents.archive.kept_records import SCHEME
from agents.capture import Capture
from anet.workers import Workers


class Loading:
    """Loads slices.

    Args:
        store: the `IStore` to write.
        state: what imports into it have done.
        workers: threads for what blocks.
        figures: how it is getting on.
    """

    def __init__(self, store: Any, state: ImportState, workers: Workers, figures: Figures) -> None:
        self._store, self._state = store, state
        self._workers, self._figures = workers, figures

    async def load(self, file: FileReading, state: FileState, folder: Path, read: Read) -> None:
        """Load a slice, and note in the state of its file that it was.

        Raises:
            StorageError: the store failed; the slice is read again by the next import.
            SpoolFailed, StateFailed: as they say.
        """
        try:
            await self._put(folder, read.places)
        finally:
            await self._workers.run(shutil.rmtree, folder, ignore_errors=True)
        settled, pending = await self._workers.run(self._settle, read)
        captures = read.captures + [found for _, found in settled]
        if captures:
            await self._store.append(captures_of(captures))
        self._tell(file, state, read)
        state.next = read.next
        state.content = read.places[-1].key if read.places else state.content
        if read.ended:
            state.size = file.look.size
        settled_repeats = [repeat for repeat, _ in settled]
        await self._workers.run(
            self._state.note, file.name, state, read.digests, pending, settled_repeats
        )
        self._count(read, len(settled))

    async def _put(self, folder: Path, places: Sequence[Place]) -> None:
        """Store contents.

        Raises:
            StorageError: the first problem that there was.
        """
        if not places:
            return
        contents = await self._workers.run(contents_of, folder, places)
        outcomes = await self._store.put_all(contents, hashed=True)  # by the worker
        for place, outcome in zip(places, outcomes, strict=True):
            if isinstance(outcome, Exception):
                raise outcome
            self._figures.contents += outcome
            self._figures.contents_known += not outcome
            self._figures.bytes += place.size if outcome else 0

    def _settle(self, read: Read) -> tuple[list[tuple[Repeat, Found]], list[Repeat]]:
        """Give revisits the contents that are known; return these, and the others. Blocks."""
        settled, pending = [], []
        own = {found_by: (key, size) for found_by, key, size in read.digests}
        for repeat in read.repeats:
            known = None if repeat.headless else self._state.known(repeat.digests, own)
            if known is None:
                pending.append(repeat)
            else:
                settled.append((repeat, filled(repeat.capture, *known)))
        return settled, pending

    def _tell(self, file: FileReading, state: FileState, read: Read) -> None:
        """Take note of what is wrong, for this command and for those that repeat it."""
        self.tell_damage(file, state, read.damage)
        for offset, words in read.problems:
            self._say(state, f"{file.path}: the record at byte {offset}: {words}")
        state.digests += len(read.problems)
        state.torn = read.ended and bool(read.damage) and read.damage[-1][0] == read.next

    def tell_damage(self, file: FileReading, state: FileState, damage: Sequence[Broken]) -> None:
        """Take note of what of a file cannot be read."""
        for begin, end, cause in damage:
            self._say(state, f"{file.path}: bytes {begin} to {end}: {cause}")
        state.damage += len(damage)
        self._figures.damage += len(damage)

    def _say(self, state: FileState, words: str) -> None:
        state.tell(words)
        self._figures.tell(words)

    def _count(self, read: Read, settled: int) -> None:
        figures = self._figures
        for kind, number in read.kinds.items():
            figures.records[kind] = figures.records.get(kind, 0) + number
        pages = [each for each in read.captures if not each.url.startswith(SCHEME)]
        figures.captures += len(pages) + settled
        figures.revisits += settled
        figures.digests += len(read.problems)
        figures.bytes_read += read.blocks
        figures.only_kept += read.only_kept


def filled(capture: Found, content: str, size: int) -> Found:
    """Return the capture of a revisit with the content that it repeats."""
    return Found(
        capture.url,
        capture.date,
        content,
        size,
        capture.status,
        capture.head,
        capture.origin,
        capture.metadata,
    )


def captures_of(found: Sequence[Found]) -> list[Capture]:
    """Return captures as stores take them."""
    return [
        Capture(
            each.url,
            each.date,
            each.content,
            each.size,
            each.status,
            each.head,
            each.origin,
            each.metadata,
        )
        for each in found
    ]
