"""Reads the disks of storage nodes with no archive running: pure functions of folders."""

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from agents.capture import Capture, structure_key
from agents.dates import to_datetime
from agents.storage.disk import scan
from agents.storage.disk.journal import find_in_journals
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
            DamagedStructure: no copy of a structure file says its URL; all others were yielded.
        """
        listings = [
            ((key, number) for key in scan.keys(layout, "structures"))
            for number, layout in enumerate(self._layouts)
        ]
        damage: list[DamagedStructure | OSError] = []
        for key, copies in groupby(heapq.merge(*listings), key=itemgetter(0)):
            url, wrong = self._url_of(key, [self._layouts[number] for _, number in copies])
            if url is None:
                damage += wrong[:1]
            elif url.startswith(prefix):
                yield url
        if damage:
            raise DamagedStructure(f"{len(damage)} structure files name no URL: {damage[0]}")

    def _url_of(
        self, key: str, copies: Sequence[Layout]
    ) -> tuple[str | None, list[DamagedStructure | OSError]]:
        """Return the URL that the first sound copy says, and what is wrong with those before."""
        wrong: list[DamagedStructure | OSError] = []
        for layout in copies:
            try:
                url = url_of(layout, key)
                if structure_key(url) == key:
                    return url, wrong
                wrong.append(DamagedStructure(f"{layout.heads(key)} is of {url[:200]!r}"))
            except (DamagedStructure, OSError) as error:
                wrong.append(error)
        return None, wrong

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

    def content(self, key: str) -> Path | bytes | None:
        """Return the file of a content, or its bytes when only a journal has it; None for neither.

        What a journal has gets a file, so that a file that was not there may be a moment later.
        """
        for _ in range(2):
            for layout in self._layouts:
                if layout.content(key).is_file():
                    return layout.content(key)
            for layout in self._layouts:
                if (body := find_in_journals(layout.root, key)) is not None:
                    return body
        return None
