"""Live streams over RTSP: what is asked, what is kept, and how it ends."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from anet.errors import ConnectFailed, ConnectionBroken, ForbiddenAddress, TimedOut
from anet.media.errors import MediaError, NotAStream, StreamBroken, StreamEnded, StreamRefused
from anet.media.interface import Heard, ILiveSource, Media
from anet.media.live_http import Answer
from anet.media.rtsp.connection import AT_ONCE, RtspConnection
from anet.media.rtsp.live_rtsp import LiveRtsp, open_rtsp
from anet.media.rtsp.tracks import TrackReader
from anet.tasks import sleep
from tests.anet.media.rtsp.wire import (
    DESCRIPTION,
    MP3,
    bye,
    described,
    frame,
    opening,
    packet,
    reply,
    set_up,
)

FRAMES = b"".join(frame(0, packet(bytes(4) + b"<%d>" % number, number)) for number in range(5))


class Server:
    """A server that replies to one request after another.

    Attributes:
        asked: what it was asked.
        transport: of the last that asked.
        url: where it is.
    """

    def __init__(self, *replies: bytes) -> None:
        self.asked: list[str] = []
        self.transport: Any = None
        self._replies = list(replies)
        self._port = reactor.listenTCP(
            0, Factory.forProtocol(self._protocol), interface="127.0.0.1"
        )
        self.url = f"rtsp://127.0.0.1:{self._port.getHost().port}/live"

    def _protocol(self) -> Protocol:
        server = self

        class Says(Protocol):
            def dataReceived(self, data: bytes) -> None:
                server.transport = self.transport
                for request in data.decode().split("\r\n\r\n")[:-1]:
                    server.asked.append(request)
                    if server._replies:
                        self.transport.write(server._replies.pop(0))

        return Says()

    def stop(self) -> Any:
        """Hang up, and listen no more."""
        if self.transport is not None and self.transport.connected:
            self.transport.abortConnection()
        return self._port.stopListening()


Make = Callable[..., Server]


@pytest.fixture
def says() -> Iterator[Make]:
    """Makes servers."""
    servers: list[Server] = []

    def make(*replies: bytes) -> Server:
        servers.append(Server(*replies))
        return servers[-1]

    yield make
    for server in servers:
        pytest_twisted.blockon(server.stop())


PLAYS = reply(200, "Public: OPTIONS, PLAY"), described(MP3), set_up(0), reply(200) + FRAMES


async def listen(server: Server, silence: float = 5.0) -> LiveRtsp:
    """Return the stream of a server."""
    source = await open_rtsp(reactor, server.url, user_agent="listener/1", silence=silence)
    assert isinstance(source, LiveRtsp)
    assert ILiveSource.providedBy(source)
    return source


async def until(done: Callable[[], bool]) -> None:
    """Wait for something."""
    for _ in range(1000):
        if done():
            return
        await sleep(reactor, 0.005)
    raise AssertionError("it does not come to pass")


async def take(source: LiveRtsp, size: int) -> bytes:
    """Take until so much is heard."""
    heard = b""
    for _ in range(1000):
        heard += media(source.take())
        if len(heard) >= size:
            return heard
        await sleep(reactor, 0.005)
    raise AssertionError(heard)


async def end_of(source: LiveRtsp) -> tuple[bytes, MediaError]:
    """Return all media until the end, and how that was."""
    heard = b""
    for _ in range(1000):
        try:
            heard += media(source.take())
        except MediaError as error:
            return heard, error
        await sleep(reactor, 0.005)
    raise AssertionError("it does not end")


def media(heard: Sequence[Heard]) -> bytes:
    """Return the media in what was heard."""
    return b"".join(each.data for each in heard if isinstance(each, Media))


@ensureDeferred
async def test_what_is_asked_and_what_is_kept(says: Make) -> None:
    """All that the server says from its description on is kept, byte for byte."""
    server = says(*PLAYS)
    source = await listen(server)
    kept = b"".join(PLAYS[1:])
    assert await take(source, len(kept)) == kept
    assert TrackReader().feed(kept) == b"<0><1><2><3><4>"
    assert [request.split("\r\n")[0] for request in server.asked] == [
        f"OPTIONS {server.url} RTSP/1.0",
        f"DESCRIBE {server.url} RTSP/1.0",
        f"SETUP {server.url}/one RTSP/1.0",
        f"PLAY {server.url} RTSP/1.0",
    ]
    assert "User-Agent: listener/1" in server.asked[0]
    assert "Transport: RTP/AVP/TCP;unicast;interleaved=0-1" in server.asked[2]
    assert "Session: 12" in server.asked[3]
    said = source.described
    assert (said.protocol, said.media_type) == ("rtsp", "application/x-rtsp-interleaved")
    assert said.head + MP3 == described(MP3)
    assert said.request.decode() == server.asked[1] + "\r\n\r\n"
    source.close()
    await until(lambda: len(server.asked) == 5)
    assert server.asked[4].startswith("TEARDOWN ")


@ensureDeferred
async def test_all_tracks_are_asked_for(says: Make) -> None:
    """Sound and pictures are set up, by their own URLs or below the base that is told."""
    base = described(DESCRIPTION).replace(b"\r\n", b"\r\nContent-Base: rtsp://127.0.0.1/b/\r\n", 1)
    server = says(PLAYS[0], base, set_up(0), set_up(2), reply(200) + FRAMES)
    source = await listen(server)
    assert "SETUP rtsp://127.0.0.1/b/trackID=1 " in server.asked[2]
    assert "SETUP rtsp://127.0.0.1/live/trackID=2 " in server.asked[3]
    assert "PLAY rtsp://127.0.0.1/b/ " in server.asked[4]
    said = source.described
    assert (said.name, said.description, said.bitrate) == ("Radio Café", "All the news", 192)
    source.close()


@ensureDeferred
async def test_at_ebb_nobody_reads(says: Make) -> None:
    """Between two takes the reactor does not even look at the connection."""
    before = set(reactor.getReaders())
    server = says(*PLAYS)
    source = await listen(server)
    assert set(reactor.getReaders()) - before == {server.transport, server._port}
    source.close()


@ensureDeferred
async def test_the_session_is_kept_alive(says: Make) -> None:
    """Half-way to the session's time-out the server hears that we are there; it may ask, too."""
    server = says(reply(200, "Public: GET_PARAMETER"), *PLAYS[1:], reply(200))
    source = await listen(server)
    source._period = 0.0
    await take(source, 100)
    await until(lambda: len(server.asked) == 5)
    assert server.asked[4].startswith("GET_PARAMETER ")
    source._period = 20.0
    server.transport.write(
        b"OPTIONS * RTSP/1.0\r\nCSeq: 9\r\n\r\nFLY * RTSP/1.0\r\nCSeq: 10\r\n\r\n"
    )
    await take(source, 50)
    await until(lambda: len(server.asked) == 7)
    assert server.asked[5:] == [
        "RTSP/1.0 200 OK\r\nCSeq: 9", "RTSP/1.0 501 Not Implemented\r\nCSeq: 10",
    ]  # fmt: skip
    source.close()


