"""What a killed process left of streams is closed by the next, up to what it had written."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from taping import BEGAN, STREAM, AtOnce, InLine, Kept, Tape, done, no_syncs
from twisted.internet.defer import Deferred

from agents import dates
from agents.stream_log import Begun, ClockEntry, Ended, LogLine, TitleEntry, read_log
from agents.stream_offset import StreamOffset
from agents.streaming.recording import Recovered
from anet.media.interface import Said

CHANGING = ("open", "os.rename", "os.truncate", "os.link", "os.remove", "os.mkdir")
KILLED = 9


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Do not wait for the disk."""
    with no_syncs():
        yield


def test_a_killed_piece_ends_with_what_was_written(tmp_path: Path) -> None:
    """It ends when bytes came to the disk last, with signal as its rate so far makes it."""
    tape = Tape(tmp_path)
    piece = tape.recorder.begin(tape.beginning())
    piece.write(b"a" * 4000)
    piece.enter(BEGAN + 5, StreamOffset(2000, 4000))
    piece.write(b"b" * 1000)
    piece.title(BEGAN + 6, StreamOffset(2400, 4800), Said("on the air"))
    tape.flush()
    piece.write(b"never flushed")
    (media,) = tape.open.glob("*.media")
    os.utime(media, (BEGAN + 8, BEGAN + 8))
    (log,) = tape.open.glob("*.log")
    with log.open("ab") as file:
        file.write(b'{"at":"2026')
    after = Tape(tmp_path, tape.clock)
    assert after.recover() == [
        Recovered(STREAM, dates.from_timestamp(BEGAN + 8), "killed", "on the air")
    ]
    kept = Kept(tmp_path)
    assert kept.contents() == [b"a" * 4000 + b"b" * 1000]
    assert [each.metadata for each in kept.captures[STREAM]] == [
        "0000000@00000000", "0002000@00004000", "0002500@00005000"]  # fmt: skip
    assert kept.captures[STREAM][-1].date == dates.from_timestamp(BEGAN + 8)
    ended = kept.logs()[0][-1]
    assert isinstance(ended, Ended) and ended.why == "killed"


@pytest.mark.parametrize(
    "line",
    [
        b'{"at":"20260101000000000000","ms":99999999,"byte":100}',
        b'{"at":"20260101000000000000","ms":-1,"byte":100}',
        b'{"at":"20260101000000000000","ms":1,"byte":-1}',
        b'{"at":"20261301000000000000","ms":1,"byte":100}',
        b'{"end":"20260101000000000000","ms":-1,"why":"time","bytes":100,"content":""}',
    ],
)
def test_a_line_that_cannot_be_is_passed_over(tmp_path: Path, line: bytes) -> None:
    """A disk that spoilt a log costs that line, and never another stream's pieces."""
    tape = Tape(tmp_path)
    tape.recorder.begin(tape.beginning()).write(b"a" * 1000)
    tape.flush()
    (log,) = tape.open.glob("*.log")
    with log.open("ab") as file:
        file.write(line + b"\n")
    Tape(tmp_path, tape.clock).recover()
    kept = Kept(tmp_path)
    assert kept.contents() == [b"a" * 1000]
    assert len(kept.captures[STREAM]) == 2


def test_before_the_first_entry_the_bitrate_tells_the_time(tmp_path: Path) -> None:
    """128 kbit/s are 16 bytes a millisecond."""
    tape = Tape(tmp_path)
    tape.recorder.begin(tape.beginning()).write(b"a" * 1600)
    tape.flush()
    Tape(tmp_path, tape.clock).recover()
    assert Kept(tmp_path).captures[STREAM][-1].metadata == "0000100@00001600"


