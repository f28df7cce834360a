"""Captures that no crawl made, as archived contents."""

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor

from agents.bundle import CONTENT_LIMIT
from agents.collected import Captures, Closed, Collected, Dated, Exchange, Offering
from agents.collected.finishing import finish
from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.report import read_report
from agents.connectivity.structure import read_batch
from anet.clock import wall
from anet.http import parse_head
from anet.workers import Workers

SCHEMA = Path(__file__).parents[3] / "docs/reference/report.xsd"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nX: caf\xe9\r\n\r\n"


def exchange(url: str, **other: Any) -> Exchange:
    """Return what a server answered."""
    return Exchange(url, parse_head(HEAD), "192.0.2.1:80", 1_795_000_000.25, **other)


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
    for key in {each.content for each in batch.captures} - set(batch.packed):
        by_key[key] = Path(folder.content(key)).read_bytes()
    return {capture.url: by_key[capture.content] for capture in batch.captures}


@ensureDeferred
async def test_a_directory_is_like_that_of_a_crawl(tmp_path: Path, workers: Workers) -> None:
    """A connectivity agent finds every body, short, long or met twice, and a good report."""
    whole: list[Collected] = []
    captures = Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 0.0, 10**9)
    captures.on_whole = whole.append
    bodies = {"http://e.org/a": b"one", "http://e.org/b": b"x" * (CONTENT_LIMIT + 1),
              "http://e.org/c": b"one", "http://e.org/d": b""}  # fmt: skip
    for url, body in bodies.items():
        await captures.keep(exchange(url), body)
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
    killed = Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 3600.0, 10**9)
    await killed.keep(exchange("http://e.org/a"), b"one")
    await killed.keep(exchange("http://e.org/b"), b"two")
    await killed.sync()
    left = next(tmp_path.iterdir())
    with (left / "structure").open("ab") as file:
        file.write(b'{"url": "http://e.org/c", "da')
    other = Captures(reactor, workers, tmp_path, "feeds-2", "feeds", 3600.0, 10**9)
    assert await other.recover() == []
    found = await Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 3600.0, 10**9).recover()
    assert [each.directory for each in found] == [str(left)]
    assert contents(left) == {"http://e.org/a": b"one", "http://e.org/b": b"two"}
    assert await other._workers.run(lambda: finish(left, "feeds")) == found[0]


@settings(max_examples=40)
@given(data=st.data())
def test_cut_off_anywhere_a_directory_holds_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """However much of the files reached the disk, what is whole is kept."""
    folder = tmp_path_factory.mktemp("cut")
    captures = Captures(reactor, Workers(reactor, 1), folder, "feeds-1", "feeds", 3600.0, 10**9)
    bodies = data.draw(st.lists(st.binary(max_size=20), min_size=1, max_size=4))
    for number, body in enumerate(bodies):
        recording = captures.recording()
        recording.write(body)
        captures._keep(exchange(f"http://e.org/{number}"), recording, 0.0)
    path = next(folder.iterdir())
    for name in ("pack", "structure"):
        file = path / name
        size = file.stat().st_size
        with file.open("r+b") as opened:
            opened.truncate(data.draw(st.integers(0, size)))
    collected = finish(path, "feeds")
    found = contents(path)
    assert len(found) == collected.figures.captures
    assert all(bodies[int(url[13:])] == body for url, body in found.items())


@ensureDeferred
async def test_a_directory_hardly_begun_holds_no_other_up(tmp_path: Path, workers: Workers) -> None:
    """A kill before the order was written whole leaves nothing, and what is whole is offered."""
    killed = Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 3600.0, 10**9)
    await killed.keep(exchange("http://e.org/a"), b"one")
    await killed.sync()
    whole = next(tmp_path.iterdir())
    for date, order in (("0" * 20, None), ("9" * 20, b""), ("8" * 20, b'{"crawl": ')):
        (tmp_path / f"feeds-1-{date}").mkdir()
        if order is not None:
            (tmp_path / f"feeds-1-{date}" / "order.json").write_bytes(order)
    after = Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 3600.0, 10**9)
    assert [each.directory for each in await after.recover()] == [str(whole)]
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == [whole]


