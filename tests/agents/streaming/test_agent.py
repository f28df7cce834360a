"""The streaming agent as its scheduler sees it."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast
from urllib.parse import quote

import pytest
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents import dates
from agents.collected import Captures
from agents.configuration import load
from agents.streaming.errors import FolderTaken
from agents.streaming.recording import Beginning, Recorder
from agents.streaming.service import make_service
from anet.http import HttpClient, HttpServer, Request, Response
from anet.media.interface import Described
from anet.workers import Workers
from hip import RemoteError
from tests.agents.streaming.tree import Radio, Tree


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let directories of captures be offered at once."""
    monkeypatch.setattr("agents.collected.offering.EVERY", 0.05)


@async_yield_fixture
async def tree(tmp_path: Path) -> AsyncIterator[Tree]:
    """A scheduler and a streaming agent that is not started yet."""
    tree = Tree(tmp_path)
    yield tree
    if tree.service is not None:
        await tree.stop()


@async_yield_fixture
async def radio() -> AsyncIterator[Radio]:
    """A radio that is not on the air yet."""
    radio = Radio()
    yield radio
    await radio.stop()


@ensureDeferred
async def test_it_listens_to_what_it_is_told(tree: Tree, radio: Radio) -> None:
    """Streams are begun by `listen`, listed page by page, and left by `leave`."""
    url = radio.start()
    await tree.start()
    assert await tree.listen(url + "/b", url + "/a") == 2
    assert await tree.listen(url + "/a") == 2  # it goes on
    news = await tree.scheduler.heard("receiving", url + "/a")
    assert (news.state.name, news.state.protocol) == ("Radio 404", "icy")
    assert news.state.led_to == url + "/a"
    rows = await tree.peer.call("streams", limit=1)
    assert [row["stream"] for row in rows] == [url + "/a"]
    rows = await tree.peer.call("streams", after=url + "/a")
    assert [row["stream"] for row in rows] == [url + "/b"]
    row = await tree.peer.call("stream", stream=url + "/a")
    assert row["doing"] == "receiving"
    assert await tree.peer.call("stream", stream="http://nowhere.example/") is None
    assert await tree.peer.call("leave", streams=[url + "/a", url + "/unknown"]) == 1
    progress = await tree.peer.call("progress")
    assert (progress["streams"], progress["capacity"]) == (1, 500)
    assert progress["outcomes"]["receiving"] >= 1


@ensureDeferred
async def test_it_refuses_what_it_cannot_take(tree: Tree) -> None:
    """Too many streams, too many at once, and URLs that are not canonical."""
    await tree.start(streams=2)
    with pytest.raises(RemoteError, match="too-many"):
        await tree.listen(*(f"http://a.example/{number}" for number in range(3)))
    with pytest.raises(RemoteError, match="too-many"):
        await tree.listen(*(f"http://a.example/{number}" for number in range(501)))
    with pytest.raises(RemoteError, match="bad-stream"):
        await tree.listen("HTTP://a.example/#fragment")
    assert (await tree.peer.call("progress"))["streams"] == 0


@ensureDeferred
async def test_what_is_at_one_place_is_received_once(tree: Tree, radio: Radio) -> None:
    """A page names a station's playlist, and a crawl finds in it where the station is."""
    url = radio.start()

    async def playlist(_: Request) -> Response:
        return Response(200, [(b"Content-Type", b"audio/x-mpegurl")], url.encode() + b"/live\n")

    server = HttpServer(reactor, "127.0.0.1:0", playlist, name="playlist")
    server.startService()
    await tree.start()
    await tree.listen(url + "/live")
    await tree.scheduler.heard("receiving")
    await tree.listen(f"http://{server.address}/live.m3u")
    news = await tree.scheduler.heard("failing")
    assert news.state.problem == f"it is listened to already, as {url}/live"
    await tree.peer.call("leave", streams=[url + "/live"])
    await tree.scheduler.heard("receiving", f"http://{server.address}")
    assert len(radio.listeners) == 1
    await server.stopService()


