"""The monthly batches of an export, in place of files with serial names. For one thread; blocks."""

from collections.abc import Sequence
from pathlib import Path

from zope.interface import implementer

from agents.archive.errors import ArchiveError
from agents.archive.exporting.figures import Figures, tell, told_of
from agents.archive.exporting.items import Item, WholeFile
from agents.archive.exporting.made import Group, IWriting
from agents.archive.exporting.selection import Selection
from anet.formats.batch_index import BatchesError
from anet.formats.batch_writing import BatchWriter

FOLDER = "batches"
_COMMITTED = 64 << 20  # bytes after which what was written is made durable


@implementer(IWriting)
class Batching:
    """Writes pages into batches in the order of the selection, which is that of dates.

    Args:
        folder: of the export; the batches are in `batches` in it.
        selection: says what is left, and keeps what could not be given.
        suffix: of data files.
        size: bytes of a data file.

    Attributes:
        figures: how the export is getting on.
    """

    def __init__(self, folder: Path, selection: Selection, suffix: str, size: int) -> None:
        self.figures = Figures()
        self._folder, self._selection = folder, selection
        self._suffix, self._size = suffix, size
        self._writer: BatchWriter
        self._last = 0
        self._since = 0  # bytes that are not durable yet

    def begin(self) -> int:
        """Go on after the last commit; return the place of the last item in it.

        Raises:
            ArchiveError: the batches cannot be gone on with.
        """
        try:
            self._writer = BatchWriter(self._folder / FOLDER, self._suffix, self._size)
        except BatchesError as error:
            raise ArchiveError(str(error)) from None
        if self._writer.note:
            place, _, told = self._writer.note.partition(" ")
            self._last, self.figures = int(place), told_of(told)
        self.figures.take_up(self._selection, self._last)
        return self._last

    def write(self, groups: Sequence[tuple[Item, Group]]) -> None:
        """Write what was made of some items.

        Raises:
            OSError: the disk is full, or broken.
        """
        problems: list[tuple[int, str]] = []
        for item, group in groups:
            lost = list(group.problems)
            for made in group.records:
                try:
                    self._writer.add(made.date, made.pieces())
                except BatchesError as error:
                    lost.append(f"{item.capture.url} of {made.date}: {error}")
                made.close()
            problems += [(item.place, words) for words in lost]
            self._last = item.place
            self._since += group.bytes
            self.figures.take(group, item.capture.size)
        self._selection.keep((), problems)
        if self._since >= _COMMITTED:
            self._commit()

    def finish(self) -> None:
        """Make the last pages durable, and keep that all is given."""
        self._commit()
        self._writer.close()
        for path in sorted((self._folder / FOLDER).rglob(f"*{self._suffix}")):
            name = str(path.relative_to(self._folder))
            self._selection.note(WholeFile(name, self._last, path.stat().st_size, ""))
        self._selection.written(tell(self.figures))

    def abandon(self) -> None:
        """Forget what is not durable."""
        self._writer.close()

    def _commit(self) -> None:
        self._writer.commit(f"{self._last} {tell(self.figures)}")
        self._since = 0
