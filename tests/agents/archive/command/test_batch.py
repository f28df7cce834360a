"""`dlweb batch`: batches are listed, and their pages read by identifier."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from anet.formats.batch_writing import BatchWriter
from anet.formats.page import Page
from anet.formats.tianwang_writing import record

DLWEB = Path(sys.executable).parent / "dlweb"
HEAD = b"HTTP/1.0 200 OK\r\n\r\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two batches of three pages."""
    with BatchWriter(tmp_path / "batches") as writer:
        for month in ("04", "05"):
            for number in range(3):
                date = f"2004{month}01120000"
                url = f"http://a/{month}/{number}"
                page = Page(url, date, HEAD, b"%d\n" % number, "1.2.3.4")
                writer.add(date, record(page))
        writer.commit()
    return tmp_path / "batches"


def dlweb(*words: str | Path) -> "subprocess.CompletedProcess[bytes]":
    """Run the verb."""
    return subprocess.run([DLWEB, "batch", *words], capture_output=True, check=False, timeout=30)


def test_batches_are_listed(folder: Path) -> None:
    """People see a line for each batch, scripts the same as JSON."""
    assert dlweb(folder).stdout.decode().splitlines() == [
        "batch   pages  first       last",
        "200404  3      2004-04-01  2004-04-01",
        "200405  3      2004-05-01  2004-05-01",
    ]
    assert dlweb(folder.parent).stdout == dlweb(folder).stdout  # the folder of the export
    first, _ = map(json.loads, dlweb(folder, "--json").stdout.splitlines())
    assert (first["batch"], first["first_file"], first["count"]) == ("200404", 0, 3)


def test_a_page_and_runs_of_pages(folder: Path) -> None:
    """A page, a run within a batch or across batches, and a whole batch are listed and written."""
    listed = dlweb(folder, "200405-0000000001").stdout.decode().split()
    assert listed[:3] == ["200405-0000000001", "2004-05-01", "12:00:00"]
    assert listed[-1] == "http://a/05/1"
    assert dlweb(folder, "200405-1", "--body").stdout == b"1\n"
    assert dlweb(folder, "200405-1", "--head", "--body").stdout == HEAD + b"1\n"
    assert dlweb(folder, "200404-2..200405-1", "--body").stdout == b"2\n0\n1\n"
    assert dlweb(folder, "200405-1..200405-99", "--body").stdout == b"1\n2\n"
    assert dlweb(folder, "200405", "--body").stdout == b"0\n1\n2\n"


def test_pages_as_json(folder: Path) -> None:
    """Scripts get a line for each page, with head and body when they are asked for."""
    said = json.loads(dlweb(folder, "200405-1", "--json", "--head", "--body").stdout)
    assert said == {
        "identifier": "200405-0000000001",
        "url": "http://a/05/1",
        "date": "20040501120000",
        "address": "1.2.3.4",
        "origin": "",
        "size": 2,
        "head": HEAD.decode(),
        "body": base64.b64encode(b"1\n").decode(),
    }
    assert "body" not in json.loads(dlweb(folder, "200405-1", "--json").stdout)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("200405-3",), b"there is no page 200405-0000000003"),
        (("200406",), b"there is no page 200406-0000000000"),
        (("2004-1",), b"write one like 200405-0000001234"),
    ],
)
def test_what_is_not_there(folder: Path, words: tuple[str], told: bytes) -> None:
    """What is wrong is told in a line, and the status says so."""
    ended = dlweb(folder, *words)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert told in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_folder_that_holds_no_batches(tmp_path: Path) -> None:
    """Another folder is told from one of batches."""
    ended = dlweb(tmp_path)
    assert ended.returncode == 1
    assert b"there are no batches" in ended.stderr
