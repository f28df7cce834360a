"""`dlweb get` and `dlweb captures`, on plain files that these tests write by themselves."""

import json
import os
import subprocess
import sys
import zlib
from hashlib import sha256
from pathlib import Path

import pytest

from agents.archive.kept_records import name_of

DLWEB = Path(sys.executable).parent / "dlweb"
URL = "http://www.example.org/"
HEAD = b"HTTP/1.1 200 Fine\r\nX-Odd:  kept \r\n\r\n"
DAYS = {"20260101120000000000": b"first", "20260301120000000000": b"second"}


def write_node(archive: Path, number: int, days: dict[str, bytes], url: str = URL) -> Path:
    """Write a storage node's folder that holds one URL, as its layout is documented."""
    node = archive / f"storage-{number}"
    key = sha256(url.encode()).hexdigest()
    structures = node / "structures" / key[:2] / key[2:4]
    structures.mkdir(parents=True)
    (node / "layout").write_text("dlweb-storage 2\n")
    heads = f"dlweb-structure 1 {url}\n".encode()
    lines = b""
    for date, body in sorted(days.items()):
        name = sha256(body).hexdigest()
        content = node / "contents" / name[:2] / name[2:4] / name
        content.parent.mkdir(parents=True, exist_ok=True)
        content.write_bytes(body)
        origin = b"crawl: tests\n"
        line = (
            f"{date} {name} {len(body):015} 200 {len(heads):012} {len(origin):06}"
            f" {len(HEAD):07} {'':16}"
        ).encode()
        lines += line + b" %08x\n" % zlib.crc32(line + origin + HEAD)
        heads += origin + HEAD
    (structures / f"{key}.captures").write_bytes(lines)
    (structures / f"{key}.heads").write_bytes(heads)
    return node


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return an archive of two nodes, each of which knows one day only."""
    for number, day in enumerate(DAYS.items(), 1):
        write_node(tmp_path, number, dict([day]))
    return tmp_path


def dlweb(archive: Path, verb: str, *words: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command on the archive."""
    return subprocess.run(
        [DLWEB, verb, "--archive", archive, *words], capture_output=True, check=False, timeout=30
    )


def test_records_of_an_import_are_for_who_looks_after_the_archive(tmp_path: Path) -> None:
    """No reader is shown them; the commands on the archive's own files give them by their name."""
    name = name_of("a b.warc.gz", "0123456789abcdef0123")
    write_node(tmp_path, 1, DAYS, name)
    assert dlweb(tmp_path, "get", name).stdout == b"second"
    assert [each["url"] for each in json.loads(dlweb(tmp_path, "captures", "--json", name).stdout)]
    assert dlweb(tmp_path, "get", "ftp://e.org/").returncode


def test_the_newest_is_given_without_a_date(archive: Path) -> None:
    """All nodes together are read as one."""
    assert dlweb(archive, "get", URL).stdout == b"second"


@pytest.mark.parametrize(
    ("date", "body"),
    [
        ("2025", b"first"),
        ("2026-01-20", b"first"),
        ("2026-02-20", b"second"),
        ("20260301120000", b"second"),
        ("2030-01-01T00:00:00Z", b"second"),
    ],
)
def test_a_date_gives_what_is_nearest(archive: Path, date: str, body: bytes) -> None:
    """Before and after count alike; any usual form of a date will do."""
    assert dlweb(archive, "get", "--date", date, URL).stdout == body


def test_the_head_is_given_as_received(archive: Path) -> None:
    """Byte for byte, before the body."""
    assert dlweb(archive, "get", "--head", URL).stdout == HEAD + b"second"


def test_a_damaged_copy_is_not_given(archive: Path) -> None:
    """A content that its name does not prove is taken from another node, or not at all."""
    name = sha256(b"second").hexdigest()
    damaged = archive / "storage-2" / "contents" / name[:2] / name[2:4] / name
    damaged.write_bytes(b"sec0nd")
    done = dlweb(archive, "get", URL)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"lost or damaged" in done.stderr
    write_node(archive, 3, DAYS)
    assert dlweb(archive, "get", URL).stdout == b"second"


def test_captures_are_the_union_of_all_nodes(archive: Path) -> None:
    """A capture that two nodes hold is one capture."""
    write_node(archive, 3, DAYS)
    found = json.loads(dlweb(archive, "captures", "--json", URL).stdout)
    assert [line["date"] for line in found] == sorted(DAYS)
    assert found[0] == {
        "url": URL,
        "date": "20260101120000000000",
        "status": 200,
        "size": 5,
        "content": sha256(b"first").hexdigest(),
        "metadata": "",
    }
    told = dlweb(archive, "captures", URL).stdout.decode().splitlines()
    assert told[0].startswith("2026-01-01T12:00:00Z  200")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get", "http://other.example/"], b"is not in the archive"),
        (["captures", "http://other.example/"], b"is not in the archive"),
        (["get", "not a url"], b"is not a whole http or https address"),
        (["get", "--date", "yesterday", URL], b"is not a date"),
        (["status"], b""),
        (["stop"], b"no archive is running"),
    ],
)
def test_what_cannot_be_is_one_clear_line(archive: Path, words: list[str], said: bytes) -> None:
    """An error is said on standard error, with status 1 and no traceback."""
    done = dlweb(archive, *words)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == (1 if said else 0)


def test_a_folder_without_an_archive_is_said(tmp_path: Path) -> None:
    """Nothing is made by asking."""
    done = dlweb(tmp_path / "none", "get", URL)
    assert (done.returncode, (tmp_path / "none").exists()) == (1, False)
    assert b"there is no archive" in done.stderr


def test_a_refused_configuration_has_its_own_status(tmp_path: Path) -> None:
    """Status 78, and every line that is wrong."""
    file = tmp_path / "tree.yaml"
    file.write_text("scheduler:\n  deley: 1\nconsultation:\n  faults: none\n")
    done = dlweb(tmp_path, "check", "--config", str(file))
    assert done.returncode == 78
    assert [line.split(b":")[1].strip() for line in done.stderr.splitlines()] != []
    assert b"tree.yaml:2: scheduler.deley" in done.stderr
    assert b"tree.yaml:4: consultation.faults" in done.stderr


def test_output_that_nobody_reads_is_no_error(archive: Path) -> None:
    """A pipe closed early ends the command quietly."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [DLWEB, "captures", "--archive", archive, URL],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        timeout=30,
    )
    os.close(write)
    assert b"Traceback" not in done.stderr


def test_the_disks_of_the_configuration_are_read(tmp_path: Path) -> None:
    """A node's disks may lie anywhere; all that are configured are read."""
    for number, day in enumerate(DAYS.items(), 1):
        write_node(tmp_path / "elsewhere", number, dict([day]))
    folders = [str(tmp_path / "elsewhere" / f"storage-{number}") for number in (1, 2)]
    config = tmp_path / "archive.yaml"
    config.write_text(f"storage-node:\n  folders: {json.dumps(folders)}\n")
    done = dlweb(tmp_path / "var", "captures", "--config", str(config), "--json", URL)
    assert [each["date"] for each in json.loads(done.stdout)] == list(DAYS), done.stderr
