"""One stream, listened to for as long as it is wanted (*INA §1.6*).

    waiting --its time has come--> opening
    opening --a source--> receiving --broke off, or is over--> waiting
    opening --a manifest--> following --broke off, or is over--> waiting
    opening --nothing--> waiting
    any --stop--> stopped

Waits grow from one attempt to the next, and begin anew after a while of reception. It is moved on
by the tide alone: no stream has a timer of its own.
"""

from collections.abc import Callable
from typing import Any, Protocol

from attrs import evolve, frozen
from twisted.logger import Logger

from agents import dates
from agents.stream import Doing, OrderedStream, Outcome, StreamNews, StreamState, StreamStatus
from agents.streaming.history import Event, History
from agents.streaming.opening import Manifest, Opener
from agents.streaming.reception import Break, Reception, Recording, Rules
from agents.streaming.recording import RecordingError
from agents.streaming.tallies import Tallies
from agents.streaming.tide import Tide
from anet.backoff import Backoff
from anet.errors import AnetError
from anet.media.errors import StreamEnded, StreamRefused
from anet.media.interface import Described, ILiveSource
from anet.tasks import Tasks

STEADY = 60.0  # seconds of reception after which the next break counts as the first
TELL_EVERY = 60.0  # seconds between two pieces of news of a stream that is received
TELL_SOONEST = 5.0  # seconds between two of which the second has a new title
STOPPED = "the agent was stopped, or told to leave the stream"
ABSENT = "the agent was not listening"
TEXT_LIMIT = 1000  # characters of what servers say that go to the scheduler

OnNews = Callable[[StreamNews], None]
_log = Logger()


class Following(Protocol):
    """What follows a stream that is kept in segments (`agents.streaming.following`)."""

    def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """Follow it no more; when it returns, what was fetched is kept."""

    def status(self) -> StreamStatus:
        """Return how it stands."""


@frozen
class Means:
    """What listening takes.

    Attributes:
        reactor: which reactor.
        tide: calls once a second.
        opener: finds where a stream comes from.
        recorder: begins pieces.
        rules: how streams are received.
        backoff: makes the waits of a stream.
        follow: makes what follows a manifest, and tells what becomes of it. Told that it fails
            or is over, the stream is opened anew after a while.
    """

    reactor: Any
    tide: Tide
    opener: Opener
    recorder: Recording
    rules: Rules
    backoff: Callable[[], Backoff]
    follow: Callable[[OrderedStream, Manifest, OnNews], Following]


