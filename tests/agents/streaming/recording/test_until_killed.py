"""A process that records is killed again and again."""

import random
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest
import until_killed
from taping import STREAM, Kept

from agents.origin import value
from agents.stream_log import Begun, Ended

pytestmark = pytest.mark.slow

KILLS = 25
WRITTEN = re.compile(r"^(\d+)((?: \d+){8})\n", re.MULTILINE)


def test_killed_again_and_again_each_flushed_byte_is_archived_once(tmp_path: Path) -> None:
    """Of each session, what was flushed is there, in order, with logs that say how it ended."""
    chance = random.Random(9)
    folder = Path(until_killed.__file__).parent
    command = [sys.executable, str(folder / "until_killed.py"), str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        for run in range(1, KILLS + 1):
            process.stdin.write(f"{run}\n")
            process.stdin.flush()
            time.sleep(chance.uniform(0.02, 0.4))  # the moment of the kill
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    flushed = {int(found[1]): list(map(int, found[2].split())) for found in WRITTEN.finditer(out)}
    assert len(flushed) > KILLS / 4, "most runs are killed before they write"
    kept = Kept(tmp_path)
    assert not list((tmp_path / "open").iterdir())
    for number in range(until_killed.STREAMS):
        heard = sessions(kept, f"{STREAM}/{number}")
        for run, sizes in flushed.items():
            assert len(heard[run]) >= sizes[number]
        for run, data in heard.items():
            assert data == until_killed.media(run, number, 0, len(data))
        for log in kept.logs(f"{STREAM}/{number}"):
            assert isinstance(log[0], Begun) and isinstance(log[-1], Ended)
            assert log[-1].why in ("size", "killed")


def sessions(kept: Kept, stream: str) -> dict[int, bytes]:
    """Return what is kept of a stream, by the run that recorded it."""
    heard: dict[int, bytes] = defaultdict(bytes)
    contents = kept.contents(stream)
    firsts = [each for each in kept.captures[stream] if each.metadata == "0000000@00000000"]
    pieces = [value(each.origin, "stream").split() for each in firsts]
    assert len(contents) == len(pieces)
    numbers: dict[str, int] = defaultdict(int)
    runs: dict[str, int] = {}
    for content, (session, piece) in zip(contents, pieces, strict=True):
        numbers[session] += 1
        assert int(piece) == numbers[session], "a piece is missing, or there twice"
        if numbers[session] == 1:
            runs[session] = int(content[:5])
        heard[runs[session]] += content
    return heard
