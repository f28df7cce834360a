"""The logs of a stream, from the archive."""

from twisted.logger import Logger

from agents.capture import Capture
from agents.consultation.errors import ConsultationError, LookupFailed, NodesFailed
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.streams.entries import LONGEST
from agents.consultation.streams.legs import seconds
from agents.consultation.streams.logs import LOG_LIMIT, StreamLog, log_of
from agents.dates import from_timestamp
from agents.stream import log_name
from anet.errors import AnetError

_LOOKED_AT = 2000  # logs before a date: of a stream that breaks off each five seconds
_TRIED = 3  # of them that are read

_log = Logger()


class Noted:
    """Finds and reads logs.

    Args:
        retrieval: looks them up.
    """

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval

    async def of_piece(self, stream: str, content: str, date: str) -> StreamLog | None:
        """Return the log of a piece that was being received at a date; None where there is none."""
        first = from_timestamp(seconds(date) - LONGEST)
        try:
            lines = await self._retrieval.some(log_name(stream), first, date, _LOOKED_AT)
        except (LookupFailed, NodesFailed) as error:
            _log.warn("the log of {stream} is not at hand: {error}", stream=stream, error=error)
            return None
        for line in reversed(lines[-_TRIED:]):
            log = await self.read(line)
            if log is not None and log.content == content:
                return log
        return None

    async def read(self, line: CaptureLine) -> StreamLog | None:
        """Return one log; None when it cannot be had now, or is none."""
        capture = Capture(line.url, line.date, line.content, line.size, line.status, b"")
        span = (0, LOG_LIMIT) if line.size > LOG_LIMIT else None
        try:
            content = await self._retrieval.open(capture, span)
            pieces = [piece async for piece in content] if content is not None else []
        except (ConsultationError, AnetError) as error:
            _log.warn("the log {key} cannot be read: {error}", key=line.content, error=error)
            return None
        return log_of(b"".join(pieces))
