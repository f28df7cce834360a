"""The disks that a node has had, so that an empty mount point is not taken for a new disk.

A disk that is not mounted leaves an empty folder behind, on the disk of the system. A node that
made a new disk of it would fill the wrong one, and hide that one is missing.
"""

from collections.abc import Mapping
from pathlib import Path

from anet.durable import sync_path


class KnownDisks:
    """A text file with a line `NAME FOLDER` for each disk; one that is lost does no harm."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def name_at(self, folder: Path) -> str:
        """Return the name of the disk that was last in a folder, or an empty text."""
        return self._read().get(str(folder), "")

    def missing(self, folder: Path) -> str:
        """Say what to do about a folder whose disk is not there; empty when all is well."""
        name = self.name_at(folder)
        if not name or (folder / "layout").exists():
            return ""
        return (
            f"the disk {name} was in {folder} and is not: mount it, and it is taken up; "
            f"for a new disk in this place, take the line {name} out of {self._path} and start "
            "the node again"
        )

    def keep(self, disks: Mapping[str, Path]) -> None:
        """Take note of the disks that are there, by name; writes only what is new.

        Raises:
            OSError: the system could not.
        """
        before = self._read()
        here = {str(folder): name for name, folder in disks.items()}
        moved = {folder: name for folder, name in before.items() if name not in disks}
        now = moved | here
        if now == before:
            return
        draft = self._path.with_name(self._path.name + ".new")
        draft.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.write_text("".join(f"{name} {folder}\n" for folder, name in now.items()), "utf-8")
        sync_path(draft)
        draft.rename(self._path)

    def _read(self) -> dict[str, str]:
        try:
            lines = self._path.read_text("utf-8", "surrogateescape").splitlines()
        except FileNotFoundError:
            return {}
        pairs = (line.partition(" ") for line in lines)
        return {folder: name for name, _, folder in pairs if name and folder}
