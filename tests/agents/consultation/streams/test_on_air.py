"""Streams through the proxy, by HTTP: what players get whose requests are those of players."""

from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock

from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.faults.missing import Missing
from agents.consultation.measures import Measures
from agents.consultation.memento.fields import Addresses
from agents.consultation.proxy.proxy import Proxy
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.consultation.replay.replay import Replay
from agents.consultation.streams.listeners import Listeners
from agents.consultation.streams.on_air import OnAir
from agents.consultation.streams.playing import Pace
from agents.consultation.streams.radio import Radio
from agents.consultation.streams.sessions import Sessions
from agents.consultation.streams.television import Television
from anet.http import Response
from anet.http.connect import connect
from anet.tasks import sleep
from tests.agents.consultation.streams.recorded import (
    RADIO,
    TELEVISION,
    Channel,
    Recorded,
    keep_channel,
    keep_piece,
    moment,
    playlist_of,
)
from tests.agents.consultation.streams.test_manifests import DASH
from tests.agents.consultation.streams.test_radio import PLAIN, numbered

DATA = numbered(60_000, 1)


class Player:
    """A program that uses the proxy as players do."""

    def __init__(self, reactor: Any, archive: Any, serve: Any) -> None:
        self.clock, self.reactor = Clock(), reactor
        self.listeners, self.readers, self.screens = Listeners(5), Readers(9), Screens()
        pace = Pace(self.clock, 4.0, 30.0)
        radio = Radio(archive.retrieval, Rules(), self.listeners, pace, lambda size: None)
        self.sessions = Sessions(self.clock)
        self.on_air = OnAir(radio, Television(archive.retrieval, self.sessions))
        proxy = Proxy(
            clock=reactor,
            doors=Doors(),
            retrieval=archive.retrieval,
            readers=self.readers,
            screens=self.screens,
            missing=Missing(10),
            measures=Measures(),
            audit=Audit(),
            harbor=self._harbor,
            on_air=self.on_air,
        )
        self.host, _, self.port = serve(proxy).partition(":")

    async def _harbor(self, _: Any) -> Response:
        return Response.text(200, "harbor")

    async def ask(self, url: str, method: str = "GET", **fields: str) -> tuple[Any, Any, Any]:
        """Return head, answer and connection."""
        connection = await connect(self.reactor, self.host, int(self.port))
        sent = [(name.replace("_", "-").encode(), text.encode()) for name, text in fields.items()]
        answer = await connection.request(method, url, sent, b"")
        return answer.head, answer, connection

    async def get(self, url: str, **fields: str) -> tuple[Any, bytes]:
        """Return head and body of an answer that ends."""
        head, answer, connection = await self.ask(url, **fields)
        body = await answer.read(10_000_000)
        connection.close()
        return head, body

    def choose(self, second: float) -> None:
        """Choose a date."""
        self.readers.choose("127.0.0.1", date=moment(second))


@pytest.fixture
def player(reactor: Any, archive: Any, serve: Any) -> Player:
    """A player, its proxy and its reader."""
    return Player(reactor, archive, serve)


async def first_bytes(answer: Any, size: int) -> bytes:
    """Return the first bytes of an answer that has no end."""
    got, enough = bytearray(), Deferred()

    def take(piece: bytes) -> None:
        got.extend(piece)
        if len(got) >= size and not enough.called:
            enough.callback(None)

    answer.deliver(take).addErrback(lambda _: None)
    await enough
    return bytes(got)


@pytest.mark.parametrize("fields", [{}, {"range": "bytes=0-"}])
@ensureDeferred
async def test_a_listener_gets_the_stream_without_end(
    archive: Any, player: Player, fields: dict[str, str]
) -> None:
    """Head as received but for what is said of files; no length; the place is told."""
    head = b"ICY 200 OK\r\nContent-Type: audio/x-plain\r\nicy-name: R\r\nicy-metaint: 8000\r\n\r\n"
    key = keep_piece(archive, Recorded(0, 60, DATA), head=head)
    player.choose(20)
    head, answer, connection = await player.ask(RADIO, **fields)
    assert head.raw.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: audio/x-plain\r\nicy-name: R\r\n")
    said = head.headers
    assert said.text(b"dlweb-date") == moment(20)
    assert said.text(b"dlweb-content") == key
    assert said.text(b"dlweb-stream") == "0020000@00020000"
    assert said.text(b"dlweb-removed") == "icy-metaint"
    assert not {b"content-length", b"content-range", b"icy-metaint"} & set(said.by_name)
    assert await first_bytes(answer, 4000) == DATA[20_000:24_000]
    assert player.listeners.count == 1
    connection.close()
    while player.listeners.count:
        await sleep(player.reactor, 0.005)


