"""The files of an export, with an index beside each. For one thread; blocks."""

import os
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from zope.interface import implementer

from agents.archive.errors import ArchiveError
from agents.archive.exporting.figures import Figures, tell, told_of
from agents.archive.exporting.items import Item, WholeFile
from agents.archive.exporting.made import Group, IForm, IWriting, Made
from agents.archive.exporting.selection import Selection
from agents.consultation.urls.surt import surt
from anet.durable import sync_path
from anet.formats.cdxj import cdxj_line
from anet.formats.serial import OPEN, Serial, SerialFiles, Written
from anet.formats.sorting import SortedLines

INDEX = ".cdxj"
_SPACE = re.compile(r"\s")


class FilesGone(ArchiveError):
    """Files that were whole are not there any more."""


@implementer(IWriting)
class Writing:
    """Writes what was made into files with serial names, and notes each in the selection.

    Args:
        folder: of the files.
        spool: a folder for what is too large for memory.
        selection: notes them.
        form: how files begin.
        prefix: of their names.
        size: bytes of a file.
        indexed: whether each gets an index.

    Attributes:
        figures: how the export is getting on.
    """

    def __init__(
        self,
        folder: Path,
        spool: Path,
        selection: Selection,
        form: IForm,
        prefix: str,
        size: int,
        *,
        indexed: bool,
    ) -> None:
        self.figures = Figures()
        self._folder, self._spool = folder, spool
        self._selection, self._form = selection, form
        self._prefix, self._size, self._indexed = prefix, size, indexed
        self._files: SerialFiles
        self._lines: SortedLines
        self._last = 0  # the place of the last item that was written

    def begin(self) -> int:
        """Go on after the files that are whole; return the place of the last item in them.

        Raises:
            FilesGone: some of them are not there any more.
        """
        serial = Serial(self._prefix, self._selection.begun, self._form.suffix)
        known = self._selection.files()
        serial.discard_open(self._folder)
        self._remove_unnoted(serial, known)
        check(self._folder, known)
        if known:
            self._last = known[-1].last
            self.figures = told_of(known[-1].told)
        self.figures.take_up(self._selection, self._last)
        self._lines = SortedLines(self._spool)
        self._files = SerialFiles(
            self._folder,
            serial,
            self._form.begin,
            self._size,
            count(len(known) + 1),
            self._finished,
        )
        return self._last

    def write(self, groups: Sequence[tuple[Item, Group]]) -> None:
        """Write what was made of some items.

        Raises:
            OSError: the disk is full, or broken.
        """
        self._keep(groups)  # before a file of these may become whole, and nothing is told again
        for item, group in groups:
            places = self._files.write(*(made.pieces() for made in group.records))
            for made, place in zip(group.records, places, strict=True):
                self._index(made, place)
                made.close()
            self._last = item.place
            self.figures.take(group, item.capture.size)

    def finish(self) -> None:
        """Make the last file whole, and keep that all is given."""
        self._files.close()
        self._lines.__exit__()
        self._selection.written(tell(self.figures))

    def abandon(self) -> None:
        """Remove what is half written."""
        self._files.abandon()
        self._lines.__exit__()

    def _keep(self, groups: Sequence[tuple[Item, Group]]) -> None:
        """Keep which pages there are in what was made, and what could not be made."""
        pages = [
            (item.place, made.url, made.date or item.capture.date, made.page)
            for item, group in groups
            for made in group.records
            if made.page is not None
        ]
        problems = [(item.place, words) for item, group in groups for words in group.problems]
        self._selection.keep(pages, problems)

    def _remove_unnoted(self, serial: Serial, known: Sequence[WholeFile]) -> None:
        """Remove files of a killed run that had their names and were not noted yet."""
        names = {file.name for file in known}
        for path in serial.whole(self._folder).values():
            if path.name not in names:
                path.unlink()

    def _index(self, made: Made, place: Written) -> None:
        if not self._indexed or not made.url:
            return
        is_web = made.url.startswith(("http://", "https://"))
        urlkey = surt(made.url) if is_web else _SPACE.sub("%20", made.url)
        line = cdxj_line(urlkey, made.kind, made.fields, made.head, place, made.posted)
        if line is not None:
            self._lines.add(line.encode())

    def _finished(self, path: Path) -> None:
        """Write the index of a file that is whole, and note the file."""
        size = path.stat().st_size
        if self._indexed:
            self._write_index(path.with_name(path.name + INDEX))
        self.figures.files += 1
        self.figures.file_bytes += size
        file = WholeFile(path.name, self._last, size, tell(self.figures))
        self._selection.note(file)

    def _write_index(self, path: Path) -> None:
        aside = path.with_name(path.name + OPEN)
        with aside.open("wb") as file:
            file.writelines(self._lines)
            file.flush()
            os.fsync(file.fileno())
        aside.rename(path)
        sync_path(self._folder)
        self._lines.__exit__()
        self._lines = SortedLines(self._spool)


def check(folder: Path, files: Sequence[WholeFile]) -> None:
    """Make sure that files are there as they were written.

    Raises:
        FilesGone: some are not.
    """
    for file in files:
        path = folder / file.name
        if not path.is_file() or path.stat().st_size != file.size:
            raise FilesGone(
                f"{path} was written, and is not there any more as it was: bring it back, or "
                f"remove {folder} and export again"
            )
