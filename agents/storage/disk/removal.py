"""Taking away: what is damaged goes to quarantine, what is one too many goes for good.

The log says `gone` before anything is gone, so that a crash in between leaves a file that nobody
counts on, and never one that is counted on and not there.
"""

import errno
import shutil
import time
from contextlib import suppress
from pathlib import Path

from agents.storage.disk.additions import Entry
from agents.storage.disk.append import Marks
from agents.storage.disk.depot import Depot, is_sound_in_place
from agents.storage.disk.durable import SyncSet
from agents.storage.disk.examining import examine_structure
from agents.storage.disk.layout import Kind, Layout
from agents.storage.errors import Changed


class Removal:
    """Something that goes; one step of a batch each method (see `commit.Write`).

    Attributes:
        kind, key: what.
        weight, created: as those of any write.
    """

    weight = 1000
    created = False

    def __init__(
        self, layout: Layout, depot: Depot, marks: Marks, kind: Kind, key: str, mark: str = ""
    ) -> None:
        """Take away a replica; of a structure file only one that has this mark."""
        self.kind, self.key = kind, key
        self._layout, self._depot, self._marks, self._mark = layout, depot, marks, mark
        self.gone = False

    @property
    def publishes(self) -> bool:
        """Never: what goes is said first."""
        return False

    def stage(self, sync: SyncSet) -> None:
        """See whether it is still what shall go.

        Raises:
            Changed: somebody has recorded a capture in it.
            OSError: the system could not read it.
        """
        if self.kind == "structures" and f"{self._marks.of(self.key)[1]:016x}" != self._mark:
            raise Changed(f"the structure file {self.key} is not of the mark {self._mark} now")
        away = self.kind == "contents" and self._depot.size_of(self.key) is not None
        self.gone = away or self._layout.path(self.kind, self.key).exists()

    def publish(self, sync: SyncSet) -> None:
        """Do nothing yet: it must be said first."""

    def entries(self) -> list[Entry]:
        """Return what the log says: that it is gone."""
        return [Entry(self.kind, self.key, 0, gone=True)] if self.gone else []

    def result(self) -> bool:
        """Take the files away, which the log has said durably; return whether there were any."""
        if self.gone:
            for path in self._paths():
                with suppress(FileNotFoundError):
                    self._take(path)
            if self.kind == "contents":
                self._depot.forget(self.key)
            self._marks.forget(self.key)
        return self.gone

    def discard(self) -> None:
        """Leave all as it is."""

    def _paths(self) -> list[Path]:
        if self.kind == "contents":
            return [self._layout.content(self.key)]
        return [self._layout.captures(self.key), self._layout.heads(self.key)]

    def _take(self, path: Path) -> None:
        path.unlink()


class Quarantine(Removal):
    """What an audit found damaged, or not there at all; looked at once more, as nobody writes now.

    Of a structure file the sound lines stay, and the whole of what it was goes to quarantine; its
    mark then differs from that of other copies, and so it is merged with them.
    """

    def __init__(self, layout: Layout, depot: Depot, marks: Marks, kind: Kind, key: str) -> None:
        super().__init__(layout, depot, marks, kind, key)
        self._time = int(time.time())
        self._sound: list[bytes] = []
        self._entry: Entry | None = None

    @property
    def publishes(self) -> bool:
        """Whether sound lines are to take the place of all."""
        return self._entry is not None

    def stage(self, sync: SyncSet) -> None:
        """See whether it is damaged, and what of it is not.

        Raises:
            OSError: the system could not write.
            StoreUnreachable: the depot does not answer.
        """
        if self.kind == "contents":
            self.gone = not is_sound_in_place(self._layout, self._depot, self.key)
            return
        try:
            found = examine_structure(self._layout, self.key)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EIO):
                raise
            self.gone = True
            return
        self.gone = not found.sound
        if found.whole or self.gone:
            return
        for path in self._paths():
            copy = self._place(path)
            shutil.copyfile(path, copy)
            sync.add(str(copy))
        self._draft.write_bytes(b"".join(found.sound))
        sync.add(str(self._draft))
        self._sound = found.sound
        self._entry = Entry(self.kind, self.key, len(found.sound), f"{found.mark:016x}")

    def publish(self, sync: SyncSet) -> None:
        """Put the sound lines in the place of all.

        Raises:
            OSError: the system could not.
        """
        if self._entry is None:
            return
        self._marks.forget(self.key)
        path = self._layout.captures(self.key)
        self._draft.rename(path)
        sync.add(str(path.parent))

    def entries(self) -> list[Entry]:
        """Return what the log says: that it is gone, or what is left of it."""
        return super().entries() if self._entry is None else [self._entry]

    def result(self) -> bool:
        """Take away what is gone; return whether anything was damaged."""
        return super().result() or self._entry is not None

    @property
    def _draft(self) -> Path:
        return self._layout.incoming / f"{self.key}.sound"

    def _place(self, path: Path) -> Path:
        return self._layout.quarantine / f"{path.name}.{self._time}"

    def _take(self, path: Path) -> None:
        path.rename(self._place(path))
