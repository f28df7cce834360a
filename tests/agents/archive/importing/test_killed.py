"""Imports that are killed, by commands as people give them: nothing is lost, nothing doubled."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exchange import differences

from agents.capture import Capture
from agents.storage.disk.layout import CAPTURES, HEADS, KINDS, Layout
from agents.storage.disk.structures import read_captures, url_of

URL = "http://a.example/"
RECORDS = 6500  # of one file: four slices


def command(folder: Path, *words: str | Path) -> list[str]:
    """Return the command line of an import into a disk of its own."""
    dlweb = str(Path(sys.executable).with_name("dlweb"))
    told = ["--archive", str(folder / "archive"), "--to", str(folder / "disk")]
    return [dlweb, "import", "--json", *told, *map(str, words)]


def bring(folder: Path, *words: str | Path) -> dict[str, Any]:
    """Import to the end, and return the summary."""
    done = subprocess.run(command(folder, *words), stdout=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode in (0, 1)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def everything(disk: Path) -> dict[str, bytes]:
    """Return what a disk promises of every file: contents, and captures with heads and origins.

    Not the bytes of structure files. A write appends heads first, and lines that point at them once
    those are durable. What is killed in between leaves heads that no line points at; repeated, it
    appends them again, and its lines point there (docs/reference/archive-layout.md). A line without
    its head, or with another than was written, is damage, and raises.
    """
    return {
        str(path.relative_to(disk)): promised(Layout(disk), path)
        for kind in KINDS
        for path in sorted((disk / kind).rglob("*"))
        if path.is_file()
    }


def promised(layout: Layout, path: Path) -> bytes:
    """Return a content; of the two files of a URL the captures, and whose they are."""
    if path.suffix == CAPTURES:
        return "\n".join(map(repr, read_captures(layout, path.stem))).encode()
    return url_of(layout, path.stem).encode() if path.suffix == HEADS else path.read_bytes()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory, files: Any) -> Path:
    """Give a file with answers, some of them the same, requests, and revisits."""
    records = []
    for number in range(RECORDS):
        body = b"%d" % (number // 2) * 20
        if number % 10 == 9:
            records.append(files.revisit(f"{URL}{number}", b"%d" % 0 * 20, files.head()))
        else:
            records.append(files.response(f"{URL}{number}", body))
    return files.compressed(tmp_path_factory.mktemp("crawl") / "a.warc.gz", *records)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory: pytest.TempPathFactory, crawl: Path) -> dict[str, bytes]:
    """Give the disk into which it was imported in one go."""
    folder = tmp_path_factory.mktemp("unharmed")
    summary = bring(folder, crawl)
    assert summary["well"] and summary["revisits"] == RECORDS // 10
    return everything(folder / "disk")


@pytest.mark.slow
def test_an_import_that_is_killed_goes_on(
    tmp_path: Path, crawl: Path, unharmed: dict[str, bytes]
) -> None:
    """At whatever moment: in the end every content and every capture is as if it had not been.

    The first time while heads are written that no line points at yet.
    """
    chance, kills = random.Random(8), 0
    while kills < 6:
        child = subprocess.Popen(
            command(tmp_path, crawl),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        began, moment = time.monotonic(), 0.5 + chance.random()
        while child.poll() is None and (
            time.monotonic() - began < moment if kills else not has_heads(tmp_path / "disk")
        ):
            os.sched_yield()
        if child.poll() is not None:
            break
        child.send_signal(signal.SIGKILL)
        child.wait()
        kills += 1
    assert kills, "it was never killed"
    bring(tmp_path, crawl)
    assert differences(unharmed, everything(tmp_path / "disk")) == []
    assert not list((tmp_path / "archive").glob("imports/*/spool/*"))


def has_heads(disk: Path) -> bool:
    """Tell whether there is a head of a capture on a disk."""
    return any((disk / "structures").glob(f"*/*/*{HEADS}"))


@pytest.mark.slow
def test_workers_that_are_killed_cost_nothing(
    tmp_path: Path,
    crawl: Path,
    unharmed: dict[str, bytes],
    captures_in: Callable[[Path], list[Capture]],
) -> None:
    """The slice is read again, perhaps cut elsewhere; every page is there, nothing is damage."""
    child = subprocess.Popen(
        command(tmp_path, crawl),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    worker = worker_of(child)
    assert worker, "no worker was ever seen"
    os.kill(worker, signal.SIGKILL)
    told = json.loads(child.communicate(timeout=120)[0])
    assert told["damage"] == 0 and told["well"]
    found = everything(tmp_path / "disk")
    pages = {each.url for each in captures_in(tmp_path / "disk")}
    assert {f"{URL}{number}" for number in range(RECORDS)} <= pages
    assert sum(name.startswith("contents") for name in unharmed) <= sum(
        name.startswith("contents") for name in found
    )


def worker_of(child: "subprocess.Popen[bytes]") -> int:
    """Wait for a process of an import that reads, and return its number; 0 when it has ended."""
    while child.poll() is None:
        for forker in children(child.pid):
            for worker in children(forker):
                return worker
    return 0


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    try:
        return [*map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())]
    except OSError:
        return []
