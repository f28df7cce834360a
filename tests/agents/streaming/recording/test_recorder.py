"""Endless streams are closed into contents, with entries and logs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from taping import BEGAN, DESCRIBED, HEAD, STREAM, AtOnce, Kept, Tape, done, no_syncs
from twisted.internet.defer import CancelledError, Deferred, fail

from agents import dates
from agents.origin import fields, request_of, value
from agents.stream import LOG_SCHEME
from agents.stream_log import Begun, ClockEntry, Ended, GapEntry, MarkEntry, TitleEntry, read_line
from agents.stream_offset import StreamOffset
from agents.streaming.recording import Beginning, DiskBehind, Gap
from anet.errors import Overloaded
from anet.media.interface import Said


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Do not wait for the disk."""
    with no_syncs():
        yield


def test_a_stream_becomes_contents_with_entries_and_logs(tmp_path: Path) -> None:
    """What is behind a cut begins the next piece; both have their captures and their logs."""
    tape = Tape(tmp_path)
    gap = Gap("20261121000000000000", "20261121000500000000", "break: the server fell silent")
    piece = tape.recorder.begin(tape.beginning(gap=gap))
    piece.write(b"one two th", safe=8)
    piece.title(
        BEGAN + 1, StreamOffset(250, 4), Said("A – B", {"StreamTitle": "A – B"}, b"\x00raw")
    )
    tape.flush()
    piece.enter(BEGAN + 2, StreamOffset(500, 8), ratio=1.001, skew=0.002)
    following = piece.turn(BEGAN + 3, StreamOffset(600, 8), "size", preamble=b"init")
    assert (piece.size, following.size) == (8, 2)
    following.write(b"ree")
    tape.flush()
    following.end(BEGAN + 4, 300, "break: connection\nreset")
    tape.settle()
    kept = Kept(tmp_path)
    assert kept.contents() == [b"one two ", b"three"]
    assert not list(tape.open.iterdir())
    first, entry, last, second, end = kept.captures[STREAM]
    assert [each.metadata for each in (first, entry, last)] == [
        "0000000@00000000", "0000500@00000008", "0000600@00000008"]  # fmt: skip
    assert first.date == dates.from_timestamp(BEGAN)
    assert int(second.date) - int(last.date) == 1
    assert end.metadata == "0000300@00000005"
    assert (first.head, first.status) == (HEAD, 200)
    assert value(first.origin, "stream") == f"{first.date} 1"
    assert value(second.origin, "stream") == f"{first.date} 2"
    assert value(first.origin, "gap") == f"{gap.since} {gap.until} {gap.why}"
    assert value(first.origin, "site") == "radio.example"
    asked = request_of(first.origin)
    assert asked is not None and b"secret" not in asked.head
    assert [each for each in kept.captures[STREAM] if value(each.origin, "gap")] == [first]
    assert dict(fields(entry.origin)).keys() == {"crawl", "site", "agent", "address", "stream"}
    one, two = kept.logs()
    assert isinstance(one[0], Begun) and one[0].gap is not None and one[0].name == "Radio é"
    assert isinstance(one[1], TitleEntry) and one[1].raw == b"\x00raw"
    assert isinstance(one[2], ClockEntry) and one[2].ratio == 1.001
    assert isinstance(one[3], Ended) and (one[3].why, one[3].content) == ("size", first.content)
    assert isinstance(two[0], Begun) and (two[0].piece, two[0].preamble) == (2, b"init")
    assert isinstance(two[-1], Ended) and two[-1].why == "break: connection reset"
    assert [each.date for each in kept.captures[LOG_SCHEME + STREAM]] == [first.date, second.date]


