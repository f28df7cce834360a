"""Bodies as they arrive: signed, kept, parsed, bounded."""

import gzip
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from agents import decoding
from agents.crawler.errors import Enough, TooLong
from agents.crawler.pack import Pack
from agents.crawler.reading import reception as module
from agents.crawler.reading.reader import Reader
from agents.crawler.reading.reception import Reception
from agents.parsers import Found, Link, Source
from agents.parsers.html import HtmlParser
from anet.errors import Overloaded


class Links:
    """A reader that keeps the links of HTML."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self._parser = HtmlParser(Source())

    def feed(self, chunk: bytes) -> Iterator[None]:
        yield from map(self._take, self._parser.feed(chunk))

    def close(self) -> Iterator[None]:
        yield from map(self._take, self._parser.close())

    def _take(self, found: Found) -> None:
        self.urls += [found.url] if isinstance(found, Link) else []


class Threads:
    """Does the work of threads when the test says so, or refuses it."""

    def __init__(self, refusing: bool = False) -> None:
        self.refusing = refusing
        self.jobs: list[Any] = []

    def run(self, job: Any) -> Deferred[None]:
        if self.refusing:
            return fail(Overloaded("busy"))
        self.jobs.append(job)
        return succeed(None)


def receive(
    folder: Path,
    chunks: list[bytes],
    limit: int = 10**9,
    coding: str = "",
    reader: Reader | None = None,
    threads: Any = None,
) -> Reception:
    """Return a reception of these chunks."""
    threads, reader = threads or Threads(), reader or Links()
    reception = Reception(Clock(), threads, folder / "body", limit, reader, coding)
    for chunk in chunks:
        assert reception(chunk) is None
    return reception


def finish(reception: Reception) -> bytes:
    """Return the signature of what was received."""
    result: list[bytes] = []
    Deferred.fromCoroutine(reception.finish()).addCallback(result.append)
    return result[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(min_size=1, max_size=20), max_size=20), st.integers(1, 100))
def test_any_chunks(tmp_path: Path, chunks: list[bytes], memory: int) -> None:
    """Content and signature are those of the whole, in memory or on disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MEMORY", memory)
        reception = receive(tmp_path, chunks)
        assert finish(reception) == sha256(b"".join(chunks)).digest()
        assert reception.size == len(b"".join(chunks))
        pack, path = Pack(tmp_path / "pack"), tmp_path / "of" / "its" / "own"
        pack.append(b"before")
        place = reception.store(pack, str(path))
        pack.close()
        held = (pack.path if place is not None else path).read_bytes()
        assert held[place or 0 :] == b"".join(chunks)
        assert (place is None) == (len(b"".join(chunks)) > memory)
        assert not (tmp_path / "body").exists()


@pytest.mark.parametrize("refusing", [False, True])
def test_discarded(tmp_path: Path, refusing: bool) -> None:
    """What is known already leaves no file; a worker gives its room back, unless all are busy."""
    threads = Threads(refusing)
    reception = receive(tmp_path, [b"x" * (module.MEMORY + 1)], threads=threads)
    assert (tmp_path / "body").exists()
    reception.discard()
    assert not list(tmp_path.iterdir())
    assert _held(tmp_path) != refusing
    for job in threads.jobs:
        job()
    assert not _held(tmp_path)


def _held(folder: Path) -> bool:
    """Tell whether this process has a file of the folder open, even one without a name."""
    held = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return any(target.startswith(str(folder)) for target in held)


def test_limit(tmp_path: Path) -> None:
    """A body may be as long as the limit, and no longer."""
    receive(tmp_path, [b"x" * 10], limit=10)
    with pytest.raises(TooLong):
        receive(tmp_path, [b"x" * 10, b"y"], limit=10)


def test_a_beginning_is_enough(tmp_path: Path) -> None:
    """Of a body that is cut at the limit, what is kept is as long as the limit, however it came."""
    for chunks in ([b"ab", b"cdef"], [b"abc", b"d"], [b"abcdef"]):
        reception = Reception(Clock(), cast(Any, Threads()), tmp_path / "body", 3, None, cut=True)
        with pytest.raises(Enough):
            for chunk in chunks:
                reception(chunk)
        assert reception.size == 3
        assert finish(reception) == sha256(b"abc").digest()


@pytest.mark.parametrize("step", [1, 1000])
def test_compressed_bodies_are_parsed_decoded(tmp_path: Path, step: int) -> None:
    """gzip and deflate are read through; the content stays as received."""
    page = b"<a href=x>" + b" " * 3000
    for coding, body in (("gzip", gzip.compress(page)), ("deflate", zlib.compress(page))):
        chunks = [body[at : at + step] for at in range(0, len(body), step)]
        links = Links()
        reception = receive(tmp_path, chunks, coding=coding, reader=links)
        assert finish(reception) == sha256(body).digest()
        assert links.urls == ["x"]


def test_broken_compression_and_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nonsense is stored and not parsed; a bomb is parsed up to a limit."""
    assert finish(receive(tmp_path, [b"not gzip"], coding="gzip")) == sha256(b"not gzip").digest()
    monkeypatch.setattr(decoding, "TOTAL_LIMIT", 100)
    bomb = gzip.compress(b"<a href=x>" + b" " * 10**6 + b"<a href=y>")
    links = Links()
    finish(receive(tmp_path, [bomb[:500], bomb[500:]], coding="gzip", reader=links))
    assert links.urls == ["x"]


def test_a_reader_that_fails_costs_its_links_only(tmp_path: Path) -> None:
    """The body is kept whole whatever happens to what reads it."""

    class Failing(Links):
        def feed(self, chunk: bytes) -> Iterator[None]:
            raise RuntimeError("a mistake")

    reception = receive(tmp_path, [b"a", b"b"], reader=Failing())
    assert finish(reception) == sha256(b"ab").digest()
    assert reception.reader_failed
