"""Bodies as they arrive: signed, kept, parsed, bounded."""

import gzip
import zlib
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.crawler import reception as module
from agents.crawler.errors import TooLong
from agents.crawler.parsers import parser_for
from agents.crawler.parsers.css import CssParser
from agents.crawler.reception import Reception


def receive(folder: Path, chunks: list[bytes], limit: int = 10**9, coding: str = "") -> Reception:
    """Return a reception of these chunks."""
    reception = Reception(folder / "body", limit, lambda p: parser_for("text/html", p), coding)
    for chunk in chunks:
        reception(chunk)
    return reception


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(min_size=1, max_size=20), max_size=20), st.integers(1, 100))
def test_any_chunks(tmp_path: Path, chunks: list[bytes], memory: int) -> None:
    """Content and signature are those of the whole, in memory or on disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MEMORY", memory)
        reception = receive(tmp_path, chunks)
        assert reception.finish() == sha256(b"".join(chunks)).digest()
        assert reception.size == len(b"".join(chunks))
        reception.move(tmp_path / "content")
        assert (tmp_path / "content").read_bytes() == b"".join(chunks)
        assert not (tmp_path / "body").exists()


def test_discarded(tmp_path: Path) -> None:
    """What is known already leaves no file."""
    reception = receive(tmp_path, [b"x" * (module.MEMORY + 1)])
    assert (tmp_path / "body").exists()
    reception.discard()
    assert not list(tmp_path.iterdir())


def test_limit(tmp_path: Path) -> None:
    """A body may be as long as the limit, and no longer."""
    receive(tmp_path, [b"x" * 10], limit=10)
    with pytest.raises(TooLong):
        receive(tmp_path, [b"x" * 10, b"y"], limit=10)


@pytest.mark.parametrize("step", [1, 1000])
def test_compressed_bodies_are_parsed_decoded(tmp_path: Path, step: int) -> None:
    """gzip and deflate are read through; the content stays as received."""
    page = b"<a href=x>" + b" " * 3000
    for coding, body in (("gzip", gzip.compress(page)), ("deflate", zlib.compress(page))):
        chunks = [body[at : at + step] for at in range(0, len(body), step)]
        reception = receive(tmp_path, chunks, coding=coding)
        assert reception.finish() == sha256(body).digest()
        assert reception.parser is not None
        assert [link.url for link in reception.parser.links] == ["x"]


def test_broken_compression_and_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nonsense is stored and not parsed; a bomb is parsed up to a limit."""
    assert receive(tmp_path, [b"not gzip"], coding="gzip").finish() == sha256(b"not gzip").digest()
    monkeypatch.setattr(module, "_INFLATED_LIMIT", 100)
    bomb = gzip.compress(b"<a href=x>" + b" " * 10**6 + b"<a href=y>")
    reception = receive(tmp_path, [bomb[:500], bomb[500:]], coding="gzip")
    reception.finish()
    assert reception.parser is not None
    assert [link.url for link in reception.parser.links] == ["x"]


def test_a_parser_that_fails_costs_its_links_only(tmp_path: Path) -> None:
    """The body is kept whole whatever happens to its parser."""

    class Failing(CssParser):
        def feed(self, chunk: bytes) -> None:
            raise RuntimeError("a mistake")

    reception = Reception(tmp_path / "body", 100, lambda _: Failing())
    reception(b"a")
    reception(b"b")
    assert reception.finish() == sha256(b"ab").digest()
    assert reception.parser is None
    assert reception.parser_failed
