"""`dlweb import` as a person types it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DLWEB = Path(sys.executable).with_name("dlweb")
SAMPLES = Path(__file__).parents[3] / "samples"


def dlweb(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run an import into an archive that is not there yet."""
    line = [DLWEB, "import", "--archive", "var", *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, cwd=folder)  # noqa: S603


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ("no.txt", 1, "no.txt: begins with b'hello': no WARC"),
        ("empty.warc", 1, "empty.warc: is empty"),
        ("folder", 2, "dlweb: folder: there is no file of a web archive"),
        ("nowhere", 2, "dlweb: nowhere: No such file"),
    ],
)
def test_where_nothing_is_to_be_imported_no_disk_is_made(
    words: str, status: int, says: str, tmp_path: Path
) -> None:
    """Who mistypes a folder, or names what is none, hears that and nothing else."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("hello")
    (tmp_path / "no.txt").write_text("hello")
    (tmp_path / "empty.warc").touch()
    done = dlweb(tmp_path, words)
    assert done.returncode == status
    assert done.stderr.startswith(says) and done.stderr.count("\n") == 1
    assert not (tmp_path / "var" / "storage-1").exists()


def test_people_are_told_how_it_went(tmp_path: Path) -> None:
    """What came in and what did not, in numbers that are spelt as people do."""
    (tmp_path / "no.txt").write_text("hello")
    done = dlweb(tmp_path, "no.txt", str(SAMPLES / "example-bad.warc.gz.bad"))
    assert done.returncode == 1
    assert "1 file imported" in done.stdout
    assert " · 1 revisit resolved · " in done.stdout
    assert " · 1 file REFUSED · " in done.stdout
    assert (tmp_path / "var" / "storage-1" / "layout").exists()


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With what to do, and without the number of an error."""
    (tmp_path / "file").touch()
    done = dlweb(tmp_path, "--to", "file/disk", str(SAMPLES / "at.warc"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "file/disk cannot be written (Not a directory): name a folder" in done.stderr


def test_a_script_is_told_what_ended_an_import(tmp_path: Path) -> None:
    """The figures so far, with the words that a person reads; nothing where nothing is asked."""
    (tmp_path / "file").touch()
    done = dlweb(tmp_path, "--json", "--to", "file/disk", str(SAMPLES / "at.warc"))
    told = json.loads(done.stdout)
    assert (done.returncode, told["well"], told["captures"]) == (1, False, 0)
    assert told["problem"] and told["problem"] in done.stderr
    done = dlweb(tmp_path, "--json", str(SAMPLES / "at.warc"))
    assert done.returncode == 0 and json.loads(done.stdout)["problem"] == ""
    done = dlweb(tmp_path, "--json", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
