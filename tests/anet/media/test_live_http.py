"""Live streams over HTTP: what a server says, what is taken, and how it ends."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from radio import Feed, Icecast, decodes, needs_radio, tone_file
from twisted.internet import reactor, ssl
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.threads import deferToThread

from anet.errors import ForbiddenAddress, TimedOut
from anet.media.errors import MediaError, NotAStream, StreamBroken, StreamEnded, StreamRefused
from anet.media.interface import Heard, ILiveSource, Media, Said
from anet.media.live_http import BODY_LIMIT, Answer, LiveHttp, open_http
from anet.media.tidal import WAITING_LIMIT
from anet.tasks import sleep
from tests.anet.servers import certificate

ICY = (
    b"ICY 200 OK\r\nicy-name: Radio Caf\xe9\r\nicy-genre: Jazz\r\nicy-url: http://radio.example/\r\n"
    b"icy-br:128,64\r\nicy-metaint:100\r\nContent-Type: audio/mpeg\r\n\r\n"
)
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n"
CHUNKED = PLAIN[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"


class Station:
    """A server that says what it is told to, over one connection.

    Attributes:
        url: where it is.
        request: what it was asked.
        transport: of the last that asked.
    """

    def __init__(self, words: bytes, folder: Path | None = None) -> None:
        self.request = b""
        self.transport: Any = None
        station = self

        class Says(Protocol):
            def dataReceived(self, data: bytes) -> None:
                station.request += data
                station.transport = self.transport
                self.transport.write(words)

        factory = Factory.forProtocol(Says)
        if folder is None:
            self._port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        else:
            pem = str(certificate(folder, "radio.example"))
            context = ssl.DefaultOpenSSLContextFactory(pem, pem)
            self._port = reactor.listenSSL(0, factory, context, interface="127.0.0.1")
        scheme = "http" if folder is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._port.getHost().port}/live"

    def stop(self) -> Any:
        """Hang up, and listen no more."""
        if self.transport is not None and self.transport.connected:
            self.transport.abortConnection()
        return self._port.stopListening()


@pytest.fixture
def says() -> Iterator[Callable[..., Station]]:
    """Makes stations."""
    stations: list[Station] = []

    def make(words: bytes, folder: Path | None = None) -> Station:
        stations.append(Station(words, folder))
        return stations[-1]

    yield make
    for station in stations:
        pytest_twisted.blockon(station.stop())


async def listen(station: Station, silence: float = 5.0) -> LiveHttp:
    """Return the stream of a station."""
    source = await open_http(reactor, station.url, user_agent="listener/1", silence=silence)
    assert isinstance(source, LiveHttp)
    assert ILiveSource.providedBy(source)
    return source


async def take_until(source: LiveHttp, done: Callable[[list[Heard]], bool]) -> list[Heard]:
    """Take again and again until enough is heard."""
    heard: list[Heard] = []
    for _ in range(1000):
        heard += source.take()
        if done(heard):
            return heard
        await sleep(reactor, 0.005)
    raise AssertionError(f"only {len(heard)} things were heard")


async def end_of(source: LiveHttp) -> tuple[bytes, MediaError]:
    """Return all media until the end, and how that was."""
    heard: list[Heard] = []
    for _ in range(1000):
        try:
            heard += source.take()
        except MediaError as error:
            with pytest.raises(type(error)):
                source.take()  # it stays over
            return media(heard), error
        await sleep(reactor, 0.005)
    raise AssertionError("it does not end")


def media(heard: Sequence[Heard]) -> bytes:
    """Return the media in what was heard."""
    return b"".join(each.data for each in heard if isinstance(each, Media))


@ensureDeferred
async def test_old_radio(says: Callable[..., Station]) -> None:
    """A server that says ICY tells who it is, and titles between the media."""
    title = b"\x02StreamTitle='One & two';".ljust(33, b"\0")
    station = says(ICY + bytes(100) + title + bytes(50))
    source = await listen(station)
    heard = await take_until(source, lambda heard: len(media(heard)) == 150)
    assert heard == [Media(bytes(100)), Said("One & two", {"StreamTitle": "One & two"}, title),
                     Media(bytes(50))]  # fmt: skip
    described = source.described
    assert (described.protocol, described.media_type) == ("icy", "audio/mpeg")
    assert (described.name, described.genre) == ("Radio Café", "Jazz")
    assert (described.homepage, described.bitrate) == ("http://radio.example/", 128)
    assert described.head == ICY
    assert described.request == station.request
    assert b"Icy-MetaData: 1\r\n" in station.request
    assert b"User-Agent: listener/1\r\n" in station.request
    source.close()


@ensureDeferred
async def test_at_ebb_nobody_reads(says: Callable[..., Station]) -> None:
    """Between two takes the reactor does not even look at the connection."""
    before = set(reactor.getReaders())
    station = says(PLAIN + bytes(1000))
    source = await listen(station)
    await take_until(source, lambda heard: len(media(heard)) == 1000)
    accepted = {station.transport, station._port}
    assert set(reactor.getReaders()) - before == accepted
    station.transport.write(bytes(20_000))
    await take_until(source, lambda heard: len(media(heard)) == 20_000)
    source.close()


@ensureDeferred
async def test_a_flood_is_bounded(says: Callable[..., Station]) -> None:
    """What comes quicker than a kernel holds is read as it comes, up to a limit."""
    sent = bytes(range(256)) * (4 * WAITING_LIMIT // 256)
    source = await listen(says(PLAIN + sent))
    taken: list[bytes] = []
    while sum(map(len, taken)) < len(sent):
        taken.append(media(source.take()))
        await sleep(reactor, 0.1)
    assert b"".join(taken) == sent
    assert max(map(len, taken)) <= WAITING_LIMIT + 2**16  # one read more
    assert len(taken) <= 15  # kernels alone would take more turns than that
    assert source.take() == ()
    source.close()


@ensureDeferred
async def test_ends(says: Callable[..., Station]) -> None:
    """Only a body that says its end has ended; all others broke off, and nothing before is lost."""
    for words, kind in [
        (CHUNKED + b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", StreamEnded),
        (CHUNKED + b"3\r\nabc\r\n9\r\ndefg", StreamBroken),
        (PLAIN + b"abcdefg", StreamBroken),
        (PLAIN[:-2] + b"icy-br: 64\r\nContent-Length: 7\r\n\r\nabcdefg", StreamEnded),
        (PLAIN[:-2] + b"icy-br: 64\r\nContent-Length: 9\r\n\r\nabcdefg", StreamBroken),
    ]:
        station = says(words)
        source = await listen(station)
        station.transport.loseConnection()
        heard, error = await end_of(source)
        assert (heard, type(error)) == (b"abcdefg", kind), words
        source.close()


@ensureDeferred
async def test_nonsense(says: Callable[..., Station]) -> None:
    """Framing that makes no sense breaks the stream off."""
    source = await listen(says(CHUNKED + b"3\r\nabc\r\nzz\r\n"))
    assert isinstance((await end_of(source))[1], StreamBroken)


@ensureDeferred
async def test_silence(says: Callable[..., Station]) -> None:
    """A server that says nothing any more is given up, with its connection."""
    station = says(PLAIN + b"abc")
    source = await listen(station, silence=0.1)
    heard, error = await end_of(source)
    assert heard == b"abc"
    assert isinstance(error, StreamBroken)
    assert "0.1 seconds" in str(error)
    for _ in range(500):
        if not station.transport.connected:
            break
        await sleep(reactor, 0.01)
    assert not station.transport.connected


@ensureDeferred
async def test_over_tls(says: Callable[..., Station], tmp_path: Path) -> None:
    """Over TLS it is the same, whoever vouches for the server; and so is a flood."""
    sent = bytes(range(256)) * (WAITING_LIMIT // 256)
    station = says(PLAIN + sent, tmp_path)
    source = await listen(station)
    assert source.described.tls is not None
    heard = await take_until(source, lambda heard: len(media(heard)) == len(sent))
    assert media(heard) == sent
    station.transport.loseConnection()
    assert isinstance((await end_of(source))[1], StreamBroken)


@ensureDeferred
async def test_answers_that_lead_on(says: Callable[..., Station]) -> None:
    """Playlists and redirects are given back with what they say."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: audio/x-scpls\r\nContent-Length: 10\r\n\r\n"
    answer = await open_http(reactor, says(head + b"[playlist]").url, user_agent="x")
    assert isinstance(answer, Answer)
    assert (answer.head.raw, answer.body) == (head, b"[playlist]")
    moved = b"HTTP/1.1 302 Found\r\nLocation: /other\r\n\r\nignored, and endless"
    answer = await open_http(reactor, says(moved).url, user_agent="x")
    assert isinstance(answer, Answer)
    assert answer.head.headers.text(b"location") == "/other"


