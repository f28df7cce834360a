"""What GStreamer's server of RTSP sends is kept, and plays as what it was made of."""

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from pytest_twisted import blockon, ensureDeferred
from radio import decodes, duration, frame_hashes, second_of, sound, tone_file
from rtsp import Rtsp, needs_rtsp, pictures_and_sound_of, sound_of, transport_stream_of
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.threads import deferToThread

from anet.media.errors import StreamBroken, StreamEnded
from anet.media.interface import ISignalClock, Media
from anet.media.rtsp.live_rtsp import LiveRtsp, open_rtsp
from anet.media.rtsp.tracks import TrackReader, playable
from anet.media.timing import clock_for
from anet.tasks import sleep

pytestmark = [needs_rtsp, pytest.mark.slow]
SECONDS = 4.0
_TONES = "audiotestsrc is-live=true ! audio/x-raw"


@frozen
class Kept:
    """What was kept of a stream, and the clock that it went through."""

    data: bytes
    clock: ISignalClock

    def track(self, channel: int | None = None) -> bytes:
        """Return a track of it."""
        return TrackReader(channel).feed(self.data)


async def listen(url: str) -> LiveRtsp:
    """Return a stream."""
    source = await open_rtsp(reactor, url, user_agent="listener/1")
    assert isinstance(source, LiveRtsp)
    return source


def take(source: LiveRtsp) -> bytes:
    """Return what came."""
    return b"".join(each.data for each in source.take() if isinstance(each, Media))


async def keep(url: str) -> Kept:
    """Return what is kept of some seconds of a stream."""
    source = await listen(url)
    data, clock = b"", clock_for(source.described.media_type, b"")
    for _ in range(60):
        await sleep(reactor, 0.25)
        came = take(source)
        clock.feed(came)
        data += came
        if clock.seconds >= SECONDS:
            break
    source.close()
    return Kept(data, clock)


def television(path: Path) -> Path:
    """Write a transport stream with pictures and sound, all different; return its path."""
    inputs = ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=8"]
    inputs += ["-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(300+20*floor(t))*t)':d=8"]
    pictures = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-bf", "0"]
    how = [*pictures, "-pix_fmt", "yuv420p", "-c:a", "aac", str(path)]
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, *how]
    subprocess.run(command, check=True, timeout=60)
    return path


def hashes_of(media: Path | bytes, *how: str) -> list[str]:
    """Return the MD5 of each packet or frame that ffmpeg makes of it."""
    there = str(media) if isinstance(media, Path) else "pipe:0"
    command = ["ffmpeg", "-v", "error", "-i", there, *how, "-f", "framemd5", "-"]
    given = media if isinstance(media, bytes) else None
    done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=60)
    lines = done.stdout.decode().splitlines()
    return [line.split(",")[5].strip() for line in lines if not line.startswith("#")]


def pictures_of(media: Path | bytes) -> list[str]:
    """Return the MD5 of each decoded picture."""
    return hashes_of(media, "-an")


