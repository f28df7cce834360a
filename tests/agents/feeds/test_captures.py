"""Bodies of feeds as archived contents."""

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor

from agents.bundle import CONTENT_LIMIT
from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.report import read_report
from agents.connectivity.structure import read_batch
from agents.feed import CollectedFeeds
from agents.feeds.captures import Captures
from agents.feeds.fetching import Answer
from agents.feeds.finishing import finish
from anet.http import parse_head
from anet.workers import Workers
from tests.agents.feeds.conftest import Tree, Web
from tests.agents.feeds.test_aggregator import ok, rss

SCHEMA = Path(__file__).parents[3] / "docs/reference/report.xsd"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nX: caf\xe9\r\n\r\n"


def answer(body: bytes) -> Answer:
    """Return what a server answered."""
    return Answer(parse_head(HEAD), body, "192.0.2.1:80", 1_795_000_000.25)


@async_yield_fixture
async def workers() -> AsyncIterator[Workers]:
    """The thread that writes."""
    workers = Workers(reactor, 1)
    workers.startService()
    yield workers
    await workers.stopService()


def contents(path: Path) -> dict[str, bytes]:
    """Return the contents of a directory by URL, as a connectivity agent reads them."""
    folder = CrawlFolder.named(path.parent, str(path))
    folder.check()
    batch = read_batch(path / "structure", 0, 1000, 10**7)
    assert batch.whole
    assert not batch.damaged
    folder = CrawlFolder(path, batch.packed)
    by_key = dict(folder.read({capture.content for capture in batch.captures}))
    for key in {each.content for each in batch.captures} - set(by_key):
        by_key[key] = Path(folder.content(key)).read_bytes()
    return {capture.url: by_key[capture.content] for capture in batch.captures}


@ensureDeferred
async def test_a_directory_is_like_that_of_a_crawl(tmp_path: Path, workers: Workers) -> None:
    """A connectivity agent finds every body, short, long or met twice, and a good report."""
    whole: list[CollectedFeeds] = []
    captures = Captures(reactor, workers, tmp_path, "feeds-1", 0.0, 10**9)
    captures.on_whole = whole.append
    bodies = {"http://e.org/a": b"one", "http://e.org/b": b"x" * (CONTENT_LIMIT + 1),
              "http://e.org/c": b"one", "http://e.org/d": b""}  # fmt: skip
    for url, body in bodies.items():
        await captures.keep(url, answer(body))
    assert not whole
    await captures.sync()
    path = Path(whole[0].directory)
    assert contents(path) == bodies
    assert (whole[0].figures.captures, whole[0].figures.contents_new) == (4, 3)
    etree.XMLSchema(file=str(SCHEMA)).assertValid(etree.parse(path / "report.xml"))
    assert not read_report(path / "report.xml", 10**6).problem
    line = json.loads((path / "structure").read_text().splitlines()[0])
    assert line["head"].encode("latin-1") == HEAD
    keys = sorted({sha256(body).hexdigest() for body in bodies.values()})
    assert (path / "signatures").read_text().split() == keys
    await captures.sync()
    assert len(whole) == 1


@ensureDeferred
async def test_what_a_killed_process_left_is_finished(tmp_path: Path, workers: Workers) -> None:
    """The next one offers it, up to the last whole line."""
    killed = Captures(reactor, workers, tmp_path, "feeds-1", 3600.0, 10**9)
    await killed.keep("http://e.org/a", answer(b"one"))
    await killed.keep("http://e.org/b", answer(b"two"))
    await killed.sync()
    left = next(tmp_path.iterdir())
    with (left / "structure").open("ab") as file:
        file.write(b'{"url": "http://e.org/c", "da')
    other = Captures(reactor, workers, tmp_path, "feeds-2", 3600.0, 10**9)
    assert await other.recover() == []
    found = await Captures(reactor, workers, tmp_path, "feeds-1", 3600.0, 10**9).recover()
    assert [each.directory for each in found] == [str(left)]
    assert contents(left) == {"http://e.org/a": b"one", "http://e.org/b": b"two"}
    assert await other._workers.run(lambda: finish(left)) == found[0]


@settings(max_examples=40)
@given(data=st.data())
def test_cut_off_anywhere_a_directory_holds_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """However much of the files reached the disk, what is whole is kept."""
    folder = tmp_path_factory.mktemp("cut")
    captures = Captures(reactor, Workers(reactor, 1), folder, "feeds-1", 3600.0, 10**9)
    bodies = data.draw(st.lists(st.binary(max_size=20), min_size=1, max_size=4))
    for number, body in enumerate(bodies):
        captures._keep(f"http://e.org/{number}", answer(body), 0.0)
    path = next(folder.iterdir())
    for name in ("pack", "structure"):
        file = path / name
        size = file.stat().st_size
        with file.open("r+b") as opened:
            opened.truncate(data.draw(st.integers(0, size)))
    collected = finish(path)
    found = contents(path)
    assert len(found) == collected.figures.captures
    assert all(bodies[int(url[13:])] == body for url, body in found.items())


@ensureDeferred
async def test_a_body_that_cannot_be_written_is_looked_at_again(tree: Tree, web: Web) -> None:
    """A full disk is a look that failed, so nothing is told that is not kept."""
    web.answers["/feed"] = [ok(rss("a"))]
    await tree.start()
    (tree.directory / "archive" / "crawls").rmdir()
    (tree.directory / "archive" / "crawls").write_text("in the way")
    await tree.follow(web.url + "/feed")
    news = await tree.scheduler.heard(1)
    assert (news.outcome, news.state.seen) == ("failing", b"")


@ensureDeferred
async def test_the_scheduler_is_given_what_was_collected(tree: Tree, web: Web) -> None:
    """Each changed body is a capture; one that came back the same is none."""
    body = rss("a")
    web.answers["/feed"] = [ok(body), ok(body), ok(rss("b"))]
    await tree.start(capture_period=0.001)
    await tree.follow(web.url + "/feed")
    for count in (1, 2, 3):
        await tree.scheduler.heard(count)
        await tree.peer.call("look", feed=web.url + "/feed")
    await tree.scheduler.until(lambda: len(tree.scheduler.collected) >= 2)
    collected = tree.scheduler.collected
    assert [each.figures.captures for each in collected] == [1, 1]
    assert contents(Path(collected[0].directory)) == {web.url + "/feed": body}
    assert collected[0].crawl == Path(collected[0].directory).name