@ensureDeferred
async def test_private_networks_are_refused(tree: Tree, radio: Radio) -> None:
    """Loopback is listened to only where the order says so."""
    url = radio.start()
    await tree.start()
    await tree.listen(url + "/", private=False)
    news = await tree.scheduler.heard("failing")
    assert "not of the public Internet" in news.state.problem or "127.0.0.1" in news.state.problem
    assert not radio.listeners


@pytest.mark.slow
@ensureDeferred
async def test_it_goes_on_while_the_scheduler_is_away(tree: Tree, radio: Radio) -> None:
    """What becomes of a stream meanwhile is told when there is a link again."""
    url = radio.start()
    await tree.start()
    await tree.listen(url + "/")
    await tree.scheduler.heard("receiving")
    before = (await tree.peer.call("progress"))["received"]
    await tree.restart_scheduler()
    radio.hang_up()
    await tree.scheduler.heard("broken")
    await tree.scheduler.heard("receiving")
    assert (await tree.peer.call("progress"))["received"] > before


@ensureDeferred
async def test_news_wait_for_a_scheduler_that_does_not_take_them(tree: Tree, radio: Radio) -> None:
    """They are told until it has them."""
    url = radio.start()
    tree.scheduler.refusals = 1
    await tree.start()
    await tree.listen(url + "/")
    await tree.scheduler.heard("receiving")
    assert tree.scheduler.refusals == 0


@ensureDeferred
async def test_when_it_stops_all_is_kept_and_told(tree: Tree, radio: Radio) -> None:
    """The next start goes on: the gap begins where the last byte came."""
    url = radio.start()
    await tree.start(capture_period=0.001)
    await tree.listen(url + "/")
    await tree.scheduler.heard("receiving")
    await tree.service.stopService()
    news = await tree.scheduler.heard("broken")
    await tree.start_agent(capture_period=0.001)
    await tree.scheduler.until(lambda: bool(tree.scheduler.directories))
    [collected] = tree.scheduler.directories
    lines = [
        json.loads(line)
        for line in (Path(collected.directory) / "structure").read_text().splitlines()
    ]
    entries = [line for line in lines if line["url"] == url + "/"]
    [log] = [line for line in lines if line["url"] == f"stream-log:{url}/"]
    assert entries[0]["metadata"] == "0000000@00000000"
    assert entries[-1]["metadata"].endswith(f"@{entries[-1]['size']:08}")
    assert entries[-1]["date"][:17] <= news.state.heard[:17]
    assert entries[0]["origin"].splitlines()[1] == "site: radio.example"
    assert log["date"] == entries[0]["date"]


