"""Brings some captures and their contents into another store, as they lie in the first."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from agents.capture import Capture, structure_key
from agents.storage.errors import DamagedStructure, HoldersDown
from agents.storage.stores.copying import Figures, until_damaged
from agents.storage.stores.errors import NotHeld, NotProven
from agents.storage.stores.interface import Held, all_held
from agents.storage.stores.together import for_each, putting

_AT_ONCE = 32  # structure files


@frozen
class Wanted:
    """Which captures are exported.

    Attributes:
        urls: of these URLs, in the form under which the archive keeps them; of all when empty.
        prefix: what their URLs begin with.
        first: the earliest date, 20 digits.
        last: the latest date, 20 digits.
    """

    urls: Sequence[str] = ()
    prefix: str = ""
    first: str = ""
    last: str = "~"

    def takes(self, capture: Capture) -> bool:
        """Tell whether a capture is wanted."""
        return capture.url.startswith(self.prefix) and self.first <= capture.date <= self.last


class Exporting:
    """One export.

    Args:
        source: the `IStore` to read.
        target: the `IStore` to write.
        wanted: which captures.
        spool: a folder for contents that are too large for memory.

    Attributes:
        figures: how it is getting on.
    """

    def __init__(self, source: Any, target: Any, wanted: Wanted, spool: Path) -> None:
        self.figures = Figures(doing="captures")
        self._source, self._target, self._wanted, self._spool = source, target, wanted, spool
        self._putting = putting(target)
        self._found: set[str] = set()  # which of the URLs that were named have captures

    async def run(self) -> Figures:
        """Export; contents before the captures that name them.

        Raises:
            StorageError: a store failed; what was exported stays, and the rest can be repeated.
        """
        await for_each(self._structures(), self._structure, _AT_ONCE)
        for url in self._wanted.urls:
            if structure_key(url) not in self._found:
                self.figures.unknown += 1
                self.figures.problems.append(f"{url}: no capture of it at these dates")
        self.figures.doing = ""
        self.figures.absent = list(self._source.absent)
        return self.figures

    async def _structures(self) -> AsyncIterator[Held]:
        if not self._wanted.urls:
            async for held in all_held(self._source, "structures"):
                yield held
        for url in self._wanted.urls:
            yield Held(structure_key(url))

    async def _structure(self, held: Held) -> None:
        self.figures.looked_at += 1
        count = 0
        damage: list[DamagedStructure] = []
        async for captures in until_damaged(self._source, held.key, damage):
            if not captures[0].url.startswith(self._wanted.prefix):
                return
            wanted = [each for each in captures if self._wanted.takes(each)]
            if wanted and self._wanted.urls:
                self._found.add(held.key)
            ready = [each for each in wanted if await self._content(each)]
            if ready:
                await self._target.append(ready)
            count += len(ready)
        for each in damage:
            self.figures.lose(f"structure file {held.key}: {each}")
        self.figures.captures += count
        self.figures.structures += bool(count)

    async def _content(self, capture: Capture) -> bool:
        """Bring the content of a capture; return whether it is there now."""
        if await self._target.size(capture.content) == capture.size:
            self.figures.contents_known += 1
            return True
        try:
            body = await self._source.fetch(capture.content, self._spool)
        except (NotHeld, NotProven, HoldersDown) as error:
            self.figures.lose(f"{capture.url} of {capture.date}: {error}")
            return False
        try:
            new = await self._putting.submit((capture.content, body))
            self.figures.contents += new
            self.figures.contents_known += not new
            self.figures.bytes += capture.size if new else 0
        finally:
            if isinstance(body, Path):
                body.unlink()
        return True