def test_what_is_said_moves_no_entry_of_the_clock(tmp_path: Path) -> None:
    """A title is heard before the frame that it stands in is whole, and an entry noted later."""
    tape = Tape(tmp_path)
    piece = tape.recorder.begin(tape.beginning())
    piece.write(b"a" * 100, safe=90)
    piece.title(BEGAN + 5, StreamOffset(500, 99), Said("soon"))
    piece.enter(BEGAN + 4, StreamOffset(400, 90))
    piece.end(BEGAN + 6, 600, "stopped")
    tape.settle()
    entry = Kept(tmp_path).captures[STREAM][1]
    assert (entry.date, entry.metadata) == (dates.from_timestamp(BEGAN + 4), "0000400@00000090")
    title = Kept(tmp_path).logs()[0][1]
    assert isinstance(title, TitleEntry) and (title.ms, title.byte) == (500, 99)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.binary(max_size=40), st.integers(0, 30)),
        st.tuples(st.just("enter"), st.integers(-3, 9), st.integers(0, 60)),
        st.tuples(st.just("title"), st.integers(-3, 9), st.integers(0, 60)),
        st.tuples(st.just("turn"), st.integers(0, 30), st.integers(0, 2)),
        st.tuples(st.just("flush")),
        st.tuples(st.just("settle")),
    ),
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_whatever_is_written_and_wherever_it_is_cut_all_of_it_is_kept_in_order(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    """The contents one after another are what was written, and places and dates go forward."""
    folder = tmp_path_factory.mktemp("tape")
    tape = Tape(folder)
    piece = tape.recorder.begin(tape.beginning())
    written = b""
    for name, *of in steps:
        at = tape.clock.seconds() + (of[0] if name in ("enter", "title") else 0)
        offset = StreamOffset(len(written), 0)
        if name == "write":
            piece.write(of[0], safe=piece.size + len(of[0]) - of[1])
            written += of[0]
        elif name == "enter":
            piece.enter(at, StreamOffset(len(written), of[1]))
        elif name == "title":
            piece.title(at, StreamOffset(len(written), of[1]), Said("x\ud800"))
        elif name == "turn":
            offset = StreamOffset(len(written), max(0, piece.size - of[0]))
            piece = piece.turn(at, offset, "time")
        elif name == "flush":
            tape.flush()
        else:
            tape.settle()
    piece.end(tape.clock.seconds(), len(written), "stopped")
    tape.settle()
    kept = Kept(folder)
    assert b"".join(kept.contents()) == written
    assert not tape.open.exists() or not list(tape.open.iterdir())
    assert tape.recorder.waiting == 0
    assert not tape.recorder.problem


def test_a_log_without_a_content_tells_gaps_and_marks(tmp_path: Path) -> None:
    """A stream that is kept in segments has a log of its own."""
    tape = Tape(tmp_path)
    log = tape.recorder.begin_log(tape.beginning())
    log.enter(BEGAN + 1, 960, 1.0, 0.0, "2026-11-21T00:00:00Z")
    log.title(BEGAN + 2, 1000, Said("news"))
    log.gap(BEGAN + 3, 1200, Gap("20261121000000000000", "20261121000500000000", "404"))
    log.mark(BEGAN + 3, 1200, "discontinuity")
    log.end(BEGAN + 4, 5000, "time")
    tape.settle()
    kept = Kept(tmp_path)
    assert list(kept.captures) == [LOG_SCHEME + STREAM]
    begun, entry, title, gap, mark, ended = kept.logs()[0]
    assert isinstance(begun, Begun)
    assert isinstance(entry, ClockEntry) and entry.program and entry.byte is None
    assert isinstance(title, TitleEntry) and title.byte is None
    assert isinstance(gap, GapEntry) and gap.gap.why == "404"
    assert isinstance(mark, MarkEntry)
    assert isinstance(ended, Ended) and ended.bytes is None and not ended.content


def test_of_a_piece_without_a_byte_nothing_is_kept(tmp_path: Path) -> None:
    """A connection that brought nothing leaves no capture."""
    tape = Tape(tmp_path)
    tape.recorder.begin(tape.beginning()).end(BEGAN + 1, 0, "break: reset")
    tape.settle()
    assert not Kept(tmp_path).captures
    assert not list(tape.open.iterdir())


def test_what_has_no_room_in_memory_is_refused(tmp_path: Path) -> None:
    """The stream is told, what was taken is kept, and there is room again after a flush."""
    tape = Tape(tmp_path, waiting=100)
    piece, other = (tape.recorder.begin(tape.beginning(url)) for url in (STREAM, STREAM + "2"))
    piece.write(b"a" * 80)
    with pytest.raises(DiskBehind):
        other.write(b"b" * 30)
    tape.flush()
    other.write(b"b" * 90)
    done(tape.recorder.stop())
    tape.settle()
    assert Kept(tmp_path).contents() == [b"a" * 80]
    assert Kept(tmp_path).contents(STREAM + "2") == [b"b" * 90]


def test_a_stream_that_talks_too_much_is_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines beyond the limit of a log are counted, and the log stays readable."""
    monkeypatch.setattr("agents.streaming.recording.log.LOG_LIMIT", 500)
    tape = Tape(tmp_path)
    piece = tape.recorder.begin(tape.beginning())
    piece.write(b"x")
    for number in range(20):
        piece.title(BEGAN + number, StreamOffset(0, 1), Said(f"{number}" * 20))
    piece.end(BEGAN + 30, 1, "stopped")
    tape.settle()
    (log,) = Kept(tmp_path).logs()
    ended = log[-1]
    assert isinstance(ended, Ended) and ended.left_out == 22 - len(log)


def test_a_flush_that_is_cancelled_is_done_once(tmp_path: Path) -> None:
    """As when a service stops: what the thread was told to write is not written again."""
    tape = Tape(tmp_path)
    jobs: list[tuple[Any, ...]] = []

    def later(*job: Any) -> Deferred[Any]:
        jobs.append(job)
        return Deferred()

    workers = tape.recorder._workers
    tape.recorder._workers = busy = AtOnce()  # type: ignore[assignment]
    busy.run = later  # type: ignore[method-assign]
    piece = tape.recorder.begin(tape.beginning())
    piece.write(b"once")
    flushing = Deferred.fromCoroutine(tape.recorder.flush())
    flushing.addErrback(lambda failure: failure.trap(CancelledError))
    flushing.cancel()
    piece.write(b" more")
    tape.recorder._workers = workers
    for job, *arguments in jobs:
        job(*arguments)
    done(tape.recorder.stop())
    tape.settle()
    assert Kept(tmp_path).contents() == [b"once more"]


def test_what_the_thread_refused_to_take_is_taken_later(tmp_path: Path) -> None:
    """As when too many jobs wait for it."""
    tape = Tape(tmp_path)
    piece = tape.recorder.begin(tape.beginning())
    piece.write(b"one ")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(AtOnce, "run", lambda *_: fail(Overloaded("1000 jobs are waiting")))
        tape.flush()
    assert "waiting" in tape.recorder.problem
    piece.write(b"two")
    tape.flush()
    assert not tape.recorder.problem
    done(tape.recorder.stop())
    tape.settle()
    assert Kept(tmp_path).contents() == [b"one two"]


@given(at=st.floats(1e9, 4e9), ats=st.lists(st.floats(-1e-5, 1e-5), min_size=1, max_size=20))
def test_dates_of_a_stream_are_all_different(at: float, ats: list[float]) -> None:
    """Also of moments that lie within one microsecond, and of pieces that follow on each other."""
    room = Tape(Path("unused")).recorder
    piece = room.begin(Beginning(STREAM, "radio.example", DESCRIBED, at))
    found = [piece.beginning.date]
    for each in ats:
        piece.enter(at + each, StreamOffset(0, 0))
        changes = piece.taken()
        assert changes is not None
        line = read_line(changes.lines[0])
        assert isinstance(line, ClockEntry)
        following = piece.turn(at + each, StreamOffset(0, 0), "time")
        changes = piece.taken()
        assert changes is not None and changes.ending is not None
        found += [line.at, dates.from_timestamp(changes.ending.at), following.beginning.date]
        piece = following
    assert found == sorted(set(found))
