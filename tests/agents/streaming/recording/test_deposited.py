"""Recorded streams in a real archive: deposited by a real agent, and read from bare disks."""

import hashlib
import json
import random
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import async_yield_fixture, ensureDeferred
from taping import BEGAN, STREAM, Tape, done
from twisted.internet.threads import deferToThread

from agents import dates
from agents.origin import value
from agents.stream import LOG_SCHEME
from agents.stream_offset import StreamOffset, offset_of
from agents.streaming.recording import Gap
from anet.media.interface import Said
from tests.agents.connectivity.test_killed import PATIENCE, World

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
CAMERA = "rtsp://camera.example/live"
FIRST = random.Random(1).randbytes(600_000)
SECOND = random.Random(2).randbytes(1000)


@async_yield_fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A storage, and an agent that deposits in it."""
    world = World(tmp_path)
    await world.start()
    await world.agent("agent-1")
    yield world
    await world.stop()


def record(folder: Path) -> list[Path]:
    """Record two sessions of a radio with a gap between, and a camera; return the directories."""
    tape = Tape(folder)
    whole: list[Path] = []
    tape.captures.on_whole = lambda collected: whole.append(Path(collected.directory))
    radio = tape.recorder.begin(tape.beginning())
    radio.write(FIRST, safe=599_990)
    for second in (10, 20, 30):
        radio.enter(BEGAN + second, StreamOffset(second * 999, second * 16_000))
    radio.title(BEGAN + 31, StreamOffset(30_969, 496_000), Said("Nina Simone – Sinnerman"))
    radio = radio.turn(BEGAN + 37, StreamOffset(37_000, 599_990), "time")
    radio.end(BEGAN + 38, 100, "break: the server fell silent")
    ended, again = (dates.from_timestamp(BEGAN + seconds) for seconds in (38, 100))
    tape.clock.advance(100)
    radio = tape.recorder.begin(tape.beginning(gap=Gap(ended, again, "the server fell silent")))
    radio.write(SECOND)
    camera = tape.recorder.begin(tape.beginning(CAMERA))
    camera.write(SECOND)  # the same bytes under another name
    for piece in (radio, camera):
        piece.end(BEGAN + 101, 1000, "stopped")
    tape.settle()
    done(tape.recorder.stop())
    return whole


def run(script: Path, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    """Run a script that may import nothing of ours."""
    command = [sys.executable, "-I", str(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, check=True)


@ensureDeferred
async def test_a_stream_is_deposited_and_a_date_leads_to_its_byte(
    world: World, tmp_path: Path
) -> None:
    """All captures of a piece are in the archive; so are the logs, and a stranger reads both."""
    for directory in await deferToThread(record, tmp_path / "crawls"):
        answer: Any = await world.root.slaves["agent-1"].call(
            "deposit", timeout=PATIENCE, crawl=directory.name, site="streams",
            directory=str(directory), policy=None,
        )  # fmt: skip
        assert answer["captures_missing"] == 0
    await world.stop()
    folders = [tmp_path / name for name in ("storage-1", "storage-2")]
    told = run(ROOT / "tests/checker.py", "--captures", *folders).stdout.splitlines()
    captures = [json.loads(line) for line in told]
    radio = [each for each in captures if each["url"] == STREAM]
    assert [each["metadata"] for each in radio] == [
        "0000000@00000000", "0009990@00160000", "0019980@00320000", "0029970@00480000",
        "0037000@00599990", "0000000@00000000", "0000100@00000010", "0000000@00000000",
        "0001000@00001000"]  # fmt: skip
    assert [value(each["origin"], "gap") for each in radio].count("") == 8
    names = {each["url"] for each in captures}
    assert names == {STREAM, CAMERA, LOG_SCHEME + STREAM, LOG_SCHEME + CAMERA}
    at = dates.from_timestamp(BEGAN + 25)
    last = [each for each in radio if each["date"] <= at][-1]
    offset = offset_of(last["metadata"])
    assert offset is not None and offset.byte == 320_000
    restored = run(ROOT / "docs/reference/restore.py", "get", STREAM, at, *folders).stdout
    assert hashlib.sha256(restored).hexdigest() == last["content"]
    assert restored == FIRST[:599_990]
    page = (ROOT / "docs/reference/stream-logs.md").read_text()
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "radio.py").write_text(script)
    assert len(script.splitlines()) <= 38
    day = run(tmp_path / "radio.py", STREAM, "20261118", "20261119", *folders)
    assert day.stdout == FIRST + SECOND
    assert "Nina Simone – Sinnerman" in day.stderr.decode()
    assert "the server fell silent" in day.stderr.decode()
    part = run(tmp_path / "radio.py", STREAM, at, dates.from_timestamp(BEGAN + 29), *folders)
    assert part.stdout == FIRST[320_000:480_000]
