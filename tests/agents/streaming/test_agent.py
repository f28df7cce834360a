"""The streaming agent as its scheduler sees it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pytest_twisted import async_yield_fixture, ensureDeferred

from anet.http import HttpClient
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
async def test_private_networks_are_refused(tree: Tree, radio: Radio) -> None:
    """Loopback is listened to only where the order says so."""
    url = radio.start()
    await tree.start()
    await tree.listen(url + "/", private=False)
    news = await tree.scheduler.heard("failing")
    assert "not of the public Internet" in news.state.problem or "127.0.0.1" in news.state.problem
    assert not radio.listeners


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
async def test_its_page_and_figures_say_how_it_stands(tree: Tree, radio: Radio) -> None:
    """People read the page, Prometheus the figures."""
    from twisted.internet import reactor

    url = radio.start()
    await tree.start()
    await tree.listen(url + "/")
    await tree.scheduler.heard("receiving")
    client = HttpClient(reactor)
    base = f"http://{tree.service.server.address}"
    for path, expected in (("/", b"Radio 404"), ("/metrics", b'{of="receiving"} 1.0')):
        response = await client.request("GET", base + path)
        assert expected in await response.read(10**6)
    await client.stopService()
