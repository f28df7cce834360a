"""All that an agent records, on its way to the disk and into the archive."""

from pathlib import Path
from typing import Any

from attrs import frozen

from agents.collected import Captures
from agents.streaming.recording.beginning import Beginning
from agents.streaming.recording.log import OpenLog
from agents.streaming.recording.piece import OpenPiece
from anet.workers import Workers

WAITING = 128 * 2**20  # bytes in memory that are not on the disk yet, of all streams together


@frozen
class Recovered:
    """A piece that a killed process left, and that was closed now.

    Attributes:
        stream: its URL.
        date: of the last byte that reached the disk; a gap begins there.
        title: what was on the air last; or empty.
    """

    stream: str
    date: str
    title: str = ""


class Recorder:
    """Records streams.

    Call `recover` once before anything else (and before the agent's directories are offered),
    `flush` once a second, and `stop` at the end.

    Args:
        reactor: which reactor.
        workers: one thread that does all of it, in order; the same as that of `captures`.
        folder: for pieces that are open, on the file system of the crawls.
        captures: takes what is closed.
        waiting: bytes in memory that are not on the disk yet, of all streams together, at most.

    Attributes:
        problem: why the disk takes nothing now; empty while all is well.
        pieces: closed and given to the captures, since the start.
    """

    def __init__(
        self,
        reactor: Any,
        workers: Workers,
        folder: Path,
        captures: Captures,
        waiting: int = WAITING,
    ) -> None:
        self.problem = ""
        self.pieces = 0

    def begin(self, beginning: Beginning) -> OpenPiece:
        """Begin a session of an endless stream; nothing is on the disk before the next flush."""
        raise NotImplementedError

    def begin_log(self, beginning: Beginning) -> OpenLog:
        """Begin the log of a stream that is kept in segments; end it after an hour, say."""
        raise NotImplementedError

    async def flush(self) -> None:
        """Give the system all that came; every ten seconds it is made durable, and what has ended
        goes into the archive. It never fails: what the disk does not take stays, see `problem`.
        """

    async def recover(self) -> list[Recovered]:
        """Close what a killed process left open, up to the last byte that it had written.

        Raises:
            OSError: the disk refuses; what is there stays for another time.
        """
        return []

    async def stop(self) -> None:
        """End what is open, as "stopped", and give all that is closed to the captures."""
