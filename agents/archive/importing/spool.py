"""Where the contents of a slice wait between the worker that reads them and the store.

A slice has a folder with one file, `pack`, of its contents one after another, and a file of its
own for each that is longer than `SMALL`. Nothing of it has to survive: what was not loaded is read
again.
"""

import errno
import fcntl
import mmap
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from agents.archive.errors import ArchiveError

SMALL = 256 * 1024  # bytes of a content that lies in a pack; as in the folder of a crawl
PIECE = 1 << 20  # bytes of a larger one that are held at once
_BUFFER = 1 << 19  # bytes that wait to be written to a pack
_PIECES = 500  # contents that do; the system takes 1024 at once
_AT = 8  # bytes of the number that says how far a worker is: one more than the offset, 0 for none


class SpoolFailed(ArchiveError):
    """What was read has no room to wait in; the message says where, and why."""


class Place(msgspec.Struct, array_like=True):
    """Where a content lies: in the pack from a byte on, or, with -1, in a file of its own."""

    key: str
    begin: int
    size: int


class SliceFolder:
    """The folder of a slice, as the worker sees it that fills it.

    Args:
        path: is made.

    Attributes:
        places: of the contents so far, by their keys.

    Raises:
        SpoolFailed: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.places: dict[str, Place] = {}
        self._path, self._end = path, 0
        try:
            path.mkdir()
            self._pack = (path / "pack").open("xb", buffering=0)
            with (path / "at").open("w+b") as file:
                file.write(
                    bytes(_AT)
                )  # a hole would be a signal, and no error, if the disk is full
                file.flush()
                self._at = mmap.mmap(file.fileno(), _AT)
        except OSError as error:
            raise failure(path, error) from None
        self._waiting: list[bytes | memoryview] = []
        self._weight = 0

    def close(self) -> None:
        """Finish writing.

        Raises:
            SpoolFailed: it could not be written.
        """
        self._at.close()
        with self._pack:
            self._flush()

    def reached(self, offset: int) -> None:
        """Note which record is next, for those who want to know at which one a worker ended.

        The page of memory is the system's, and outlives the worker.
        """
        self._at[:] = (offset + 1).to_bytes(_AT, "big")

    def add(self, data: bytes | memoryview) -> str:
        """Write a small content, unless it is there; return its key."""
        key = sha256(data).hexdigest()
        if key not in self.places:
            self.places[key] = Place(key, self._end, len(data))
            self._end += len(data)
            self._waiting.append(data)
            self._weight += len(data)
            if self._weight >= _BUFFER or len(self._waiting) == _PIECES:
                self._flush()
        return key

    def write(self, pieces: Iterator[bytes], *hashes: Callable[[bytes], object]) -> tuple[str, int]:
        """Write a large content to a file of its own; return its key and size.

        Args:
            pieces: of it.
            hashes: called with each.

        Raises:
            SpoolFailed: it cannot be written.
            Exception: what `pieces` raises; the file is removed.
        """
        digest, path = sha256(), self._path / "incoming"
        try:
            with _written(path) as file:
                for piece in pieces:
                    digest.update(piece)
                    for each in hashes:
                        each(piece)
                    _write(file, piece)
                size = file.tell()
            return self._own(path, digest.hexdigest(), size), size
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def pieces(self, key: str) -> Iterator[bytes]:
        """Yield a large content that was written."""
        with (self._path / key).open("rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def discard(self, key: str) -> None:
        """Take a large content away again."""
        del self.places[key]
        (self._path / key).unlink()

    def _flush(self) -> None:
        """Write what waits for the pack, from where it lies in memory."""
        waiting, self._waiting, self._weight = self._waiting, [], 0
        while waiting:
            try:
                left = os.writev(self._pack.fileno(), waiting)
            except OSError as error:
                raise failure(self._path, error) from None
            while waiting and left >= len(waiting[0]):
                left -= len(waiting.pop(0))
            if waiting:  # a full disk, most of the time: the next call says so
                waiting[0] = memoryview(waiting[0])[left:]

    def _own(self, path: Path, key: str, size: int) -> str:
        if key in self.places and self.places[key].begin >= 0:
            path.unlink()
        else:
            path.rename(self._path / key)
            self.places[key] = Place(key, -1, size)
        return key


class Spool:
    """The folder in which slices have theirs; nobody else's while the process lives.

    What processes that were killed left beside it is removed. A context manager; it blocks.

    Args:
        parent: folder of the spools of all imports of a target.

    Raises:
        SpoolFailed: it cannot be made.
    """

    def __init__(self, parent: Path) -> None:
        self._numbers = count()
        try:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _sweep(parent)
            self.path, self._lock = _own_folder(parent)
        except OSError as error:
            raise failure(parent, error) from None

    def new(self) -> Path:
        """Return the path of a folder that is not there yet."""
        return self.path / str(next(self._numbers))

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def contents_of(folder: Path, places: Sequence[Place]) -> list[tuple[str, memoryview | Path]]:
    """Return the contents of a slice, to be stored; those in the pack lie where they were written.

    Raises:
        SpoolFailed: the folder is not as it was left.
    """
    try:
        with (folder / "pack").open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < max(
                (each.begin + each.size for each in places if each.begin >= 0), default=0
            ):
                raise OSError(errno.EIO, "it is shorter than what was written")
            whole = memoryview(
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
            )
    except OSError as error:
        raise failure(folder, error) from None
    return [
        (each.key, folder / each.key if each.begin < 0 else whole[each.begin :][: each.size])
        for each in places
    ]


def reached(folder: Path) -> int | None:
    """Return the offset of the record at which a worker was; None if it did not get to one."""
    with suppress(OSError):
        told = (folder / "at").read_bytes()
        return int.from_bytes(told, "big") - 1 if any(told) else None
    return None


def failure(path: Path, error: OSError) -> SpoolFailed:
    """Return what to say of a spool that cannot be written."""
    return SpoolFailed(
        f"{path} cannot be written: {error.strerror}; what was imported is safe. Mend it, and "
        "repeat the command to go on"
    )


def _written(path: Path) -> BinaryIO:
    try:
        return path.open("xb", buffering=0)
    except OSError as error:
        raise failure(path, error) from None


def _write(file: BinaryIO, piece: bytes) -> None:
    rest = memoryview(piece)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        raise failure(Path(file.name), error) from None


def _sweep(parent: Path) -> None:
    """Remove the spools of processes that have ended."""
    for path in parent.iterdir():
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(descriptor)


def _own_folder(parent: Path) -> tuple[Path, int]:
    """Make a folder and lock it; again, if somebody swept it away in between."""
    for number in count(os.getpid()):
        path = parent / str(number)
        with suppress(FileExistsError, FileNotFoundError, BlockingIOError):
            path.mkdir(mode=0o700)
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.is_dir():
                return path, descriptor
            os.close(descriptor)
    raise AssertionError("numbers have no end")
