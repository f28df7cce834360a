"""docs/reference/restore.py on real disks of which a part is lost; it imports nothing of ours."""

import ast
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import pytest_twisted
from twisted.internet.defer import ensureDeferred

from agents.capture import content_key, structure_key
from agents.storage.disk.store import DiskStore
from anet.workers import Workers

SCRIPT = Path(__file__).parents[3] / "docs/reference/restore.py"
URLS = ["http://a.example/", "http://a.example/é?q", "http://b.example/x"]
DAYS = (1, 5, 9)


def body_of(url: str, day: int) -> bytes:
    """Return what a URL had on a day."""
    return f"{url} on day {day}".encode() * 100


@pytest.fixture
def disks(tmp_path: Path, workers: Workers, make_capture: Any) -> list[Path]:
    """Return four disks with two replicas of everything, each of them elsewhere."""
    roots = [tmp_path / f"disk-{number}" for number in range(4)]
    pytest_twisted.blockon(ensureDeferred(_fill(roots, workers, make_capture)))
    return roots


async def _fill(roots: list[Path], workers: Workers, make_capture: Any) -> None:
    stores = [DiskStore(root, workers, reserve=0, waiting_limit=1 << 24) for root in roots]
    for store in stores:
        await store.open()
    for url in URLS:
        for day in DAYS:
            body = body_of(url, day)
            capture = make_capture(url, day, body)
            for first, key in (("contents", capture.content), ("structures", structure_key(url))):
                number = int(key[:8], 16) % 4
                for store in (stores[number], stores[(number + 1) % 4]):
                    if first == "contents":
                        await store.put(key, body)
                    else:
                        await store.append([capture])
    for store in stores:
        await store.close()


def restore(*arguments: object) -> "subprocess.CompletedProcess[bytes]":
    """Run the script as a stranger would."""
    command = [sys.executable, "-I", SCRIPT, *arguments]
    return subprocess.run([*map(str, command)], capture_output=True, timeout=60)


def test_it_is_short_and_stands_alone() -> None:
    """One file of at most 150 lines that imports the standard library only."""
    source = SCRIPT.read_text()
    assert len(source.splitlines()) <= 150
    imports = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert names <= sys.stdlib_module_names


@pytest.mark.parametrize("lost", range(4))
def test_everything_survives_a_disk(disks: list[Path], make_capture: Any, lost: int) -> None:
    """With any disk gone every capture is listed and restored, with its head."""
    rmtree(disks[lost])
    left = [disk for disk in disks if disk.exists()]
    listed = restore("list", *left)
    assert listed.returncode == 0, listed.stderr
    lines = listed.stdout.decode().splitlines()
    assert len(lines) == len(URLS) * len(DAYS)
    assert sorted({line.split()[-1] for line in lines}) == sorted(URLS)
    url, day = URLS[1], DAYS[1]
    run = restore("get", "--head", url, f"202601{day + 1:02}", *left)
    assert run.stdout == make_capture().head + body_of(url, day), run.stderr


@pytest.mark.parametrize(("date", "day"), [("20260101", 1), ("20260106", 5), ("2027", 9)])
def test_the_newest_not_later_is_given(disks: list[Path], date: str, day: int) -> None:
    """A date gives the capture before it; without one the newest of all is given."""
    assert restore("get", URLS[0], date, *disks).stdout == body_of(URLS[0], day)
    assert restore("get", URLS[0], *disks).stdout == body_of(URLS[0], 9)


def test_half_of_the_files_may_be_gone(disks: list[Path]) -> None:
    """Whatever is lost or damaged on one of its two disks is taken from the other."""
    copies: dict[str, list[Path]] = {}
    for disk in disks:
        for path in sorted(disk.glob("*/??/??/*")):
            if path.suffix != ".heads":
                copies.setdefault(path.stem, []).append(path)
    for number, (one, other) in enumerate(copies.values()):
        path = one if number % 2 else other
        if number % 3:
            path.unlink()
            path.with_suffix(".heads").unlink(missing_ok=True)
        else:
            data = path.read_bytes()
            path.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    (disks[0] / "layout").unlink()
    for url in URLS:
        for day in DAYS:
            run = restore("get", url, f"202601{day:02}", *disks)
            assert run.stdout == body_of(url, day), run.stderr


def test_what_is_lost_is_said(disks: list[Path], make_capture: Any) -> None:
    """A content on no disk is named in the list; `get` gives an older capture, and says so."""
    lost = content_key(body_of(URLS[0], 9))
    for disk in disks:
        (disk / "contents" / lost[:2] / lost[2:4] / lost).unlink(missing_ok=True)
    listed = restore("list", URLS[0], *disks)
    assert listed.returncode == 1
    assert [b"LOST" in line for line in listed.stdout.splitlines()[:3]].count(True) == 1
    run = restore("get", URLS[0], *disks)
    assert run.stdout == body_of(URLS[0], 5) and lost.encode() in run.stderr
    assert restore("get", "http://c.example/", *disks).returncode == 1
    assert restore("get").returncode == restore("list").returncode == 2


def test_disks_that_are_not_there_are_named(disks: list[Path], tmp_path: Path) -> None:
    """A mount point without its disk is told, and passed over; so is a folder that is not."""
    (tmp_path / "empty").mkdir()
    run = restore("list", URLS[2], tmp_path / "empty", *disks)
    assert run.returncode == 0 and len(run.stdout.splitlines()) == 3
    assert run.stderr.decode() == f"{tmp_path}/empty is no disk of an archive: is it mounted?\n"
    run = restore("list", URLS[2], tmp_path / "none", *disks)
    assert run.returncode == 2 and f"no folder {tmp_path}/none".encode() in run.stderr
    run = restore("list", URLS[2], tmp_path / "none")
    assert run.returncode == 2 and b"Name a disk." in run.stderr


def test_a_prefix_lists_a_part(disks: list[Path]) -> None:
    """Only URLs that begin with it are listed, oldest capture first."""
    lines = restore("list", "http://b", *disks).stdout.decode().splitlines()
    assert len(lines) == 3 and all(line.endswith(URLS[2]) for line in lines)
    assert all(former < line for former, line in pairwise(lines))


def test_a_file_that_its_disk_does_not_give_is_taken_from_another(disks: list[Path]) -> None:
    """An error of one disk in the middle of reading ends nothing, in files as in journals."""
    body = body_of(URLS[0], 9)
    key = content_key(body)
    first = next(path for disk in disks for path in disk.glob(f"contents/*/*/{key}"))
    first.unlink()
    first.symlink_to("/proc/self/mem")  # is a file, and gives an error when it is read
    journal = disks[0] / "journal" / "1"
    journal.unlink()
    journal.symlink_to("/proc/self/mem")
    assert restore("get", URLS[0], *disks).stdout == body
    assert restore("list", *disks).returncode == 0
