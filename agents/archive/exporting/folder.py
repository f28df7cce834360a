"""The folder of an export: its lock, its selection, its files, and what clears up. Blocks."""

import fcntl
import os
import re
import shutil
from pathlib import Path
from typing import Any

from agents.archive.errors import ArchiveError
from agents.archive.exporting import packing
from agents.archive.exporting.batching import Batching
from agents.archive.exporting.figures import Figures, told_of
from agents.archive.exporting.forms import form_of
from agents.archive.exporting.order import Order
from agents.archive.exporting.selection import Selection
from agents.archive.exporting.writing import Writing, check
from agents.dates import to_iso
from anet.formats.record import Fields
from anet.formats.signing import signing_key
from anet.formats.wacz_writing import About
from hip.version import VERSION

SOFTWARE = f"dlweb/{VERSION}"
KEY = "wacz.key"
_SPOOL = "export.spool"  # which is emptied: no name that another folder is likely to have
_UNUSUAL = re.compile(r"[^A-Za-z0-9.-]+")


class ExportRuns(ArchiveError):
    """Another process exports into the folder."""


class ExportFolder:
    """The folder; made if it is new, and one process's as long as this lives.

    Args:
        path: its place.
        order: what is wanted.
        begun: when the export begins, 14 digits, if it is new.
        archive: the folder of the archive, which has the key that signs.

    Attributes:
        spool: a folder for what is too large for memory.
        selection: what is given.
        form: how.
        writing: the files.

    Raises:
        ExportRuns: another process exports into it.
        OtherExport: it has another export.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, order: Order, begun: str, archive: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path, self._order, self._archive = path, order, archive
        self._lock = _locked(path)
        self.selection = Selection(path, order)
        try:
            self.selection.open(begun)
            self.spool = _emptied(path / _SPOOL)
            self.selection.sort_in(str(self.spool.absolute()))
        except BaseException:
            self.selection.close()
            os.close(self._lock)
            raise
        self._prefix = _prefix(order)
        self.form = form_of(order, self.selection.begun, _details(order), self.spool)
        self.writing = self._writing()

    def _writing(self) -> Any:
        """Return the `IWriting` of the order."""
        form, order = self.form, self._order
        if order.batches:
            return Batching(self._path, self.selection, form.suffix, order.size)
        return Writing(
            self._path,
            self.spool,
            self.selection,
            form,
            self._prefix,
            order.size,
            indexed=order.format in ("warc", "wacz"),
        )

    def pack(self) -> None:
        """Do what is left once all items are written.

        Raises:
            FilesGone: a file is not there any more.
            OSError: the disk is full, or broken.
        """
        self.writing.figures = told_of(self.selection.told)
        if self._order.format != "wacz":
            self.selection.finish()
            return
        self.writing.figures.doing = "packing"
        about = About(
            created=to_iso(f"{self.selection.begun}000000"),
            software=SOFTWARE,
            title=_title(self._order),
        )
        key = signing_key(self._archive / KEY)
        packed = packing.pack(self._path, self._packed, self.selection, about, key)
        self.selection.finish(packed)

    def end(self) -> Figures:
        """Return what an export that is done has given; make sure that it is there.

        Raises:
            FilesGone: a file is not there any more.
        """
        files = self.selection.files()
        check(self._path, files)
        if self._order.format == "wacz":
            packing.clear(self._path, f"{self._prefix}-{self.selection.begun}", self._packed)
        figures = self.writing.figures = told_of(self.selection.told)
        figures.doing = ""
        figures.files, figures.file_bytes = len(files), sum(file.size for file in files)
        figures.lost, figures.problems = self.selection.problems()
        figures.absent = self.selection.absent
        figures.begun, figures.is_repeat = self.selection.begun, self.selection.is_repeat
        return figures

    def close(self) -> None:
        """Let go of the folder."""
        self.selection.sort_in("")
        self.selection.close()
        shutil.rmtree(self.spool, ignore_errors=True)
        os.close(self._lock)

    @property
    def _packed(self) -> str:
        return f"{self._prefix}-{self.selection.begun}.wacz"


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise ExportRuns(f"another process exports into {path}; wait for it") from None
    return descriptor


def _emptied(path: Path) -> Path:
    """Return a folder with nothing in it; what a killed export left goes away."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def _prefix(order: Order) -> str:
    """Return what the names of files begin with."""
    site = order.sites[0].partition("://")[2] or order.sites[0] if len(order.sites) == 1 else ""
    return _UNUSUAL.sub("-", site).strip("-.")[:80] or "dlweb"


def _title(order: Order) -> str:
    sites = ", ".join(order.sites) or "everything"
    first = f", from {order.first[:8]}" if order.first else ""
    last = f", to {order.last.rstrip('~')[:8]}" if order.last else ""
    return f"{sites}{first}{last}"


def _details(order: Order) -> Fields:
    title = re.sub(r"[\x00-\x1f\x7f]", " ", _title(order))
    return (("software", SOFTWARE), ("isPartOf", _prefix(order)), ("description", title))
