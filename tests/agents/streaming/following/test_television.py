"""Live television of ffmpeg behind nginx, followed: what is kept is what was on the air."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.threads import deferToThread

from agents import dates
from agents.capture import Capture
from agents.stream_log import ClockEntry, GapEntry, MarkEntry
from anet.media.hls import Master, read_playlist
from tests.agents.streaming.following.conftest import House
from tests.live.radio import decodes
from tests.live.television import KEY, SEGMENT, Channel, Nginx, needs_television, picture_hashes

pytestmark = [pytest.mark.slow, needs_television]


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    """A web server."""
    with Nginx(tmp_path) as nginx:
        yield nginx


_GOES_ON = "append_list+delete_segments+temp_file+program_date_time"
Kept = list[tuple[Capture, bytes]]


def by_name(kept: Kept) -> dict[str, bytes]:
    """Return contents by the last part of their URL; of several, the last."""
    return {capture.url.rpartition("/")[2]: body for capture, body in kept}


def joined(kept: Kept, name: str) -> bytes:
    """Return a channel of HLS from what was kept alone, as a player at each date would see it."""
    contents, shown, channel = by_name(kept), set[str](), b""
    for capture, body in kept:
        if not capture.url.endswith(name):
            continue
        playlist = read_playlist(body, capture.url)
        assert not isinstance(playlist, Master)
        for place, entry in enumerate(playlist.entries):
            segment = entry.resource.url
            if segment in shown or segment not in contents:
                continue
            shown.add(segment)
            if entry.map is not None and not channel:
                channel += contents[entry.map.url]
            data = contents[segment]
            for key in entry.keys:
                iv = key.iv.removeprefix("0x") or f"{playlist.number + place:032x}"
                data = decrypted(data, contents[key.url], bytes.fromhex(iv))
            channel += data
    return channel


def decrypted(data: bytes, key: bytes, iv: bytes) -> bytes:
    """Undo AES-128 as of HLS."""
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    unpadder = PKCS7(128).unpadder()
    padded = decryptor.update(data) + decryptor.finalize()
    return unpadder.update(padded) + unpadder.finalize()


@ensureDeferred
async def test_what_is_kept_plays_as_what_was_sent(nginx: Nginx, house: House) -> None:
    """Segments, initialisations and keys join into the channel; each manifest is as it was."""
    with ExitStack() as on_air:
        channels = {}
        for kind in ("hls-ts", "hls-fmp4", "hls-key", "hls-audio"):
            channel = Channel(nginx.root / kind, kind)
            channels[kind] = await deferToThread(on_air.enter_context, channel)
            house.follow(nginx.url(f"/{kind}/live.m3u8"))
        for channel in channels.values():
            await deferToThread(channel.seen, 6)
        for channel in channels.values():
            await deferToThread(channel.stop, gently=True)
        await house.until(lambda: [each.outcome for each in house.news].count("ended") == 4)
    assert {news.state.protocol for news in house.news} == {"hls"}
    assert {news.state.media_type for news in house.news} == {"application/vnd.apple.mpegurl"}
    kept = await house.kept()
    urls = [capture.url for capture, _ in kept if "live" not in capture.url]
    assert len(urls) == len(set(urls))  # each once
    for kind, channel in channels.items():
        check(channel, [pair for pair in kept if f"/{kind}/" in pair[0].url])


def check(channel: Channel, kept: Kept) -> None:
    """Compare what was kept of a channel with what its encoder made."""
    contents = by_name(kept)
    names = sorted(name for name in channel.encoded if name[0] == "s")
    assert [contents[name] for name in names] == [channel.encoded[name] for name in names]
    channel_as_kept = joined(kept, "live.m3u8")
    assert decodes(channel_as_kept) == ""
    source = b"".join(channel.encoded[name] for name in sorted(channel.encoded))
    if "key.bin" in contents:
        source = b"".join(
            decrypted(channel.encoded[name], KEY, place.to_bytes(16, "big"))
            for place, name in enumerate(names)
        )
    assert picture_hashes(channel_as_kept) == picture_hashes(source)
    manifests = [body for capture, body in kept if "live" in capture.url]
    assert [body for body in channel.manifests if body in manifests] == manifests
    assert len(manifests) >= 3


@ensureDeferred
async def test_all_variants_of_a_master_playlist_are_kept(nginx: Nginx, house: House) -> None:
    """Segments of both variants, both playlists again and again, and the master playlist once."""
    with Channel(nginx.root / "one", "hls-master") as channel:
        house.follow(nginx.url("/one/master.m3u8"))
        await deferToThread(channel.seen, 8)
        await deferToThread(channel.stop, gently=True)
        news = await house.heard("ended")
    assert news.state.bitrate > 100
    kept = await house.kept()
    contents = by_name(kept)
    assert channel.encoded.items() <= contents.items()
    names = [capture.url.rpartition("/")[2] for capture, _ in kept]
    assert names.count("master.m3u8") == 1
    assert min(names.count("v0.m3u8"), names.count("v1.m3u8")) >= 3


@ensureDeferred
async def test_what_is_kept_of_dash_plays_as_what_was_sent(nginx: Nginx, house: House) -> None:
    """By timelines and by the clock alone: picture and sound are kept without a hole."""
    with ExitStack() as on_air:
        channels = {}
        for kind in ("dash", "dash-number"):
            channel = Channel(nginx.root / kind, kind, nginx.url("/time"))
            channels[kind] = await deferToThread(on_air.enter_context, channel)
            house.follow(nginx.url(f"/{kind}/live.mpd"))
        for following in house.followed:
            await house.until(lambda each=following: each.status().pieces >= 14)
        for following in house.followed:
            await following.stop()
    kept = await house.kept()
    assert b"T" in by_name(kept)["time"]  # the clock of the source, as it was asked
    for kind, channel in channels.items():
        check_dash(channel, [pair for pair in kept if f"/{kind}/" in pair[0].url])
    assert sum(capture.url.endswith("dash/live.mpd") for capture, _ in kept) >= 3


def check_dash(channel: Channel, kept: Kept) -> None:
    """Compare what was kept of a channel with what its encoder made."""
    contents = by_name(kept)
    manifests = [body for capture, body in kept if capture.url.endswith(".mpd")]
    assert [body for body in channel.manifests if body in manifests] == manifests
    for number in "01":
        names = sorted(name for name in contents if name.startswith(f"s{number}-"))
        numbers = [int(name[3:8]) for name in names]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert len(numbers) >= 5
        track = contents[f"i{number}.m4s"] + b"".join(contents[name] for name in names)
        assert decodes(track) == ""
        source = [channel.encoded[name] for name in (f"i{number}.m4s", *names)]
        assert picture_hashes(track) == picture_hashes(b"".join(source))


@ensureDeferred
async def test_an_outage_of_the_server_is_told_and_what_was_missed_is_named(
    nginx: Nginx, house: House
) -> None:
    """Nginx is killed while the encoder goes on: the gap is the outage, and the rest is whole."""
    with Channel(nginx.root / "one", "hls-ts") as channel:
        following = house.follow(nginx.url("/one/live.m3u8"))
        await house.until(lambda: following.status().pieces >= 3)
        nginx.stop()
        killed = dates.now(reactor)
        broken = await house.heard("broken")
        made = len(channel.encoded)
        await deferToThread(channel.seen, made + 14)  # the window is 6 long, and 2 are left on disk
        nginx.start()
        back = dates.now(reactor)
        pieces = following.status().pieces
        await house.until(lambda: following.status().pieces >= pieces + 4)
        await following.stop()
    assert broken.state.problem
    kept = await house.kept()
    names = sorted(capture.url.rpartition("/")[2] for capture, _ in kept if ".ts" in capture.url)
    first, second = (log.beginning for log in house.logs.begun)
    lines = house.logs.lines()
    assert second.gap is not None
    assert first.date < second.gap.since == broken.state.heard <= killed
    assert killed < back <= second.gap.until <= second.date
    (gap,) = [line.gap for line in lines if isinstance(line, GapEntry)]
    told = re.match(r"(\d+\.\d+) s of ", gap.why)
    numbers = [int(name[1:6]) for name in names]
    holes = sum(after - before - 1 for before, after in zip(numbers, numbers[1:], strict=False))
    assert told is not None
    assert holes >= 2
    assert float(told[1]) == pytest.approx(holes * SEGMENT, abs=0.1)
    assert gap.since <= killed < back <= gap.until


@ensureDeferred
async def test_an_encoder_that_begins_anew_is_followed_anew(nginx: Nginx, house: House) -> None:
    """Names are used again for other contents, which are fetched; the log tells of the break."""
    with Channel(nginx.root / "one", "hls-ts") as channel:
        following = house.follow(nginx.url("/one/live.m3u8"))
        await house.until(lambda: following.status().pieces >= 6)
        await deferToThread(channel.stop)
        before = dict(channel.encoded)
        channel.encoded.clear()
        await deferToThread(channel.start)
        await house.until(lambda: len(house.logs.begun) == 2)
        await deferToThread(channel.seen, 5)
        await deferToThread(channel.stop, gently=True)
        await house.heard("ended")
    kept = [(each.url.rpartition("/")[2], body) for each, body in await house.kept()]
    first = sorted(before)[0]
    assert (first, before[first]) in kept
    assert all(pair in kept for pair in channel.encoded.items())
    gap = house.logs.begun[1].beginning.gap
    assert gap is not None
    assert gap.why == "the source began anew"


@ensureDeferred
async def test_discontinuities_and_clocks_are_logged(nginx: Nginx, house: House) -> None:
    """An encoder that goes on where it left off says so; real and signal time are side by side."""
    with Channel(nginx.root / "one", "hls-fmp4") as channel:
        following = house.follow(nginx.url("/one/live.m3u8"))
        await house.until(lambda: following.status().pieces >= 3)
        await deferToThread(channel.stop)
        await deferToThread(channel.start, hls_flags=_GOES_ON)
        await house.until(lambda: following.status().pieces >= 8)
        await following.stop()
    lines = house.logs.lines()
    marks = [line.mark for line in lines if isinstance(line, MarkEntry)]
    assert any(mark.startswith("discontinuity in ") for mark in marks)
    entries = [line for line in lines if isinstance(line, ClockEntry)]
    assert len(entries) >= 4
    assert all(line.program[:2] == "20" for line in entries)
    inits = [body for each, body in await house.kept() if each.url.endswith("init.mp4")]
    assert len(inits) >= 2  # the new encoder may need another one


@ensureDeferred
async def test_what_is_moved_is_found(nginx: Nginx, house: House) -> None:
    """A redirection is kept as it is, and what it leads to is followed."""
    with Channel(nginx.root / "one", "hls-audio"):
        following = house.follow(nginx.url("/moved.m3u8"))
        await house.until(lambda: following.status().pieces >= 2)
    found = [(each.url.rpartition("/")[2], each.status) for each, _ in await house.kept()]
    assert found.count(("moved.m3u8", 302)) == 1
    assert ("live.m3u8", 200) in found


@ensureDeferred
async def test_what_is_not_there_fails_and_private_networks_are_not_asked(
    nginx: Nginx, house: House
) -> None:
    """Without a manifest it ends soon, and says why; loopback is asked only if that is allowed."""
    house.follow(nginx.url("/nothing.m3u8"))
    news = await house.heard("failing")
    assert "404" in news.state.problem
    house.news.clear()
    asked = len(nginx.asked())
    house.follow(nginx.url("/one/live.m3u8"), private_networks=False)
    news = await house.heard("failing")
    assert "may not be connected to" in news.state.problem
    assert len(nginx.asked()) == asked
