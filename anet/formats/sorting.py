"""More lines than memory holds, sorted: in runs on the disk, which are merged."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from heapq import merge
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

_MEMORY = 32 << 20  # bytes of lines that are sorted at once
_OVERHEAD = 60  # bytes that a line takes in memory besides
_RUNS = 64  # files that are merged, and so open, at once


class SortedLines:
    """Takes lines, and gives them back in order, each once. Blocks.

    Runs lie in a folder of their own, which goes away with it.
    """

    def __init__(self, folder: Path, memory: int = _MEMORY) -> None:
        """Take a place for what does not stay in memory.

        Args:
            folder: there already; a temporary one is made inside.
            memory: bytes of lines that are held at once.
        """
        self._place = TemporaryDirectory(dir=folder, prefix="sorting-")
        self._memory = memory
        self._lines: list[bytes] = []
        self._size = 0
        self._levels: list[list[Path]] = []
        self._made = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._place.cleanup()

    def add(self, line: bytes) -> None:
        """Take a line, with its line end."""
        self._lines.append(line)
        self._size += len(line) + _OVERHEAD
        if self._size > self._memory:
            self._keep(self._written(_once(sorted(self._lines))), 0)
            self._lines.clear()
            self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        """Yield all lines that were added, in order; as often as it is asked."""
        runs = [run for level in self._levels for run in level]
        return _once(_merged(runs, sorted(self._lines)))

    def _keep(self, run: Path, depth: int) -> None:
        """Keep a run; as many as may be open at once become one of the next level."""
        if depth == len(self._levels):
            self._levels.append([])
        level = self._levels[depth]
        level.append(run)
        if len(level) == _RUNS:
            whole = self._written(_once(_merged(level, ())))
            for each in level:
                each.unlink()
            level.clear()
            self._keep(whole, depth + 1)

    def _written(self, lines: Iterable[bytes]) -> Path:
        self._made += 1
        path = Path(self._place.name, str(self._made))
        with path.open("wb") as file:
            file.writelines(lines)
        return path


def _merged(runs: Iterable[Path], lines: Iterable[bytes]) -> Iterator[bytes]:
    with ExitStack() as files:
        opened = [files.enter_context(run.open("rb")) for run in runs]
        yield from merge(*opened, lines)


def _once(lines: Iterable[bytes]) -> Iterator[bytes]:
    last = None
    for line in lines:
        if line != last:
            yield line
        last = line
