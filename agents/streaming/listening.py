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

from attrs import evolve, field, frozen
from twisted.internet.defer import CancelledError
from twisted.logger import Logger

from agents.stream import Doing, OrderedStream, Outcome, StreamNews, StreamStatus
from agents.streaming.history import History
from agents.streaming.opening import Manifest, Opener
from agents.streaming.reception import Reception, Recording, Rules
from agents.streaming.recording import RecordingError
from agents.streaming.standing import OnNews, Standing
from agents.streaming.tide import Tide
from anet.backoff import Backoff
from anet.errors import AnetError
from anet.media.errors import NotAStream, StreamEnded, StreamRefused
from anet.media.interface import ILiveSource
from anet.tasks import Tasks

STEADY = 10.0  # seconds of reception after which the next break counts as the first
STOPPED = "the agent was stopped, or told to leave the stream"

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
        places: the stream that is received from a URL, by that URL. Pages name both a station's
            playlist and what is in it; that is received once.
    """

    reactor: Any
    tide: Tide
    opener: Opener
    recorder: Recording
    rules: Rules
    backoff: Callable[[], Backoff]
    follow: Callable[[OrderedStream, Manifest, OnNews], Following]
    places: dict[str, str] = field(factory=dict)


class Listening:
    """Listens to a stream.

    Args:
        means: what it takes.
        ordered: which one.
        on_news: called with what becomes of it.

    Attributes:
        ordered: as given.
    """

    def __init__(self, means: Means, ordered: OrderedStream, on_news: OnNews) -> None:
        self.ordered = ordered
        self._means = means
        self._standing = Standing(means.reactor, ordered, on_news)
        self._doing: Doing = "waiting"
        self._place = ""  # the URL from which it is received, also between two receptions
        self._due = 0.0
        self._steady = 0.0  # when what is followed has lasted
        self._backoff = means.backoff()
        self._reception: Reception | None = None
        self._following: Following | None = None
        self._tasks = Tasks()

    # Starting and stopping

    def start(self) -> None:
        """Begin to listen."""
        self._means.tide.add(self._ebb)

    async def stop(self) -> None:
        """Listen no more; when it returns, what was heard is kept."""
        self._means.tide.remove(self._ebb)
        await self._tasks.stop()
        reception = self._reception
        if reception is not None:
            self._end_reception(reception, "stopped")
            if reception.session:
                self._standing.tell("broken", STOPPED)
        if self._following is not None:
            await self._end_following(self._following)
        self._leave_place()
        self._doing = "waiting"

    # The states

    def _ebb(self) -> None:
        """Move on; called once a second."""
        if self._reception is not None:
            self._receive(self._reception)
        elif self._is_due():
            self._doing = "opening"
            self._tasks.start(self._open(), f"opening {self.ordered.stream}")
        if self._standing.tallies.is_sampled():
            self._standing.sample(self.status())

    def _is_due(self) -> bool:
        waits = self._doing == "waiting" and self._following is None
        return bool(waits and self._due <= self._means.reactor.seconds())

    async def _open(self) -> None:
        try:
            found = await self._means.opener.open(self.ordered)
            if isinstance(found, Manifest):
                self._follow(found)
            else:
                self._hear(found)
        except CancelledError:
            raise
        except StreamRefused as refused:
            self._fail(refused, gone=refused.gone, rest=refused.rest)
        except (AnetError, OSError) as error:
            self._fail(error)
        except Exception as error:
            _log.failure("{stream} cannot be opened", stream=self.ordered.stream)
            self._fail(error)

    def _take_place(self, url: str) -> None:
        """Be the one that receives what is at a URL.

        Raises:
            NotAStream: it is received as another stream already.
        """
        holder = self._means.places.get(url, self.ordered.stream)
        if holder != self.ordered.stream:
            raise NotAStream(f"it is listened to already, as {holder}")
        self._leave_place()
        self._means.places[url] = self.ordered.stream
        self._place = url

    def _leave_place(self) -> None:
        self._means.places.pop(self._place, None)
        self._place = ""

    def _hear(self, source: ILiveSource) -> None:
        means, standing = self._means, self._standing
        try:
            self._take_place(source.described.url)
        except NotAStream:
            source.close()
            raise
        self._doing = "receiving"
        self._reception = Reception(
            means.reactor,
            means.recorder,
            means.rules,
            self.ordered,
            source,
            standing.before,
            standing.ratio,
        )

    def _receive(self, reception: Reception) -> None:
        """Take what came; whatever is wrong with it, only this reception ends."""
        was_new, title, received = not reception.session, reception.title, reception.received
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
            if reception.title != title:
                self._standing.retitled(reception)
            if was_new and reception.session:
                self._standing.begun(reception)
            elif reception.session:
                self._standing.goes_on(reception)
        self._standing.tallies.came(reception.received - received)

    def _break(self, reception: Reception, outcome: Outcome, error: Exception) -> None:
        """End a reception, and try again after a while."""
        if reception.real > STEADY:
            self._backoff.reset()
        why = _words(error)
        self._wait(0.0)
        self._end_reception(reception, f"break: {why}")
        if not reception.session:
            self._standing.failed("failing", why)
            return
        self._standing.tallies.gaps += 1
        self._standing.tell(outcome, why)

    def _end_reception(self, reception: Reception, why: str) -> None:
        self._reception = None
        try:
            reception.end(why)
        except Exception:
            _log.failure("{stream} cannot be let go", stream=self.ordered.stream)
        self._standing.ended(reception, why.removeprefix("break: "))

    def _fail(self, error: Exception, gone: bool = False, rest: float = 0.0) -> None:
        """Try again after a while: the attempt brought nothing."""
        self._wait(rest)
        self._standing.failed("gone" if gone else "failing", _words(error))

    def _wait(self, rest: float) -> None:
        self._doing = "waiting"
        self._due = self._means.reactor.seconds() + max(self._backoff.next(), rest)

    # Following

    def _follow(self, manifest: Manifest) -> None:
        self._take_place(manifest.url)
        # What is kept of it is kept under the URL where it was found, as all streams are.
        ordered = evolve(self.ordered, stream=manifest.url, state=self._standing.state)
        self._following = self._means.follow(ordered, manifest, self._followed)
        self._doing = "following"
        self._steady = self._means.reactor.seconds() + STEADY
        self._following.start()

    def _followed(self, news: StreamNews) -> None:
        """Hear what became of what is followed; what is over is opened anew after a while."""
        following = self._following
        if following is None:
            return
        if news.outcome in ("failing", "ended", "gone"):
            self._wait(0.0)
            self._tasks.start(self._end_following(following), f"leaving {news.stream}")
        elif news.outcome == "receiving" and self._means.reactor.seconds() > self._steady:
            self._backoff.reset()
        self._standing.hear(news)

    async def _end_following(self, following: Following) -> None:
        """Follow no more; called again while that goes on, it waits for it, too."""
        await following.stop()
        if self._following is following:
            self._following = None
            self._standing.tallies.add(following.status())

    # How it stands

    @property
    def history(self) -> History:
        """Its last day."""
        return self._standing.history

    def status(self) -> StreamStatus:
        """Return how the stream stands."""
        following, standing = self._following, self._standing
        if following is None:
            status = standing.of(self._reception, self._doing)
        else:
            status = evolve(following.status(), stream=self.ordered.stream)
        return standing.tallies.with_former(status)

    def minute(self) -> list[tuple[float, float]]:
        """Return bits a second in each second of the last minute, with its time."""
        return self._standing.tallies.minute()


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
