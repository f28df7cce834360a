"""What an earlier crawl collected is found in the archive by the origins of captures."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.archive.errors import ArchiveError
from agents.archive.verification.collected import (
    Bounds,
    Collection,
    Line,
    by_url,
    read_collection,
)
from agents.archive.verification.remembered import Archive, completed, remembered, servers
from anet.http import HttpClient, HttpServer, Request, Response

SITE = "http://a.example/"
OLD = {
    SITE: [("2026010100000", "crawl-1"), ("2026030100000", "crawl-2")],
    SITE + "late": [("2026010100030", "crawl-1"), ("2026030100000", "crawl-2")],
    SITE + "early-again": [("2025123123595", "crawl-0"), ("2026010100050", "crawl-1")],
    SITE + "new": [("2026030100000", "crawl-2")],
    "http://b.example/picture": [("2026010100020", "crawl-1")],
}
"""URLs with their captures, a date and a crawl each."""
CONTENT = "a" * 64


class Pages:
    """Answers as docs/reference/api.md says, a URL at a time."""

    async def __call__(self, request: Request) -> Response:
        query, name = request.query, request.path.rpartition("/")[2]
        if name == "urls":
            return self.urls(query["url"], query.get("after", ""))
        captures = [self.capture(query["url"], *each) for each in OLD.get(query["url"], ())]
        if not captures:
            return Response.json(404, {"detail": "no such URL"})
        if name == "captures":
            later = [each for each in captures if each["date"] >= query["from"]]
            return Response.json(200, {"captures": later[:1], "after": None})
        wanted = int(query["date"])
        return Response.json(200, min(captures, key=lambda it: abs(int(it["date"]) - wanted)))

    @staticmethod
    def urls(prefix: str, after: str) -> Response:
        urls = [{"url": url} for url in sorted(OLD) if url.startswith(prefix) and url > after]
        more = urls[0]["url"] if len(urls) > 1 else None
        return Response.json(200, {"urls": urls[:1], "after": more})

    @staticmethod
    def capture(url: str, date: str, crawl: str) -> dict[str, Any]:
        origin = [{"name": "crawl", "value": crawl}, {"name": "site", "value": "a"}]
        told = Line(url, date.ljust(20, "0"), CONTENT, 200)
        return msgspec.to_builtins(told) | {"origin": origin}


@pytest_twisted.async_yield_fixture
async def archive() -> Any:
    """An archive of three crawls, that tells programs of them."""
    server = HttpServer(reactor, "127.0.0.1:0", Pages(), name="pages")
    client = HttpClient(reactor, connect_timeout=2.0, response_timeout=2.0)
    for service in (server, client):
        service.startService()
    yield Archive(client, server.address)
    for service in (client, server):
        await service.stopService()


LAST = Collection(
    by_url(Line(url, "20260301000000000000", CONTENT, 200) for url in OLD),
    Bounds(SITE, "", "", 5),
    graph={("a", "b"): 1},
)


@ensureDeferred
async def test_an_earlier_crawl(archive: Archive) -> None:
    """All that one crawl captured is found, on every server that the site is known to use."""
    found = await remembered(archive, LAST, "20260102000000000000")
    assert set(found.lines) == set(OLD) - {SITE + "new"}
    assert {line.date[:8] for lines in found.lines.values() for line in lines} == {"20260101"}
    assert found.graph is None and found.bounds == LAST.bounds


@ensureDeferred
async def test_no_such_crawl(archive: Archive) -> None:
    """A site whose start is not in the archive has no crawl to compare with."""
    elsewhere = Collection(LAST.lines, Bounds("http://c.example/", "", "", 5))
    with pytest.raises(ArchiveError, match="no crawl of http://c.example/"):
        await remembered(archive, elsewhere, "20260102000000000000")


@ensureDeferred
async def test_an_archive_that_does_not_answer() -> None:
    """It is said in words."""
    client = HttpClient(reactor, connect_timeout=1.0, response_timeout=1.0)
    client.startService()
    with pytest.raises(ArchiveError, match="does not answer"):
        await remembered(Archive(client, "127.0.0.1:1"), LAST, "20260102000000000000")
    await client.stopService()


@ensureDeferred
async def test_what_a_quick_look_captured_since(archive: Archive, tmp_path: Path) -> None:
    """Its captures are not the crawl's, which are asked of the archive; where there were none,
    there is nothing to compare."""
    texts = {SITE: "crawl-1", SITE + "late": "quick", SITE + "new": "quick"}
    lines = [
        Line(url, "20260101000000000000", CONTENT, 200, origin=f"crawl: {crawl}\nsite: a\n")
        for url, crawl in texts.items()
    ]
    (tmp_path / "structure").write_bytes(b"".join(msgspec.json.encode(it) + b"\n" for it in lines))
    (tmp_path / "report.xml").write_text(
        f'<report crawl="crawl-1"><delimitation start_url="{SITE}" accept="" reject=""/></report>'
    )
    last = read_collection(tmp_path)
    assert (set(last.lines), last.since) == ({SITE}, {SITE + "late", SITE + "new"})
    whole = await completed(archive, last)
    assert {url: line.date[:14] for url, (line,) in whole.lines.items()} == {
        SITE: "20260101000000",
        SITE + "late": "20260101000300",
    }


def test_servers() -> None:
    """Each server once, with its scheme and port."""
    urls = ["http://a/x", "http://a/y", "https://a/", "http://a:8080/"]
    assert servers(urls) == ["http://a/", "http://a:8080/", "https://a/"]


@ensureDeferred
@pytest.mark.parametrize("listing", [{"urls": []}, {"urls": [{"url": SITE}], "complete": False}])
async def test_a_list_that_is_not_whole(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, listing: dict[str, Any]
) -> None:
    """A crawl is not judged by a part of it: while URLs are still being listed, it is said so."""
    told = {"after": None, "complete": True, **listing}
    monkeypatch.setattr(Pages, "urls", staticmethod(lambda *_: Response.json(200, told)))
    with pytest.raises(ArchiveError, match="not listed all"):
        await remembered(archive, LAST, "20260102000000000000")
