"""Commands that bring collections in and out are killed, shared out, and run out of room."""

import gzip
import json
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Archive, wait_for
from exchange import captures, dlweb, line
from warcs import exchange_of, revisit_of

pytestmark = pytest.mark.slow

FILES, PAGES = 60, 30  # of each file
SITE = "http://site-{}.example/"


def files_of(folder: Path, count: int = FILES) -> Path:
    """Write files: answers of 2 kB with their requests, and revisits of what others have."""
    for number in range(count):
        chance = random.Random(number)
        records: list[bytes] = []
        for page in range(PAGES):
            url = f"{SITE.format(number % 7)}{number}/{page}"
            records += exchange_of(url, chance.randbytes(1000).hex().encode(), number)
        former = random.Random((number + 1) % count).randbytes(1000).hex().encode()
        records.append(revisit_of(f"{SITE.format(number)}again", former, number))
        members = b"".join(gzip.compress(each, 1, mtime=0) for each in records)
        (folder / f"{number:02}.warc.gz").write_bytes(members)
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder of small files."""
    return files_of(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def whole(files: Path, tmp_path_factory) -> Path:
    """The archive into which they were imported in one go; nothing is wrong with it."""
    folder = tmp_path_factory.mktemp("whole")
    told = dlweb("import", folder, files)
    assert (told["files"], told["revisits"], told["well"]) == (FILES, FILES, True)
    return folder


def test_a_storage_node_dies_in_the_middle_of_an_import(
    archive: Archive, files: Path, whole: Path
) -> None:
    """The import into the archive that runs goes on, or is repeated; nothing is lost."""
    command = [*line("import", archive.directory, *archive.options), str(files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        wait_for(lambda: any(archive.directory.glob("imports/*/spool/*")), "the first slice")
        archive.kill("storage-2")
        out, err = child.communicate(timeout=120)
    assert child.returncode in (0, 1), err
    print(out.decode(), err.decode())
    wait_for(lambda: "storage-2" in archive.agents(), "the node to come back")
    assert dlweb("import", archive.directory, *archive.options, files)["well"]
    assert captures(*archive.storage) == captures(whole / "storage-1")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Archive]:
    """An archive that runs and has nothing."""
    archive = Archive(tmp_path / "archive")
    try:
        archive.wait_until_whole()
        yield archive
    finally:
        archive.stop()


def test_four_parts_at_once_are_one_import(empty: Archive, files: Path, whole: Path) -> None:
    """Each of four commands takes a quarter; once more, and what waited for others is there."""
    begin = line("import", empty.directory, *empty.options)
    parts = [["--parts", "4", "--only", str(part)] for part in range(4)]
    commands = [
        subprocess.Popen([*begin, *each, str(files)], stdout=subprocess.PIPE) for each in parts
    ]
    each_told = [json.loads(each.communicate(timeout=120)[0]) for each in commands]
    assert [told["problem"] for told in each_told] == [""] * 4
    assert all(told["files"] for told in each_told)
    assert sum(told["files"] for told in each_told) == FILES
    told = dlweb("import", empty.directory, *empty.options, files)
    assert (told["files_known"], told["pending"], told["well"]) == (FILES, 0, True)
    assert captures(*empty.storage) == captures(whole / "storage-1")


def kill_until_done(command: list[str], chance: random.Random, kills: int) -> int:
    """Kill a command with signal 9 so often, at random moments, and then let it end."""
    for killed in range(kills):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            try:
                child.wait(chance.uniform(0.5, 1.2 + killed * 0.3))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
            else:
                assert child.returncode == 0
                return killed
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    return kills


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_imports_end_as_one(files: Path, whole: Path, tmp_path: Path, seed: int) -> None:
    """Whenever it is killed, in the end every capture is there, once, as if it had not been."""
    killed = kill_until_done(line("import", tmp_path, files), random.Random(seed), 4)
    assert killed
    assert captures(tmp_path / "storage-1") == captures(whole / "storage-1")


def test_killed_exports_end_as_one(whole: Path, tmp_path: Path) -> None:
    """Whenever it is killed, in the end it comes back as the same archive."""
    out = tmp_path / "out"
    command = line("export", whole, "--output", out, "--size", "1M")
    assert kill_until_done(command, random.Random(3), 4)
    assert not list(out.rglob("*.open"))
    assert dlweb("import", tmp_path, out)["well"]
    assert pages(tmp_path / "storage-1") == pages(whole / "storage-1")


def pages(disk: Path) -> list[tuple[str, ...]]:
    """Return what a disk has of the web, whatever the names of the files that it came in."""
    found = [it for it in captures(disk) if not it["url"].startswith("warc:")]
    return [(it["url"], it["date"], it["content"], it["head"]) for it in found]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 2 MB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_told_and_the_command_repeated(
    files: Path, whole: Path, small_disk: Path, tmp_path: Path
) -> None:
    """In words, with status 1; with more room the same command completes."""
    command = line("import", tmp_path, "--to", small_disk / "disk", files)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 1
    assert "room" in done.stderr or "space" in done.stderr
    assert "Traceback" not in done.stderr
    told = json.loads(done.stdout)
    assert told["contents"] and told["problem"] in done.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert captures(small_disk / "disk") == captures(whole / "storage-1")
