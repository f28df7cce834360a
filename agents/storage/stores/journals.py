"""What a disk has in its journal only, for readers of the disk beside its node, or without one."""

from pathlib import Path

from attrs import frozen

from agents.storage.disk.journal import records


@frozen
class Place:
    """Where a content lies.

    Attributes:
        path: the file.
        offset: where in it the content begins.
        size: its bytes.
    """

    path: Path
    offset: int
    size: int


class JournalReader:
    """Reads the journal of a disk, again whenever it has changed.

    Its methods block, and may be called from several threads.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / "journal"
        self._read: tuple[list[tuple[Path, int, int]], dict[str, Place]] = [], {}

    def places(self) -> dict[str, Place]:
        """Return where each content is that the journal holds.

        Raises:
            OSError: the system could not read it.
        """
        paths = sorted(self._folder.glob("[12]"))
        seen = [(path, (told := path.stat()).st_size, told.st_mtime_ns) for path in paths]
        read, places = self._read
        if seen != read:
            places = {}
            for path in paths:
                with path.open("rb") as file:
                    for key, offset, size in records(file.fileno()):
                        places[key] = Place(path, offset, size)
            self._read = seen, places
        return places
