"""The log of a stream in segments: real time beside signal time, titles, and what is missing.

It is a content for each hour, and another one after each break (docs/reference/stream-logs.md).
The time of the signal is the sum of the lengths that manifests tell, counted from the first.
"""

from typing import Any, Protocol

from agents import dates
from agents.stream import OrderedStream
from agents.streaming.recording import Beginning, Gap, OpenLog
from agents.streaming.true_time import TrueTime
from anet.clock import wall
from anet.media.interface import Described, Said

HOUR = 3600.0  # seconds of a log


class Recording(Protocol):
    """What begins logs: the agent's `Recorder`."""

    def begin_log(self, beginning: Beginning) -> OpenLog:
        """Begin a log."""


class Chronicle:
    """What is logged of one stream.

    Args:
        reactor: which reactor.
        recorder: begins logs.
        ordered: which stream.
        interval: seconds between two entries of real time and signal time.

    Attributes:
        session: date at which the reception began; empty while there is none.
        true_time: of the signal beside real time, since then.
        title: the last one.
        titles: how many came.
        gaps: how often something was missing, or the reception broke off.
    """

    def __init__(
        self, reactor: Any, recorder: Recording, ordered: OrderedStream, interval: float
    ) -> None:
        self.session = ""
        self.true_time = TrueTime()
        self.title = ""
        self.titles = self.gaps = 0
        self._reactor, self._recorder = reactor, recorder
        self._ordered, self._interval = ordered, interval
        self._described: Described | None = None
        self._log: OpenLog | None = None
        self._number = 0
        self._began = self._log_began = self._noted = 0.0  # by the reactor's clock
        self._signal = self._log_signal = 0.0  # seconds

    @property
    def real(self) -> float:
        """Seconds since the reception began."""
        return float(self._reactor.seconds() - self._began) if self.session else 0.0

    @property
    def signal(self) -> float:
        """Seconds of signal since then."""
        return self._signal

    def begin(self, described: Described, heard: str, why: str) -> None:
        """Begin a session.

        Args:
            described: what is known of the stream.
            heard: date of what came last before; empty for a stream that is new.
            why: no more came then.
        """
        now, date = self._reactor.seconds(), dates.now(self._reactor)
        self.session, self.true_time = date, TrueTime()
        self._described, self._number = described, 0
        self._began, self._noted, self._signal = now, now - self._interval, 0.0
        gap = Gap(min(heard, date), date, why) if heard else None
        self.gaps += gap is not None
        self._begin_log(gap)

    def end(self, why: str) -> None:
        """End the session: "stopped", or "break: " and what happened."""
        if self._log is not None:
            self._log.end(wall(self._reactor), self._milliseconds(), why)
            self._log = None
        self.session = ""

    def advance(self, seconds: float, program: float | None = None) -> None:
        """Take note that so much signal was listed anew, all up to now.

        Args:
            seconds: of signal, whether it can be fetched or not.
            program: the date that the source gives to its end.
        """
        now = self._reactor.seconds()
        self._signal += seconds
        self.true_time.add(now - self._began, self._signal)
        if self._log is None or now < self._noted + self._interval:
            return
        self._noted = now
        said = "" if program is None else dates.to_iso(dates.from_timestamp(program))
        time = self.true_time
        self._log.enter(wall(self._reactor), self._milliseconds(), time.ratio, time.skew, said)
        if now >= self._log_began + HOUR:
            self._log.end(wall(self._reactor), self._milliseconds(), "time")
            self._begin_log(None)

    def say(self, said: Said) -> None:
        """Take what was said of what is on the air."""
        if said.title == self.title and said.title:
            return
        self.title = said.title or self.title
        self.titles += bool(said.title)
        if self._log is not None:
            self._log.title(wall(self._reactor), self._milliseconds(), said)

    def miss(self, since: str, until: str, why: str) -> None:
        """Log that something is missing."""
        self.gaps += 1
        if self._log is not None:
            gap = Gap(min(since, until), until, why)
            self._log.gap(wall(self._reactor), self._milliseconds(), gap)

    def mark(self, what: str) -> None:
        """Log that something happened to the stream."""
        if self._log is not None:
            self._log.mark(wall(self._reactor), self._milliseconds(), what)

    def _begin_log(self, gap: Gap | None) -> None:
        assert self._described is not None
        self._number += 1
        self._log_began, self._log_signal = self._reactor.seconds(), self._signal
        self._log = self._recorder.begin_log(
            Beginning(
                self._ordered.stream,
                self._ordered.site,
                self._described,
                wall(self._reactor),
                self._number,
                self.session,
                gap=gap,
            )
        )

    def _milliseconds(self) -> int:
        return round((self._signal - self._log_signal) * 1000)
