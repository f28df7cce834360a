"""`dlweb storage verify`, `copy` and `export`: work on stores, wherever they are."""

import argparse
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import attrs
import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall

from agents import dates
from agents.archive import holdings
from agents.archive.command.agent_link import configured, configured_at
from agents.archive.command.progress import many
from agents.archive.command.terminal import ProgressLine
from agents.page import human_bytes, human_number, human_seconds
from agents.storage.stores.copied import Copied, state_file
from agents.storage.stores.copying import Copying, Figures
from agents.storage.stores.exporting import Exporting, Wanted
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.places import absolute, store_at
from agents.storage.stores.verifying import Verified, Verifying
from anet.workers import Workers

_Result = TypeVar("_Result")

_THREADS = 16
_PERIOD = 0.5  # seconds between two looks at how it is getting on


class Bench:
    """What work on stores needs: threads, a folder for large contents, stores that are closed."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> "Bench":
        self.workers = await self.threads(_THREADS)
        self.spool = Path(self._stack.enter_context(TemporaryDirectory(prefix="dlweb-storage-")))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def threads(self, size: int) -> Workers:
        """Return threads that are ended with the bench."""
        workers = Workers(self._reactor, size, name="storage")
        workers.startService()
        self._stack.push_async_callback(workers.stopService)
        return workers

    async def open(self, address: str, *, writing: bool = False) -> Any:
        """Return the store of an address, open."""
        store = store_at(self._reactor, address, self.workers, configured_at)
        return await self.use(store, writing=writing)

    async def use(self, store: Any, *, writing: bool = False) -> Any:
        """Open a store, to be closed with the bench."""
        await store.open(writing=writing)
        self._stack.push_async_callback(store.close)
        return store

    async def copied(self, path: Path) -> Copied:
        """Return what was copied before, open."""
        copied = Copied(path, await self.threads(1))
        await copied.open()
        self._stack.push_async_callback(copied.close)
        return copied

    async def watch(
        self, work: Coroutine[Deferred[Any], Any, _Result], words: Callable[[], str]
    ) -> tuple[_Result, float]:
        """Show how some work is getting on until it is done; return its result and seconds."""
        line = ProgressLine(sys.stderr, self._reactor.seconds)
        looking = LoopingCall(lambda: line.show(words()))
        looking.clock = self._reactor
        looking.start(_PERIOD)
        begun = self._reactor.seconds()
        try:
            return await work, round(self._reactor.seconds() - begun, 3)
        finally:
            looking.stop()
            line.clear()


async def copy(reactor: Any, options: argparse.Namespace) -> int:
    """Copy everything; the status is 1 when the source could not give all that it lists.

    Raises:
        StorageError: a store failed; the same command goes on where it stopped.
    """
    folder = configured(options).directory / "copies"
    path = (
        Path(options.state)
        if options.state
        else state_file(folder, absolute(options.source), absolute(options.target))
    )
    async with Bench(reactor) as bench:
        source = await bench.open(options.source)
        target = await bench.open(options.target, writing=True)
        copying = Copying(source, target, await bench.copied(path), bench.spool)
        figures, seconds = await bench.watch(copying.run(), lambda: _line(copying.figures))
    return _tell(options, figures, seconds, _line(figures))


async def export(reactor: Any, options: argparse.Namespace) -> int:
    """Copy some captures and their contents; the status is 1 when some of them are lost.

    Raises:
        StorageError: a store failed.
        InvalidDate: a date is none.
    """
    wanted = Wanted(
        urls=[holdings.known_as(url) for url in options.urls],
        prefix=options.prefix,
        first=dates.parse(options.first) if options.first else "",
        last=dates.parse(options.last) if options.last else "~",
    )
    async with Bench(reactor) as bench:
        source = await bench.open(options.source or _disks_here(options))
        target = await bench.open(options.to, writing=True)
        exporting = Exporting(source, target, wanted, bench.spool)
        figures, seconds = await bench.watch(exporting.run(), lambda: _line(exporting.figures))
    return _tell(options, figures, seconds, _line(figures))


async def verify(reactor: Any, options: argparse.Namespace) -> int:
    """Hash everything again and read every capture; the status is 1 when something is wrong.

    Raises:
        StorageError: a store cannot be read.
    """
    async with Bench(reactor) as bench:
        whole = await bench.open(options.store or _disks_here(options))
        copies = [whole]
        if isinstance(whole, FolderStore):
            copies = [await bench.use(FolderStore([each], bench.workers)) for each in whole.folders]
        verifying = Verifying(copies, whole, bench.spool)
        found, seconds = await bench.watch(verifying.run(), lambda: _looked(verifying.found))
    return _tell(options, found, seconds, _looked(found))


def _disks_here(options: argparse.Namespace) -> str:
    """Return the disks of the storage nodes of this machine, as an address."""
    return ",".join(str(layout.root) for layout in holdings.layouts(configured(options)))


def _line(figures: Figures) -> str:
    """Return how a copy is getting on, in a line."""
    parts = [
        f"{many(figures.contents, 'content')} copied ({human_bytes(figures.bytes)})",
        f"{human_number(figures.contents_known)} known",
        f"{many(figures.captures, 'capture')} of {many(figures.structures, 'URL')} copied",
        f"{human_number(figures.structures_known)} unchanged",
    ]
    if figures.lost:
        parts.append(f"{human_number(figures.lost)} LOST")
    if figures.unknown:
        parts.append(f"{many(figures.unknown, 'URL')} without a capture")
    return " · ".join(parts)


def _looked(found: Verified) -> str:
    """Return how a verification is getting on, in a line."""
    parts = [
        f"{many(found.contents, 'content')} hashed ({human_bytes(found.bytes)})",
        f"{many(found.captures, 'capture')} in {many(found.structures, 'structure file')}",
        f"{human_number(found.wrong)} WRONG" if found.wrong else "all is sound",
    ]
    return " · ".join(parts)


def _tell(
    options: argparse.Namespace, outcome: Figures | Verified, seconds: float, line: str
) -> int:
    """Write what came of it; return the exit status."""
    if options.json:
        told = attrs.asdict(outcome) | {"seconds": seconds, "well": outcome.well}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return 0 if outcome.well else 1
    for words in outcome.problems:
        sys.stderr.write(f"{words}\n")
    if outcome.absent:
        sys.stderr.write(f"not asked, for they are down: {', '.join(outcome.absent)}\n")
    sys.stdout.write(f"{line} · {human_seconds(seconds)}\n")
    return 0 if outcome.well else 1
