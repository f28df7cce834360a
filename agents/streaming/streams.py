"""All streams of the agent (*INA §1.6*).

Once told to, it listens until it is told to leave off: it goes on while the scheduler is away.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import evolve
from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList

from agents.stream import (
    OrderedStream,
    Outcome,
    StreamingReport,
    StreamNews,
    StreamStatus,
    canonical,
)
from agents.streaming.errors import NotCanonical, TooMany
from agents.streaming.listening import Listening
from agents.streaming.recording import KILLED, Recovered
from agents.streaming.standing import OnNews
from agents.streaming.telling import Teller
from anet.tasks import Tasks


class Streams(Service):
    """Listens to streams for the scheduler.

    Args:
        make: makes what listens to a stream, and says what becomes of it.
        teller: tells the scheduler.
        limit: streams that are listened to at most.

    Attributes:
        teller: as given.
        outcomes: how often what became of a stream, since the start.
        recovered: what the agent heard last before it was killed, if it was.
    """

    def __init__(
        self, make: Callable[[OrderedStream, OnNews], Listening], teller: Teller, limit: int
    ) -> None:
        self.teller = teller
        self.outcomes: Counter[str] = Counter()
        self.recovered: Sequence[Recovered] = ()
        self._make = make
        self._limit = limit
        self._streams: dict[str, Listening] = {}
        self._outcomes: dict[str, Outcome] = {}  # the last of each
        self._left = StreamingReport(0, 0)  # what those did that are not listened to any more
        self._tasks = Tasks()

    def __len__(self) -> int:
        return len(self._streams)

    def __iter__(self) -> Iterator[Listening]:
        return iter(list(self._streams.values()))

    def startService(self) -> None:
        """Begin to tell."""
        super().startService()
        self._tasks = Tasks()
        self._tasks.start(self.teller.run(), "telling the scheduler of streams")

    async def stopService(self) -> None:
        """Leave all streams, keep what was heard of them, and tell that they were left."""
        super().stopService()
        await self._tasks.stop()
        streams, self._streams = list(self._streams.values()), {}
        await _stopped(streams)
        await self.teller.tell_last()

    def listen(self, streams: Iterable[OrderedStream]) -> int:
        """Listen to streams; return to how many this agent listens now.

        Those that are listened to already go on: nobody knows more of them.

        Raises:
            TooMany: that would be more than the configured most; none of them is begun.
            NotCanonical: likewise, a URL is not canonical.
        """
        new = {each.stream: each for each in streams if each.stream not in self._streams}
        for url in new:
            if canonical(url) != url:
                raise NotCanonical(f"{url[:200]!r} is not the canonical URL of a stream")
        if len(self._streams) + len(new) > self._limit:
            raise TooMany(f"at most {self._limit} streams are listened to here")
        for url, ordered in new.items():
            self._streams[url] = listening = self._make(self._known(ordered), self._heard)
            listening.start()
        return len(self._streams)

    def _known(self, ordered: OrderedStream) -> OrderedStream:
        """Return a stream with what this agent itself knows of it, if that is newer."""
        state = ordered.state
        names = (ordered.stream, canonical(state.led_to))
        heard = [each for each in self.recovered if each.stream in names]
        last = max(heard, key=lambda each: each.date, default=None)
        if last is None or last.date <= state.heard:
            return ordered
        problem = last.why if last.why == KILLED else state.problem
        return evolve(ordered, state=evolve(state, heard=last.date, problem=problem))

    async def leave(self, urls: Iterable[str]) -> int:
        """Listen to streams no more; return how many are listened to still, when all is kept."""
        left = [found for url in urls if (found := self._streams.pop(url, None)) is not None]
        await _stopped(left)
        for each in left:
            self.teller.forget(each.ordered.stream)
            self._outcomes.pop(each.ordered.stream, None)
            self._left = _added(self._left, each.status())
        return len(self._streams)

    def of(self, url: str) -> Listening | None:
        """Return what listens to a stream; None when nothing does."""
        return self._streams.get(url)

    def status(self, url: str) -> StreamStatus | None:
        """Return how a stream stands; None when it is not listened to."""
        found = self._streams.get(url)
        return found.status() if found is not None else None

    def statuses(self, after: str, limit: int) -> list[StreamStatus]:
        """Return streams in the order of their URLs, those beyond one."""
        urls = heapq.nsmallest(limit, (url for url in self._streams if url > after))
        return [self._streams[url].status() for url in urls]

    def report(self) -> StreamingReport:
        """Return what is being done."""
        summed, doing, rate = self._left, Counter[str](), 0.0
        for listening in self._streams.values():
            status = listening.status()
            doing[status.doing] += 1
            rate += status.rate
            summed = _added(summed, status)
        return StreamingReport(
            len(self),
            self._limit,
            dict(doing),
            rate,
            dict(self.outcomes),
            summed.titles,
            summed.gaps,
            summed.received,
        )

    def _heard(self, news: StreamNews) -> None:
        if self._outcomes.get(news.stream) != news.outcome or news.outcome != "receiving":
            self.outcomes[news.outcome] += 1  # what is received is told again and again
        self._outcomes[news.stream] = news.outcome
        self.teller.add(news)


async def _stopped(streams: Iterable[Listening]) -> None:
    await DeferredList([Deferred.fromCoroutine(each.stop()) for each in streams])


def _added(report: StreamingReport, status: StreamStatus) -> StreamingReport:
    """Return the sums of a report with those of a stream."""
    return StreamingReport(
        0,
        0,
        titles=report.titles + status.titles,
        gaps=report.gaps + status.gaps,
        received=report.received + status.received,
    )
