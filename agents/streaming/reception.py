"""What comes in over one connection to a stream, from its first byte to its break (*INA §1.6*).

Once a second all that came is taken: its bytes go to the open piece and through the signal clock,
what is said of it into the log, and now and then real time and signal time together. A piece that
is long or large enough is cut where the clock says that it may be.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import frozen

from agents import dates
from agents.stream import OrderedStream, canonical
from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT, StreamOffset
from agents.streaming.cutting import Cut, Lengths
from agents.streaming.noting import Moment, Noting
from agents.streaming.recording import Beginning, Gap, OpenPiece
from agents.streaming.true_time import TrueTime
from anet.clock import wall
from anet.media.errors import StreamBroken
from anet.media.interface import Heard, ILiveSource, ISignalClock, Media, Said
from anet.media.timing import clock_for

UNTOLD = 300.0  # seconds after which media of which no time can be told any more are begun anew
CLOCK_STEP = 1.0  # seconds by which dates may differ from the clock of this machine
SAID_LIMIT = 1000  # things said in a second; who says more would hold up all other streams
_EARLY = 100  # things said before the first byte that are remembered


class Recording(Protocol):
    """What begins pieces: the agent's `Recorder`."""

    def begin(self, beginning: Beginning) -> OpenPiece:
        """Begin a piece."""


@frozen
class Rules:
    """How streams are received.

    Attributes:
        silence: seconds without a byte after which one has broken off.
        log_interval: seconds between two entries of real time and signal time.
        lengths: of pieces.
    """

    silence: float
    log_interval: float
    lengths: Lengths


@frozen
class Break:
    """How a reception ended.

    Attributes:
        date: of its last byte.
        why: in a line.
    """

    date: str
    why: str


