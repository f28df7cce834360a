"""What is known of a stream, over all its receptions, and what is told of it."""

from collections.abc import Callable
from typing import Any

from attrs import evolve

from agents import dates
from agents.stream import Doing, OrderedStream, Outcome, StreamNews, StreamState, StreamStatus
from agents.streaming.history import Event, History
from agents.streaming.reception import Break, Reception
from agents.streaming.tallies import Tallies
from anet.media.interface import Described

TELL_EVERY = 60.0  # seconds between two pieces of news of a stream that is received
TELL_SOONEST = 5.0  # seconds between two of which the second has a new title
TEXT_LIMIT = 500  # characters of what servers say that go to the scheduler
ABSENT = "the agent was not listening"

OnNews = Callable[[StreamNews], None]


class Standing:
    """How a stream stands.

    Args:
        reactor: which reactor.
        ordered: which one, with what was known of it.
        on_news: called with what becomes of it.

    Attributes:
        state: what is known of it.
        history: its last day.
        tallies: what was counted.
        before: how it was received last, if it was.
        ratio: the ratio of the last reception, or 0.
    """

    def __init__(self, reactor: Any, ordered: OrderedStream, on_news: OnNews) -> None:
        self.state = ordered.state
        self.history = History()
        self.tallies = Tallies(reactor)
        heard, why = ordered.state.heard, ordered.state.problem or ABSENT
        self.before = Break(heard, why) if heard else None
        self.ratio = 0.0
        self._reactor, self._ordered, self._on_news = reactor, ordered, on_news
        self._told = 0.0

    # What is received

    def begun(self, reception: Reception) -> None:
        """Tell of a reception that has its first byte."""
        gap = reception.gap
        if gap is not None:
            self.history.gaps.append(Event(gap.since, gap.why, gap.until))
        self.state = _known(reception.source.described, self.state)
        self._tell_received(reception)

    def goes_on(self, reception: Reception) -> None:
        """Tell of a reception now and then, and sooner where there is a new title."""
        is_new = bool(reception.title) and reception.title[:TEXT_LIMIT] != self.state.title
        if self._reactor.seconds() >= self._told + (TELL_SOONEST if is_new else TELL_EVERY):
            self._tell_received(reception)

    def retitled(self, reception: Reception) -> None:
        """Remember a title."""
        self.history.titles.append(Event(reception.heard, reception.title[:TEXT_LIMIT]))

    def ended(self, reception: Reception, why: str) -> None:
        """Count a reception that has ended."""
        self.tallies.add(self.of(reception, "waiting"))
        self.ratio = reception.true_time.ratio
        if reception.session:
            self.before = Break(reception.heard, why)
            self.state = evolve(self.state, heard=reception.heard)

    def _tell_received(self, reception: Reception) -> None:
        title = reception.title[:TEXT_LIMIT] or self.state.title
        self.state = evolve(self.state, title=title, heard=reception.heard)
        self.tell("receiving")

    # What is followed

    def hear(self, news: StreamNews) -> None:
        """Take what became of a stream that is followed, and pass it on."""
        before, now = self.state, dates.now(self._reactor)
        self.state = state = news.state
        if state.title and state.title != before.title:
            self.history.titles.append(Event(now, state.title))
        if news.outcome == "receiving" and before.problem and before.heard:
            self.history.gaps.append(Event(before.heard, before.problem, now))
        if state.heard:
            self.before = Break(state.heard, state.problem or ABSENT)
        self._on_news(evolve(news, stream=self._ordered.stream))

    # Telling

    def failed(self, outcome: Outcome, why: str) -> None:
        """Tell of an attempt that brought nothing."""
        self.history.failures.append(Event(dates.now(self._reactor), why[:TEXT_LIMIT]))
        self.tell(outcome, why, self.state.failures + 1)

    def tell(self, outcome: Outcome, problem: str = "", failures: int = 0) -> None:
        """Tell what became of it."""
        self._told = self._reactor.seconds()
        self.state = evolve(self.state, problem=problem[:TEXT_LIMIT], failures=failures)
        self._on_news(StreamNews(self._ordered.stream, outcome, self.state))

    def sample(self, status: StreamStatus) -> None:
        """Add a point to the curves."""
        self.history.add(self.tallies.sample(status))

    def of(self, reception: Reception | None, doing: Doing) -> StreamStatus:
        """Return how the present reception stands, without former ones."""
        ordered, state = self._ordered, self.state
        status = StreamStatus(ordered.stream, ordered.site, doing, state, rate=self.tallies.rate)
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
