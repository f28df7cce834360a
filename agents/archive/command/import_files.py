"""`dlweb import`: files of web archives into a store."""

import argparse
import os
import sys
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs
import msgspec

from agents.archive.command.agent_link import configured
from agents.archive.command.progress import many
from agents.archive.command.storage_files import Bench
from agents.archive.errors import ArchiveError
from agents.archive.importing.figures import Figures
from agents.archive.importing.finding import FoundFile, NothingThere, Parts, files_of
from agents.archive.importing.importing import Importing
from agents.archive.importing.looking import without_any
from agents.archive.importing.reading import PRELOAD
from agents.archive.importing.spool import Spool
from agents.archive.importing.state import ImportState
from agents.archive.lock import running_archive
from agents.archive.sections import section
from agents.configuration import Configuration, private_folder
from agents.page import human_bytes, human_number, human_seconds
from agents.storage.errors import StorageError
from agents.storage.stores.cluster import ClusterStore
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.places import absolute
from anet.garbage import settle
from anet.processes import Processes

_HERE = "archive"  # the imports into the archive itself, whether it runs or not
_MEMORY = 512 << 20  # bytes that a slice may take
_VALUE = 64 << 20  # bytes of what is told of one
_SHOWN = 5  # paths that are told when nothing is there


async def import_files(reactor: Any, options: argparse.Namespace) -> int:
    """Import files; the status is 1 when something of them is not in the archive, whole and true.

    Raises:
        StorageError: the store failed; the same command goes on where it stopped.
        ArchiveError: a path names nothing, or there is no room; likewise.
    """
    settle()
    figures, begun = Figures(), reactor.seconds()
    try:
        return await _import(reactor, options, figures)
    except (StorageError, ArchiveError) as error:
        if options.json and getattr(error, "status", 1) == 1:
            _tell_script(figures, round(reactor.seconds() - begun, 3), str(error))
        raise


async def _import(reactor: Any, options: argparse.Namespace, figures: Figures) -> int:
    """Import files; return the exit status. The figures are true at any time."""
    processors = len(os.sched_getaffinity(0))
    parts = Parts.parse(options.parts, options.only, processors)
    configuration = configured(options)
    folder = _folder(configuration, options.to)
    async with Bench(reactor) as bench:
        files: list[FoundFile] = await bench.workers.run(
            files_of, [Path(each) for each in options.paths]
        )
        with ExitStack() as stack:
            spool = stack.enter_context(Spool(folder / "spool"))
            processes = Processes(
                reactor,
                processors,
                memory=_MEMORY,
                value_limit=_VALUE,
                preload=PRELOAD,
                name="import",
            )
            processes.startService()
            try:
                if (refused := await without_any(files, processes, spool)) is not None:
                    return _nothing(options, refused)
                store = await _target(reactor, bench, configuration, options.to)
                state = ImportState(folder / "state")
                stack.callback(state.close)
                importing = Importing(store, state, spool, processes, bench.workers, figures)
                _, seconds = await bench.watch(
                    importing.run(files, parts, processors, again=options.again),
                    _Line(reactor, figures),
                )
            finally:
                await processes.stopService()
    return _tell(options, figures, seconds)


def _nothing(options: argparse.Namespace, refused: Figures) -> int:
    """Say that none of the files can be imported; return the exit status.

    Raises:
        NothingThere: nor was any of them named.
    """
    if not refused.files_refused:
        words = ", ".join(options.paths[:_SHOWN]) + (" …" if len(options.paths) > _SHOWN else "")
        raise NothingThere(f"{words}: there is no file of a web archive")
    return _tell(options, refused, 0.0)


def _folder(configuration: Configuration, to: str | None) -> Path:
    """Return the folder for what is noted of the imports into a target."""
    private_folder(configuration.directory)
    name = _HERE if to is None else sha256(os.fsencode(absolute(to))).hexdigest()[:16]
    return configuration.directory / "imports" / name


