"""Revisits whose contents were not known when they came: looked for once all else is there.

In this order: by the digest that the record declares, among those of all contents imported into
the target; by its SHA-256, which is the key itself; by the capture that it refers to, whose bytes
are held to the digest if there is one. Nothing is guessed: what is found by none of these waits.
"""

from collections.abc import Collection
from hashlib import new, sha1
from pathlib import Path
from typing import Any

from agents.archive.importing.captures import Found, Repeat
from agents.archive.importing.digests import Digest
from agents.archive.importing.figures import Figures
from agents.archive.importing.loading import captures_of, filled
from agents.archive.importing.state import KEY, ImportState
from agents.capture import Capture, structure_key
from agents.storage.errors import DamagedStructure, HoldersDown
from agents.storage.stores.errors import NotHeld, NotProven
from anet.workers import Workers

_SECOND = 14  # digits of a date up to its second
_PIECE = 1 << 20
_REMEMBERED = 100_000
_PASSES = 8  # a revisit may repeat one that waited, too; longer chains go on with the next import
_MEANT = 16  # contents of a URL in one second that are looked through
_LOST = (NotHeld, NotProven, HoldersDown)


class Revisits:
    """Settles revisits that wait.

    Args:
        store: the `IStore` of all captures.
        state: of the imports into it.
        workers: threads for what blocks.
        spool: a folder for large contents.
        figures: how the import is getting on.
    """

    def __init__(
        self, store: Any, state: ImportState, workers: Workers, spool: Path, figures: Figures
    ) -> None:
        self._store, self._state, self._workers = store, state, workers
        self._spool, self._figures = spool, figures
        self._hashed: set[tuple[str, str]] = set()  # contents, and by which algorithm

    async def settle(self, files: Collection[bytes]) -> None:
        """Look for the contents of all that wait; those that are found become captures.

        Args:
            files: the keys of those whose revisits are counted if they wait on; of others there is
                nothing new to say.

        Raises:
            StorageError: the store failed.
        """
        for _ in range(_PASSES):
            if not await self._pass(files):
                return

    async def _pass(self, files: Collection[bytes]) -> int:
        """Look once at all that wait; return how many were settled."""
        after, before = b"", self._figures.revisits
        self._figures.pending = 0
        while page := await self._workers.run(self._state.pending, after):
            after = page[-1][0]
            settled: dict[bytes, Found] = {}
            for key, repeat in page:
                found = await self._found(repeat)
                if found is not None:
                    settled[key] = found
            if settled:
                await self._store.append(captures_of(list(settled.values())))
                await self._workers.run(self._state.settle, settled)
            self._figures.revisits += len(settled)
            self._figures.captures += len(settled)
            self._figures.pending += sum(
                key not in settled and key[:KEY] in files for key, _ in page
            )
        return self._figures.revisits - before

    async def _found(self, repeat: Repeat) -> Found | None:
        """Return the capture of a revisit, or None while its content is not known."""
        content = await self._by_digest(repeat)
        if not repeat.headless and content is not None:
            return filled(repeat.capture, *content)
        other = await self._other(repeat, content)
        if other is None:
            return None
        result = filled(repeat.capture, other.content, other.size)
        if repeat.headless:
            result.head, result.status = other.head, other.status
        return result

    async def _by_digest(self, repeat: Repeat) -> tuple[str, int] | None:
        known = await self._workers.run(self._state.known, repeat.digests, {})
        if known is not None:
            return known
        for name, digest in repeat.digests:
            if name == "sha256" and (size := await self._store.size(digest.hex())) is not None:
                return digest.hex(), size
        return None

    async def _other(self, repeat: Repeat, content: tuple[str, int] | None) -> Capture | None:
        """Return the capture that a revisit refers to, if it has the content that it should.

        Without a digest nobody can tell which of several contents of one second was meant.
        """
        found: dict[str, Capture] = {}  # by their contents, of each the last
        try:
            async for captures in self._store.captures(structure_key(repeat.url)):
                found |= {
                    each.content: each for each in captures if self._is_meant(repeat, each, content)
                }
                if len(found) > _MEANT:
                    return None
        except DamagedStructure:
            return None
        if repeat.digests and content is None:
            for each in found.values():
                if await self._has(each, repeat.digests[0]):
                    return each
            return None
        return next(iter(found.values())) if len(found) == 1 else None

    @staticmethod
    def _is_meant(repeat: Repeat, other: Capture, content: tuple[str, int] | None) -> bool:
        """Tell whether a capture may be the one that a revisit refers to."""
        if content is not None and other.content != content[0]:
            return False
        if repeat.date:
            return other.date[:_SECOND] == repeat.date[:_SECOND]
        return content is not None and other.date < repeat.capture.date

    async def _has(self, capture: Capture, digest: Digest) -> bool:
        """Tell whether a content has a digest that it is not known by yet.

        It is hashed once: then it is known by what it has. Of a content that is lost nobody can
        tell.
        """
        if (capture.content, digest[0]) in self._hashed:
            return False
        try:
            body = await self._store.fetch(capture.content, self._spool)
        except _LOST:
            return False
        try:
            found = await self._workers.run(_digests, body, digest[0])
        finally:
            if isinstance(body, Path):
                body.unlink()
        if len(self._hashed) < _REMEMBERED:
            self._hashed.add((capture.content, digest[0]))
        await self._workers.run(self._state.learn, found, capture.content, capture.size)
        return digest in found


def _digests(body: bytes | Path, name: str) -> list[Digest]:
    """Return the SHA-1 of a content, and another digest. Blocks."""
    sums = [("sha1", sha1(usedforsecurity=False)), (name, new(name, usedforsecurity=False))]
    if isinstance(body, bytes):
        for _, each in sums:
            each.update(body)
    else:
        with body.open("rb") as file:
            while piece := file.read(_PIECE):
                for _, each in sums:
                    each.update(piece)
    return [(algorithm, each.digest()) for algorithm, each in sums]
