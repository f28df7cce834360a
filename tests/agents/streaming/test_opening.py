"""From a stream's URL to where it comes from, behind playlists and redirections."""

from typing import Any

import pytest
from attrs import define, field
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.collected import Exchange
from agents.stream import OrderedStream
from agents.streaming.opening import LONGEST, Manifest, Opener
from anet.errors import ConnectFailed, TimedOut
from anet.http import parse_head
from anet.media.errors import NotAStream, StreamRefused
from anet.media.live_http import Answer
from tests.agents.streaming.conftest import FakeSource

PLAYLIST = "http://radio.example/live.m3u"


@define
class FakeWeb:
    """Answers by URL, and what was asked and kept.

    Attributes:
        answers: by URL: an answer, a source, or an error.
        fails: what keeping an answer fails with.
    """

    answers: dict[str, Any] = field(factory=dict)
    asked: list[str] = field(factory=list)
    kept: list[tuple[str, int, bytes]] = field(factory=list)
    permits: list[bool] = field(factory=list)
    clock: Clock = field(factory=Clock)
    fails: Exception | None = None

    async def ask(self, url: str, permit: Any) -> Any:
        self.asked.append(url)
        self.permits.append(permit("127.0.0.1"))
        answer = self.answers.get(url, ConnectFailed("nobody there"))
        if isinstance(answer, Exception):
            raise answer
        return await answer if isinstance(answer, Deferred) else answer

    async def keep(self, exchange: Exchange, body: bytes) -> None:
        if self.fails is not None:
            raise self.fails
        self.kept.append((exchange.url, exchange.head.status, body))

    def opener(self) -> Opener:
        protocols = dict.fromkeys(("http", "https", "rtsp"), self.ask)
        return Opener(self.clock, protocols, self)  # type: ignore[arg-type]


@pytest.fixture
def web() -> FakeWeb:
    """A web without anything."""
    return FakeWeb()


def redirect(to: str) -> Answer:
    """Return an answer that leads elsewhere."""
    head = f"HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n".encode()
    return Answer(parse_head(head), b"", "127.0.0.1:80")


