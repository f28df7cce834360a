"""Reading a crawl's structure."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.connectivity import structure
from agents.connectivity.structure import read_batch, read_line

Maker = Callable[..., dict[str, Any]]


@given(counts=st.integers(0, 9), most=st.integers(1, 4), most_bytes=st.integers(1, 2000))
def test_batches_give_every_line_once(
    tmp_path_factory: pytest.TempPathFactory, counts: int, most: int, most_bytes: int
) -> None:
    """However batches are bounded, all lines come, in order."""
    path = tmp_path_factory.mktemp("s") / "structure"
    line = {"date": "20261121073000000000", "content": "a" * 64, "size": 1, "status": 200}
    lines = [
        json.dumps({**line, "url": f"http://a/{number}", "head": "h" * 99 * number})
        for number in range(counts)
    ]
    path.write_text("".join(f"{each}\n" for each in lines))
    offset, whole, urls = 0, False, []
    while not whole:
        batch = read_batch(path, offset, most, most_bytes)
        assert len(batch.captures) <= most
        assert batch.offset > offset or batch.whole
        offset, whole = batch.offset, batch.whole
        urls += [capture.url for capture in batch.captures]
    assert urls == [f"http://a/{number}" for number in range(counts)]


@pytest.mark.parametrize(
    "damage",
    [
        {"url": ""},
        {"url": "http://a/ b"},
        {"url": "http://é/"},
        {"url": "http://a/" + "b" * 9000},
        {"date": "20261399000000000000"},
        {"date": "2026"},
        {"content": "../../etc/passwd"},
        {"content": "A" * 64},
        {"size": -1},
        {"size": 10**15},
        {"size": "1"},
        {"status": 1000},
        {"head": "\u20ac"},
        {"head": None},
        {"origin": "\ud800"},
        {"place": -1},
        {"place": 10**15},
        {"place": "0"},
        {"place": 0, "size": 256 * 1024 + 1},
    ],
)
def test_a_line_that_may_not_be_recorded_is_damaged(
    damage: dict[str, Any], make_line: Maker
) -> None:
    """A value that has no place in a structure file is found before it is sent."""
    line = make_line("http://a.example/", b"page")
    assert read_line(json.dumps(line).encode()) is not None
    assert read_line(json.dumps({**line, **damage}).encode()) is None


def test_captures_of_a_stream_keep_their_places_and_have_names_of_their_own(
    make_line: Maker,
) -> None:
    """Only an offset is metadata; a log, and what did not come by HTTP, is archived as well."""
    for name in ("stream-log:http://a.example/" + "x" * 8170, "rtsp://a.example/live"):
        line = make_line(name, b"sound", metadata="0030000@00002500")
        read = read_line(json.dumps(line).encode())
        assert read is not None and read.metadata == "0030000@00002500"
        assert read_line(json.dumps({**line, "metadata": "anything"}).encode()) is None


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_line_gives_a_capture_or_none(line: bytes) -> None:
    """Garbage is no capture, and no error either."""
    assert read_line(line) is None


def test_damaged_lines_are_counted_and_passed_over(
    tmp_path: Path, make_line: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torn line, one that is too long, and a torn end do not hide the others."""
    monkeypatch.setattr(structure, "LINE_LIMIT", 1000)
    good = json.dumps(make_line("http://a.example/", b"page")).encode()
    path = tmp_path / "structure"
    path.write_bytes(good + b"\n" + good[:50] + b"\n" + b"x" * 5000 + b"\n" + good + b"\n{")
    batch = read_batch(path, 0, 100, 10_000)
    assert (len(batch.captures), batch.damaged, batch.whole) == (2, 3, True)
    assert batch.offset == path.stat().st_size