def test_an_hour() -> None:
    """The session is refreshed every twenty seconds for as long as it lasts, and not more often."""
    clock, transport = Clock(), StringTransport()
    transport.doRead = lambda: None  # type: ignore[attr-defined]
    connection = RtspConnection(clock, "listener/1", 5.0)
    connection.makeConnection(transport)
    source = LiveRtsp(clock, "rtsp://127.0.0.1/live", connection, 30.0)
    asking = Deferred.fromCoroutine(connection.ask("DESCRIBE", "rtsp://127.0.0.1/live"))
    asking.addCallback(lambda told: source.describe(*told, told[0]))
    connection.dataReceived(described(MP3))
    opened = Deferred.fromCoroutine(source.set_up())
    connection.dataReceived(set_up(0))
    connection.dataReceived(reply(200))
    assert opened.called
    for second in range(3600):
        clock.advance(1)
        connection.dataReceived(frame(0, packet(b"", second)) + reply(200))
        source.take()
    asked = transport.value().decode().split("\r\n\r\n")
    assert len([each for each in asked if each.startswith("OPTIONS rtsp://")]) == 180
    source.close()
    assert transport.value().decode().split("\r\n\r\n")[-2].startswith("TEARDOWN ")
    connection.connectionLost()
    assert clock.getDelayedCalls() == []


@ensureDeferred
async def test_how_the_timeout_is_told(says: Make) -> None:
    """A server says for how long it remembers a client that says nothing."""
    source = await listen(says(*PLAYS))
    assert source._period == 20.0
    source.close()


REDIRECT = b"REDIRECT * RTSP/1.0\r\nCSeq: 1\r\nLocation: rtsp://127.0.0.2/\r\n\r\n"
ANNOUNCE = b"ANNOUNCE * RTSP/1.0\r\nCSeq: 1\r\n\r\n"
TEARDOWN = b"TEARDOWN * RTSP/1.0\r\nCSeq: 1\r\n\r\n"