@ensureDeferred
async def test_refusals(says: Callable[..., Station]) -> None:
    """Only 410 is for ever; how long a server wants to be left alone is told."""
    for words, gone, rest in [
        (b"404 Not Found", False, 0.0),
        (b"410 Gone", True, 0.0),
        (b"401 Who\r\nWWW-Authenticate: Basic", False, 0.0),
        (b"503 Full\r\nRetry-After: 120", False, 120.0),
        (b"503 Full\r\nRetry-After: 999999999", False, 86400.0),
        (b"503 Full\r\nRetry-After: Fri, 22 Nov 9991 07:00:00 GMT", False, 86400.0),
        (b"503 Full\r\nRetry-After: Sun, 22 Nov 1992 07:00:00 GMT", False, 0.0),
        (b"503 Full\r\nRetry-After: soon", False, 0.0),
    ]:
        station = says(b"HTTP/1.1 " + words + b"\r\n\r\n")
        with pytest.raises(StreamRefused) as refused:
            await open_http(reactor, station.url, user_agent="x")
        assert (refused.value.gone, refused.value.rest) == (gone, rest)
        assert words[:3].decode() in str(refused.value)


@ensureDeferred
async def test_what_is_no_stream(says: Callable[..., Station]) -> None:
    """Files, events, and radios whose titles nobody could find."""
    for words in [
        b"Content-Type: text/event-stream\r\n\r\ndata: x\n\n",
        b"Content-Type: video/mp4\r\nContent-Length: 9999999\r\n\r\n" + bytes(BODY_LIMIT + 1),
        b"Content-Type: audio/mpeg\r\nicy-metaint: 1\r\n\r\n",
    ]:
        with pytest.raises(NotAStream):
            await open_http(reactor, says(b"HTTP/1.1 200 OK\r\n" + words).url, user_agent="x")


