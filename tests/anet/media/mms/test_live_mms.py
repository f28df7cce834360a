"""Live streams of Windows Media over HTTP: what is asked, what comes, and how it ends."""

import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mms import PACKET, WindowsMedia, asf_file, chunk, needs_ffmpeg
from pytest_twisted import ensureDeferred
from radio import decodes, duration, frame_hashes, second_of, sound
from twisted.internet import reactor
from twisted.internet.threads import deferToThread

from anet.errors import ConnectFailed, ForbiddenAddress
from anet.media.errors import MediaError, NotAStream, StreamBroken, StreamEnded, StreamRefused
from anet.media.interface import ILiveSource, Media
from anet.media.live_http import Answer, open_http
from anet.media.mms.live_mms import LiveMms, open_mms
from anet.media.timing import clock_for
from anet.tasks import sleep
from tests.anet.media.mms.test_chunks import header
from tests.anet.media.test_live_http import Station

pytestmark = needs_ffmpeg
FRAMED = b"HTTP/1.0 200 OK\r\nContent-Type: application/x-mms-framed\r\n\r\n"
LED = b"HTTP/1.0 302 Found\r\nLocation: mms://127.0.0.2/live\r\n\r\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of five seconds."""
    return asf_file(tmp_path_factory.mktemp("windows") / "live.asf", 5)


@pytest.fixture
def server(file: Path) -> Iterator[WindowsMedia]:
    """A server that plays it, quicker than in real time."""
    with WindowsMedia(file, speed=10) as made:
        yield made


async def listen(url: str, **options: Any) -> LiveMms:
    """Return the stream of a server."""
    source = await open_mms(reactor, url, user_agent="listener/1", **options)
    assert isinstance(source, LiveMms)
    assert ILiveSource.providedBy(source)
    return source


async def end_of(source: LiveMms) -> tuple[bytes, MediaError]:
    """Return all media until the end, and how that was."""
    heard = b""
    for _ in range(2000):
        try:
            heard += b"".join(each.data for each in source.take() if isinstance(each, Media))
        except MediaError as error:
            return heard, error
        await sleep(reactor, 0.005)
    raise AssertionError("it does not end")


@ensureDeferred
async def test_the_file_is_what_the_server_plays(server: WindowsMedia, file: Path) -> None:
    """Header and packets come as they are in the file, and decode; titles and time are right."""
    source = await listen(server.url())
    said = source.described
    assert (said.protocol, said.media_type, said.name) == ("mms", "audio/x-ms-wma", "Radio News")
    heard, error = await end_of(source)
    assert type(error) is StreamEnded
    assert heard == server.header + b"".join(server.packets)
    assert decodes(heard) == ""
    assert frame_hashes(heard) == frame_hashes(file)
    clock = clock_for(said.media_type, heard)
    titles = [told.title for _, told in clock.feed(heard)]
    assert titles == ["Somebody - Radio News"]
    assert abs(clock.seconds - duration(heard)) < 0.5
    assert clock.preamble == server.header
    assert second_of(sound(heard), 3.4) == second_of(sound(file), 3.4)


@ensureDeferred
async def test_what_is_asked(server: WindowsMedia) -> None:
    """It asks as players did: for the header, then for all streams in it; and says who it is."""
    source = await listen(server.url("mmsh"))
    source.close()
    first, second = server.asked
    assert "User-Agent: NSPlayer/9.0.0.2980 listener/1" in first
    assert "xPlayStrm" not in first
    assert "Pragma: xPlayStrm=1" in second
    assert "Pragma: stream-switch-count=1" in second
    assert "Pragma: stream-switch-entry=ffff:1:0" in second
    assert source.described.request.startswith(b"GET /live HTTP/1.1\r\n")


@ensureDeferred
async def test_a_part_of_it_plays(server: WindowsMedia, file: Path) -> None:
    """What comes after any cut plays behind the preamble that the clock tells."""
    heard, _ = await end_of(await listen(server.url()))
    clock = clock_for("", heard)
    half = len(heard) // 2
    clock.feed(heard[:half])
    piece = clock.preamble + heard[clock.boundary :]
    assert decodes(piece) == ""
    hashes = frame_hashes(piece)
    assert len(hashes) > 10
    assert frame_hashes(file)[-len(hashes) :] == hashes