def test_what_the_captures_had_before_the_kill_is_not_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A piece whose files were still there is let go when its captures are in a directory."""
    tape = Tape(tmp_path)
    tape.recorder.begin(tape.beginning()).write(b"abc")
    monkeypatch.setattr("agents.streaming.recording.writing.remove", lambda _: None)
    done(tape.recorder.stop())
    assert list(tape.open.iterdir())
    monkeypatch.undo()
    after = Tape(tmp_path, tape.clock)
    assert [each.why for each in after.recover()] == ["stopped"]
    assert after.captures.kept == 0
    assert Kept(tmp_path).contents() == [b"abc"]
    assert not list(tape.open.iterdir())


def test_pieces_that_are_open_are_let_be(tmp_path: Path) -> None:
    """Recovery that is tried again while streams come in does not end them."""
    tape = Tape(tmp_path)
    piece = tape.recorder.begin(tape.beginning())
    piece.write(b"abc")
    tape.flush()
    assert tape.recover() == []
    piece.write(b"def")
    done(tape.recorder.stop())
    tape.settle()
    assert Kept(tmp_path).contents() == [b"abcdef"]


def test_what_comes_in_is_written_while_pieces_are_made_whole(tmp_path: Path) -> None:
    """However many are left, and however large: one goes on before the next is made whole."""
    tape = Tape(tmp_path)
    for number in range(3):
        tape.recorder.begin(tape.beginning(f"{STREAM}/{number}")).write(b"left")
    tape.flush()
    tape.clock.advance(1)
    line = InLine()
    after = Tape(tmp_path, tape.clock, line)
    Deferred.fromCoroutine(after.recorder.look())
    line.step()
    recovering = Deferred.fromCoroutine(after.recorder.recover())
    after.recorder.begin(after.beginning()).write(b"heard meanwhile")
    Deferred.fromCoroutine(after.recorder.flush())
    line.step()
    line.step()
    logs = sorted(after.open.glob("*.log"))
    assert [isinstance(read_lines(path)[-1], Ended) for path in logs] == [True, False, False, False]
    assert logs[-1].with_suffix(".media").read_bytes() == b"heard meanwhile"
    while not recovering.called:
        line.step()
    assert list(after.open.glob("*.log")) == logs[-1:]


def test_a_look_says_where_a_piece_ends_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of its log is enough, and it is what the log says when the piece is whole."""
    tape = Tape(tmp_path)
    piece = tape.recorder.begin(tape.beginning())
    for second in range(100):
        piece.write(b"a" * 10)
        piece.enter(BEGAN + second, StreamOffset(second, piece.size))
        piece.title(BEGAN + second, StreamOffset(second, piece.size), Said(f"title {second}"))
    tape.flush()
    (media,) = tape.open.glob("*.media")
    os.utime(media, (BEGAN + 5, BEGAN + 5))  # the clock was put back
    after = Tape(tmp_path, tape.clock)
    monkeypatch.setattr("agents.streaming.recording.recovering._TAIL", 500)
    monkeypatch.setattr("agents.streaming.recording.recovering.read_lines", None)
    monkeypatch.setattr("agents.streaming.recording.recovering.media_key", None)
    found = done(after.recorder.look())
    monkeypatch.undo()
    end = dates.from_timestamp(BEGAN + 99.000001)
    assert found == [Recovered(STREAM, end, "killed", "title 99")]
    assert after.recover() == found
    ended = Kept(tmp_path).logs()[0][-1]
    assert isinstance(ended, Ended) and ended.end == end


def test_what_cannot_be_read_is_left_and_holds_nothing_up(tmp_path: Path) -> None:
    """Damaged files stay for people to look at; others are closed."""
    tape = Tape(tmp_path)
    for url in (STREAM, STREAM + "2"):
        tape.recorder.begin(tape.beginning(url)).write(b"abc")
    tape.flush()
    first = min(tape.open.glob("*.begin"))
    first.write_bytes(b"{")
    (tape.open / "stray.media").write_bytes(b"x")
    after = Tape(tmp_path, tape.clock)
    assert [each.stream for each in after.recover()] == [STREAM + "2"]
    assert {path.stem for path in tape.open.iterdir()} == {first.stem}


def read_lines(path: Path) -> list[LogLine]:
    """Return what is in a log."""
    return list(read_log(path.read_bytes()))


