"""What the agent keeps of streams that do not come over plain HTTP."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mms import WindowsMedia, asf_file, needs_ffmpeg
from pytest_twisted import async_yield_fixture, ensureDeferred
from radio import decodes, frame_hashes, tone_file
from rtsp import Rtsp, needs_rtsp, sound_of
from twisted.internet import reactor

from agents.stream_log import Begun, ClockEntry, Ended, read_log
from agents.streaming.config import StreamingConfig
from agents.streaming.protocols import protocols
from anet.http import permit_all
from anet.media.mms.live_mms import LiveMms
from anet.media.rtsp.tracks import TrackReader
from anet.tasks import sleep
from tests.agents.streaming.tree import Tree

LASTING = 5.0  # seconds


@async_yield_fixture
async def tree(tmp_path: Path) -> AsyncIterator[Tree]:
    """A scheduler and a streaming agent that is not started yet."""
    tree = Tree(tmp_path)
    yield tree
    await tree.stop()


class Deposit:
    """What is to be deposited."""

    def __init__(self, directory: Path) -> None:
        lines = (directory / "structure").read_text().splitlines()
        self.captures = [json.loads(line) for line in lines]
        self._directory = directory

    def content(self, url: str) -> bytes:
        """Return the one content of a URL."""
        [key] = {each["content"] for each in self.captures if each["url"] == url}
        return (self._directory / "contents" / key[:2] / key).read_bytes()


@needs_ffmpeg
@ensureDeferred
async def test_a_web_server_that_gives_windows_media_to_all(tmp_path: Path) -> None:
    """What its head calls Windows Media is asked for again as players do."""
    with WindowsMedia(asf_file(tmp_path / "windows.asf", 1)) as media:
        media.is_picky = False
        ask = protocols(reactor, StreamingConfig())["http"]
        source = await ask(media.url("http"), permit_all)
        assert isinstance(source, LiveMms)
        source.close()


@needs_rtsp
@pytest.mark.slow
@ensureDeferred
async def test_rtsp_and_windows_media(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are received side by side, one from a playlist on, and kept with logs and titles."""
    monkeypatch.setattr("agents.collected.offering.EVERY", 0.05)
    tone = tone_file(tmp_path / "tone.mp3", 20)
    windows = asf_file(tmp_path / "windows.asf", 20)
    with Rtsp({"/radio": sound_of(tone)}) as server, WindowsMedia(windows) as media:
        await tree.start(log_interval=1, capture_period=0.001)
        rtsp, mms, page = server.url("/radio"), media.url(), media.url("http")
        await tree.listen(rtsp, page)
        await tree.scheduler.heard("receiving", rtsp)
        await sleep(reactor, LASTING)
        rows = await tree.peer.call("streams")
        await tree.service.stopService()
    await tree.start_agent(capture_period=0.001)
    await tree.scheduler.until(lambda: bool(tree.scheduler.directories))
    deposit = Deposit(Path(tree.scheduler.directories[0].directory))

    kinds = {row["stream"]: (row["state"]["protocol"], row["state"]["media_type"]) for row in rows}
    assert kinds[rtsp] == ("rtsp", "application/x-rtsp-interleaved")
    assert kinds[page] == ("mms", "audio/x-ms-wma")
    [state] = [row["state"] for row in rows if row["stream"] == page]
    assert (state["led_to"], state["title"]) == (mms, "Somebody - Radio News")

    track = TrackReader().feed(deposit.content(rtsp))
    for heard, file in ((track, tone), (deposit.content(mms), windows)):
        assert decodes(heard) == ""
        hashes = frame_hashes(heard)
        assert len(hashes) > 60
        assert frame_hashes(file)[: len(hashes)] == hashes

    for url in (rtsp, mms):
        begun, *told, ended = read_log(deposit.content(f"stream-log:{url}"))
        assert isinstance(begun, Begun)
        assert isinstance(ended, Ended)
        assert abs(ended.ms / 1000 - LASTING) < 2.5
        assert len([each for each in told if isinstance(each, ClockEntry)]) >= 3
