"""Hashes everything again, and reads every capture: what an archive promises, looked at.

Each copy is looked at by itself, so that a damaged one is found though another is sound; that
every capture has its content is asked of all copies together.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from agents.storage.errors import StorageError
from agents.storage.stores.errors import StoreUnreachable
from agents.storage.stores.interface import Held, all_held
from agents.storage.stores.together import for_each

_AT_ONCE = 8
_NAMED = 1000  # problems that are named; the others are counted


@define
class Verified:
    """What was looked at.

    Attributes:
        contents: contents hashed, each copy by itself.
        bytes: their bytes.
        structures: structure files read, each copy by itself.
        captures: captures read.
        wrong: what is damaged or missing.
        problems: that, in words.
        absent: parts that could not be reached.
    """

    contents: int = 0
    bytes: int = 0
    structures: int = 0
    captures: int = 0
    wrong: int = 0
    problems: list[str] = field(factory=list)
    absent: list[str] = field(factory=list)

    @property
    def well(self) -> bool:
        """Whether all that could be reached is sound."""
        return not self.wrong

    def note(self, words: str) -> None:
        """Take note of something wrong."""
        self.wrong += 1
        if len(self.problems) < _NAMED:
            self.problems.append(words)


class Verifying:
    """One look at everything.

    Args:
        copies: an `IStore` for each disk, or one for all where copies cannot be told apart.
        whole: the `IStore` of all of them together.
        spool: a folder for contents that are too large for memory.

    Attributes:
        found: how it is getting on.
    """

    def __init__(self, copies: Sequence[Any], whole: Any, spool: Path) -> None:
        self.found = Verified()
        self._copies, self._whole, self._spool = copies, whole, spool

    async def run(self) -> Verified:
        """Look at everything.

        Raises:
            StoreUnreachable: a store does not answer any more.
        """
        for store in self._copies:
            look = _Look(store, self._whole, self._spool, self.found)
            await for_each(all_held(store, "contents"), look.content, _AT_ONCE)
            await for_each(all_held(store, "structures"), look.structure, _AT_ONCE)
        self.found.absent = sorted({*self.found.absent, *self._whole.absent})
        return self.found


@define
class _Look:
    """At one copy."""

    store: Any
    whole: Any
    spool: Path
    found: Verified

    async def content(self, held: Held) -> None:
        """Hash a content."""
        try:
            body = await self.store.fetch(held.key, self.spool)
        except StoreUnreachable:
            raise
        except StorageError as error:
            self.found.note(f"{self.store.name}: {error}")
            return
        if isinstance(body, Path):
            self.found.bytes += body.stat().st_size
            body.unlink()
        else:
            self.found.bytes += len(body)
        self.found.contents += 1

    async def structure(self, held: Held) -> None:
        """Read the captures of a URL, and look for their contents."""
        try:
            async for captures in self.store.captures(held.key):
                for capture in captures:
                    self.found.captures += 1
                    size = await self.whole.size(capture.content)
                    if size != capture.size:
                        lacks = "is missing" if size is None else f"has {size} bytes"
                        self.found.note(
                            f"{self.store.name}: {capture.url} of {capture.date}: its content "
                            f"{capture.content} {lacks}"
                        )
        except StoreUnreachable:
            raise
        except StorageError as error:
            self.found.note(f"{self.store.name}: structure {held.key}: {error}")
        self.found.structures += 1
