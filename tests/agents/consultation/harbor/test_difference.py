"""Two captures are compared in a process of their own, within limits."""

import json
from urllib.parse import quote

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred

from agents.consultation.harbor import difference as room
from agents.consultation.harbor.comparing import CONTENT_LIMIT
from agents.consultation.harbor.english import ENGLISH
from anet.processes import Processes

URL = "http://www.example.org/page.html"
OLD, MIDDLE, NEW = "20200101000000000000", "20230101000000000000", "20260101000000000000"
PATH = f"/difference?url={quote(URL, safe='')}"


@pytest_twisted.async_yield_fixture
async def visitor(archive, visit, reactor):
    """A reader of a harbor whose captures are compared by one process."""
    archive.add(URL, b"<title>T</title><p>It <i>rains</i> in Paris<p>ok<a href=/a>", date=OLD)
    archive.add(URL, b"<title>T</title><p>It <i>snows</i> in Paris<p>ok<a href=/b>", date=MIDDLE)
    archive.add(URL, b"<title>T</title><p>It <i>snows</i> in Paris<p>ok<a href=/b>", date=NEW)
    processes = Processes(
        reactor, 1, grace=0.1, preload=["agents.consultation.harbor.comparing"], name="comparing"
    )
    processes.startService()
    yield visit(processes=processes)
    await processes.stopService()


@ensureDeferred
async def test_what_was_removed_and_added_is_marked(visitor):
    """The words that differ are `del` and `ins`, and signs say so, too."""
    page = await visitor.tree(f"{PATH}&from={OLD}&to={NEW}")
    assert page.xpath("//del/text()") == ["rains"] and page.xpath("//ins/text()") == ["snows"]
    marks = page.xpath("//li[@class='added' or @class='removed']/span/@aria-label")
    assert marks == ["removed", "added"]
    assert "% of the text is the same" in page.text_content()
    other_way = await visitor.tree(f"{PATH}&from={NEW}&to={OLD}")
    assert other_way.xpath("//del/text()") == ["rains"], "the older one comes first"


@ensureDeferred
async def test_the_other_ways_to_compare(visitor):
    """Source and links differ in their own way."""
    source = await visitor.tree(f"{PATH}&from={OLD}&to={NEW}&mode=source")
    assert "rains" in "".join(source.xpath("//del/text()"))
    links = await visitor.tree(f"{PATH}&from={OLD}&to={NEW}&mode=links")
    shown = links.xpath("//ul[@class='urls']//a/text()")
    assert shown == ["http://www.example.org/b", "http://www.example.org/a"]


@ensureDeferred
async def test_the_same_content_is_said_to_be(visitor):
    """Two dates of one content have no difference."""
    page = await visitor.tree(f"{PATH}&from={MIDDLE}&to={NEW}")
    assert ENGLISH["difference.same-content"] in page.text_content()
    assert not page.xpath("//ins | //del")


@ensureDeferred
async def test_programs_get_the_comparison(visitor):
    """The same as values."""
    status, body = await visitor.get(f"{PATH}&from=2020&to=2026&format=json")
    told = json.loads(body)
    assert status == 200 and not told["same"] and told["from"]["date"] == OLD
    assert 0 < told["comparison"]["similarity"] < 1 and told["comparison"]["has_text"]


@ensureDeferred
async def test_what_is_too_large_is_not_fetched(archive, visitor):
    """A content beyond the limit is not compared, and the page says so."""
    archive.add(URL, b"x" * (CONTENT_LIMIT + 1), date="20280101000000000000")
    asked = len(archive.first.asked)
    page = await visitor.tree(f"{PATH}&from={OLD}&to=2028")
    assert "larger than 4.2 MB" in page.text_content()
    assert not any("contents" in path and "2028" in path for path in archive.first.asked[asked:])


@ensureDeferred
async def test_what_takes_too_long_is_given_up(archive, visitor, monkeypatch):
    """A comparison that takes longer than it may ends, and the next one is done."""
    monkeypatch.setattr(room, "TIME", 0.0)
    page = await visitor.tree(f"{PATH}&from={OLD}&to={NEW}")
    assert ENGLISH["difference.too-slow"] in page.text_content()
    monkeypatch.undo()
    page = await visitor.tree(f"{PATH}&from={OLD}&to={NEW}")
    assert page.xpath("//del/text()") == ["rains"]


@ensureDeferred
async def test_a_few_comparisons_are_in_memory_at_once(archive, visitor, monkeypatch):
    """Others wait, within a limit; the next is told to come again."""
    monkeypatch.setattr(room, "WAITING", 3)
    together = visitor.harbor.room.tokens
    opened, full, held = [], Deferred(), Deferred()

    async def opening(capture):
        opened.append(capture)
        if len(opened) == together:
            full.callback(None)
        await held

    monkeypatch.setattr(visitor.harbor.retrieval, "open", opening)
    asking = [
        Deferred.fromCoroutine(visitor.get(f"{PATH}&from={OLD}&to={NEW}"))
        for _ in range(together + 4)
    ]
    assert (await asking[-1])[0] == 503
    await full
    assert len(opened) == together and len(visitor.harbor.room.waiting) == 3
    held.callback(None)
    assert {(await one)[0] for one in asking[:-1]} == {200}
    assert visitor.harbor.room.tokens == together


@pytest.mark.parametrize(
    ("query", "status"),
    [("from=x&to=y", 400), ("", 400), (f"from={OLD}", 400), (f"from={OLD}&to={NEW}", 200)],
)
@ensureDeferred
async def test_what_cannot_be_compared_is_said(visitor, query, status):
    """Two dates are needed, and a URL that the archive has."""
    assert (await visitor.get(f"{PATH}&{query}"))[0] == status
    assert (await visitor.get(f"/difference?url=http://none/&{query}"))[0] in (400, 404)
