"""`dlweb export` as a person types it."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.archive.command.arguments import parse
from agents.storage.disk.layout import Layout
from tests.agents.archive.exporting.conftest import Fill, capture

DLWEB = Path(sys.executable).with_name("dlweb")
Dlweb = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def dlweb(tmp_path: Path) -> Dlweb:
    """Give what runs an export of `disk`."""

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        line = [DLWEB, "export", "--archive", tmp_path / "var", *words]
        return subprocess.run(line, capture_output=True, text=True, timeout=60, cwd=tmp_path)  # noqa: S603

    return run


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ("--source disk --format wacz --compression zstd", 2, "gzip"),
        ("--source disk --format arc --compression zstd", 2, "gzip only"),
        ("--source disk --batches", 2, "tianwang"),
        ("--source disk --from someday", 2, "--from: 'someday' is not a date"),
        ("--source disk --to someday", 2, "--to: 'someday' is not a date"),
        ("--source disk --size 3", 2, "1M or more"),
        ("--source nowhere", 1, "--source: nowhere is no disk of a storage node"),
        ("--source disk --output file/x", 1, "(Not a directory); name another folder"),
        ("", 1, "there is no archive"),
    ],
)
def test_what_cannot_be_is_said(
    words: str, status: int, says: str, dlweb: Dlweb, tmp_path: Path
) -> None:
    """In a line, with a status and what to do: to repeat it would not mend it."""
    Layout(tmp_path / "disk").prepare()
    (tmp_path / "file").touch()
    done = dlweb(*words.split())
    assert (done.returncode, done.stdout) == (status, "")
    assert says in done.stderr
    assert not any(each in done.stderr for each in ("Traceback", "[Errno", "goes on"))


@ensureDeferred
async def test_people_are_told_how_it_went(fill: Fill, dlweb: Dlweb, tmp_path: Path) -> None:
    """What was given, where, and what was lost; with the status."""
    await fill([capture(f"http://a.example/{n}", "20260101", b"%d" % n) for n in (1, 2)], [b"1"])
    done = dlweb("--source", "disk")
    assert done.returncode == 1
    assert "1 capture, 1 byte" in done.stdout
    assert "1 LOST" in done.stdout
    assert "http://a.example/2" in done.stderr
    folder = Path(done.stdout.splitlines()[-1])
    assert folder.parent == tmp_path / "var" / "exports"
    assert list(folder.glob("*.warc.gz"))


@ensureDeferred
async def test_an_export_of_nothing_is_told(fill: Fill, dlweb: Dlweb) -> None:
    """A site that is mistyped is named, with status 1, each time."""
    await fill([capture("http://a.example/", "20260101", b"1")], [b"1"])
    for _ in range(2):
        done = dlweb(
            "--source", "disk", "--sites", "a.exmaple", "--from", "2026", "--to", "2026-03"
        )
        assert done.returncode == 1
        assert "no capture is chosen" in done.stderr
        assert "of --sites a.exmaple --from 2026 --to 2026-03" in done.stderr
    done = dlweb("--source", "disk", "--from", "2027", "--json")
    assert (done.returncode, json.loads(done.stdout)["well"]) == (1, False)
    assert dlweb("--source", "disk", "--sites", "a.example").returncode == 0


@ensureDeferred
async def test_a_repeat_says_when_it_was_chosen(fill: Fill, dlweb: Dlweb) -> None:
    """And how to get what came since; a first run has no need to."""
    await fill([capture("http://a.example/", "20260101", b"1")], [b"1"])
    first = dlweb("--source", "disk", "--output", "out")
    assert first.returncode == 0
    assert "chosen on" not in first.stderr
    await fill([capture("http://a.example/", "20260102", b"2")], [b"2"])
    again = dlweb("--source", "disk", "--output", "out")
    assert again.returncode == 0
    [began] = re.findall(r"chosen on (\S+ \S+)", again.stderr)
    assert f"--from {began.replace(' ', 'T')}Z" in again.stderr
    assert "another --output" in again.stderr
    assert "1 capture" in again.stdout


@ensureDeferred
async def test_an_interrupted_export_leaves_what_is_whole(
    fill: Fill, dlweb: Dlweb, tmp_path: Path
) -> None:
    """Ctrl-C ends it with status 130 and no half file; the same command ends what is left."""
    bodies = [bytes([n]) * 3_000_000 for n in range(60)]
    captures = [capture(f"http://a.example/{n}", "20260101", each) for n, each in enumerate(bodies)]
    await fill(captures, bodies)
    words = ("--source", "disk", "--output", "out", "--compression", "none", "--size", "10M")
    process = subprocess.Popen(  # noqa: S603
        [DLWEB, "export", *words], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    while not list((tmp_path / "out").glob("*.open")):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert b"Traceback" not in said
    assert not list((tmp_path / "out").glob("*.open"))
    assert dlweb(*words).returncode == 0
    size = sum(path.stat().st_size for path in (tmp_path / "out").glob("*.warc"))
    assert size > sum(map(len, bodies))


@ensureDeferred
async def test_a_state_that_cannot_be_written_is_told(
    fill: Fill, dlweb: Dlweb, tmp_path: Path
) -> None:
    """In words of its file, be the disk full or the file not a state at all."""
    await fill([capture("http://a.example/", "20260101", b"1")], [b"1"])
    out = tmp_path / "out"
    out.mkdir()
    (out / "export.sqlite").write_bytes(b"something that is no database" * 10)
    done = dlweb("--source", "disk", "--output", "out")
    assert (done.returncode, done.stdout) == (1, "")
    assert "out/export.sqlite is not the state of an export" in done.stderr
    limited = f"ulimit -f 30; exec {DLWEB} export --source disk --output full"
    done = subprocess.run(  # noqa: S602
        limited, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "full: " in done.stderr
    assert "goes on where it stopped" in done.stderr
    assert dlweb("--source", "disk", "--output", "full").returncode == 0


def test_sizes_have_units() -> None:
    """As people write them."""
    for text, size in (("1M", 10**6), ("250MB", 250 * 10**6), ("2 G", 2 * 10**9)):
        assert parse(["export", "--size", text]).size == size