@ensureDeferred
async def test_where_not_to_listen(says: Callable[..., Station]) -> None:
    """Addresses that are not permitted are not asked, and the silent are not waited for."""
    station = says(b"")
    with pytest.raises(ForbiddenAddress):
        await open_http(reactor, station.url, user_agent="x", permit=lambda _: False)
    assert station.transport is None
    with pytest.raises(TimedOut):
        await open_http(reactor, station.url, user_agent="x", silence=0.1)
    endless = says(b"HTTP/1.1 200 OK\r\nContent-Type: audio/x-scpls\r\n\r\n[play")
    with pytest.raises(TimedOut):
        await open_http(reactor, endless.url, user_agent="x", silence=0.1)


@needs_radio
@ensureDeferred
async def test_a_real_radio(tmp_path: Path) -> None:
    """What Icecast was fed is taken byte for byte, with the titles; an outage ends it."""
    tone = await deferToThread(tone_file, tmp_path / "tone.mp3", 20)
    with (
        Icecast(tmp_path) as icecast,
        Feed(icecast, "/tone.mp3", tone, speed=8, name="Tones") as feed,
    ):
        await deferToThread(icecast.title, "/tone.mp3", "Somebody's — Song")
        source = await open_http(reactor, icecast.url("/tone.mp3"), user_agent="x")
        assert isinstance(source, LiveHttp)
        heard = await take_until(source, lambda heard: _titles(heard) == ["Somebody's — Song"])
        await deferToThread(icecast.title, "/tone.mp3", "Another")
        heard += await take_until(source, lambda heard: "Another" in _titles(heard))
        heard += await take_until(source, lambda heard: len(media(heard)) > 30_000)
        await deferToThread(feed.break_off)
        rest, error = await end_of(source)
        assert source.described.name == "Tones"
        assert isinstance(error, StreamBroken)
        kept = media(heard) + rest
        assert kept in feed.sent
        assert len(kept) > 30_000
        assert decodes(kept) == ""


def _titles(heard: Sequence[Heard]) -> list[str]:
    return [each.title for each in heard if isinstance(each, Said)]
