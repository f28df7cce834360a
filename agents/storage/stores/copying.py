"""Copies everything from one store to another: verified, in bounded memory, to be taken up again.

Contents come first, then structure files, so that nothing in the target ever names what is not
there (decision 1). Every content is proven by its SHA-256 when it is read, and again by the store
that takes it; the captures of each URL are read back from the target and compared. What the
target has is not copied again: of contents its listing tells, of structure files `Copied` does.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from attrs import define, field

from agents.capture import Capture
from agents.storage.disk.layout import Kind
from agents.storage.errors import DamagedStructure, HoldersDown, StorageError
from agents.storage.stores.copied import Copied
from agents.storage.stores.errors import NotHeld, NotProven
from agents.storage.stores.interface import Held, all_held
from agents.storage.stores.together import for_each, putting

_AT_ONCE = 32  # contents, or structure files; each is at most a few MiB of memory
_PAGE = 500  # structure files that are looked up at once
_NAMED = 100  # problems that are named; the others are counted
_OF_THE_SOURCE = (NotHeld, NotProven, HoldersDown)  # what is lost there cannot be copied


@define
class Figures:
    """How a copy is getting on, or how it ended.

    Attributes:
        looked_at: contents and structure files of the source that were looked at.
        contents: contents copied.
        contents_known: contents that the target had.
        bytes: bytes of the contents copied.
        structures: structure files copied and compared.
        structures_known: structure files that had not changed since they were.
        captures: captures copied and compared.
        lost: what the source lists and cannot give undamaged.
        unknown: URLs that were asked for by name and have no capture.
        problems: some of that, in words.
        absent: parts of both stores that could not be reached, and may hold more.
        doing: what is copied now.
    """

    looked_at: int = 0
    contents: int = 0
    contents_known: int = 0
    bytes: int = 0
    structures: int = 0
    structures_known: int = 0
    captures: int = 0
    lost: int = 0
    unknown: int = 0
    problems: list[str] = field(factory=list)
    absent: list[str] = field(factory=list)
    doing: str = "contents"

    @property
    def well(self) -> bool:
        """Whether the target has all that the source lists, and all that was asked for."""
        return not self.lost and not self.unknown

    def lose(self, words: str) -> None:
        """Take note of something that could not be copied."""
        self.lost += 1
        if len(self.problems) < _NAMED:
            self.problems.append(words)


class NotTheSame(StorageError):
    """The target does not give back what was just recorded in it."""


class Copying:
    """One copy.

    Args:
        source: the `IStore` to read.
        target: the `IStore` to write.
        copied: what was copied before.
        spool: a folder for contents that are too large for memory.

    Attributes:
        figures: how it is getting on.
    """

    def __init__(self, source: Any, target: Any, copied: Copied, spool: Path) -> None:
        self.figures = Figures()
        self._source, self._target = source, target
        self._putting = putting(target)
        self._copied, self._spool = copied, spool

    async def run(self) -> Figures:
        """Copy everything.

        Raises:
            StorageError: a store failed; what was copied stays, and the rest can be repeated.
        """
        await for_each(self._lacking("contents"), self._content, _AT_ONCE)
        self.figures.doing = "structures"
        await for_each(self._changed(), self._structure, _AT_ONCE)
        self.figures.doing = ""
        self.figures.absent = sorted({*self._source.absent, *self._target.absent})
        return self.figures

    async def _lacking(self, kind: Kind) -> AsyncIterator[Held]:
        """Yield what the source has and the target lacks, from both listings, in order."""
        there = all_held(self._target, kind)
        other = await anext(there, None)
        async for held in all_held(self._source, kind):
            self.figures.looked_at += 1
            while other is not None and other.key < held.key:
                other = await anext(there, None)
            if other is not None and other.key == held.key:
                self.figures.contents_known += 1
            else:
                yield held

    async def _changed(self) -> AsyncIterator[Held]:
        """Yield the structure files that have changed since they were copied, if ever."""
        after = ""
        while page := await self._source.listing("structures", after, _PAGE):
            after = page[-1].key
            there = await self._listed_until(page[0].key, after)
            known = await self._copied.versions([held.key for held in page])
            for held in page:
                self.figures.looked_at += 1
                unchanged = held.version and known.get(held.key) == held.version
                if unchanged and held.key in there:
                    self.figures.structures_known += 1
                else:
                    yield held

    async def _listed_until(self, first: str, last: str) -> set[str]:
        """Return the structure files of the target between two keys, both included."""
        before = f"{int(first, 16) - 1:064x}" if int(first, 16) else ""
        found: set[str] = set()
        while page := await self._target.listing("structures", before, _PAGE):
            found |= {held.key for held in page if held.key <= last}
            before = page[-1].key
            if before >= last:
                break
        return found

    async def _content(self, held: Held) -> None:
        """Copy a content; one that the source cannot give is noted."""
        try:
            body = await self._source.fetch(held.key, self._spool)
        except _OF_THE_SOURCE as error:
            self.figures.lose(str(error))
            return
        try:
            new = await self._putting.submit((held.key, body))
            size = len(body) if isinstance(body, bytes) else body.stat().st_size
            self.figures.contents += new
            self.figures.contents_known += not new
            self.figures.bytes += size if new else 0
        finally:
            if isinstance(body, Path):
                body.unlink()

    async def _structure(self, held: Held) -> None:
        """Copy the captures of a URL, and compare them."""
        count = lost = 0
        damage: list[DamagedStructure] = []
        async for captures in until_damaged(self._source, held.key, damage):
            ready = [each for each in captures if await self._has_content(each)]
            await self._target.append(ready)
            count += len(ready)
            lost += len(captures) - len(ready)
        await self._compare(held.key)
        for each in damage:
            self.figures.lose(f"structure file {held.key}: {each}")
            lost += 1
        if held.version and not lost:
            await self._copied.note(held.key, held.version)
        self.figures.structures += 1
        self.figures.captures += count

    async def _has_content(self, capture: Capture) -> bool:
        """Tell whether the target has a capture's content, copying one that came meanwhile."""
        if await self._target.size(capture.content) is None:
            await self._content(Held(capture.content))
        if await self._target.size(capture.content) == capture.size:
            return True
        self.figures.lose(f"{capture.url} of {capture.date}: its content is nowhere")
        return False

    async def _compare(self, key: str) -> None:
        """Make sure that the target gives back the captures of a URL, those lost aside.

        Raises:
            NotTheSame: it does not.
        """
        there = _flat(self._target.captures(key))
        other = await anext(there, None)
        async for capture in _flat(until_damaged(self._source, key, [])):
            while other is not None and _place(other) < _place(capture):
                other = await anext(there, None)
            if other == capture:
                continue
            if await self._target.size(capture.content) == capture.size:
                raise NotTheSame(
                    f"{self._target.name} gives back something else for {capture.url} of "
                    f"{capture.date}; see whether its files are damaged"
                )


async def until_damaged(
    source: Any, key: str, damage: list[DamagedStructure]
) -> AsyncIterator[list[Capture]]:
    """Yield what a store gives of a structure file; `damage` takes why it is not all."""
    try:
        async for captures in source.captures(key):
            yield captures
    except DamagedStructure as error:
        damage.append(error)


async def _flat(pages: AsyncIterator[list[Capture]]) -> AsyncIterator[Capture]:
    async for page in pages:
        for capture in page:
            yield capture


def _place(capture: Capture) -> tuple[str, str]:
    return capture.date, capture.content
