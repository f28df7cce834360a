"""What the agent keeps of streams that do not come over plain HTTP."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mms import WindowsMedia, asf_file
from pytest_twisted import async_yield_fixture, ensureDeferred
from radio import decodes, frame_hashes, tone_file
from rtsp import Rtsp, needs_rtsp, sound_of
from twisted.internet import reactor

from agents.stream_log import Begun, ClockEntry, Ended, read_log
from anet.media.rtsp.tracks import TrackReader
from anet.tasks import sleep
from tests.agents.streaming.tree import Tree

pytestmark = [needs_rtsp, pytest.mark.slow]
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


@ensureDeferred
async def test_rtsp_and_windows_media(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are received side by side, and lie in the archive with log, entries and titles."""
    monkeypatch.setattr("agents.collected.offering.EVERY", 0.05)
    tone = tone_file(tmp_path / "tone.mp3", 20)
    windows = asf_file(tmp_path / "windows.asf", 20)
    with Rtsp({"/radio": sound_of(tone)}) as server, WindowsMedia(windows) as media:
        await tree.start(log_interval=1, capture_period=0.001)
        rtsp, mms = server.url("/radio"), media.url()
        await tree.listen(rtsp, mms)
        await tree.scheduler.heard("receiving", rtsp)
        await sleep(reactor, LASTING)
        rows = await tree.peer.call("streams")
        await tree.service.stopService()
    await tree.start_agent(capture_period=0.001)
    await tree.scheduler.until(lambda: bool(tree.scheduler.directories))
    deposit = Deposit(Path(tree.scheduler.directories[0].directory))

    kinds = {row["stream"]: (row["state"]["protocol"], row["state"]["media_type"]) for row in rows}
    assert kinds[rtsp] == ("rtsp", "application/x-rtsp-interleaved")
    assert kinds[mms] == ("mms", "audio/x-ms-wma")
    assert {row["stream"]: row["state"]["title"] for row in rows}[mms] == "Somebody - Radio News"

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
