"""All that an agent records, on its way to the disk and into the archive."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from twisted.internet.defer import DeferredLock
from twisted.logger import Logger

from agents import dates
from agents.collected import Captures
from agents.streaming.recording.beginning import Beginning
from agents.streaming.recording.files import PieceFiles
from agents.streaming.recording.log import OpenLog, StreamLog
from agents.streaming.recording.piece import OpenPiece
from agents.streaming.recording.recovering import Left, Recovered, make_whole
from agents.streaming.recording.writing import Batch, Writing
from anet.clock import wall
from anet.errors import Overloaded, Stopped
from anet.tasks import sleep
from anet.workers import Workers

WAITING = 128 * 2**20  # bytes in memory that are not on the disk yet, of all streams together
SYNC_EVERY = 10.0  # seconds between two syncs of the file system
_AT_ONCE = 50  # pieces that go to the captures in one go, once they are whole

_log = Logger()


class Recorder:
    """Records streams.

    Call `look` before anything else, then `flush` once a second, and `stop` at the end. `recover`
    goes on meanwhile; the agent's directories are not offered before it has ended.

    Args:
        reactor: which reactor.
        workers: one thread that does all of it, in order; the same as that of `captures`.
        folder: for pieces that are open, on the file system of the crawls.
        captures: takes what is closed.
        waiting: bytes in memory that are not on the disk yet, of all streams together, at most.
        sync_every: seconds after which what was written is made durable, and what has ended goes
            to the captures.

    Attributes:
        problem: why the disk takes nothing now; empty while all is well.
        pieces: pieces and logs that were given to the captures, since the start.
    """

    def __init__(
        self,
        reactor: Any,
        workers: Workers,
        folder: Path,
        captures: Captures,
        waiting: int = WAITING,
        sync_every: float = SYNC_EVERY,
    ) -> None:
        self.problem = ""
        self.pieces = 0
        self._reactor, self._workers, self._folder = reactor, workers, folder
        self._limit, self._sync_every = waiting, sync_every
        self._writing = Writing(folder, captures)
        self._batches: list[Batch] = []  # that the thread has not seen yet
        self._fresh = self._handed = 0  # bytes in memory, here and with the thread
        self._open: dict[StreamLog, PieceFiles] = {}  # in the order in which they began
        self._numbers = count()
        self._lock = DeferredLock()
        self._synced = reactor.seconds()
        self._left: list[Left] = []

    def begin(self, beginning: Beginning) -> OpenPiece:
        """Begin a session of an endless stream; nothing is on the disk before the next flush."""
        piece = OpenPiece(beginning, self, self._following)
        self._open[piece] = self._files(beginning, True)
        return piece

    def begin_log(self, beginning: Beginning) -> OpenLog:
        """Begin the log of a stream that is kept in segments; end it after an hour, say."""
        log = OpenLog(beginning, self)
        self._open[log] = self._files(beginning, False)
        return log

    def take(self, size: int) -> bool:
        """Take memory for what waits for the disk, if there is enough."""
        if self.waiting + size > self._limit:
            return False
        self._fresh += size
        return True

    async def flush(self) -> None:
        """Give the system all that came.

        Every so often that is made durable, and what has ended goes to the captures. It never
        fails: what the disk does not take stays in memory, and `problem` says why.
        """
        due = self._reactor.seconds() >= self._synced + self._sync_every
        await self._flush(due)

    async def look(self) -> list[Recovered]:
        """Return for each stream where the last piece ended that a killed process left.

        Raises:
            OSError: the disk refuses.
        """
        self._left, found = await self._workers.run(self._writing.look)
        return found

    async def recover(self) -> None:
        """Close what a look found, up to the last byte that was written.

        Each piece is a job of its own, for what comes in has to be written in between.

        Raises:
            OSError: the disk refuses; what is there stays for the next process.
        """
        left, self._left = self._left, []
        for first in range(0, len(left), _AT_ONCE):
            some = left[first : first + _AT_ONCE]
            for each in some:
                await self._in_thread(make_whole, each)
            await self._in_thread(self._writing.take_over, some)

    async def stop(self) -> None:
        """End what is open, as "stopped", and give all that has ended to the captures."""
        now = wall(self._reactor)
        for log in self._open:
            log.end(now, log.milliseconds, "stopped")
        await self._flush(True)

    @property
    def waiting(self) -> int:
        """Bytes in memory that are not with the system yet."""
        return self._fresh + self._handed

    async def _in_thread(self, job: Callable[[Any], None], what: Any) -> None:
        """Do a job that can wait while others are in line."""
        while True:
            try:
                return await self._workers.run(job, what)
            except Overloaded:
                await sleep(self._reactor, 1.0)

    async def _flush(self, due: bool) -> None:
        await self._lock.acquire()
        try:
            self._hand_over()
            # The thread writes what it is given, also when nobody waits for it any more.
            batches, self._batches = self._batches, []
            try:
                done = await self._workers.run(self._writing.flush, batches, due)
            except (Overloaded, Stopped) as error:  # it has seen nothing of it
                self._batches = batches
                self.problem = str(error)
                return
            self._handed = done.waiting
            self.pieces += done.pieces
            if due and not done.problem:
                self._synced = self._reactor.seconds()
            self._tell(done.problem)
        finally:
            self._lock.release()

    def _hand_over(self) -> None:
        """Put together what came since the last time."""
        ended = []
        for log, files in self._open.items():
            changes = log.taken()
            if changes is not None:
                self._batches.append(Batch(files, changes))
                if log.ended:
                    ended.append(log)
        for log in ended:
            del self._open[log]
        self._handed += self._fresh
        self._fresh = 0

    def _tell(self, problem: str) -> None:
        """Log that the disk begins to refuse, and that it takes everything again."""
        if problem and not self.problem:
            _log.error("streams cannot be written, and wait in memory: {why}", why=problem)
        elif self.problem and not problem:
            _log.info("streams can be written again")
        self.problem = problem

    def _following(self, former: OpenPiece, beginning: Beginning) -> OpenPiece:
        following = OpenPiece(beginning, self, self._following)
        self._open[following] = self._files(beginning, True, self._open[former])
        return following

    def _files(
        self, beginning: Beginning, has_media: bool, follows: PieceFiles | None = None
    ) -> PieceFiles:
        path = self._folder / f"{dates.now(self._reactor)}-{next(self._numbers):08}"
        return PieceFiles(str(path), beginning, has_media=has_media, follows=follows)
