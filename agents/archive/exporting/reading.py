"""Captures and contents of a store, many at once.

Any store is asked as every client asks it. Of disks on this machine, the files are read together
in a thread, without a step of the reactor for each: small contents would cost more to ask for than
to read. What cannot be had from the file so is asked for like all else, which looks at every copy.
"""

from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Sequence
from hashlib import file_digest, sha256
from heapq import merge
from itertools import groupby, islice
from os import path
from pathlib import Path
from typing import Any, BinaryIO

from attrs import frozen

from agents.archive.exporting.order import Order, Sites
from agents.archive.kept_records import SCHEME
from agents.capture import Capture
from agents.storage.disk import scan
from agents.storage.disk.contents import read_small
from agents.storage.disk.copies import captures_of
from agents.storage.disk.layout import Layout
from agents.storage.disk.structures import read_captures
from agents.storage.errors import DamagedStructure
from agents.storage.stores.copying import until_damaged
from agents.storage.stores.errors import NotHeld, NotProven
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.interface import IN_MEMORY, Held
from agents.storage.stores.together import together
from anet.workers import Workers

Body = bytes | BinaryIO
"""A content, proven: its bytes, or a file that has been opened for reading."""

STRUCTURES = 500  # structure files that are looked at before what was found is kept
_CAPTURES = 1000  # that are held at once before they are kept
_AT_ONCE = 16


@frozen
class Missing:
    """A content that the store cannot give."""

    words: str


class Chooser:
    """Tells which captures are wanted."""

    def __init__(self, order: Order) -> None:
        self._order, self._sites = order, Sites(order.sites)

    def take(self, capture: Capture) -> bool:
        """Tell whether a capture is wanted; kept records of files are until they are looked at."""
        if capture.url.startswith(SCHEME):
            return True
        dated = self._order.takes_date(capture.date)
        return dated and self._sites.take(capture.url, capture.origin)


class Reading:
    """What an export reads of its store.

    Args:
        store: the `IStore`, open.
        workers: threads.
        spool: a folder for large contents.
    """

    def __init__(self, store: Any, workers: Workers, spool: Path) -> None:
        self._store, self._workers, self._spool = store, workers, spool
        folders = store.folders if isinstance(store, FolderStore) else []
        self._layouts = [Layout(folder) for folder in folders]

    async def structures(self, after: str) -> list[str]:
        """Return the next structure files after one; none at the end."""
        if self._layouts:
            return await self._workers.run(self._list, after)
        page: list[Held] = await self._store.listing("structures", after, STRUCTURES)
        return [held.key for held in page]

    async def captures(
        self, keys: Sequence[str], chooser: Chooser
    ) -> AsyncIterator[tuple[list[Capture], list[str]]]:
        """Yield the wanted captures of some structure files, and what is damaged of those.

        Raises:
            StorageError: the store failed.
        """
        if not self._layouts:
            for key in keys:
                async for found in self._asked(key, chooser):
                    yield found
            return
        here = self._here(keys, chooser)
        try:
            while (some := await self._workers.run(next, here, None)) is not None:
                yield some
        finally:
            here.close()

    async def contents(self, keys: Iterable[tuple[str, int]]) -> dict[str, Body | Missing]:
        """Return contents of some keys and sizes; the caller closes files.

        Raises:
            HoldersDown: nodes that have one are away; it is not missing.
            StorageError: the store failed.
        """
        wanted = dict(keys)
        found: dict[str, Body | Missing] = {}
        if self._layouts:
            found |= await self._workers.run(self._read, wanted)
        waiting = iter([key for key in wanted if key not in found])
        while some := list(islice(waiting, _AT_ONCE)):
            found |= zip(some, await together(map(self._fetched, some)), strict=True)
        return found

    def _list(self, after: str) -> list[str]:
        listings = [scan.keys(layout, "structures", after) for layout in self._layouts]
        return list(islice((key for key, _ in groupby(merge(*listings))), STRUCTURES))

    def _here(
        self, keys: Sequence[str], chooser: Chooser
    ) -> Generator[tuple[list[Capture], list[str]], None, None]:
        """Yield captures of several structure files, or some of a large one; blocks."""
        found: list[Capture] = []
        problems: list[str] = []
        for key in keys:
            damage: list[DamagedStructure] = []
            copies = [
                each
                for each in self._layouts
                if path.exists(each.place("structures", key))  # noqa: PTH110 - a path costs more
            ]
            for capture in _captures(copies, key, damage):
                if chooser.take(capture):
                    found.append(capture)
                if len(found) >= _CAPTURES:
                    yield found, problems
                    found, problems = [], []
            if damage and all(_is_damaged(copy, key) for copy in copies):
                problems += [f"structure file {key}: {each}" for each in damage]
        yield found, problems

    async def _asked(
        self, key: str, chooser: Chooser
    ) -> AsyncIterator[tuple[list[Capture], list[str]]]:
        damage: list[DamagedStructure] = []
        async for captures in until_damaged(self._store, key, damage):
            yield list(filter(chooser.take, captures)), []
        yield [], [f"structure file {key}: {each}" for each in damage]

    def _read(self, wanted: dict[str, int]) -> dict[str, Body | Missing]:
        """Return what is there and sound; blocks."""
        found: dict[str, Body | Missing] = {}
        for key, size in wanted.items():
            read = self._small if size <= IN_MEMORY else self._large
            if (body := read(key)) is not None:
                found[key] = body
        return found

    def _small(self, key: str) -> bytes | None:
        for layout in self._layouts:
            body = read_small(layout, key, IN_MEMORY)
            if body is not None and sha256(body).hexdigest() == key:
                return body
        return None

    def _large(self, key: str) -> BinaryIO | None:
        for layout in self._layouts:
            try:
                file = layout.content(key).open("rb")
                if file_digest(file, "sha256").hexdigest() == key:
                    return file
                file.close()
            except OSError:
                continue
        return None

    async def _fetched(self, key: str) -> Body | Missing:
        try:
            body = await self._store.fetch(key, self._spool)
        except (NotHeld, NotProven) as error:
            return Missing(str(error))
        if isinstance(body, bytes):
            return body
        file: BinaryIO = body.open("rb")
        body.unlink()  # gone once the file is closed
        return file


def _captures(
    copies: Sequence[Layout], key: str, damage: list[DamagedStructure]
) -> Iterator[Capture]:
    """Yield the captures of a structure file; of one copy in a simpler way, which is quicker."""
    if len(copies) != 1:
        yield from captures_of(copies, key, damage=damage)
        return
    try:
        yield from read_captures(copies[0], key, damage=damage)
    except DamagedStructure as error:
        damage.append(error)
    except OSError as error:
        damage.append(DamagedStructure(f"the disk does not give it: {error}"))


def _is_damaged(copy: Layout, key: str) -> bool:
    """Tell whether a copy lacks anything; if one does not, nothing is lost with the others."""
    damage: list[DamagedStructure] = []
    for _ in _captures([copy], key, damage):
        if damage:
            break
    return bool(damage)
