"""Asking only for what has changed since the former crawl."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.crawler.errors import BadFormer
from agents.crawler.network.revalidation import FormerCapture, FormerStructure, conditions
from agents.order import Access
from anet.http import Request, Response


def line(url: str, head: str = "", **fields: object) -> str:
    """Return a line of a structure."""
    values = {"date": "2" * 20, "content": "0" * 64, "size": 1, "status": 200, "new": True}
    return json.dumps(values | {"url": url, "head": head} | fields) + "\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 99)), max_size=20))
def test_found_and_in_order(tmp_path: Path, entries: list[tuple[str, int]]) -> None:
    """The last capture of each URL counts, where it stood."""
    path = tmp_path / "structure"
    path.write_text("".join(line(url, size=size) for url, size in entries))
    structure = FormerStructure(path)
    last = dict(entries)
    found = [(each.url, each.size) for each in structure.captures()]
    assert dict(found) == last
    assert len(found) == len(last)
    for url, size in last.items():
        capture = structure.find(url)
        assert capture is not None
        assert (capture.url, capture.size) == (url, size)
    assert structure.find("a longer one") is None
    structure.close()


def test_damaged(tmp_path: Path) -> None:
    """A file that can't be read is named."""
    path = tmp_path / "structure"
    with pytest.raises(BadFormer, match="structure"):
        FormerStructure(path)
    path.write_text(line("a") + "{")
    with pytest.raises(BadFormer, match="structure"):
        FormerStructure(path)


def capture(head: str, **fields: object) -> FormerCapture:
    """Return a capture with this head."""
    values = {"url": "u", "date": "", "content": "", "size": 0, "status": 200} | fields
    return FormerCapture(head=head, **values)  # type: ignore[arg-type]


def test_conditions() -> None:
    """The validators go back as they came; without any, or without all of the content, none do."""
    head = 'HTTP/1.1 200 OK\r\nETag: W/"1"\r\nLast-Modified: then\r\n\r\n'
    both = [(b"If-None-Match", b'W/"1"'), (b"If-Modified-Since", b"then")]
    assert conditions(capture(head)) == both
    assert conditions(capture("HTTP/1.1 200 OK\r\nETag: x\r\n\r\n")) == [(b"If-None-Match", b"x")]
    assert conditions(None) == []
    assert conditions(capture(head, status=404)) == []
    assert conditions(capture(head, origin="crawl: x\ntruncated: time\n")) == []
    assert conditions(capture("nonsense")) == []


@given(st.text(st.characters(max_codepoint=255)))
def test_any_head(text: str) -> None:
    """Whatever a file holds, a condition is one line."""
    for _, value in conditions(capture(f"HTTP/1.1 200 OK\r\nETag: {text}\r\n\r\n")):
        assert not set(value) & set(b"\r\n\0")


@ensureDeferred
async def test_a_conditional_crawl(web: Any, crawl: Any, tmp_path: Path) -> None:
    """What has not changed is not sent, what has is read; the next crawl can go on from there."""
    linked = "<a href=/same>s</a><a href=/changed>c</a>"
    bodies = {"/": linked, "/same": "<a href=/deep>d</a>", "/changed": "old", "/deep": "deep"}

    def page(request: Request) -> Response:
        body = bodies[request.target].encode()
        tag = b'"%s"' % sha256(body).hexdigest()[:8].encode()
        fields = [(b"ETag", tag), (b"Content-Type", b"text/html")]
        if request.headers.get(b"if-none-match") == tag:
            return Response(304, fields, b"")
        return Response(200, fields, body)

    def give() -> None:
        web.pages = dict.fromkeys(bodies, page)
        web.hits.clear()

    give()
    first = await crawl(web.url, name="first")
    bodies["/changed"] = "<a href=/new>n</a>"
    bodies["/new"] = "new"
    for name, former in (("second", first), ("third", None)):
        folder = first.directory if former else tmp_path / "second"
        give()
        result = await crawl(
            web.url, name=name, former=str(folder), access=Access(conditional=True)
        )
        lines = {urlsplit(line["url"]).path: line for line in result.lines}
        assert set(bodies) <= set(lines)
        assert lines["/same"]["status"] == 200
        assert lines["/same"]["content"] == sha256(bodies["/same"].encode()).hexdigest()
        assert "\nrevisit: not-modified " in lines["/same"]["origin"]
        assert lines["/same"]["change"] == "unchanged"
        signatures = (result.directory / "signatures").read_text().split()
        assert {line["content"] for line in result.lines} == set(signatures)
        changed = "changed" if former else "unchanged"
        assert lines["/changed"]["change"] == changed
        assert lines["/new"]["change"] == ("new" if former else "unchanged")
        assert len(web.hits) == len(set(web.hits))
