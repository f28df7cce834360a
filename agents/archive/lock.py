"""One archive a folder: a lock that lasts exactly as long as the process that holds it."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from agents.archive.errors import ArchiveError
from agents.configuration import private_folder

_NAME = "lock"


class FolderInUse(ArchiveError):
    """Another archive uses the folder; the message says which process it is."""


class FolderLock:
    """The lock of an archive's folder.

    The operating system lets go of it when the process ends, however it ends. The file holds the
    process's number and base port, for people and for `dlweb`; it is empty after a clean stop.

    Args:
        directory: the archive's folder; made if need be.
        base_port: told to those who want to join.

    Attributes:
        left_behind: whether the last holder ended without a clean stop.

    Raises:
        FolderInUse: another process holds it.
        ArchiveError: the folder cannot be made or written.
    """

    def __init__(self, directory: Path, base_port: int) -> None:
        self._base_port = base_port
        path = directory / _NAME
        try:
            private_folder(directory)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ArchiveError(
                f"the folder {directory} cannot be used: {error.strerror}; "
                "make it writable for this user, or name another with --archive"
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            holder = running_archive(directory)
            who = f"process {holder[0]}" if holder else "another process"
            raise FolderInUse(
                f"an archive is running in {directory} already ({who}); "
                "`dlweb status` shows it, `dlweb stop` ends it, --archive names another folder"
            ) from None
        self.left_behind = bool(os.fstat(self._file).st_size)
        self.sign()

    def sign(self) -> None:
        """Write this process's number, anew after a daemon has changed it."""
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()} {self._base_port}\n".encode(), 0)

    def release(self) -> None:
        """Let the folder go after a clean stop."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


def running_archive(directory: Path) -> tuple[int, int] | None:
    """Return the process number and base port of the archive running in a folder, or None."""
    try:
        descriptor = os.open(directory / _NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        words = os.pread(descriptor, 100, 0).split()
        return (int(words[0]), int(words[1])) if len(words) == 2 else None
    else:
        return None
    finally:
        os.close(descriptor)