async def _target(reactor: Any, bench: Bench, configuration: Configuration, to: str | None) -> Any:
    """Return the store to write, open: the one that is named, or the archive, or its first disk."""
    if to is not None:
        return await bench.open(to, writing=True)
    if running_archive(configuration.directory) is not None:
        store = ClusterStore(reactor, configuration, bench.workers)
        return await bench.use(store, writing=True)
    settings = section(configuration, "storage-node")
    if settings.contents is not None:
        raise ArchiveError(
            f"the archive gives its contents to {settings.contents.partition('?')[0]}: start it "
            "with `dlweb run`, and repeat the command"
        )
    disks = settings.folders or [settings.folder or configuration.directory / "storage-1"]
    disk = disks[0]
    is_new = not (disk / "layout").exists()
    sys.stderr.write(
        f"the archive does not run; its disk {disk} is {'made' if is_new else 'written'}, and "
        "`dlweb run` serves what is there\n"
    )
    return await bench.use(
        FolderStore([disk], bench.workers, reserve=settings.reserve), writing=True
    )


class _Line:
    """How an import is getting on, in a line."""

    def __init__(self, reactor: Any, figures: Figures) -> None:
        self._reactor, self._figures = reactor, figures
        self._begun = reactor.seconds()

    def __call__(self) -> str:
        """Return the line of now; nothing before there is something to tell."""
        figures = self._figures
        if not figures.done:
            return ""
        rate = figures.bytes_read / max(0.1, self._reactor.seconds() - self._begun)
        left = f"{human_bytes(figures.size - figures.done)} in {many(figures.files_left, 'file')}"
        return " · ".join([f"{human_bytes(rate)}/s", f"{left} left", *_parts(figures)])


def _parts(figures: Figures) -> list[str]:
    """Return what an import did, in words."""
    parts = [
        many(sum(figures.records.values()), "record"),
        many(figures.captures, "capture"),
        f"{many(figures.contents, 'content')} new ({human_bytes(figures.bytes)})",
        f"{human_number(figures.contents_known)} known",
    ]
    for number, what, how in (
        (figures.only_kept, "answer", "only kept"),
        (figures.revisits, "revisit", "resolved"),
        (figures.pending, "revisit", "PENDING"),
        (figures.damage, "part", "DAMAGED"),
        (figures.digests, "record", "UNTRUE"),
        (figures.files_refused, "file", "REFUSED"),
    ):
        if number:
            parts.append(f"{many(number, what)} {how}")
    return parts


def _tell_script(figures: Figures, seconds: float, problem: str = "") -> None:
    """Write the figures as JSON, with the problem that ended the import, if one did."""
    more = {"seconds": seconds, "well": figures.well and not problem, "problem": problem}
    sys.stdout.write(msgspec.json.encode(attrs.asdict(figures) | more).decode() + "\n")


def _tell(options: argparse.Namespace, figures: Figures, seconds: float) -> int:
    """Write what came of it; return the exit status."""
    if options.json:
        _tell_script(figures, seconds)
        return 0 if figures.well else 1
    for words in figures.problems:
        sys.stderr.write(f"{words}\n")
    if figures.absent:
        sys.stderr.write(f"not asked, for they are down: {', '.join(figures.absent)}\n")
    files = [f"{many(figures.files, 'file')} imported"]
    if figures.files_known:
        files.append(f"{many(figures.files_known, 'file')} imported before")
    if figures.files_other:
        files.append(f"{many(figures.files_other, 'file')} of no web archive passed over")
    rate = f"{human_bytes(figures.bytes_read / max(0.001, seconds))}/s"
    done = [*files, *_parts(figures), f"{human_seconds(seconds)} ({rate})"]
    sys.stdout.write(" · ".join(done) + "\n")
    kinds = ", ".join(f"{human_number(n)} {kind}" for kind, n in sorted(figures.records.items()))
    if kinds:
        sys.stdout.write(f"records: {kinds}\n")
    return 0 if figures.well else 1