def units_of(media: Path | bytes) -> list[str]:
    """Return the MD5 of each unit of AAC, without its header."""
    return hashes_of(media, "-vn", "-c", "copy", "-bsf:a", "aac_adtstoasc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files are that are played."""
    folder = tmp_path_factory.mktemp("rtsp")
    tone_file(folder / "tone.mp3", 20)
    tone_file(folder / "tone.aac", 20)
    tone_file(folder / "short.mp3", 2)
    television(folder / "television.ts")
    return folder


@pytest.fixture(scope="module")
def heard(folder: Path) -> dict[str, Any]:
    """What is kept of many streams at once, and what ffmpeg hears of one at the same time."""
    mounts = {
        "/mp3": sound_of(folder / "tone.mp3"),
        "/aac": sound_of(folder / "tone.aac", "aacparse", "rtpmp4gpay"),
        "/latm": sound_of(folder / "tone.aac", "aacparse", "rtpmp4apay"),
        "/television": pictures_and_sound_of(folder / "television.ts"),
        "/ts": transport_stream_of(folder / "television.ts"),
        "/l16": f"{_TONES},format=S16BE,rate=44100,channels=2 ! rtpL16pay name=pay0 pt=96",
        "/pcmu": f"{_TONES},rate=8000,channels=1 ! mulawenc ! rtppcmupay name=pay0",
    }
    with Rtsp(mounts) as server:
        peer = ["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", "tcp"]
        peer += [
            "-i",
            server.url("/mp3"),
            "-c",
            "copy",
            "-map",
            "0:a",
            "-frames:a",
            "80",
            "-f",
            "data",
            "-",
        ]
        hearing = deferToThread(subprocess.run, peer, capture_output=True, timeout=30)
        keeping = [Deferred.fromCoroutine(keep(server.url(path))) for path in mounts]
        found = dict(zip(mounts, blockon(gatherResults(keeping)), strict=True))
        return {**found, "ffmpeg": blockon(hearing).stdout}


def is_part(found: list[str], whole: list[str], rate: float, late: int = 0) -> None:
    """Assert that frames are those of others from near the beginning on, without a gap."""
    assert len(found) > (SECONDS - 0.5) * rate
    begin = whole.index(found[0])
    assert begin <= late
    assert whole[begin : begin + len(found)] == found


def test_sound_of_mpeg(heard: dict[str, Any], folder: Path) -> None:
    """MP3 plays without error, frame for frame that of the file, in its own time."""
    kept = heard["/mp3"]
    track = kept.track()
    assert decodes(track) == ""
    is_part(frame_hashes(track), frame_hashes(folder / "tone.mp3"), 38.28)
    assert abs(kept.clock.seconds - duration(track)) < 0.1
    assert [second_of(sound(track), at + 0.4) for at in range(3)] == [0, 1, 2]


def test_ffmpeg_hears_the_same(heard: dict[str, Any]) -> None:
    """An independent client of the same server hears the same bytes."""
    assert len(heard["ffmpeg"]) > 30_000
    assert heard["ffmpeg"] in heard["/mp3"].track()


@pytest.mark.parametrize("path", ["/aac", "/latm"])
def test_sound_of_aac(heard: dict[str, Any], folder: Path, path: str) -> None:
    """AAC plays without error, however it is packed; frame for frame that of the file."""
    track = heard[path].track()
    assert decodes(track) == ""
    is_part(units_of(track), units_of(folder / "tone.aac"), 43.06)


def test_pictures_and_sound(heard: dict[str, Any], folder: Path) -> None:
    """Both tracks play without error, and are those of the file."""
    kept = heard["/television"]
    pictures, voice = playable(kept.data)
    assert (pictures.media_type, voice.media_type) == ("video/h264", "audio/aac")
    shown = kept.track(pictures.channel)
    assert decodes(kept.track(voice.channel)) == ""
    is_part(pictures_of(shown), pictures_of(folder / "television.ts"), 25)
    # GStreamer itself leaves out sound from before the first picture.
    told = units_of(kept.track(voice.channel))
    is_part(told, units_of(folder / "television.ts"), 43.06, late=30)


def test_a_piece_of_pictures_begins_with_one_that_needs_no_other(
    heard: dict[str, Any], folder: Path
) -> None:
    """Cut where the clock says, what follows plays by itself behind the preamble."""
    data = heard["/television"].data
    clock = clock_for("", data)
    clock.feed(data[: len(data) * 2 // 3])
    assert 1 < clock.seconds < SECONDS
    piece = TrackReader(0).feed(clock.preamble + data[clock.boundary :])
    shown = pictures_of(piece)
    assert len(shown) > 20
    whole = pictures_of(folder / "television.ts")
    begin = whole.index(shown[0])
    assert begin % 25 == 0
    assert whole[begin : begin + len(shown)] == shown


def test_a_transport_stream(heard: dict[str, Any], folder: Path) -> None:
    """A transport stream is given byte for byte."""
    track = heard["/ts"].track()
    assert len(track) > 50_000
    assert (folder / "television.ts").read_bytes().startswith(track)


def test_samples(heard: dict[str, Any]) -> None:
    """Samples play as a WAV file with the tone that was sent."""
    for path in ("/l16", "/pcmu"):
        samples = sound(heard[path].track())
        crossings = sum((one < 0) != (two < 0) for one, two in pairwise(samples[:22050]))
        assert abs(crossings / 2 - 440) < 10, path


@ensureDeferred
async def test_how_a_program_ends(folder: Path) -> None:
    """At its end the server says goodbye; one that is killed has broken off."""
    mounts = {"/short": sound_of(folder / "short.mp3"), "/long": sound_of(folder / "tone.mp3")}
    with Rtsp(mounts) as server:
        short, long = await listen(server.url("/short")), await listen(server.url("/long"))
        data = b""
        with pytest.raises(StreamEnded, match="goodbye"):
            while True:
                data += take(short)
                await sleep(reactor, 0.1)
        short.close()
        assert frame_hashes(TrackReader().feed(data)) == frame_hashes(folder / "short.mp3")
        server.kill()
        with pytest.raises(StreamBroken, match="closed"):
            while True:
                take(long)
                await sleep(reactor, 0.1)
