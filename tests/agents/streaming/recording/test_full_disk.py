"""Recording on a disk that is full."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from taping import STREAM, Kept, Tape

from agents import dates
from agents.origin import value
from agents.stream_offset import StreamOffset
from agents.streaming.recording import DiskBehind, Gap, OpenPiece

STREAMS = [f"{STREAM}/{number}" for number in range(3)]
CHUNK = 64 * 1024


def mounted(folder: Path, options: str) -> None:
    """Mount a small disk, or make it another size."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for 3 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    try:
        mounted(folder, "size=3m")
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("this needs a disk of its own, and may not mount one")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_loses_nothing_that_was_taken_and_the_gap_is_told(small_disk: Path) -> None:
    """Streams are told when no more can wait; with room again, all that was taken is archived."""
    tape = Tape(small_disk, waiting=2**20)
    pieces: dict[str, OpenPiece | None] = {
        stream: tape.recorder.begin(tape.beginning(stream)) for stream in STREAMS
    }
    taken = dict.fromkeys(STREAMS, b"")
    heard = dict.fromkeys(STREAMS, "")
    most = 0
    for second in range(60):
        for stream, piece in pieces.items():
            data = bytes([second]) * CHUNK
            if piece is None:
                continue
            try:
                piece.write(data, safe=piece.size + CHUNK - 10)
            except DiskBehind as error:
                piece.end(tape.clock.seconds(), 1000, f"break: {error}")
                heard[stream] = dates.from_timestamp(tape.clock.seconds())
                pieces[stream] = None
                continue
            taken[stream] += data
            if second == 10:
                pieces[stream] = piece.turn(
                    tape.clock.seconds(), StreamOffset(1000, piece.size), "time"
                )
        tape.flush()
        most = max(most, tape.recorder.waiting)
    assert not any(pieces.values())
    assert "No space left" in tape.recorder.problem
    assert CHUNK < most <= 2**20 + 10_000
    mounted(small_disk, "remount,size=30m")
    tape.flush()
    assert not tape.recorder.problem
    assert tape.recorder.waiting == 0
    for stream in STREAMS:
        now = dates.from_timestamp(tape.clock.seconds())
        again = tape.recorder.begin(tape.beginning(stream, Gap(heard[stream], now, "disk full")))
        again.write(b"again")
        again.end(tape.clock.seconds() + 1, 1, "stopped")
        taken[stream] += b"again"
    tape.settle()
    kept = Kept(small_disk)
    for stream in STREAMS:
        assert b"".join(kept.contents(stream)) == taken[stream]
        gaps = [told for each in kept.captures[stream] if (told := value(each.origin, "gap"))]
        assert [told.split(" ")[0] for told in gaps] == [heard[stream]]