class Reception:
    """Receives a stream over one connection.

    Args:
        reactor: which reactor.
        recorder: begins its pieces.
        rules: how.
        ordered: which stream.
        source: where it comes from; closed at the end.
        before: how the reception before this one ended, if there was one.
        prior: the ratio that the reception before told, or 0.

    Attributes:
        source: as given.
        session: date of its first byte; empty before it.
        gap: the break before it; known with the first byte.
        received: bytes of media.
        titles: how many came.
        title: the last one.
        pieces: how many were closed.
        true_time: of the signal beside real time.
    """

    def __init__(
        self,
        reactor: Any,
        recorder: Recording,
        rules: Rules,
        ordered: OrderedStream,
        source: ILiveSource,
        before: Break | None,
        prior: float = 0.0,
    ) -> None:
        self.source = source
        self.session = ""
        self.gap: Gap | None = None
        self.received = self.titles = self.pieces = 0
        self.title = ""
        self.true_time = TrueTime(prior)
        self._reactor, self._recorder, self._rules = reactor, recorder, rules
        self._ordered, self._before = ordered, before
        self._early: list[Heard] = []
        now: float = reactor.seconds()
        self._began = self._heard = self._piece_began = now
        self._wall = 0.0  # the date of the moment `_began`
        self._clock: ISignalClock | None = None
        self._piece: OpenPiece | None = None
        self._start = (0, 0.0)  # byte and second of the signal at which the piece begins
        self._noting = Noting(rules.log_interval)
        self._moved = Moment(now, 0.0, 0)  # when the boundary did last

    # How it stands

    @property
    def heard(self) -> str:
        """The date of its last byte; empty before the first."""
        return dates.from_timestamp(self._date(self._heard)) if self.session else ""

    @property
    def real(self) -> float:
        """Seconds since its first byte."""
        return float(self._reactor.seconds() - self._began) if self.session else 0.0

    @property
    def signal(self) -> float:
        """Seconds of signal."""
        return 0.0 if self._clock is None else self._clock.seconds

    # Receiving

    def take(self) -> None:
        """Take what came since the last call.

        Raises:
            StreamEnded: the server says that it is over.
            StreamBroken: no more comes, or it is to be begun anew.
            DiskBehind: what comes cannot be kept.
        """
        now, before = self._reactor.seconds(), self.received
        for heard in self._taken(now):
            self._hear(heard, now)
        if self._clock is not None and self.received > before:
            self._heard = now
            self._note(self._clock, now, first=not before)
            self._check_clock(now)
        elif now - self._heard > self._rules.silence:
            raise StreamBroken(f"nothing came for {self._rules.silence:g} seconds")

    def end(self, why: str) -> None:
        """End it: what came is kept to its last byte."""
        if self._piece is not None and self._clock is not None:
            offset = self._offset(self._clock.position, self._second(self._clock))
            self._piece.end(self._date(self._heard), offset.milliseconds, why)
            self.pieces += 1
            self._piece = None
        self.source.close()

    def _taken(self, now: float) -> Sequence[Heard]:
        """Return what came; with the first byte of media the first piece begins.

        Raises:
            StreamBroken: more was said than can be kept.
        """
        taken = self.source.take()
        if len(taken) > SAID_LIMIT and sum(isinstance(h, Said) for h in taken) > SAID_LIMIT:
            raise StreamBroken(f"more than {SAID_LIMIT} titles came in a second")
        if self._clock is not None:
            return taken
        head = b"".join(heard.data for heard in taken if isinstance(heard, Media))
        if head:
            self._begin(head, now)
            early, self._early = self._early, []
            return [*early, *taken]
        self._early = [*self._early, *taken][-_EARLY:]
        return ()

    def _hear(self, heard: Heard, now: float) -> None:
        clock = self._clock
        assert clock is not None
        if isinstance(heard, Said):
            self._say(heard, clock.position, clock.seconds, now)
        elif heard.data:
            self._take_media(clock, heard.data, now)

    def _begin(self, head: bytes, now: float) -> None:
        """Begin the first piece."""
        described = self.source.described
        self._clock = clock_for(described.media_type, head, described.bitrate)
        self._began = self._piece_began = now
        self._wall = wall(self._reactor)
        self.session = dates.from_timestamp(self._wall)
        if self._before is not None:
            since = min(self._before.date, self.session)  # the clock may have been put back
            self.gap = Gap(since, self.session, self._before.why)
        stream = canonical(described.url) or self._ordered.stream
        self._piece = self._recorder.begin(
            Beginning(
                stream,
                self._ordered.site,
                described,
                self._wall,
                session=self.session,
                gap=self.gap,
            )
        )

    def _take_media(self, clock: ISignalClock, data: bytes, now: float) -> None:
        """Take bytes through the clock and into the piece.

        Raises:
            DiskBehind: they cannot be kept.
        """
        assert self._piece is not None
        if self._piece.size + len(data) > BYTE_LIMIT:
            raise StreamBroken(f"{len(data)} bytes came in a second")
        place, second = clock.boundary, clock.seconds
        told = clock.feed(data)
        self.received += len(data)
        self._piece.write(data, max(0, clock.boundary - self._start[0]))
        for byte, said in told:  # the time between two boundaries is divided evenly
            part = (byte - place) / max(1, clock.boundary - place)
            self._say(said, byte, second + min(1.0, part) * (clock.seconds - second), now)

    def _say(self, said: Said, place: int, second: float, now: float) -> None:
        assert self._piece is not None
        self._piece.title(self._date(now), self._offset(place, second), said)
        if said.title and said.title != self.title:
            self.title = said.title
            self.titles += 1

    # Time

    def _note(self, clock: ISignalClock, now: float, first: bool) -> None:
        """Note real time and signal time, and end the piece if it is long enough.

        Args:
            clock: of the signal.
            now: when it stands so, by the reactor.
            first: whether nothing came before; then all of it came at this moment.

        Raises:
            StreamBroken: no time can be told any more.
        """
        assert self._piece is not None
        second = self._second(clock)
        if clock.seconds:
            self.true_time.add(now - self._began, second)
        moves = first or clock.boundary > self._moved.byte
        if not moves and clock.seconds and now - self._moved.at > UNTOLD:
            raise StreamBroken("its time cannot be told any more")
        noted = self._move(Moment(now, second, clock.boundary), first) if moves else []
        cut = self._rules.lengths.cut(
            self._piece.size,
            now - self._piece_began,
            clock.boundary - self._start[0],
            moves and self._noting.is_on_time,
        )
        for each in noted:
            if cut is None or each is not self._moved:  # that one the cut notes
                self._enter(self._piece, each)
        if cut is not None:
            self._turn(self._piece, clock, cut, now)

    def _move(self, moment: Moment, first: bool) -> list[Moment]:
        """Take note that the boundary moved; return what is to be noted."""
        self._moved = moment
        if not first:
            return self._noting.take(moment)
        self._noting.begin(moment)
        return [moment]

    def _enter(self, piece: OpenPiece, moment: Moment) -> None:
        offset, time = self._offset(moment.byte, moment.signal), self.true_time
        piece.enter(self._date(moment.at), offset, time.ratio, time.skew)

    def _check_clock(self, now: float) -> None:
        """Begin a new session where this machine's clock was set, for dates go by the old one.

        Raises:
            StreamBroken: it was.
        """
        set_by = wall(self._reactor) - self._date(now)
        if abs(set_by) > CLOCK_STEP:
            raise StreamBroken(f"the clock of this machine was set by {set_by:.0f} seconds")

    def _turn(self, piece: OpenPiece, clock: ISignalClock, cut: Cut, now: float) -> None:
        """Go on in another piece, from the moment at which the boundary came."""
        place, moment = self._start[0] + cut.byte, self._moved
        if place != moment.byte:  # cut anywhere
            moment = Moment(now, self._second(clock), place)
        offset = self._offset(place, moment.signal)
        self._piece = piece.turn(self._date(moment.at), offset, cut.why, clock.preamble)
        self._start, self._piece_began = (place, moment.signal), moment.at
        self._noting.begin(moment)
        self.pieces += 1

    def _offset(self, place: int, second: float) -> StreamOffset:
        """Return a place of the signal as one of the piece."""
        byte, began = place - self._start[0], round((second - self._start[1]) * 1000)
        return StreamOffset(max(0, min(began, MILLISECONDS_LIMIT)), max(0, min(byte, BYTE_LIMIT)))

    def _second(self, clock: ISignalClock) -> float:
        """Return the seconds of signal so far; of real time, where the media tell no time."""
        return clock.seconds or self._heard - self._began

    def _date(self, moment: float) -> float:
        """Return the date of a moment; those of one session are never put back."""
        return self._wall + (moment - self._began)