class Listening:
    """Listens to a stream.

    Args:
        means: what it takes.
        ordered: which one.
        on_news: called with what becomes of it.

    Attributes:
        ordered: as given.
        history: its last day.
    """

    def __init__(self, means: Means, ordered: OrderedStream, on_news: OnNews) -> None:
        self.ordered = ordered
        self.history = History()
        self._means, self._on_news = means, on_news
        self._doing: Doing = "waiting"
        self._state = ordered.state
        self._before = Break(ordered.state.heard, ABSENT) if ordered.state.heard else None
        self._ratio = 0.0  # of the reception before
        self._due = 0.0
        self._backoff = means.backoff()
        self._reception: Reception | None = None
        self._following: Following | None = None
        self._tasks = Tasks()
        self._tallies = Tallies(means.reactor)
        self._told = 0.0

    # Starting and stopping

    def start(self) -> None:
        """Begin to listen."""
        self._means.tide.add(self._ebb)

    async def stop(self) -> None:
        """Listen no more; when it returns, what was heard is kept."""
        self._means.tide.remove(self._ebb)
        await self._tasks.stop()
        if self._reception is not None:
            heard = self._reception.session
            self._end_reception(self._reception, "stopped")
            if heard:
                self._tell("broken", STOPPED)
        if self._following is not None:
            await self._end_following(self._following)
        self._doing = "waiting"

    # The states

    def _ebb(self) -> None:
        """Move on; called once a second."""
        if self._reception is not None:
            self._receive(self._reception)
        elif self._is_due():
            self._doing = "opening"
            self._tasks.start(self._open(), f"opening {self.ordered.stream}")
        if self._tallies.is_sampled():
            self.history.add(self._tallies.sample(self.status()))

    def _is_due(self) -> bool:
        waits = self._doing == "waiting" and self._following is None
        return waits and self._due <= self._means.reactor.seconds()

    async def _open(self) -> None:
        try:
            found = await self._means.opener.open(self.ordered)
        except StreamRefused as refused:
            self._fail(refused, gone=refused.gone, rest=refused.rest)
        except (AnetError, OSError) as error:
            self._fail(error)
        else:
            if isinstance(found, Manifest):
                self._follow(found)
            else:
                self._hear(found)

    def _hear(self, source: ILiveSource) -> None:
        means = self._means
        self._doing = "receiving"
        self._reception = Reception(
            means.reactor,
            means.recorder,
            means.rules,
            self.ordered,
            source,
            self._before,
            self._ratio,
        )

    def _receive(self, reception: Reception) -> None:
        """Take what came; whatever is wrong with it, only this reception ends."""
        is_new, title = not reception.session, reception.title
        received = reception.received
        try:
            reception.take()
        except StreamEnded as error:
            self._break(reception, "ended", error)
        except (AnetError, RecordingError, OSError) as error:
            self._break(reception, "broken", error)
        except Exception as error:
            _log.failure("{stream} cannot be understood", stream=self.ordered.stream)
            self._break(reception, "broken", error)
        else:
            self._tell_of(reception, is_new, reception.title != title)
        self._tallies.came(reception.received - received)

    def _break(self, reception: Reception, outcome: Outcome, error: Exception) -> None:
        """End a reception, and try again after a while."""
        if not reception.session:
            reception.end("")
            self._reception = None
            self._fail(error)
            return
        if reception.real > STEADY:
            self._backoff.reset()
        why = str(error) or type(error).__name__
        self._end_reception(reception, f"break: {why}")
        self._tallies.gaps += 1
        self._wait(0.0)
        self._tell(outcome, problem=why)

    def _end_reception(self, reception: Reception, why: str) -> None:
        heard, self._ratio = reception.heard, reception.true_time.ratio
        reception.end(why)
        self._tallies.add(self._status())
        self._reception = None
        if heard:
            self._before = Break(heard, why.removeprefix("break: "))
            self._state = evolve(self._state, heard=heard)

    def _fail(self, error: Exception, gone: bool = False, rest: float = 0.0) -> None:
        """Try again after a while: the attempt brought nothing."""
        why = str(error) or type(error).__name__
        self._wait(rest)
        self.history.failures.append(Event(dates.now(self._means.reactor), why))
        self._tell("gone" if gone else "failing", why, self._state.failures + 1)

    def _wait(self, rest: float) -> None:
        self._doing = "waiting"
        self._due = self._means.reactor.seconds() + max(self._backoff.next(), rest)

    # Following

    def _follow(self, manifest: Manifest) -> None:
        self._doing = "following"
        ordered = evolve(self.ordered, state=self._state)
        self._following = self._means.follow(ordered, manifest, self._followed)
        self._following.start()

    def _followed(self, news: StreamNews) -> None:
        """Hear what became of what is followed; what is over is opened anew after a while."""
        following = self._following
        if following is None:
            return
        self._remember(news)
        self._state = news.state
        if news.outcome in ("failing", "ended", "gone"):
            self._wait(0.0)
            self._tasks.start(self._end_following(following), f"leaving {news.stream}")
        elif news.outcome == "receiving":
            self._backoff.reset()
        self._on_news(news)

    def _remember(self, news: StreamNews) -> None:
        """Remember what news of what is followed say of titles and gaps."""
        before, now = self._state, dates.now(self._means.reactor)
        if news.state.title and news.state.title != before.title:
            self.history.titles.append(Event(now, news.state.title))
        if news.outcome == "receiving" and before.problem and before.heard:
            self.history.gaps.append(Event(before.heard, before.problem, now))

    async def _end_following(self, following: Following) -> None:
        """Follow no more; called again while that goes on, it waits for it, too."""
        await following.stop()
        if self._following is following:
            self._following = None
            self._tallies.add(following.status())

    # Telling

    def _tell_of(self, reception: Reception, is_new: bool, retitled: bool) -> None:
        """Tell what is received, at once when it begins, and now and then."""
        if not reception.session:
            return
        now = self._means.reactor.seconds()
        if retitled:
            self.history.titles.append(Event(reception.heard, reception.title))
        if is_new:
            self._begun(reception)
        elif now < self._told + (TELL_SOONEST if self._untold_title(reception) else TELL_EVERY):
            return
        self._state = evolve(self._state, title=reception.title[:TEXT_LIMIT] or self._state.title)
        self._tell("receiving")

    def _untold_title(self, reception: Reception) -> bool:
        return bool(reception.title) and reception.title[:TEXT_LIMIT] != self._state.title

    def _begun(self, reception: Reception) -> None:
        """Take what is known with the first byte."""
        gap = reception.gap
        if gap is not None:
            self.history.gaps.append(Event(gap.since, gap.why, gap.until))
        self._state = _known(reception.source.described, self._state)

    def _tell(self, outcome: Outcome, problem: str = "", failures: int = 0) -> None:
        self._told = self._means.reactor.seconds()
        heard = self._reception.heard if self._reception is not None else self._state.heard
        self._state = evolve(
            self._state, heard=heard, problem=problem[:TEXT_LIMIT], failures=failures
        )
        self._on_news(StreamNews(self.ordered.stream, outcome, self._state))

    # How it stands

    def status(self) -> StreamStatus:
        """Return how the stream stands."""
        status = self._status() if self._following is None else self._following.status()
        return self._tallies.with_former(status)

    def minute(self) -> list[tuple[float, float]]:
        """Return bits a second in each second of the last minute, with its time."""
        return self._tallies.minute()

    def _status(self) -> StreamStatus:
        ordered, state, reception = self.ordered, self._state, self._reception
        status = StreamStatus(
            ordered.stream, ordered.site, self._doing, state, rate=self._tallies.rate
        )
        if reception is None or not reception.session:
            return status
        time = reception.true_time
        return evolve(
            status,
            state=evolve(state, heard=reception.heard),
            since=reception.session,
            buffered=time.ahead,
            real=reception.real,
            signal=reception.signal,
            ratio=time.ratio,
            skew=time.skew,
            titles=reception.titles,
            pieces=reception.pieces,
            received=reception.received,
        )


def _known(described: Described, before: StreamState) -> StreamState:
    """Return the state of a stream from what its server said of it."""
    return evolve(
        before,
        name=described.name[:TEXT_LIMIT] or before.name,
        description=described.description[:TEXT_LIMIT] or before.description,
        genre=described.genre[:TEXT_LIMIT] or before.genre,
        homepage=described.homepage[:TEXT_LIMIT] or before.homepage,
        media_type=described.media_type,
        protocol=described.protocol,
        bitrate=described.bitrate,
        led_to=described.url,
    )
