"""How the catalogue learns of streams: by reading their logs as they come into the archive.

Whoever follows the storage nodes tells which logs grew; at the start all are looked at, so that
nothing is missed whenever one was killed. A log that was read is not read again.
"""

import sqlite3
from datetime import timedelta

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.lookup.retrieval import NEWEST, Retrieval
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.streams.legs import seconds
from agents.consultation.streams.noted import Noted
from agents.consultation.streams.tables import Tables
from agents.dates import from_datetime, from_timestamp, to_datetime
from agents.stream import LOG_SCHEME
from anet.errors import Overloaded, Stopped
from anet.tasks import Tasks, every, sleep
from anet.workers import Workers

PART = 500  # logs looked up at once
LATE = 2 * 86400.0  # seconds by which a log may come after a later one, and be found at once
PERIOD = 5.0  # seconds between two looks at what grew
PAUSE = 0.02  # seconds between two logs, so that readers come first
WAITING = 100_000  # streams that may wait

_EARLIEST = "00010101000000000000"
_log = Logger()


class Reading:
    """Reads logs.

    Args:
        clock: for all waiting.
        retrieval: finds logs.
        tables: take in what they say.
        workers: one thread, whose the tables are.
    """

    def __init__(
        self, clock: IReactorTime, retrieval: Retrieval, tables: Tables, workers: Workers
    ) -> None:
        self._clock, self._retrieval, self._noted = clock, retrieval, Noted(retrieval)
        self._tables, self._workers = tables, workers
        self._grown: dict[str, None] = {}
        self._whole: set[str] = set()
        self._tasks = Tasks()

    @property
    def waiting(self) -> int:
        """Streams whose logs grew and were not read yet."""
        return len(self._grown)

    def heard(self, names: list[str]) -> None:
        """Note names that came into the archive, or grew; those that are of no logs pass."""
        for name in names:
            if name.startswith(LOG_SCHEME) and len(self._grown) < WAITING:
                self._grown[name.removeprefix(LOG_SCHEME)] = None

    def start(self) -> None:
        """Begin to read."""
        self._tasks.start(every(self._clock, PERIOD, self.read), "reading logs of streams")

    async def stop(self) -> None:
        """Read no more."""
        await self._tasks.stop()

    async def read(self) -> None:
        """Read what is new in all logs that grew; those that cannot be read now wait."""
        for stream in list(self._grown):
            del self._grown[stream]
            try:
                await self._read(stream)
            except (LookupFailed, NodesFailed, sqlite3.Error, Overloaded) as error:
                _log.info("logs of {stream} were not read: {error}", stream=stream, error=error)
                self._grown[stream] = None
            except Stopped:
                return

    async def _read(self, stream: str) -> None:
        """Read the logs of a stream that were not read: all of them once, then the last days."""
        name, first = LOG_SCHEME + stream, await self._since(stream)
        while lines := await self._retrieval.some(name, first, NEWEST, PART):
            await self._take(stream, lines)
            first = next_date(lines[-1].date)
        self._whole.add(stream)

    async def _since(self, stream: str) -> str:
        """Return the date from which on logs may be new."""
        known = await self._workers.run(self._tables.stream, stream)
        if known is None or stream not in self._whole:
            return _EARLIEST
        return from_timestamp(max(0.0, seconds(known.last) - LATE))

    async def _take(self, stream: str, lines: list[CaptureLine]) -> None:
        span = stream, lines[0].date, lines[-1].date
        known = await self._workers.run(self._tables.known, *span)
        for line in lines:
            if (line.date, line.content) in known:
                continue
            log = await self._noted.read(line)
            if log is not None and log.begun.date == line.date:
                await self._workers.run(self._tables.take, stream, line.content, log)
            await sleep(self._clock, PAUSE)


def next_date(date: str) -> str:
    """Return the date that comes next: logs of one stream begin at different ones."""
    return from_datetime(to_datetime(date) + timedelta(microseconds=1))
