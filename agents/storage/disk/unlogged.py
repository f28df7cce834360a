"""What a batch of writes lets be seen before the log of additions says it, known after a crash too.

The file `unlogged` begins with `dlweb-unlogged 1 <log id> <position>`: how far the log was; each
line after it has the kind and the key of what is about to be published. It is durable before
anything is. So a start, or the next batch after one that failed, finds what the log does not say
by looking at a few files, and says it.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator

from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.append import read_mark
from agents.storage.disk.durable import SyncSet
from agents.storage.disk.layout import Kind, Layout
from anet.durable import sync_file_system

Place = tuple[Kind, str]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW  # a disk may bring links along
_LIMIT = 64 * 1024 * 1024  # bytes; more than any batch writes
_HEADER = re.compile(r"dlweb-unlogged 1 ([0-9a-f]{32}) ([0-9]{1,15})\n")
_LINE = re.compile(r"^(contents|structures) ([0-9a-f]{64})$", re.M)


class Unlogged:
    """The file of one disk; its methods block, and are called by one thread at a time."""

    def __init__(self, layout: Layout, additions: AdditionsLog) -> None:
        self._layout, self._additions = layout, additions
        self._path = layout.root / "unlogged"
        self._places: dict[Place, None] = {}

    def add(self, places: Iterable[Place], sync: SyncSet) -> None:
        """Write down what is about to be published; durable with the next flush of `sync`.

        Raises:
            OSError: the system could not.
        """
        places = list(places)
        if not places:
            return
        self._places.update(dict.fromkeys(places))
        if not self._path.exists():
            sync.add(str(self._layout.root))
        with os.fdopen(os.open(self._path, _NEW, 0o600), "w") as file:
            file.write(f"dlweb-unlogged 1 {self._additions.log} {self._additions.position}\n")
            file.writelines(f"{kind} {key}\n" for kind, key in self._places)
        sync.add(str(self._path))

    def left(self, logged: Collection[Place]) -> list[Entry]:
        """Return what else the log must say: of writes that failed half-way, in whichever batch.

        Args:
            logged: what it is told anyhow.

        Raises:
            OSError: the system could not read it, or not make it durable.
        """
        left = [place for place in self._places if place not in logged]
        if left:
            sync_file_system(self._layout.root)
        return list(self._entries(left))

    def clear(self) -> None:
        """Take note that the log says all."""
        self._places.clear()

    def recover(self) -> None:
        """Let the log say what a process that was killed has published; for a start.

        All that can be seen must be durable (see `Layout.tidy`).

        Raises:
            OSError: the system could not.
        """
        try:
            with self._path.open(encoding="ascii", errors="replace") as file:
                text = file.read(_LIMIT)
        except FileNotFoundError:
            return
        header = _HEADER.match(text)
        if header is None:
            return  # torn, and so nothing was published after it
        told = set(self._told(header[1], int(header[2])))
        places: list[Place] = _LINE.findall(text)
        missing = [each for each in self._entries(places) if each not in told]
        if missing:
            self._additions.append(missing)

    def _told(self, log: str, position: int) -> Iterator[Entry]:
        """Yield what the log says after a position; nothing of another log."""
        if log != self._additions.log:
            return
        while position < self._additions.position:
            part = self._additions.read(log, position)
            yield from part.entries
            if part.since != position or part.position <= position:
                return
            position = part.position

    def _entries(self, places: Iterable[Place]) -> Iterator[Entry]:
        for kind, key in places:
            entry = found(self._layout, kind, key)
            if entry is not None:
                yield entry


def found(layout: Layout, kind: Kind, key: str) -> Entry | None:
    """Return what a log of additions says of something on the disk; None for nothing. Blocks.

    Raises:
        OSError: the system could not read it.
    """
    if kind == "structures":
        count, mark = read_mark(layout, key)
        return Entry(kind, key, count, f"{mark:016x}") if count else None
    try:
        return Entry(kind, key, layout.content(key).lstat().st_size)
    except FileNotFoundError:
        return None
