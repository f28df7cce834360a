"""The log of holes on the disk: a JSON line for each change, of which the last of a URL counts.

It is written every few seconds, so a kill loses those alone; a line that was cut off is left out.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from agents.consultation.faults.missing import Hole
from anet.durable import sync_path

_LINE_LIMIT = 16_384  # bytes
_ROUNDS = 4  # changes of each hole, after which the file is written anew
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Hole).decode


class MissingLog:
    """The file. All of it blocks: call it in one worker.

    Args:
        path: of the file.
        limit: holes that are kept.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path, self._limit = path, limit
        self._lines = 0
        self._whole = False  # the last line, as far as is known

    def read(self) -> list[Hole]:
        """Return the holes of a former run, the oldest first; what is damaged is left out.

        Raises:
            OSError: the file cannot be read.
        """
        found: dict[str, Hole] = {}
        try:
            with self._path.open("rb") as file:
                while line := file.readline(_LINE_LIMIT):
                    self._take(line, found)
        except FileNotFoundError:
            return []
        return list(found.values())

    def _take(self, line: bytes, found: dict[str, Hole]) -> None:
        try:
            hole = _decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
        found.pop(hole.url, None)
        found[hole.url] = hole
        if len(found) > self._limit:
            del found[next(iter(found))]
        self._lines += 1

    def add(self, holes: Iterable[Hole]) -> bool:
        """Write changes; tell whether the file should be written anew, because it has grown long.

        Raises:
            OSError: the disk refuses.
        """
        lines = [_encode(hole) + b"\n" for hole in holes]
        with self._path.open("ab") as file:
            if self._cut_off(file.tell()):
                file.write(b"\n")
            self._whole = False
            file.writelines(lines)
        self._whole = True
        self._lines += len(lines)
        return self._lines > _ROUNDS * self._limit

    def _cut_off(self, size: int) -> bool:
        """Tell whether the last line, of a former run or on a full disk, has no end."""
        if self._whole or not size:
            return False
        with self._path.open("rb") as file:
            file.seek(size - 1)
            return file.read(1) != b"\n"

    def renew(self, holes: Iterable[Hole]) -> None:
        """Write the file anew, durably.

        Raises:
            OSError: the disk refuses; the file stays as it was.
        """
        draft = self._path.with_name(f"{self._path.name}.new")
        lines = [_encode(hole) + b"\n" for hole in holes]
        with draft.open("wb") as file:
            file.writelines(lines)
        sync_path(draft)
        draft.rename(self._path)
        sync_path(self._path.parent)
        self._lines = len(lines)
