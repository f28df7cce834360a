"""One export, from the choice of captures to files that are whole.

What is computed and what blocks happens in threads: some captures are read, others made into
records at the same time, and one thread writes what is ready, in the order of the selection. So an
export of any size takes the memory of a few megabytes of contents for each thread.
"""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from twisted.internet.defer import Deferred

from agents.archive.exporting import kept
from agents.archive.exporting.figures import Figures
from agents.archive.exporting.folder import ExportFolder
from agents.archive.exporting.items import Item
from agents.archive.exporting.made import Bodies, Group
from agents.archive.exporting.order import Order, Sites
from agents.archive.exporting.reading import Chooser, Missing, Reading
from agents.archive.kept_records import BadRecords, KeptRecord, decoded
from anet.workers import Workers

_ITEMS = 200  # that are read and made together
_BYTES = 4 << 20  # of contents, likewise
_BATCHES = 4  # on their way at once


class Exporting:
    """One export.

    Args:
        store: the `IStore` to read, open.
        order: what is wanted.
        folder: of the export.
        workers: threads that read and compute.
        thread: one worker, in which all of the folder happens.
    """

    def __init__(
        self, store: Any, order: Order, folder: ExportFolder, workers: Workers, thread: Workers
    ) -> None:
        self._store, self._order, self._folder = store, order, folder
        self._form, self._selection, self._writing = folder.form, folder.selection, folder.writing
        self._workers, self._thread = workers, thread
        self._reading = Reading(store, workers, folder.spool)
        self._sites = Sites(order.sites)

    @property
    def figures(self) -> Figures:
        """How it is getting on."""
        figures: Figures = self._folder.writing.figures
        return figures

    async def run(self) -> None:
        """Go on where it stopped, until all is given.

        Raises:
            StorageError: the store failed; what was done stays, and the rest can be repeated.
            FilesGone: what was written is not there any more.
            OSError: a file cannot be written.
        """
        if await self._stage() == "choosing":
            await self._choose()
        if await self._stage() == "writing":
            await self._write()
        if await self._stage() == "packing":
            await self._thread.run(self._folder.pack)
        await self._thread.run(self._folder.end)

    async def _stage(self) -> str:
        return await self._thread.run(lambda: self._selection.stage)

    async def _choose(self) -> None:
        """Bring what is wanted into the selection."""
        self.figures.doing = "choosing"
        chooser = Chooser(self._order)
        after = await self._thread.run(lambda: self._selection.cursor)
        while keys := await self._reading.structures(after):
            async for captures, problems in self._reading.captures(keys, chooser):
                await self._thread.run(self._selection.choose, captures, problems)
                self.figures.chosen += len(captures)
            after = keys[-1]
            await self._thread.run(self._selection.pass_by, after, self._store.absent)
            self.figures.looked_at += len(keys)
        self.figures.doing = "arranging"
        await self._thread.run(self._selection.arrange)

    async def _write(self) -> None:
        """Give all that is not given yet."""
        self.figures.doing = "writing"
        after = await self._thread.run(self._writing.begin)
        await self._give(after)
        after, left = await self._thread.run(self._selection.anew)
        self.figures.left += left.captures
        self.figures.bytes_left += left.bytes
        await self._give(after)
        await self._thread.run(self._writing.finish)

    async def _give(self, after: int) -> None:
        """Give the items after a place."""
        waiting: deque[Deferred[list[tuple[Item, Group]]]] = deque()
        batches = self._batches(after)
        try:
            more = True
            while more or waiting:
                while more and len(waiting) < _BATCHES:
                    if batch := await anext(batches, None):
                        waiting.append(Deferred.fromCoroutine(self._made(batch)))
                    more = batch is not None
                if waiting:
                    await self._thread.run(self._writing.write, await waiting[0])
                    waiting.popleft()
        except BaseException:
            await self._given_up(waiting)
            raise

    async def _given_up(self, waiting: deque[Deferred[list[tuple[Item, Group]]]]) -> None:
        """Wait for what is on its way, and remove the file that is half written."""
        for each in waiting:
            each.cancel()
            with suppress(BaseException):
                await each
        await self._thread.run(self._writing.abandon)

    async def _batches(self, after: int) -> AsyncIterator[list[Item]]:
        """Yield items that are made together; kept records alone, for they are many."""
        while page := await self._thread.run(self._selection.read, after, _ITEMS):
            after = page[-1].place
            batch: list[Item] = []
            size = 0
            for item in page:
                alone = item.is_kept or (batch and batch[-1].is_kept)
                if batch and (alone or size + item.capture.size > _BYTES):
                    yield batch
                    batch, size = [], 0
                batch.append(item)
                size += item.capture.size
            yield batch

    async def _made(self, batch: Sequence[Item]) -> list[tuple[Item, Group]]:
        """Return what items are made into."""
        wanted = [(each.capture.content, each.capture.size) for each in batch]
        bodies = await self._reading.contents(wanted)
        if batch[0].is_kept:
            return [(batch[0], await self._kept(batch[0], bodies))]
        try:
            groups = await self._workers.run(self._captures, batch, bodies)
        finally:
            _close(bodies)
        return list(zip(batch, groups, strict=True))

    def _captures(self, batch: Sequence[Item], bodies: Bodies) -> list[Group]:
        return [self._form.capture(item, bodies) for item in batch]

    async def _kept(self, item: Item, own: Bodies) -> Group:
        """Return what the records of a slice are made into."""
        body = own[item.capture.content]
        try:
            if isinstance(body, Missing):
                raise BadRecords(body.words)
            found = await self._workers.run(self._decoded, body)
            records = await self._thread.run(self._selection.claim, item, found)
        except BadRecords as error:
            return Group(item.place, 0, 0, (), (f"records of {item.capture.url}: {error}",))
        finally:
            _close(own)
        wanted = {key: size for each in records for key, size in kept.stored(each)}
        bodies = await self._reading.contents(wanted.items())
        try:
            return await self._workers.run(self._form.kept, item, records, bodies)
        finally:
            _close(bodies)

    def _decoded(self, body: bytes | BinaryIO) -> list[KeptRecord]:
        """Return the wanted records of a slice; blocks."""
        _, records = decoded(body if isinstance(body, bytes) else body.read())
        return kept.wanted(records, self._order, self._sites)


def _close(bodies: Bodies) -> None:
    for body in bodies.values():
        if not isinstance(body, bytes | Missing):
            body.close()