def document(body: str, kind: str = "audio/x-mpegurl") -> Answer:
    """Return an answer with a body."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}; charset=utf-8\r\n\r\n".encode()
    return Answer(parse_head(head), body.encode(), "127.0.0.1:80")


def ordered(url: str = PLAYLIST, private: bool = False) -> OrderedStream:
    """Return the order of a stream."""
    return OrderedStream(url, "radio.example", private_networks=private)


@ensureDeferred
async def test_a_redirection_may_lead_to_another_protocol(web: FakeWeb) -> None:
    """What a web server leads to by RTSP is asked for by RTSP."""
    led_to = FakeSource()
    web.answers = {
        PLAYLIST: redirect("rtsp://radio.example/live"),
        "rtsp://radio.example/live": led_to,
    }
    assert await web.opener().open(ordered()) is led_to
    assert web.asked == [PLAYLIST, "rtsp://radio.example/live"]


@ensureDeferred
async def test_the_way_to_a_stream_is_kept(web: FakeWeb) -> None:
    """Redirections and playlists before it are captures, so that a player finds it at its date."""
    source = FakeSource()
    web.answers = {
        PLAYLIST: redirect("/moved.m3u"),
        "http://radio.example/moved.m3u": document("http://a.example:8000/tone.mp3\n"),
        "http://a.example:8000/tone.mp3": source,
    }
    opener = web.opener()
    assert await opener.open(ordered()) is source
    way = [
        (PLAYLIST, 302, b""),
        ("http://radio.example/moved.m3u", 200, b"http://a.example:8000/tone.mp3\n"),
    ]
    assert web.kept == way
    await opener.open(ordered())
    assert web.kept == way  # it is as it was
    web.answers[PLAYLIST] = redirect("http://a.example:8000/tone.mp3")
    await opener.open(ordered())
    assert web.kept[2:] == [(PLAYLIST, 302, b"")]


@ensureDeferred
async def test_of_several_entries_the_first_that_works_is_taken(web: FakeWeb) -> None:
    """What leads to one that does not work is not kept."""
    source = FakeSource()
    web.answers = {
        PLAYLIST: document("http://a.example/1\nhttp://a.example/2.m3u\nrtsp://a.example/3\n"),
        "http://a.example/1": redirect("/5"),
        "http://a.example/5": StreamRefused("the server answered 404"),
        "http://a.example/2.m3u": document("http://a.example/4\n"),
        "rtsp://a.example/3": source,
    }
    assert await web.opener().open(ordered()) is source
    assert [url for url, _, _ in web.kept] == [PLAYLIST]
    assert web.asked[-2:] == ["http://a.example/4", "rtsp://a.example/3"]


@ensureDeferred
async def test_when_no_entry_works_the_first_says_why(web: FakeWeb) -> None:
    """The best guess of a playlist is what comes first in it."""
    web.answers = {
        PLAYLIST: document("http://a.example/1\nhttp://a.example/2\n"),
        "http://a.example/1": StreamRefused("410", gone=True),
    }
    with pytest.raises(StreamRefused, match="410"):
        await web.opener().open(ordered())
    assert not web.kept


@ensureDeferred
async def test_a_manifest_is_told(web: FakeWeb) -> None:
    """Streams in segments are followed, not received."""
    web.answers = {
        PLAYLIST: document("http://a.example/live.m3u8\n"),
        "http://a.example/live.m3u8": document("#EXTM3U\n#EXT-X-TARGETDURATION:4\n"),
    }
    found = await web.opener().open(ordered())
    assert isinstance(found, Manifest)
    assert (found.kind, found.url) == ("hls", "http://a.example/live.m3u8")


@pytest.mark.parametrize(
    "answers",
    [
        {PLAYLIST: redirect(PLAYLIST)},
        {PLAYLIST: redirect("mailto:a@b.example")},
        {PLAYLIST: document(PLAYLIST)},
        {PLAYLIST: document("<html>Hello</html>", "text/html")},
        {PLAYLIST: document("gopher://a.example/\n")},
        {PLAYLIST: document("mms://a.example/\n")},
        {f"{PLAYLIST}{'x' * n}": redirect(f"{PLAYLIST}{'x' * (n + 1)}") for n in range(30)},
        {f"{PLAYLIST}{'x' * n}": document(f"{PLAYLIST}{'x' * (n + 1)}") for n in range(30)},
    ],
)
@ensureDeferred
async def test_what_leads_nowhere_is_no_stream(web: FakeWeb, answers: dict[str, Answer]) -> None:
    """Circles, long chains and pages end after a few requests."""
    web.answers = answers
    with pytest.raises(NotAStream):
        await web.opener().open(ordered())
    assert len(web.asked) <= 11


@ensureDeferred
async def test_many_entries_are_asked_to_a_limit(web: FakeWeb) -> None:
    """A playlist cannot make the agent ask everybody."""
    lists = "\n".join(f"http://a.example/{number}.m3u" for number in range(20))
    web.answers = {PLAYLIST: document(lists)}
    for number in range(20):
        entries = "\n".join(f"http://b.example/{number}/{each}" for each in range(20))
        web.answers[f"http://a.example/{number}.m3u"] = document(entries)
    with pytest.raises(ConnectFailed):
        await web.opener().open(ordered())
    assert len(web.asked) == 20


@ensureDeferred
async def test_private_networks_are_for_those_who_may(web: FakeWeb) -> None:
    """A playlist cannot lead into one's own network unless the order says so."""
    web.answers = {PLAYLIST: FakeSource()}
    await web.opener().open(ordered())
    await web.opener().open(ordered(private=True))
    assert web.permits == [False, True]


@ensureDeferred
async def test_it_does_not_take_for_ever(web: FakeWeb) -> None:
    """Servers that answer slowly, one after another, are given up."""
    web.answers = {PLAYLIST: Deferred()}
    opening = Deferred.fromCoroutine(web.opener().open(ordered()))
    web.clock.advance(LONGEST + 1)
    with pytest.raises(TimedOut):
        await opening


@ensureDeferred
async def test_what_cannot_be_kept_is_not_listened_to(web: FakeWeb) -> None:
    """A full disk fails the attempt, and lets go of the server."""
    source = FakeSource()
    web.answers = {PLAYLIST: redirect("http://a.example/"), "http://a.example/": source}
    web.fails = OSError("no space left")
    with pytest.raises(OSError, match="no space"):
        await web.opener().open(ordered())
    assert source.closed