@ensureDeferred
async def test_the_type_is_that_of_what_is_given(archive: Any, player: Player) -> None:
    """The type of chunks that are undone does not go out with the file that they stood for."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-mms-framed\r\nServer: Cougar\r\n\r\n"
    keep_piece(archive, Recorded(0, 60, DATA), head=head, protocol="mms", kind="audio/x-ms-wma")
    player.choose(20)
    head, _, connection = await player.ask(RADIO)
    assert head.headers.get_all(b"content-type") == [b"audio/x-ms-wma"]
    assert head.headers.text(b"dlweb-removed") == "content-type"
    assert head.headers.text(b"server") == "Cougar"
    connection.close()


@ensureDeferred
async def test_a_part_is_of_the_content_of_the_date(archive: Any, player: Player) -> None:
    """By a range the piece of the date can be had as a file."""
    keep_piece(archive, Recorded(0, 60, DATA), head=PLAIN)
    player.choose(20)
    head, body = await player.get(RADIO, range="bytes=0-999")
    assert (head.status, body) == (206, DATA[:1000])
    assert head.headers.text(b"content-range") == "bytes 0-999/60000"
    head, body = await player.get(RADIO, range="bytes=59000-")
    assert (head.status, body) == (206, DATA[59_000:])
    head, _, connection = await player.ask(RADIO, "HEAD")
    assert head.headers.text(b"dlweb-stream") == "0020000@00020000"
    assert head.headers.get(b"content-length") is None
    assert player.listeners.count == 0
    connection.close()


@ensureDeferred
async def test_titles_come_to_who_asks_for_them(archive: Any, player: Player) -> None:
    """With `Icy-MetaData: 1` the field stays, and titles are where it says."""
    head = b"ICY 200 OK\r\nContent-Type: audio/x-plain\r\nicy-metaint: 1000\r\n\r\n"
    keep_piece(archive, Recorded(0, 60, DATA, titles={3: "Somebody"}), head=head)
    player.choose(20)
    head, answer, connection = await player.ask(RADIO, icy_metadata="1")
    assert head.headers.text(b"icy-metaint") == "1000"
    data = await first_bytes(answer, 2000)
    assert data[:1000] == DATA[20_000:21_000]
    assert data[1000:].startswith(b"\2StreamTitle='Somebody';\0")
    connection.close()


@ensureDeferred
async def test_a_gap_is_told(archive: Any, player: Player) -> None:
    """A date in a gap leads on to what came next, and the answer says so."""
    keep_piece(archive, Recorded(0, 60, DATA), head=PLAIN)
    keep_piece(archive, Recorded(100, 60, DATA[::-1]), head=PLAIN)
    player.choose(70)
    head, _, connection = await player.ask(RADIO)
    assert head.headers.text(b"dlweb-gap") == f"{moment(60)} {moment(100)}"
    assert head.headers.text(b"dlweb-date") == moment(100)
    connection.close()


@ensureDeferred
async def test_one_too_many_gets_503(archive: Any, player: Player) -> None:
    """It is a fault like others, and says what to do."""
    keep_piece(archive, Recorded(0, 60, DATA), head=PLAIN)
    player.listeners.count = 5
    head, body = await player.get(RADIO)
    assert head.status == 503
    assert b"listen" in body


@ensureDeferred
async def test_a_channel_goes_on_from_the_readers_date(archive: Any, player: Player) -> None:
    """Playlists are byte for byte those of each moment, and segments those of that moment too."""
    keep_channel(archive, Channel(f"{TELEVISION}live.m3u8", [b"%d" % each for each in range(30)]))
    archive.add(f"{TELEVISION}key", b"late", head=PLAIN, date=moment(38))
    archive.add(f"{TELEVISION}key", b"early", head=PLAIN, date=moment(20))
    player.choose(20)
    url = f"{TELEVISION}live.m3u8"
    assert (await player.get(url))[1] == playlist_of(9, False)
    player.clock.advance(4)
    assert (await player.get(url))[1] == playlist_of(11, False)
    assert (await player.get(f"{TELEVISION}10.ts"))[1] == b"10"
    player.clock.advance(30)
    assert (await player.get(url))[1] == playlist_of(26, False)
    player.choose(40)
    assert (await player.get(url))[1] == playlist_of(19, False)
    player.clock.advance(61)
    assert (await player.get(url))[1] == playlist_of(19, False)


@ensureDeferred
async def test_what_a_playlist_names_is_of_the_sessions_moment(
    archive: Any, player: Player
) -> None:
    """A segment whose name is used again and again is that of the moment."""
    playlist = b"#EXTM3U\n#EXTINF:2,\nagain.ts\n"
    kind = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-mpegURL\r\n\r\n"
    for second in range(0, 100, 2):
        archive.add(f"{TELEVISION}a", playlist, head=kind, date=moment(second))
        archive.add(f"{TELEVISION}again.ts", b"%d" % second, head=PLAIN, date=moment(second))
    player.choose(20)
    await player.get(f"{TELEVISION}a")
    player.clock.advance(30)
    assert (await player.get(f"{TELEVISION}again.ts"))[1] == b"50"
    assert (await player.get(f"{TELEVISION}other.ts"))[0].status == 404


@ensureDeferred
async def test_a_player_of_dash_is_told_the_time_of_its_session(
    archive: Any, player: Player
) -> None:
    """Who goes by the clock of a server asks for the segments of that moment."""
    kind = b"HTTP/1.1 200 OK\r\nContent-Type: application/dash+xml\r\n\r\n"
    archive.add(f"{TELEVISION}a.mpd", DASH, head=kind, date=moment(0))
    clock = "https://time.example/?iso&ms"
    player.choose(10)
    await player.get(f"{TELEVISION}a.mpd")
    player.clock.advance(5.5)
    head, body = await player.get(clock)
    assert (head.status, body) == (200, b"2026-03-01T12:00:15.500000Z")


@ensureDeferred
async def test_a_player_without_the_proxy_gets_the_stream_too(
    archive: Any, player: Player, serve: Any
) -> None:
    """At an address with a date a player gets what goes on from there, a program the piece."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: audio/x-plain\r\nSet-Cookie: a=1\r\n\r\n"
    keep_piece(archive, Recorded(0, 60, DATA), head=head)
    replay = Replay(
        clock=player.reactor, doors=Doors(), retrieval=archive.retrieval, missing=Missing(10),
        measures=Measures(), audit=Audit(), addresses=Addresses(), script=b"", on_air=player.on_air,
    )  # fmt: skip
    player.host, _, player.port = serve(replay).partition(":")
    target = f"/web/{moment(20)}id_/{RADIO}"
    head, answer, connection = await player.ask(target, range="bytes=0-")
    assert (head.status, head.headers.text(b"dlweb-date")) == (200, moment(20))
    assert head.headers.text(b"x-archive-orig-set-cookie") == "a=1"
    assert await first_bytes(answer, 4000) == DATA[20_000:24_000]
    connection.close()
    assert (await player.get(f"/web/{moment(30)}id_/{RADIO}"))[1] == DATA


@ensureDeferred
async def test_who_leaves_at_any_moment_gives_their_place_back(
    archive: Any, player: Player
) -> None:
    """Before the stream was looked up, before its head was sent, or in its midst."""
    keep_piece(archive, Recorded(0, 60, DATA), head=PLAIN)
    place = TCP4ClientEndpoint(player.reactor, player.host, int(player.port))
    for turn in range(20):
        protocol = await connectProtocol(place, Protocol())
        protocol.transport.write(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % RADIO.encode())
        if turn % 4:
            await sleep(player.reactor, 0.001 * (turn % 4) ** 2)
        protocol.transport.abortConnection()
    head, _, connection = await player.ask(RADIO)
    assert head.status == 200
    connection.close()
    while player.listeners.count:
        await sleep(player.reactor, 0.005)
