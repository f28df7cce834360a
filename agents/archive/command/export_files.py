"""`dlweb export`: gives captures away in files of the field's formats."""

import argparse
import re
import shlex
import sqlite3
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs
import msgspec

from agents import dates
from agents.archive import holdings
from agents.archive.command.agent_link import configured
from agents.archive.command.progress import many
from agents.archive.command.storage_files import Bench
from agents.archive.errors import ArchiveError
from agents.archive.exporting.exporting import Exporting
from agents.archive.exporting.figures import Figures
from agents.archive.exporting.folder import ExportFolder
from agents.archive.exporting.order import Order, end_of
from agents.configuration import Configuration
from agents.page import human_bytes, human_number, human_seconds
from agents.storage.errors import LayoutRefused, StorageError
from agents.storage.stores.errors import StoreRefused

_UNUSUAL = re.compile(r"[^A-Za-z0-9.-]+")


class Unfit(ArchiveError):
    """What is asked for does not go together."""

    status = 2


async def export_files(reactor: Any, options: argparse.Namespace) -> int:
    """Export; the status is 1 when something of it could not be given.

    Raises:
        ArchiveError: the export cannot be done; the message says whether it goes on if repeated.
    """
    configuration = configured(options)
    order = _order(options)
    path = Path(options.output) if options.output else _folder(configuration, order)
    try:
        figures, seconds = await _exported(reactor, configuration, order, path)
    except (StoreRefused, LayoutRefused) as error:
        raise ArchiveError(f"--source: {error}" if order.source else str(error)) from error
    except StorageError as error:
        raise ArchiveError(f"{error}; the same command goes on where it stopped") from error
    except OSError as error:
        raise ArchiveError(
            f"{error.filename or path}: {error.strerror or error}; once that is mended, the same "
            "command goes on where it stopped"
        ) from error
    except sqlite3.Error as error:
        raise ArchiveError(
            f"{path}: {error}; once it can be written, the same command goes on where it stopped"
        ) from error
    return _tell(options, figures, seconds, path)


async def _exported(
    reactor: Any, configuration: Configuration, order: Order, path: Path
) -> tuple[Figures, float]:
    async with Bench(reactor) as bench:
        store = await bench.open(order.source or _disks_here(configuration))
        thread = await bench.threads(1)
        begun = dates.now(reactor)[:14]
        try:
            folder = await thread.run(ExportFolder, path, order, begun, configuration.directory)
        except OSError as error:
            raise ArchiveError(
                f"{path} cannot be written ({error.strerror or error}); name another folder with "
                "--output"
            ) from error
        exporting = Exporting(store, order, folder, bench.workers, thread)
        before = reactor.seconds()
        try:
            _, seconds = await bench.watch(
                exporting.run(), lambda: _line(exporting.figures, reactor.seconds() - before)
            )
        finally:
            await thread.run(folder.close)
    return exporting.figures, seconds


def _order(options: argparse.Namespace) -> Order:
    if options.format == "wacz" and options.compression == "zstd":
        raise Unfit("a WACZ holds files of WARC that are compressed with gzip, or not at all")
    if options.format in ("arc", "tianwang") and options.compression == "zstd":
        raise Unfit(f"readers of {options.format} files know gzip only")
    if options.batches and options.format != "tianwang":
        raise Unfit("--batches are of the format tianwang")
    return Order(
        source=options.source or "",
        sites=tuple(sorted(set(options.sites))),
        first=_date("--from", options.first, dates.parse),
        last=_date("--to", options.last, end_of),
        format=options.format,
        compression=options.compression,
        size=options.size,
        revisits=options.revisits,
        batches=options.batches,
    )


def _date(option: str, text: str | None, read: Callable[[str], str]) -> str:
    try:
        return read(text) if text else ""
    except dates.InvalidDate as error:
        raise Unfit(f"{option}: {error}") from None


def _disks_here(configuration: Configuration) -> str:
    return ",".join(str(layout.root) for layout in holdings.layouts(configuration))


def _folder(configuration: Configuration, order: Order) -> Path:
    """Return a folder for an order that says nothing of one; always the same."""
    told = sha256(msgspec.json.encode(order)).hexdigest()[:8]
    site = _UNUSUAL.sub("-", order.sites[0]).strip("-.") if len(order.sites) == 1 else ""
    return configuration.directory / "exports" / f"{site or 'archive'}-{order.format}-{told}"


def _line(figures: Figures, seconds: float) -> str:
    """Return how an export is getting on, in a line."""
    if figures.doing in ("choosing", "arranging"):
        looked = many(figures.looked_at, "URL")
        return f"{figures.doing} · {looked} looked at · {many(figures.chosen, 'capture')} chosen"
    rate = figures.bytes_now / seconds if seconds else 0
    left = f"{human_number(figures.left)} left ({human_bytes(figures.bytes_left)})"
    return " · ".join((f"{human_bytes(round(rate))}/s", left, *_parts(figures)))


def _parts(figures: Figures) -> list[str]:
    kinds = ", ".join(f"{human_number(n)} {kind}" for kind, n in sorted(figures.records.items()))
    parts = [
        f"{many(figures.captures, 'capture')}, {human_bytes(figures.bytes)}",
        f"{many(sum(figures.records.values()), 'record')}" + (f" ({kinds})" if kinds else ""),
        f"{many(figures.files, 'file')}, {human_bytes(figures.file_bytes)}",
    ]
    if figures.left_out:
        parts.append(f"{human_number(figures.left_out)} for which the format has no place")
    if figures.lost:
        parts.append(f"{human_number(figures.lost)} LOST")
    return parts


def _when(begun: str) -> str:
    """Return when an export that is repeated was chosen, and how to get what came since."""
    date = f"{begun}000000"
    return (
        f"chosen on {dates.to_words(date)} UTC; what the archive took in since is not in it: name "
        f"another --output for everything, or --from {dates.to_iso(date)} for captures since then\n"
    )


def _asked(options: argparse.Namespace) -> str:
    """Return which captures were asked for, in the words of the command line."""
    sites = " ".join(("--sites", *map(shlex.quote, options.sites))) if options.sites else ""
    first = f"--from {options.first}" if options.first else ""
    last = f"--to {options.last}" if options.last else ""
    asked = " ".join(filter(None, (sites, first, last)))
    return f" of {asked}" if asked else ""


def _tell(options: argparse.Namespace, figures: Figures, seconds: float, path: Path) -> int:
    """Write what came of it; return the exit status."""
    if options.json:
        told = attrs.asdict(figures) | {"folder": str(path), "seconds": seconds}
        sys.stdout.write(msgspec.json.encode(told | {"well": figures.well}).decode() + "\n")
        return 0 if figures.well else 1
    if figures.is_repeat:
        sys.stderr.write(_when(figures.begun))
    if not figures.chosen:
        sys.stderr.write(f"no capture is chosen: the archive had none{_asked(options)}\n")
    for words in figures.problems:
        sys.stderr.write(f"{words}\n")
    if figures.lost > len(figures.problems):
        sys.stderr.write(f"and {human_number(figures.lost - len(figures.problems))} more\n")
    if figures.absent:
        sys.stderr.write(
            f"not asked, for they were down: {', '.join(figures.absent)}; what they alone hold is "
            "missing: export again into another folder once they are back, or forgotten\n"
        )
    line = " · ".join((*_parts(figures), human_seconds(seconds)))
    sys.stdout.write(f"{line}\n{path}\n")
    return 0 if figures.well else 1
