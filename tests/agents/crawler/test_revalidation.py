"""Asking only for what has changed since the former crawl."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.crawler.errors import BadFormer
from agents.crawler.revalidation import FormerCapture, FormerStructure, conditions


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