@ensureDeferred
async def test_it_listens_while_it_closes_what_was_left(
    tree: Tree, radio: Radio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a kill the gap begins where the last byte came; offering waits for what was left."""
    url, lets_go, recover = radio.start(), Deferred(), Recorder.recover

    async def held(recorder: Recorder) -> None:
        await lets_go
        await recover(recorder)

    monkeypatch.setattr(Recorder, "recover", held)
    monkeypatch.setattr("agents.streaming.service._SYNC", 0.05)
    pieces = tree.directory / "archive" / "crawls" / "streaming.open"
    left = await leave(pieces, url + "/")
    await tree.start(capture_period=0.001)
    await tree.listen(url + "/")
    await tree.scheduler.heard("receiving")
    await tree.service._recorder.flush()
    logs = sorted(pieces.glob("*.log"))
    gap = json.loads(logs[1].read_text().splitlines()[0])["gap"]
    assert (gap["from"], gap["why"]) == (left, "killed")
    assert b'"end"' not in logs[0].read_bytes()
    assert not tree.service._offering.running
    lets_go.callback(None)
    await tree.scheduler.until(lambda: bool(tree.scheduler.directories))
    assert list(pieces.glob("*.log")) == logs[1:]
    lines = (Path(tree.scheduler.directories[0].directory) / "structure").read_text().splitlines()
    assert json.loads(lines[0])["size"] == len(b"left")


async def leave(folder: Path, url: str) -> str:
    """Leave a piece as a process that is killed does; return when the last byte was written."""
    written = reactor.seconds() - 100
    workers, captures = Workers(reactor, 1), cast("Captures", None)
    workers.startService()
    recorder = Recorder(reactor, workers, folder, captures)
    described = Described(url, "icy", b"ICY 200 OK\r\n\r\n", "audio/mpeg")
    recorder.begin(Beginning(url, "radio.example", described, written - 10)).write(b"left")
    await recorder.flush()
    await workers.stopService()
    [media] = folder.glob("*.media")
    os.utime(media, (written, written))
    return dates.from_timestamp(round(written * 1_000_000) / 1_000_000)


@ensureDeferred
async def test_a_channel_in_segments_is_followed(tree: Tree) -> None:
    """Behind a playlist there may be a manifest; its segments are captures of their own."""
    manifest = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n"
    bodies = {
        "/tv.m3u": ("audio/x-mpegurl", "live.m3u8"),
        "/live.m3u8": ("application/vnd.apple.mpegurl", manifest),
        "/a.ts": ("video/mp2t", "first segment"),
        "/b.ts": ("video/mp2t", "second segment"),
    }

    async def answer(request: Request) -> Response:
        kind, body = bodies[request.target]
        return Response(200, [(b"Content-Type", kind.encode())], body.encode())

    server = HttpServer(reactor, "127.0.0.1:0", answer, name="television")
    server.startService()
    url = f"http://{server.address}"
    await tree.start(capture_period=0.001)
    await tree.listen(url + "/tv.m3u")
    news = await tree.scheduler.heard("receiving")
    assert (news.state.protocol, news.state.led_to) == ("hls", url + "/live.m3u8")
    row = await tree.peer.call("stream", stream=url + "/tv.m3u")
    assert row["doing"] == "following"
    assert await tree.peer.call("leave", streams=[url + "/tv.m3u"]) == 0
    await server.stopService()
    await tree.service.stopService()
    await tree.start_agent(capture_period=0.001)
    found = [path.read_text() for path in tree.directory.glob("archive/crawls/*/structure")]
    kept = {json.loads(line)["url"] for line in "".join(found).splitlines()}
    assert kept == {
        *(url + path for path in bodies),
        f"stream-log:{url}/live.m3u8",
    }


@ensureDeferred
async def test_its_page_and_figures_say_how_it_stands(tree: Tree, radio: Radio) -> None:
    """People read the page, Prometheus the figures."""
    url = radio.start()
    await tree.start()
    await tree.listen(url + "/")
    await tree.scheduler.heard("receiving")
    client = HttpClient(reactor)
    base = f"http://{tree.service.server.address}"
    own = f"/stream?stream={quote(url + '/', safe='')}"
    for path, status, expected in (
        ("/", 200, b"Radio 404"),
        (own, 200, b"signal time code"),
        (own.replace("/stream?", "/stream.json?"), 200, b'"signal time code"'),
        ("/stream?stream=http://nowhere.example/", 404, b"does not listen"),
        ("/metrics", 200, b'{of="receiving"} 1.0'),
        ("/metrics", 200, b"dlweb_stream_receiving{stream="),
    ):
        response = await client.request("GET", base + path)
        assert response.head.status == status
        assert expected in await response.read(10**6), path
    await client.stopService()


@ensureDeferred
async def test_two_agents_of_one_name_share_no_pieces(tree: Tree) -> None:
    """The second would close what the first has open: it does not start, until that is over."""
    await tree.start()
    configuration = load(tree.directory / "dlweb.yaml", directory=tree.directory / "archive")
    second = make_service(reactor, configuration, "streaming")
    with pytest.raises(FolderTaken, match="a name of its own"):
        second.startService()
    await tree.service.stopService()
    await tree.start_agent()
