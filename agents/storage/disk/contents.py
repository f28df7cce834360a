"""Writing contents: hashed, checked, renamed to the name they prove (*INA §2.2.1*)."""

# ruff: noqa: PTH104, PTH108, PTH110, PTH123 (making a path costs as much as opening its file)
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import file_digest, sha256
from io import FileIO
from itertools import count

from agents.storage.disk.additions import Entry
from agents.storage.disk.durable import Folders, SyncSet
from agents.storage.disk.layout import Kind, Layout
from agents.storage.errors import DigestMismatch

SMALL = 64 * 1024  # bytes of a content that is read at once, and goes through the journal
_EMPTY = sha256().hexdigest()
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a disk may bring links and pipes along
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL

_serial: Iterator[int] = count(1)


class IncomingContent:
    """A content that arrives in pieces, written aside until it is whole.

    `write` blocks and belongs in a worker, one call at a time.

    Attributes:
        layout: of the disk that it is on.
        path: where it is written.
        size: bytes so far.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.path = _aside(layout)
        self.size = 0
        self._hash = sha256()
        self._descriptor = os.open(self.path, _NEW, 0o600)

    def write(self, data: bytes) -> None:
        """Take the next bytes.

        Raises:
            OSError: the system could not.
        """
        self._hash.update(data)
        write_all(self._descriptor, data)
        self.size += len(data)

    def finish(self) -> str:
        """Close the file and return the SHA-256 of all of it."""
        os.close(self._descriptor)
        self._descriptor = -1
        return self._hash.hexdigest()

    def discard(self) -> None:
        """Take the file away; does nothing after it was renamed into place."""
        if self._descriptor >= 0:
            self.finish()
        _remove(self.path)


def is_sound(path: str | os.PathLike[str], key: str) -> bool:
    """Tell whether a file is there and holds what its key says. Blocks, and reads all of it.

    Raises:
        OSError: the system could not read it; a disk's own error counts as damage.
    """
    return _read(path, lambda file: file_digest(file, "sha256").hexdigest() == key)


def is_same(path: str, body: bytes | memoryview) -> bool:
    """Tell whether a file is there and holds just these bytes: a tenth of the work of hashing it.

    Raises:
        OSError: as `is_sound`.
    """
    same = bytes(body)  # a memoryview is compared byte by byte, which takes thirty times as long
    return _read(path, lambda file: file.read(len(same) + 1) == same)


def _read(path: str | os.PathLike[str], test: Callable[[FileIO], bool]) -> bool:
    """Return what a test says of a file; False where there is none, or the disk fails."""
    try:
        descriptor = os.open(path, _OLD)  # twice as quick as `open` to say no
    except FileNotFoundError:
        return False
    try:
        with FileIO(descriptor) as file:
            return test(file)
    except OSError as error:
        if error.errno == errno.EIO:
            return False
        raise


def read_small(layout: Layout, key: str, most: int = SMALL) -> bytes | None:
    """Return a content of at most `most` bytes; None for any other, and for an error."""
    try:
        descriptor = os.open(f"{layout.folder('contents', key)}/{key}", _OLD)
    except OSError:
        return None
    try:
        body = os.read(descriptor, most + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    if not body and key != _EMPTY:
        return None  # a pipe, or a file that lost its bytes
    return body if len(body) <= most else None


class ContentWrite:
    """A content on its way to its place; one step of a batch each method.

    Args:
        layout: where to.
        folders: makes the folders on the way.
        key: what the bytes must hash to.
        body: the bytes, or a file of them already written and not yet synced.
        known: whether the disk's depot has it, so that it is not new, though no file is here.
        hashed: whether this program has hashed the bytes itself, and they need not be again.
        journaled: whether it comes from the journal, so that the disk lacked a file of it when it
            came; should there be one after all, left by a crash, it is replaced unseen.

    Attributes:
        kind: "contents".
        weight: about how many bytes of memory it takes.
        created: whether the node lacked it; true or false after `publish`.
    """

    kind: Kind = "contents"

    def __init__(
        self,
        layout: Layout,
        folders: Folders,
        key: str,
        body: bytes | memoryview | IncomingContent,
        *,
        known: bool = False,
        hashed: bool = False,
        journaled: bool = False,
    ) -> None:
        self.key = key
        self.created = False
        self._known, self._hashed, self._journaled = known, hashed, journaled
        self._layout, self._folders, self._body = layout, folders, body
        self._folder = layout.folder("contents", key)
        self._path = f"{self._folder}/{key}"
        self._aside = ""  # the file that waits to be renamed
        self._empty = False  # whether there is no file yet, and nobody need look
        if isinstance(body, IncomingContent):
            self._size, self.weight = body.size, 1000
        else:
            self._size = len(body)
            self.weight = 1000 + self._size

    @property
    def publishes(self) -> bool:
        """Whether a file is to get its name, and not by the journal, which is read again."""
        return bool(self._aside) and not self._journaled

    def stage(self, sync: SyncSet) -> None:
        """Write the bytes aside, and check that they are what their name says.

        A file that is there already is read too: should it be damaged, it is replaced.

        Raises:
            DigestMismatch: they are not.
            OSError: the system could not.
        """
        body = self._body
        self._check()
        self._empty = self._folders.ensure(self._folder, sync) or self._journaled
        if not self._empty and self._is_there():
            self.discard()
            return
        if isinstance(body, IncomingContent):
            self._aside = body.path
        else:
            self._aside = _aside(self._layout)
            descriptor = os.open(self._aside, _NEW, 0o600)
            try:
                write_all(descriptor, body)
            finally:
                os.close(descriptor)
        sync.add(self._aside)

    def _check(self) -> None:
        """Make sure of the digest, unless that has been done."""
        body = self._body
        if isinstance(body, IncomingContent):
            found = body.finish()
        elif self._hashed:
            return
        else:
            found = sha256(body).hexdigest()
        if found != self.key:
            raise digest_error(found, self.key)

    def _is_there(self) -> bool:
        """Tell whether the file is there, undamaged."""
        if isinstance(self._body, IncomingContent):
            return is_sound(self._path, self.key)
        return is_same(self._path, self._body)

    def publish(self, sync: SyncSet) -> None:
        """Give the content its name.

        Raises:
            OSError: the system could not.
        """
        if not self._aside:
            return
        self.created = not self._known and (self._empty or not os.path.exists(self._path))
        try:
            os.rename(self._aside, self._path)
        except FileNotFoundError:
            self._folders.forget(self._folder)
            self._folders.ensure(self._folder, sync)
            os.rename(self._aside, self._path)
        sync.add(self._folder)

    def entries(self) -> list[Entry]:
        """Return what the log of additions says of this write.

        A content that was there is logged again: the one who wrote it may have been killed
        before it came to that.
        """
        return [Entry("contents", self.key, self._size)]

    def result(self) -> bool:
        """Tell whether the content is new to this node."""
        return self.created

    def discard(self) -> None:
        """Take away what was staged."""
        if isinstance(self._body, IncomingContent):
            self._body.discard()
        elif self._aside:
            _remove(self._aside)


def digest_error(found: str, key: str) -> DigestMismatch:
    """Return what to say of a body that is not what its key says."""
    return DigestMismatch(f"the body hashes to {found}, not to {key}; send it again")


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of `data`.

    Raises:
        OSError: the system could not.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _aside(layout: Layout) -> str:
    """Return a name in the folder of what is being written that nobody has had."""
    return f"{layout.incoming}/{os.getpid()}-{next(_serial)}"


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