@pytest.mark.parametrize(
    ("words", "kind", "why"),
    [
        (frame(1, bye()), StreamEnded, "goodbye"),
        (TEARDOWN, StreamEnded, "ended"),
        (REDIRECT, StreamBroken, "elsewhere"),
        (ANNOUNCE, StreamBroken, "described"),
        (reply(454), StreamBroken, "session"),
        (b"nonsense\r\n\r\n", StreamBroken, "nothing of RTSP"),
    ],
)
@ensureDeferred
async def test_how_it_ends(says: Make, words: bytes, kind: type[MediaError], why: str) -> None:
    """What came before the end is taken; then it is told how it ended."""
    server = says(*PLAYS[:3], PLAYS[3] + words)
    heard, error = await end_of(await listen(server))
    assert TrackReader().feed(heard) == b"<0><1><2><3><4>"
    assert type(error) is kind
    assert why in str(error)


@ensureDeferred
async def test_the_server_goes_away(says: Make) -> None:
    """A connection that is cut breaks the stream, and what is half is left out."""
    more = b"".join(frame(0, packet(bytes(4) + b"<%d>" % number, number)) for number in range(5, 9))
    server = says(*PLAYS[:3], PLAYS[3] + more + FRAMES[:9])
    source = await listen(server)
    heard = await take(source, len(b"".join(PLAYS[1:])))
    server.transport.abortConnection()
    rest, error = await end_of(source)
    assert TrackReader().feed(heard + rest) == b"<0><1><2><3><4><5><6><7><8>"
    assert type(error) is StreamBroken


@ensureDeferred
async def test_silence(says: Make) -> None:
    """A server that sends no packet is given up, whatever else it says."""
    server = says(*PLAYS[:3], reply(200), *[reply(200)] * 1000)
    source = await listen(server, silence=0.1)
    source._period = 0.01
    _, error = await end_of(source)
    assert "nothing came" in str(error)


@pytest.mark.parametrize("words", [frame(9, packet(b"")), frame(1, b""), reply(200)])
@ensureDeferred
async def test_noise_is_silence(says: Make, words: bytes) -> None:
    """A server that goes on saying things, and none of them media, is given up as well."""
    server = says(*PLAYS)
    source = await listen(server, silence=0.2)
    for _ in range(200):
        server.transport.write(words)
        await sleep(reactor, 0.01)
        try:
            source.take()
        except StreamBroken as error:
            assert "nothing came" in str(error)
            return
    raise AssertionError("it is listened to for ever")


@ensureDeferred
async def test_a_server_that_asks_and_does_not_listen(says: Make) -> None:
    """Replies that nobody reads do not pile up here."""
    server = says(*PLAYS)
    source = await listen(server)
    await take(source, 100)
    server.transport.pauseProducing()
    source._connection.transport.writeSomeData = lambda _: 0  # as when the kernel takes no more
    server.transport.write(b"OPTIONS * RTSP/1.0\r\nCSeq: 9\r\n\r\n" * 4000)
    _, error = await end_of(source)
    assert "does not read" in str(error)
    assert not source._connection.transport.connected


