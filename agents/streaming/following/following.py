"""One stream in segments, followed for as long as it lasts (*INA §1.6*).

opening --a manifest--> following --no manifest is given, twice over--> broken
broken --a manifest--> following: what its window still holds is fetched, the rest is missing
following --its manifest says so--> over ("ended")
opening, broken --for too long--> over ("failing"), or as the server says ("gone")
any --stop--> stopped
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from attrs import evolve, frozen

from agents.stream import Doing, OrderedStream, Outcome, StreamNews, StreamStatus
from agents.streaming.following import dash, hls
from agents.streaming.following.chronicle import Chronicle, Recording
from agents.streaming.following.errors import NotFetched
from agents.streaming.following.fetching import Fetcher, Read
from agents.streaming.following.intake import Intake, Rules
from agents.streaming.following.manifests import Manifests
from anet.backoff import Backoff
from anet.http import parse_head
from anet.media.errors import NotAStream
from anet.media.interface import Described
from anet.tasks import Tasks, every, sleep

ATTEMPTS = 3  # of which none brought a manifest, after which a new stream is given up
FAILURES = 2  # in a row, after which a reception has broken off
MINUTE = 60  # seconds over which rates are taken
TELL_EVERY = 60.0  # seconds between two pieces of news while all is well
TELL_SOONEST = 5.0  # seconds between two of which the second has a new title
TEXT_LIMIT = 1000  # characters of what servers say that go to the scheduler
_GONE = 410

OnNews = Callable[[StreamNews], None]


@frozen
class Means:
    """What following takes.

    Attributes:
        reactor: which reactor.
        fetcher: asks the servers.
        recorder: begins logs.
        manifests: tells what manifests say.
        rules: how streams are followed.
    """

    reactor: Any
    fetcher: Fetcher
    recorder: Recording
    manifests: Manifests
    rules: Rules


class Following:
    """Follows a stream.

    Args:
        means: what it takes.
        ordered: which one; since its state's `heard` nothing was received.
        kind: "hls" or "dash".
        url: of its manifest, canonical.
        on_news: called with what becomes of it. When it fails, is over or gone, it is followed no
            more; when it is broken, it is still tried.
    """

    def __init__(
        self, means: Means, ordered: OrderedStream, kind: str, url: str, on_news: OnNews
    ) -> None:
        self.reactor, self.rules, self.manifests = means.reactor, means.rules, means.manifests
        self._means, self._ordered, self._url, self._on_news = means, ordered, url, on_news
        self._kind = kind
        self._state = evolve(ordered.state, protocol=kind, led_to=url)
        self._doing: Doing = "opening"
        self._why = ordered.state.problem or "the agent was not listening"
        self._described: Described | None = None
        self._failures: dict[str, int] = {}  # in a row, of each manifest
        self._answered: float | None = None  # when a manifest was read last
        self._told = 0.0
        self._minute: deque[int] = deque([0], maxlen=MINUTE)
        self._chronicle = Chronicle(
            means.reactor, means.recorder, ordered, means.rules.log_interval
        )
        self.intake = Intake(means.reactor, means.fetcher, means.rules, ordered, self._chronicle)
        self.intake.on_restart = self._restarted
        self._tasks = Tasks()

    def start(self) -> None:
        """Begin."""
        self._tasks.start(self._run(), f"following {self._url}")
        self._tasks.start(every(self.reactor, 1.0, self._beat), f"telling of {self._url}")

    async def stop(self) -> None:
        """Follow it no more; when it returns, what was fetched is kept."""
        await self._tasks.stop()
        await self.intake.stop()
        self._chronicle.end("stopped")
        self._doing = "waiting"

    async def _run(self) -> None:
        backoff, attempts = Backoff(self.rules.retry_first, self.rules.retry_longest), 0
        while True:
            try:
                await self._follow()
                await self._over("ended", "its manifest says that it is over")
                return
            except (NotFetched, NotAStream) as error:
                attempts += 1
                hopeless = self.failed(self._url, error)
                if hopeless or (self._answered is None and attempts >= ATTEMPTS):
                    gone = isinstance(error, NotFetched) and error.status == _GONE
                    await self._over("gone" if gone else "failing", str(error))
                    return
            await sleep(self.reactor, backoff.next())

    async def _follow(self) -> None:
        first = await self.read(self._url)
        self._failures.clear()
        await (dash if self._kind == "dash" else hls).follow(self, first)
        await self.intake.settle()

    async def _over(self, outcome: Outcome, why: str) -> None:
        await self.intake.stop()
        self._chronicle.end("stopped" if outcome == "ended" else f"break: {why}")
        self._doing = "waiting"
        failures = 0 if outcome == "ended" else self._state.failures + 1
        self._tell(outcome, "" if outcome == "ended" else why, failures)

    # What reads manifests (see `Reader`)

    async def read(self, url: str, asked: str = "") -> Read:
        """Return a manifest as it is now."""
        ordered = self._ordered
        return await self._means.fetcher.read(url, ordered.site, ordered.private_networks, asked)

    def answered(self, name: str, read: Read, bandwidth: int) -> None:
        """Take note that a manifest was read; a session begins with the first."""
        self._failures[name] = 0
        self._answered = self.reactor.seconds()
        if self._chronicle.session:
            return
        described = self._describe(read, bandwidth)
        self._chronicle.begin(described, self.intake.heard, self._why)
        self._doing = "following"
        self._state = evolve(
            self._state, media_type=described.media_type, bitrate=described.bitrate
        )
        self._tell("receiving")

    def failed(self, name: str, error: Exception) -> bool:
        """Take note that a manifest was not read; when none is, the reception has broken off."""
        self._failures[name] = self._failures.get(name, 0) + 1
        if self._chronicle.session and min(self._failures.values()) >= FAILURES:
            self._why = str(error)
            self._chronicle.end(f"break: {self._why}")
            self._doing = "opening"
            self._tell("broken", self._why)
        answered = self._answered
        return answered is not None and self.reactor.seconds() > answered + self.rules.give_up

    def _restarted(self) -> None:
        """Begin a new session: the source has another clock, and other numbers."""
        # Tracks that tell the time one after the other, as periods of DASH do, all say so at once.
        at_once = self._chronicle.real < self.rules.retry_first
        if self._chronicle.session and self._described is not None and not at_once:
            self._why = "the source began anew"
            self._chronicle.end(f"break: {self._why}")
            self._chronicle.begin(self._described, self.intake.heard, self._why)

    def _describe(self, read: Read, bandwidth: int) -> Described:
        headers = parse_head(read.head).headers
        kind = headers.text(b"content-type").partition(";")[0].strip().lower()
        self._described = Described(
            read.url,
            self._kind,
            read.head,
            kind,
            read.address,
            name=self._state.name,
            bitrate=bandwidth // 1000,
        )
        return self._described

    # Telling

    def _beat(self) -> None:
        """Take a sample, and tell now and then; once a second."""
        self._minute.append(self.intake.received)
        since = self.reactor.seconds() - self._told
        retitled = self._chronicle.title[:TEXT_LIMIT] != self._state.title
        if self._chronicle.session and since > (TELL_SOONEST if retitled else TELL_EVERY):
            self._tell("receiving")

    def _tell(self, outcome: Outcome, problem: str = "", failures: int = 0) -> None:
        self._told = self.reactor.seconds()
        self._state = evolve(
            self._state,
            heard=self.intake.heard,
            title=self._chronicle.title[:TEXT_LIMIT] or self._state.title,
            failures=failures,
            problem=problem[:TEXT_LIMIT],
        )
        self._on_news(StreamNews(self._ordered.stream, outcome, self._state))

    def status(self) -> StreamStatus:
        """Return how it stands."""
        chronicle, ordered = self._chronicle, self._ordered
        time = chronicle.true_time
        return StreamStatus(
            ordered.stream,
            ordered.site,
            self._doing,
            evolve(self._state, heard=self.intake.heard),
            since=chronicle.session,
            rate=8 * (self.intake.received - self._minute[0]) / len(self._minute),
            buffered=time.ahead,
            real=chronicle.real,
            signal=chronicle.signal,
            ratio=time.ratio,
            skew=time.skew,
            titles=chronicle.titles,
            gaps=chronicle.gaps,
            pieces=self.intake.segments,
            received=self.intake.received,
        )
