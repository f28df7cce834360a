"""Bodies on their way to the disk, which nobody waits for."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor

from agents.bundle import CONTENT_LIMIT
from agents.collected import Captures, Recording
from agents.collected.recording import MEMORY, Memory
from anet.workers import Workers
from tests.agents.collected.test_captures import contents, exchange


@async_yield_fixture
async def workers() -> AsyncIterator[Workers]:
    """The thread that writes."""
    workers = Workers(reactor, 1)
    workers.startService()
    yield workers
    await workers.stopService()


@ensureDeferred
async def test_a_large_body_is_never_in_memory_whole(tmp_path: Path, workers: Workers) -> None:
    """It goes to a file of its own as it comes, and memory is given back."""
    captures = Captures(reactor, workers, tmp_path, "live-1", "live", 0.0, 10**9)
    recording, piece = captures.recording(), os.urandom(64 * 1024)
    for _ in range(2 * MEMORY // len(piece)):
        recording.write(piece)
        if recording._held == 0:
            await workers.run(lambda: None)
    await captures.keep(exchange("http://e.org/film"), recording)
    await captures.sync()
    await workers.run(lambda: None)
    assert captures._memory.left == MEMORY
    directory = next(path for path in tmp_path.iterdir() if path.name != "live-1.spool")
    [(url, body)] = contents(directory).items()
    assert url == "http://e.org/film"
    assert len(body) == 2 * MEMORY
    assert body == piece * (2 * MEMORY // len(piece))
    assert not list((tmp_path / "live-1.spool").iterdir())


@ensureDeferred
async def test_a_disk_that_does_not_keep_up_spoils_the_recording_alone(
    tmp_path: Path, workers: Workers
) -> None:
    """Writing never waits: beyond the memory the recording is given up, and nothing is kept."""
    captures = Captures(reactor, workers, tmp_path, "live-1", "live", 0.0, 10**9)
    recording = captures.recording()
    for _ in range(MEMORY // CONTENT_LIMIT + 2):
        recording.write(bytes(CONTENT_LIMIT))
    assert "does not keep up" in recording.problem
    with pytest.raises(OSError, match="does not keep up"):
        await captures.keep(exchange("http://e.org/"), recording)
    await workers.run(lambda: None)
    assert captures.kept == 0 and captures._memory.left == MEMORY


@ensureDeferred
async def test_a_body_that_cannot_be_spooled_is_not_kept(tmp_path: Path, workers: Workers) -> None:
    """A part that was not written fails the whole, not the reading."""
    in_the_way = tmp_path / "spool"
    in_the_way.write_text("")
    recording = Recording(workers, Memory(), in_the_way / "1")
    recording.write(bytes(CONTENT_LIMIT + 1))
    recording.write(b"more")
    with pytest.raises(OSError):
        await workers.run(recording.seal)
    recording.release()
    await workers.run(lambda: None)
    assert recording._memory.left == MEMORY


@ensureDeferred
async def test_requests_with_a_body_and_every_status_are_kept(
    tmp_path: Path, workers: Workers
) -> None:
    """The method stands in the origin; what a killed process had spooled is removed."""
    spool = tmp_path / "live-1.spool"
    spool.mkdir()
    (spool / "7").write_bytes(b"left")
    captures = Captures(reactor, workers, tmp_path, "live-1", "live", 0.0, 10**9)
    assert await captures.recover() == []
    assert not list(spool.iterdir())
    spool.rmdir()
    url = "http://e.org/form?__wb_method=POST&q=1"
    await captures.keep(exchange(url, method="POST"), b"found")
    await captures.sync()
    [directory] = tmp_path.iterdir()
    assert contents(directory) == {url: b"found"}
    assert "method: POST\\n" in (directory / "structure").read_text()
    assert "site: live\\n" in (directory / "structure").read_text()


@ensureDeferred
async def test_a_recording_outlives_recovery(tmp_path: Path, workers: Workers) -> None:
    """What is recorded already, before the directories are looked at, is not what was left."""
    captures = Captures(reactor, workers, tmp_path, "live-1", "live", 0.0, 10**9)
    recording = captures.recording()
    recording.write(bytes(CONTENT_LIMIT + 1))
    await captures.recover()
    await captures.keep(exchange("http://e.org/film"), recording)
    await captures.sync()
    [directory] = tmp_path.glob("live-1-*")
    assert len(contents(directory)["http://e.org/film"]) == CONTENT_LIMIT + 1


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.binary(max_size=9) | st.just(bytes(CONTENT_LIMIT // 2)), max_size=6))
def test_however_a_body_is_cut_it_is_the_same(tmp_path: Path, pieces: list[bytes]) -> None:
    """Small or spooled, the digest is that of all pieces in their order."""

    class Immediate(Workers):
        def run(self, function, *args, **named):  # type: ignore[no-untyped-def]
            from twisted.internet.defer import execute

            return execute(function, *args, **named)

    recording = Recording(Immediate(reactor, 1), Memory(), tmp_path / "spool" / "1")
    for piece in pieces:
        recording.write(piece)
    from hashlib import sha256

    digest, body = recording.seal()
    assert digest == sha256(b"".join(pieces)).digest()
    if body is None:
        recording.move(tmp_path / "a" / "b")
        body = (tmp_path / "a" / "b").read_bytes()
    assert body == b"".join(pieces)
    recording.release()