@ensureDeferred
async def test_a_full_disk_leaves_no_heap_of_directories(
    tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot even be begun is removed; once there is room, captures are kept again."""
    captures = Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 3600.0, 10**9)

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    for step in ("pathlib.Path.write_bytes", "agents.collected.captures._write"):
        with monkeypatch.context() as patched:
            patched.setattr(step, full)
            for number in range(5):
                with pytest.raises(OSError, match="No space"):
                    await captures.keep(exchange(f"http://e.org/{number}"), b"one")
        assert not [path for path in tmp_path.iterdir() if path.name.startswith("feeds-1-")]
    await captures.keep(exchange("http://e.org/a"), b"one")
    await captures.sync()
    assert len(list(tmp_path.iterdir())) == 1


def closed(folder: Path, body: bytes, *metadata: str) -> Closed:
    """Return a content that lies in a file, with so many captures."""
    file = folder / sha256(body).hexdigest()
    file.write_bytes(body)
    dated = [Dated(f"2026112107300000000{number}", each) for number, each in enumerate(metadata)]
    return Closed("http://e.org/live", file, file.name, len(body), dated, "e.org", head=HEAD)


@ensureDeferred
async def test_a_content_in_a_file_gets_all_its_captures(tmp_path: Path, workers: Workers) -> None:
    """The file is under another name, counted once, and may go afterwards."""
    whole: list[Collected] = []
    captures = Captures(reactor, workers, tmp_path, "streaming-1", "streams", 0.0, 10**9)
    captures.on_whole = whole.append
    places = ("0000000@00000000", "0000100@00000004", "0000200@00000009")
    given = closed(tmp_path, b"x" * 300_000, *places)
    await workers.run(captures.put, [given])
    given.file.unlink()
    await captures.sync()
    path = Path(whole[0].directory)
    assert contents(path) == {"http://e.org/live": b"x" * 300_000}
    lines = [json.loads(line) for line in (path / "structure").read_text().splitlines()]
    assert [line["metadata"] for line in lines] == list(places)
    assert [line["new"] for line in lines] == [True, False, False]
    assert all("site: e.org\n" in line["origin"] for line in lines)
    figures = whole[0].figures
    assert (figures.captures, figures.contents_new, figures.bytes_received) == (3, 1, 300_000)


@ensureDeferred
async def test_what_was_kept_before_a_disk_was_full_is_offered(
    tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory that could not be written on is finished without the part of a put."""
    whole: list[Collected] = []
    captures = Captures(reactor, workers, tmp_path, "streaming-1", "streams", 3600.0, 10**9)
    captures.on_whole = whole.append
    first, second = (closed(tmp_path, body, "0000000@00000000") for body in (b"one", b"two"))
    await workers.run(captures.put, [first])

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "hardlink_to", full)
        with pytest.raises(OSError, match="No space"):
            await workers.run(captures.put, [second])
    await captures.sync()
    assert [each.figures.captures for each in whole] == [1]
    assert contents(Path(whole[0].directory)) == {"http://e.org/live": b"one"}


@ensureDeferred
async def test_what_is_open_is_not_forgotten(tmp_path: Path, workers: Workers) -> None:
    """What a killed process wrote is cut off; what this one writes meanwhile stays."""
    found = []
    for number in range(2):
        captures = Captures(reactor, workers, tmp_path, "streaming-1", "streams", 3600.0, 10**9)
        given = closed(tmp_path, b"%d" % number, "0000000@00000000")
        await workers.run(captures.put, [given])
        found.append(given.content)
    firsts = {("http://e.org/live", "20261121073000000000")}
    assert await workers.run(captures.recorded, found) == set(found)
    await workers.run(captures.forget, firsts)
    assert await workers.run(captures.recorded, found) == {found[1]}


@ensureDeferred
async def test_a_directory_is_offered_once(tmp_path: Path, workers: Workers) -> None:
    """One that is finished before offering begins is found there, too."""
    captures = Captures(reactor, workers, tmp_path, "streaming-1", "streams", 0.0, 10**9)
    link: Any = SimpleNamespace(peer=None)
    offering = Offering(reactor, link, captures, workers)
    await captures.keep(exchange("http://e.org/a"), b"one")
    await captures.sync()
    offering.startService()
    await workers.idle()
    assert len(offering.waiting) == 1
    await offering.stopService()


@ensureDeferred
async def test_an_answer_may_belong_to_a_site_of_its_own(tmp_path: Path, workers: Workers) -> None:
    """Its origin names that site, and says what else was told."""
    captures = Captures(reactor, workers, tmp_path, "streaming-1", "streams", 3600.0, 10**9)
    told = (("stream", "20261121073000000000 1"),)
    await captures.keep(exchange("http://e.org/1.ts", site="e.org", told=told), b"segment")
    (structure,) = tmp_path.glob("*/structure")
    origin = json.loads(structure.read_text())["origin"]
    assert "site: e.org\n" in origin
    assert "stream: 20261121073000000000 1\n" in origin


@ensureDeferred
async def test_a_clock_that_is_put_back_keeps_nothing_back(
    tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was kept before is offered, though by the new clock its time has not come for a year."""
    captures = Captures(reactor, workers, tmp_path, "feeds-1", "feeds", 300.0, 10**9)
    whole: list[Collected] = []
    captures.on_whole = whole.append
    await captures.keep(exchange("http://e.org/a"), b"one")
    await captures.sync()
    assert not whole
    monkeypatch.setattr("agents.collected.captures.wall", lambda _: wall(reactor) - 365 * 86400)
    await captures.sync()
    assert len(whole) == 1
