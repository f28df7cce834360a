"""A stream that tests write, second by second, and what is recorded of it."""

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import define, evolve, field
from twisted.internet.task import Clock

from agents.stream import OrderedStream, StreamNews
from agents.stream_offset import StreamOffset
from agents.streaming.cutting import Lengths
from agents.streaming.listening import Listening, Means
from agents.streaming.opening import Manifest
from agents.streaming.reception import Rules
from agents.streaming.recording import Beginning
from agents.streaming.tide import BEATS, Tide
from anet.backoff import Backoff
from anet.media.errors import MediaError
from anet.media.interface import Described, Heard, Media, Said

URL = "http://radio.example/live"
RATE = 1000  # bytes of a second of signal
FRAME = 100  # bytes between two boundaries


def described(url: str = URL) -> Described:
    """Return what a radio says of itself."""
    return Described(url, "icy", b"HTTP/1.0 200 OK\r\n\r\n", "audio/mpeg", name="Radio 404")


@define(eq=False)
class FakeSource:
    """A source that gives what was put into it, and then what it is to fail with."""

    described: Described = field(factory=described)
    coming: list[Heard] = field(factory=list)
    error: Exception | None = None
    closed: bool = False

    def put(self, seconds: float) -> None:
        self.coming.append(Media(bytes(int(seconds * RATE))))

    def say(self, title: str) -> None:
        self.coming.append(Said(title))

    def take(self) -> Sequence[Heard]:
        coming, self.coming = self.coming, []
        if not coming and self.error is not None:
            raise self.error
        return coming

    def close(self) -> None:
        self.closed = True


@define
class FakeClock:
    """A signal of `RATE` bytes a second, which may be cut at each frame."""

    position: int = 0
    preamble: bytes = b"preamble"

    @property
    def boundary(self) -> int:
        return self.position - self.position % FRAME

    @property
    def seconds(self) -> float:
        return self.boundary / RATE

    def feed(self, data: bytes) -> list[tuple[int, Said]]:
        self.position += len(data)
        return []


@define(eq=False)
class FakePiece:
    """What is recorded of a piece."""

    recorder: "FakeRecorder"
    beginning: Beginning
    size: int = 0
    safe: int = 0
    entries: list[tuple[float, StreamOffset]] = field(factory=list)
    titles: list[tuple[float, StreamOffset, str]] = field(factory=list)
    ending: tuple[float, int, str] | None = None

    def write(self, data: bytes, safe: int | None = None) -> None:
        assert self.ending is None
        self.size += len(data)
        assert safe is not None
        assert safe <= self.size
        self.safe = safe

    def enter(self, at: float, offset: StreamOffset, ratio: float = 0.0, skew: float = 0.0) -> None:
        self.entries.append((at, offset))

    def title(self, at: float, offset: StreamOffset, said: Said) -> None:
        self.titles.append((at, offset, said.title))

    def end(self, at: float, milliseconds: int, why: str) -> None:
        assert self.ending is None
        self.ending = (at, milliseconds, why)

    def turn(self, at: float, offset: StreamOffset, why: str, preamble: bytes) -> "FakePiece":
        assert self.safe <= offset.byte <= self.size
        following = self.recorder.begin(
            evolve(
                self.beginning,
                at=at,
                number=self.beginning.number + 1,
                preamble=preamble,
                gap=None,
            )
        )
        following.size = self.size - offset.byte
        self.size = offset.byte
        self.ending = (at, offset.milliseconds, why)
        return following


@define(eq=False)
class FakeRecorder:
    pieces: list[FakePiece] = field(factory=list)

    def begin(self, beginning: Beginning) -> FakePiece:
        self.pieces.append(FakePiece(self, beginning))
        return self.pieces[-1]


@define(eq=False)
class FakeFollowing:
    """Follows nothing; tests say what becomes of it."""

    ordered: OrderedStream
    manifest: Manifest
    on_news: Any
    started: bool = False
    stopped: bool = False

    def start(self) -> None:
        self.started = True

    async def stop(self) -> None:
        self.stopped = True

    def status(self) -> Any:
        from agents.stream import StreamStatus

        return StreamStatus(self.ordered.stream, "", "following", self.ordered.state, titles=2)


@define(eq=False)
class Air:
    """A stream that is listened to, under a clock that tests move.

    Attributes:
        answers: what opening it brings, in turn: a source, a manifest or an error.
        opened: how often it was opened.
    """

    clock: Clock = field(factory=Clock)
    recorder: FakeRecorder = field(factory=FakeRecorder)
    answers: list[Any] = field(factory=list)
    opened: list[float] = field(factory=list)
    news: list[StreamNews] = field(factory=list)
    followed: list[FakeFollowing] = field(factory=list)
    listening: Any = None

    async def open(self, ordered: OrderedStream) -> Any:
        self.opened.append(self.clock.seconds())
        answer = self.answers.pop(0) if self.answers else MediaError("nobody there")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def follow(self, ordered: OrderedStream, manifest: Manifest, on_news: Any) -> FakeFollowing:
        self.followed.append(FakeFollowing(ordered, manifest, on_news))
        return self.followed[-1]

    def listen(self, *answers: Any, ordered: OrderedStream | None = None, **rules: Any) -> Any:
        """Begin to listen, with what opening brings."""
        self.answers = list(answers)
        lengths = Lengths(rules.get("seconds", 600.0), rules.get("size", 2**26))
        tide = Tide(self.clock)
        tide.startService()
        means = Means(
            self.clock,
            tide,
            self,  # type: ignore[arg-type]
            self.recorder,  # type: ignore[arg-type]
            Rules(30.0, rules.get("log_interval", 30.0), lengths),
            lambda: Backoff(1.0, 600.0, chance=lambda: 1.0),
            self.follow,
        )
        order = ordered or OrderedStream(URL, "radio.example")
        self.listening = Listening(means, order, self.news.append)
        self.listening.start()
        return self.listening

    def pass_by(self, seconds: float, source: FakeSource | None = None) -> None:
        """Let time go by, while a source sends as much as it takes."""
        for _ in range(round(seconds)):
            if source is not None:
                source.put(1)
            self.clock.pump([1 / BEATS] * BEATS)

    @property
    def outcomes(self) -> list[str]:
        """What became of the stream, without what is told again and again."""
        told = [each.outcome for each in self.news]
        return [each for number, each in enumerate(told) if not number or told[number - 1] != each]


@pytest.fixture
def air(monkeypatch: pytest.MonkeyPatch) -> Air:
    """A stream that is not listened to yet."""
    monkeypatch.setattr("agents.streaming.reception.clock_for", lambda *_: FakeClock())
    return Air()
