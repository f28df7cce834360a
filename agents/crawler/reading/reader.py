"""Reading a body while it arrives, without ever holding up the reactor for long."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.decoding import Decoding
from anet.tasks import sleep

TURN = 0.01  # seconds of reading after which others get their turn
_PIECE = 32 * 1024  # bytes given to a reader at once

_log = Logger()


class Reader(Protocol):
    """Reads a body chunk by chunk; it works while the steps are taken.

    A step that is a Deferred is waited for before the next is taken.
    """

    def feed(self, chunk: bytes) -> Iterable[object]:
        """Take the next bytes; each step is a short piece of work."""

    def close(self) -> Iterable[object]:
        """Take the end."""


class Reading:
    """Drives a reader.

    Args:
        clock: the reactor, which gets its turn after each `TURN`.
        reader: reads.
        coding: the `Content-Encoding` of the body; the reader gets it decoded.

    Attributes:
        failed: whether the reader gave up by an error of its own; it costs one document's links.
    """

    def __init__(self, clock: IReactorTime, reader: Reader, coding: str = "") -> None:
        self.failed = False
        self._stopped = False
        self._clock = clock
        self._reader = reader
        self._decoding = Decoding.of(coding) if coding else None
        self._pausing: Deferred[None] | None = None
        self._awaited: Any = None

    @property
    def cut(self) -> bool:
        """Whether a part of the body could not be decoded, or passes the limit of decoding."""
        return self._decoding is not None and self._decoding.cut

    def feed(self, chunk: bytes) -> Deferred[None] | None:
        """Take the next bytes; return what fires when they are read, or None when they are."""
        return self._take(self._steps(chunk))

    def close(self) -> Deferred[None] | None:
        """Take the end, likewise."""
        return self._take(iter(self._reader.close()))

    def stop(self) -> None:
        """Read no further."""
        self._stopped = True
        if self._pausing is not None:
            self._pausing.cancel()

    def _steps(self, chunk: bytes) -> Iterator[object]:
        for piece in (chunk,) if self._decoding is None else self._decoding.pieces(chunk):
            for start in range(0, len(piece), _PIECE):
                yield None
                yield from self._reader.feed(piece[start : start + _PIECE])

    def _take(self, steps: Iterator[object]) -> Deferred[None] | None:
        if self.failed or self._stopped or self._turn(steps):
            return None
        self._pausing = Deferred.fromCoroutine(self._later(steps))
        return self._pausing

    async def _later(self, steps: Iterator[object]) -> None:
        while True:
            awaited, self._awaited = self._awaited, None
            await (awaited or sleep(self._clock, 0))
            if self._turn(steps):
                return

    def _turn(self, steps: Iterator[object]) -> bool:
        """Read for one turn; tell whether all has been read."""
        seconds = self._clock.seconds
        until = seconds() + TURN
        try:
            for step in steps:
                if step.__class__ is Deferred:
                    self._awaited = step
                    return False
                if seconds() >= until:
                    return False
        except OSError:  # the disk does not take what was found: no fault of the document
            raise
        except Exception:
            _log.failure("a parser failed; the links of its document are lost")
            self.failed = True
        return True
