"""A folder is one process's at a time."""

import subprocess
import sys
from pathlib import Path

import pytest

from anet.folder_lock import FolderLock

OTHER = """
import sys
from pathlib import Path
from anet.folder_lock import FolderLock
FolderLock(Path(sys.argv[1]), ValueError, "").take()
print("taken", flush=True)
sys.stdin.read()
"""


def test_another_process_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    """In the words of whoever asks, and also when the first is killed."""
    folder = tmp_path / "made" / "folder"
    lock = FolderLock(folder, KeyError, "take another one")
    command = [sys.executable, "-c", OTHER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"taken\n"
        with pytest.raises(KeyError, match="in use already: take another one"):
            lock.take()
        other.kill()
    lock.take()
    with pytest.raises(KeyError):
        FolderLock(folder, KeyError, "").take()
    lock.release()
    lock.release()
    FolderLock(folder, KeyError, "").take()


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    """By the system's own error."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        FolderLock(tmp_path / "file" / "folder", KeyError, "").take()
