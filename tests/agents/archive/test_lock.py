"""One archive a folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from agents.archive.errors import ArchiveError
from agents.archive.lock import FolderInUse, FolderLock, running_archive

HOLD = """
import sys
from pathlib import Path
from agents.archive.lock import FolderLock
lock = FolderLock(Path(sys.argv[1]), 7300)
print("held", flush=True)
sys.stdin.read()
"""


def hold(directory: Path) -> "subprocess.Popen[str]":
    """Start another process that holds the lock of a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_folder_has_one_archive(tmp_path: Path) -> None:
    """The second is told who is the first; when that is gone the folder is free."""
    holder = hold(tmp_path)
    try:
        assert running_archive(tmp_path) == (holder.pid, 7300)
        with pytest.raises(FolderInUse, match=str(holder.pid)):
            FolderLock(tmp_path, 7100)
    finally:
        holder.kill()
        holder.communicate()
    assert running_archive(tmp_path) is None
    lock = FolderLock(tmp_path, 7100)
    assert lock.left_behind
    lock.release()


def test_a_clean_stop_leaves_nothing_behind(tmp_path: Path) -> None:
    """After a release the next archive knows that nobody's agents may linger."""
    FolderLock(tmp_path / "new", 7100).release()
    with FolderLock(tmp_path / "new", 7100) as lock:
        assert not lock.left_behind
    assert running_archive(tmp_path / "none") is None


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    """A file in the way is a clear error."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError, match="cannot be used"):
        FolderLock(tmp_path / "file" / "archive", 7100)