@pytest.mark.slow
@ensureDeferred
async def test_ffmpeg_hears_the_same(file: Path, tmp_path: Path) -> None:
    """The server is one to ffmpeg's client too, and both clients hear the same frames."""
    pictures = asf_file(tmp_path / "pictures.asf", 4, pictures=True)
    with WindowsMedia(pictures) as server:
        peer = ["ffmpeg", "-nostdin", "-v", "error", "-i", server.url("mmsh")]
        peer += ["-c", "copy", "-map", "0:a", "-f", "framemd5", "-"]
        hearing = deferToThread(subprocess.run, peer, capture_output=True, timeout=30)
        heard, _ = await end_of(await listen(server.url()))
        done = await hearing
    lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("#")]
    assert [line.split(",")[5].strip() for line in lines] == frame_hashes(heard)
    assert decodes(heard) == ""


@ensureDeferred
async def test_who_asks_otherwise_is_led_to_it(server: WindowsMedia) -> None:
    """A server of this kind gives a playlist to others; a head with its types leads here too."""
    with urllib.request.urlopen(server.url("http"), timeout=5) as answer:
        assert server.url() in answer.read().decode()
    framed = Station(FRAMED + b"$H")
    found = await open_http(reactor, framed.url, user_agent="listener/1")
    assert isinstance(found, Answer)
    assert found.body == b""
    await framed.stop()


@ensureDeferred
async def test_a_recording_is_no_stream(server: WindowsMedia) -> None:
    """What has an end is left to crawlers."""
    server.features = "seekable,stridable"
    with pytest.raises(NotAStream, match="recording"):
        await listen(server.url())


@pytest.mark.parametrize(
    ("words", "kind", "why"),
    [
        (b"HTTP/1.0 404 Not Found\r\n\r\n", StreamRefused, "404"),
        (b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n", NotAStream, "text/html"),
        (FRAMED[:-2] + b"Content-Length: 4\r\n\r\n$E\0\0", NotAStream, "no header"),
    ],
)
@ensureDeferred
async def test_what_is_refused(words: bytes, kind: type[MediaError], why: str) -> None:
    """Who does not give it is told apart from who has none."""
    station = Station(words)
    try:
        with pytest.raises(kind, match=why):
            await listen(station.url)
    finally:
        await station.stop()


@ensureDeferred
async def test_a_redirection_is_told() -> None:
    """Where it leads to is asked by others."""
    station = Station(LED)
    answer = await open_mms(reactor, station.url, user_agent="listener/1")
    assert isinstance(answer, Answer)
    assert answer.head.headers.text(b"location") == "mms://127.0.0.2/live"
    await station.stop()


@ensureDeferred
async def test_a_server_that_hangs_up() -> None:
    """A stream without its end has broken off; what came before is taken."""
    station = Station(FRAMED + chunk(b"H", header()) + chunk(b"D", b"packet") + b"$D\xff")
    source = await listen(station.url)
    station.transport.loseConnection()
    heard, error = await end_of(source)
    assert heard == header() + b"packet".ljust(PACKET, b"\0")
    assert type(error) is StreamBroken
    await station.stop()


@ensureDeferred
async def test_noise_is_silence() -> None:
    """A server that says only that it is there is given up."""
    station = Station(FRAMED + chunk(b"H", header()))
    source = await listen(station.url, silence=0.2)
    for _ in range(200):
        station.transport.write(b"$P\0\0")
        await sleep(reactor, 0.01)
        try:
            source.take()
        except StreamBroken as error:
            assert "nothing came" in str(error)
            break
    else:
        raise AssertionError("it is listened to for ever")
    await station.stop()


@ensureDeferred
async def test_after_it_is_closed(server: WindowsMedia) -> None:
    """Nothing is taken any more."""
    source = await listen(server.url())
    source.close()
    with pytest.raises(StreamBroken, match="closed"):
        source.take()


@ensureDeferred
async def test_where_it_may_not_go(server: WindowsMedia) -> None:
    """Addresses that are not permitted, and what is no URL of this, are not connected to."""
    with pytest.raises(ForbiddenAddress):
        await listen(server.url(), permit=lambda _: False)
    for url in ("rtsp://127.0.0.1/", "mms://h:99999/", "mms://"):
        with pytest.raises(ConnectFailed):
            await listen(url)
    assert server.asked == []
