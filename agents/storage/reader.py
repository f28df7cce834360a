"""Reads the disks of storage nodes with no archive running: pure functions of folders."""

import heapq
from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.capture import Capture, structure_key
from agents.dates import to_datetime
from agents.storage.disk import scan
from agents.storage.disk.layout import Layout
from agents.storage.disk.structures import read_captures, url_of
from agents.storage.errors import DamagedStructure


class DiskReader:
    """Any number of storage folders, read as one archive; some may be missing the others' files.

    Args:
        directories: folders of storage nodes, `var/storage-1`.

    Raises:
        LayoutRefused: one of them is no storage folder, or of another version.
    """

    def __init__(self, directories: Sequence[Path]) -> None:
        self._layouts = [Layout(directory) for directory in directories]
        for layout in self._layouts:
            layout.check()

    def urls(self, prefix: str = "") -> Iterator[str]:
        """Yield archived URLs that begin with `prefix`, each once, in the order of their keys.

        Raises:
            DamagedStructure: a structure file does not say its URL.
        """
        listings = [
            ((key, number) for key in scan.keys(layout, "structures"))
            for number, layout in enumerate(self._layouts)
        ]
        former = ""
        for key, number in heapq.merge(*listings):
            if key != former:
                former = key
                url = url_of(self._layouts[number], key)
                if url.startswith(prefix):
                    yield url

    def captures(self, url: str) -> list[Capture]:
        """Return all captures of a URL, of all folders together, in the order of their dates.

        What is damaged in one copy is taken from another.

        Raises:
            DamagedStructure: there is nothing else.
        """
        found: dict[tuple[str, str], Capture] = {}
        damage: list[DamagedStructure] = []
        for layout in self._layouts:
            try:
                for capture in read_captures(layout, structure_key(url), damage=damage):
                    found.setdefault((capture.date, capture.content), capture)
            except DamagedStructure as error:
                damage.append(error)
        if damage and not found:
            raise damage[0]
        return [found[place] for place in sorted(found)]

    def nearest(self, url: str, date: str) -> Capture | None:
        """Return the capture nearest to a date of 20 digits, of two equally far the earlier.

        Raises:
            DamagedStructure: every copy of the structure file is damaged.
        """
        moment = to_datetime(date)
        captures = self.captures(url)
        return min(captures, key=lambda each: abs(to_datetime(each.date) - moment), default=None)

    def content(self, key: str) -> Path | None:
        """Return the file of a content, or None when no folder has it."""
        paths = (layout.content(key) for layout in self._layouts)
        return next((path for path in paths if path.is_file()), None)
