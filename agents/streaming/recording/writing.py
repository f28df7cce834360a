"""What the thread does: it writes, syncs, and gives what has ended to the captures. It blocks.

A piece goes this way: busy, while bytes of it wait in memory; whole, once its log has an end;
given, once the captures have it, which is after a sync; gone, after the sync behind that. Killed at
any moment, the next process does the last step again, and no more.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import frozen
from twisted.logger import Logger

from agents.collected import Captures, Closed
from agents.streaming.recording.closing import closed, log_key, read_piece, remove
from agents.streaming.recording.errors import DamagedPiece
from agents.streaming.recording.files import LOG, PieceFiles
from agents.streaming.recording.log import Changes
from agents.streaming.recording.recovering import Left, Recovered, outcome, pieces_left
from anet.durable import sync_file_system

_log = Logger()


@frozen
class Batch:
    """What came of a piece."""

    files: PieceFiles
    changes: Changes


@frozen
class Done:
    """How a flush went.

    Attributes:
        waiting: bytes that are in memory yet.
        pieces: that are in the captures for good now.
        problem: why the disk did not take all of it; or empty.
    """

    waiting: int
    pieces: int
    problem: str


class Writing:
    """Has the files of all pieces.

    Args:
        folder: where they are.
        captures: take what has ended.
    """

    def __init__(self, folder: Path, captures: Captures) -> None:
        self._folder, self._captures = folder, captures
        self._open: set[str] = set()  # paths of pieces of this process
        self._busy: dict[PieceFiles, None] = {}  # in the order of their beginnings
        self._whole: list[str] = []
        self._given: list[str] = []

    def flush(self, batches: Sequence[Batch], due: bool) -> Done:
        """Write what came and what waits; if it is due, sync, and give away what has ended."""
        for batch in batches:
            batch.files.take(batch.changes)
            self._busy[batch.files] = None
            self._open.add(batch.files.path)
        problem, pieces = "", 0
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            problem = self._write()
            pieces = self._settle() if due else 0
        except OSError as error:
            problem = str(error)
        return Done(sum(files.waiting for files in self._busy), pieces, problem)

    def look(self) -> tuple[list[Left], list[Recovered]]:
        """Return what other processes left, and for each stream where its last piece ended.

        Raises:
            OSError: the disk refuses.
        """
        found: dict[str, Recovered] = {}
        left = pieces_left(self._folder, self._open)
        for ended in map(outcome, left):
            if ended.stream not in found or found[ended.stream].date < ended.date:
                found[ended.stream] = ended
        return left, list(found.values())

    def take_over(self, pieces: Sequence[Left]) -> None:
        """Give whole pieces to the captures, but for those that these had before the kill.

        Raises:
            OSError: the disk refuses.
        """
        begun = {log_key(each.path): each for each in pieces if _is_linked(each)}
        had = self._captures.recorded(begun)  # the capture of its log is the last of a piece
        firsts = [begun[key].begin.line for key in begun.keys() - had]
        self._captures.forget({(line.stream, line.date) for line in firsts})
        gone = {begun[key].path for key in had}
        contents = _contents(piece.path for piece in pieces if piece.path not in gone)
        sync_file_system(self._folder)
        self._captures.put([each for found in contents.values() for each in found])
        sync_file_system(self._folder)
        for path in gone | contents.keys():
            remove(path)

    def _write(self) -> str:
        """Write what waits; return why not all of it could be."""
        problem = ""
        for files in list(self._busy):
            try:
                files.write()
            except OSError as error:
                problem = str(error)
                continue
            if files.is_idle:
                del self._busy[files]
                if files.ended:
                    self._whole.append(files.path)
        return problem

    def _settle(self) -> int:
        """Make all that was written durable; move each piece that has ended a step on."""
        sync_file_system(self._folder)
        if self._whole:
            contents = _contents(self._whole)
            self._captures.put([each for found in contents.values() for each in found])
            self._given += contents
            self._whole = []
        if self._given:
            sync_file_system(self._folder)
        given = len(self._given)
        while self._given:
            remove(self._given[-1])
            self._open.discard(self._given.pop())
        return given


def _is_linked(piece: Left) -> bool:
    """Tell whether the captures had begun to take a piece."""
    return Path(piece.path + LOG).stat().st_nlink > 1


def _contents(paths: Iterable[str]) -> dict[str, list[Closed]]:
    """Return the contents of pieces by their paths; those that somebody has damaged stay."""
    contents: dict[str, list[Closed]] = {}
    for path in paths:
        try:
            contents[path] = closed(read_piece(path))
        except DamagedPiece as error:
            _log.error("{error}; it stays where it is", error=error)
    return contents