@ensureDeferred
async def test_a_farewell_that_nobody_reads(says: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection whose server does not even take the TEARDOWN is closed all the same."""
    monkeypatch.setattr("anet.media.rtsp.connection._FAREWELL", 0.05)
    source = await listen(says(*PLAYS))
    transport = source._connection.transport
    transport.writeSomeData = lambda _: 0
    source.close()
    assert transport.connected
    await until(lambda: not transport.connected)


@ensureDeferred
async def test_a_flood_of_small_packets(says: Make) -> None:
    """Of very many packets some wait for the next second, and none is lost."""
    server = says(*PLAYS[:3], reply(200))
    source = await listen(server)
    heard = media(source.take())
    server.transport.write(b"$\0\0\0" * 12_000)
    sizes = []
    while sum(sizes) < 48_000:
        await sleep(reactor, 0.005)
        data = media(source.take())
        heard += data
        sizes.append(len(data))
    assert max(sizes) <= 4 * AT_ONCE
    assert heard.endswith(b"$\0\0\0" * 12_000)
    source.close()


@ensureDeferred
async def test_nothing_is_left_behind(says: Make) -> None:
    """Opened and closed many times, it leaves neither sockets nor timers, whoever hangs up."""
    server = says()
    readers, timers = set(reactor.getReaders()), set(reactor.getDelayedCalls())
    for number in range(30):
        server._replies = list(PLAYS)
        source = await listen(server)
        if number % 3 == 0:
            server.transport.abortConnection()
            await end_of(source)
        source.close()
        await until(lambda: not server.transport.connected)
    assert set(reactor.getReaders()) == readers
    assert set(reactor.getDelayedCalls()) <= timers


@ensureDeferred
async def test_one_that_is_given_up_as_it_opens(says: Make) -> None:
    """Whoever stops waiting at the last moment leaves no connection behind."""
    for step in range(60):
        server = says(*PLAYS)
        opening = Deferred.fromCoroutine(open_rtsp(reactor, server.url, user_agent="listener/1"))
        for _ in range(step):
            await sleep(reactor, 0)
        opening.addErrback(lambda failure: failure.trap(CancelledError))
        opening.cancel()
        done = await opening
        if isinstance(done, LiveRtsp):
            done.close()
            return
        if server.transport is not None:
            await until(lambda gone=server: not gone.transport.connected)
    raise AssertionError("it never opened")


@pytest.mark.parametrize("session", ["a\0b", "a b", "\xe9", "x" * 5000, ""])
@ensureDeferred
async def test_sessions_that_cannot_be_repeated(says: Make, session: str) -> None:
    """What would spoil a request is not part of one."""
    said = f"Transport: interleaved=0-1\r\nSession: {session}"
    server = says(*PLAYS[:2], reply(200, said), PLAYS[3])
    source = await listen(server)
    assert "Session" not in server.asked[3]
    source.close()


@ensureDeferred
async def test_one_goodbye_of_two(says: Make) -> None:
    """A stream goes on while one of its tracks does."""
    server = says(PLAYS[0], described(DESCRIPTION), set_up(0), set_up(2),
                  reply(200) + frame(1, bye()) + frame(2, packet(b"")))  # fmt: skip
    source = await listen(server)
    await take(source, 700)
    assert source.take() == ()
    server.transport.write(frame(3, bye()))
    _, error = await end_of(source)
    assert type(error) is StreamEnded


@pytest.mark.parametrize(
    ("replies", "kind", "why"),
    [
        ([reply(200), reply(401)], StreamRefused, "401"),
        ([reply(200), reply(404)], StreamRefused, "404"),
        ([reply(200), described(MP3), reply(461)], StreamRefused, "UDP"),
        ([reply(200), described(MP3), reply(200, "Transport: RTP/AVP")], StreamRefused, "channel"),
        ([reply(200), described(MP3), set_up(0), reply(455)], StreamRefused, "455"),
        ([reply(200), described(b"v=0\r\n")], NotAStream, "neither"),
        ([reply(200), reply(200, body=MP3)], NotAStream, "neither"),
        ([reply(200), described(MP3 + b"a=range:npt=0-9\r\n")], NotAStream, "recording"),
        ([b"HTTP/1.1 200 OK\r\n\r\n"], ConnectionBroken, "RTSP"),
    ],
)
@ensureDeferred
async def test_what_is_no_stream(
    says: Make, replies: list[bytes], kind: type[Exception], why: str
) -> None:
    """Whoever does not give it, or has none, is told apart; the connection is closed."""
    server = says(*replies)
    with pytest.raises(kind, match=why):
        await listen(server)
    await until(lambda: not server.transport.connected)


@ensureDeferred
async def test_a_redirection_is_told(says: Make) -> None:
    """Where it leads to is asked by others."""
    server = says(reply(200), reply(302, "Location: rtsp://127.0.0.2/live"))
    answer = await open_rtsp(reactor, server.url, user_agent="listener/1")
    assert isinstance(answer, Answer)
    assert answer.head.headers.text(b"location") == "rtsp://127.0.0.2/live"
    await until(lambda: not server.transport.connected)


@ensureDeferred
async def test_no_reply(says: Make) -> None:
    """A server that does not reply is given up."""
    with pytest.raises(TimedOut, match="OPTIONS"):
        await listen(says(), silence=0.1)


@ensureDeferred
async def test_where_it_may_not_go(says: Make) -> None:
    """Addresses that are not permitted, and what is no URL of RTSP, are not connected to."""
    server = says()
    with pytest.raises(ForbiddenAddress):
        await open_rtsp(reactor, server.url, user_agent="", permit=lambda _: False)
    for url in (
        "rtsp://",
        "http://127.0.0.1/",
        "rtsp://h/a b",
        "rtsp://h:99999/",
        "rtsp://h/\r\nX:y",
    ):
        with pytest.raises(ConnectFailed):
            await open_rtsp(reactor, url, user_agent="")
    assert server.transport is None


@ensureDeferred
async def test_a_server_that_floods(says: Make) -> None:
    """What nobody asked for is not kept without end."""
    flood = says(*PLAYS[:2], frame(0, bytes(65000)) * 40)
    with pytest.raises(ConnectionBroken, match="without being asked"):
        await listen(flood)


def test_what_is_kept_begins_with_its_opening() -> None:
    """What the tests of other modules call an opening is what is kept here."""
    assert b"".join(PLAYS[1:3]) == opening(MP3, 0)[: len(PLAYS[1]) + len(PLAYS[2])]