class Death:
    """Ends this process at the n-th change of a file, in the middle of a write."""

    def __init__(self, after: int) -> None:
        self._left = after
        self._write = os.write
        os.write = self._half  # type: ignore[assignment]
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in CHANGING and (event != "open" or _writes(arguments[2])):
            self._count()

    def _half(self, descriptor: int, data: bytes) -> int:
        self._left -= 1
        if not self._left:
            self._write(descriptor, data[: len(data) // 2])
            os._exit(KILLED)
        return self._write(descriptor, data)

    def _count(self) -> None:
        self._left -= 1
        if not self._left:
            os._exit(KILLED)


def _writes(flags: int) -> bool:
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def dies(after: int, work: Callable[[], object]) -> bool:
    """Do something in a process that dies at the n-th change of a file; tell whether it did."""
    child = os.fork()
    if not child:
        status = 1
        try:
            Death(after)
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, KILLED)
    return os.waitstatus_to_exitcode(status) == KILLED


WHOLE = b"".join(b"%07d\n" % number for number in range(40))


def record(folder: Path) -> None:
    """Record 320 bytes in three pieces, and say in a file how many have been flushed."""
    tape = Tape(folder)
    said = os.open(folder / "said", os.O_RDWR)
    piece = tape.recorder.begin(tape.beginning())
    for second in range(10):
        piece.write(WHOLE[second * 32 : second * 32 + 32], safe=piece.size + 27)
        piece.enter(tape.clock.seconds(), StreamOffset(second, piece.size))
        if second in (3, 6):
            piece = piece.turn(tape.clock.seconds(), StreamOffset(9, piece.size - 5), "time")
        tape.flush()
        os.ftruncate(said, second + 1)
        if second == 5:
            tape.settle()
    done(tape.recorder.stop())
    tape.settle()


def look(folder: Path) -> None:
    """Make sure that what was flushed is there, once."""
    Tape(folder).recover()
    kept = Kept(folder)
    found = b"".join(kept.contents()) if STREAM in kept.captures else b""
    assert WHOLE.startswith(found)
    assert len(found) >= 32 * (folder / "said").stat().st_size
    assert not list((folder / "streaming-1.open").glob("*"))
    for log in kept.logs() if found else ():
        assert isinstance(log[0], Begun) and isinstance(log[-1], Ended)


def test_killed_at_any_change_of_a_file_nothing_is_lost_or_doubled(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """What was flushed is archived once, wherever the process died."""
    after, died = 0, True
    while died:
        after += 1
        folder = tmp_path_factory.mktemp("killed")
        (folder / "said").touch()
        died = dies(after, partial(record, folder))
        look(folder)
    assert after > 50


def test_killed_while_it_makes_whole_what_another_left_it_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Recovery can be killed as often as it likes."""
    for first in (25, 40, 55):
        after, died = 0, True
        while died:
            after += 1
            folder = tmp_path_factory.mktemp("killed")
            (folder / "said").touch()
            assert dies(first, partial(record, folder))
            died = dies(after, Tape(folder).recover)
            look(folder)
        assert after > 5


NEW = STREAM + "/new"


class Between(AtOnce):
    """Workers that find other work before each job."""

    def __init__(self) -> None:
        self.other: Callable[[], None] = lambda: None

    def run(self, job: Any, *args: Any) -> "Deferred[Any]":
        """Do the other work, and a job."""
        other, self.other = self.other, lambda: None  # which has jobs of its own
        other()
        self.other = other
        return super().run(job, *args)


def recover_and_record(folder: Path) -> None:
    """Recover; before each job a piece of 32 bytes comes in, and goes to the captures."""
    workers = Between()
    tape = Tape(folder, workers=workers)
    tape.clock.advance(1800)
    said = os.open(folder / "said new", os.O_RDWR)
    heard = 0

    def hear() -> None:
        nonlocal heard
        piece = tape.recorder.begin(tape.beginning(NEW))
        piece.write(WHOLE[heard : heard + 32])
        heard += 32
        tape.flush()
        os.ftruncate(said, heard)
        piece.end(tape.clock.seconds(), 1, "time")
        tape.clock.advance(60.0)
        done(tape.recorder.flush())

    done(tape.recorder.look())
    workers.other = hear
    done(tape.recorder.recover())


def test_killed_while_it_records_and_makes_whole_what_another_left_it_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """What comes in during recovery lies in one directory with what is recovered."""
    for first in (25, 55):
        after, died = 0, True
        while died:
            after += 1
            folder = tmp_path_factory.mktemp("killed")
            (folder / "said").touch()
            (folder / "said new").touch()
            assert dies(first, partial(record, folder))
            died = dies(after, partial(recover_and_record, folder))
            look(folder)
            flushed = (folder / "said new").stat().st_size
            found = b"".join(Kept(folder).contents(NEW)) if flushed else b""
            assert len(found) >= flushed and WHOLE.startswith(found)
        assert flushed >= 64
        assert after > 30


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_torn_files_leave_what_is_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """However much of media and log reached the disk, places lie within what is there."""
    folder = tmp_path_factory.mktemp("torn")
    tape = Tape(folder)
    piece = tape.recorder.begin(tape.beginning())
    for number in range(5):
        piece.write(WHOLE[number * 8 : number * 8 + 8])
        piece.enter(BEGAN + number, StreamOffset(number, piece.size))
        piece.title(BEGAN + number, StreamOffset(number, piece.size), Said("a"))
    tape.flush()
    (media,), (log,) = tape.open.glob("*.media"), tape.open.glob("*.log")
    size = data.draw(st.integers(0, media.stat().st_size))
    os.truncate(media, size)
    os.truncate(log, data.draw(st.integers(0, log.stat().st_size)))
    Tape(folder, tape.clock).recover()
    kept = Kept(folder)
    assert b"".join(kept.contents() if size else []) == WHOLE[:size]
    for lines in kept.logs():
        places = [line for line in lines if isinstance(line, ClockEntry | TitleEntry)]
        assert all((line.byte or 0) <= size for line in places)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_captures_of_which_a_part_was_written_are_given_again_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Wherever the writing of their lines was cut short; also when two contents are the same."""
    folder = tmp_path_factory.mktemp("part")
    tape = Tape(folder)
    streams = [f"{STREAM}/{number}" for number in range(4)]
    for number, stream in enumerate(streams):
        piece = tape.recorder.begin(tape.beginning(stream))
        piece.write(b"same" if number % 2 else b"other")
        piece.enter(tape.clock.seconds() + 1, StreamOffset(1, 2))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("agents.streaming.recording.writing.remove", lambda _: None)
        done(tape.recorder.stop())
    (structure,) = folder.glob("streaming-1-*/structure")
    os.truncate(structure, data.draw(st.integers(0, structure.stat().st_size)))
    Tape(folder).recover()
    kept = Kept(folder)
    for number, stream in enumerate(streams):
        assert kept.contents(stream) == [b"same" if number % 2 else b"other"]
        assert len(kept.captures[stream]) == 3
        assert len(kept.logs(stream)) == 1
