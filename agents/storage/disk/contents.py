"""Writing contents: hashed, checked, renamed to the name they prove (*INA §2.2.1*)."""

import errno
import os
from collections.abc import Iterator
from hashlib import file_digest, sha256
from itertools import count
from pathlib import Path

from agents.storage.disk.additions import Entry
from agents.storage.disk.durable import Folders, SyncSet
from agents.storage.disk.layout import Kind, Layout
from agents.storage.errors import DigestMismatch

_serial: Iterator[int] = count(1)


class IncomingContent:
    """A content that arrives in pieces, written aside until it is whole.

    `write` blocks and belongs in a worker, one call at a time.
    """

    def __init__(self, layout: Layout) -> None:
        self.path = layout.incoming / f"{os.getpid()}-{next(_serial)}"
        self.size = 0
        self._hash = sha256()
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def write(self, data: bytes) -> None:
        """Take the next bytes.

        Raises:
            OSError: the system could not.
        """
        self._hash.update(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
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
        self.path.unlink(missing_ok=True)


def is_sound(path: Path, key: str) -> bool:
    """Tell whether a file is there and holds what its key says. Blocks, and reads all of it.

    Raises:
        OSError: the system could not read it; a disk's own error counts as damage.
    """
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest() == key
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno == errno.EIO:
            return False
        raise


class ContentWrite:
    """A content on its way to its place; one step of a batch each method.

    Args:
        layout: where to.
        folders: makes the folders on the way.
        key: what the bytes must hash to.
        body: the bytes, or a file of them already written and not yet synced.

    Attributes:
        kind: "contents".
        weight: about how many bytes of memory it takes.
        created: whether the node lacked it; true or false after `publish`.
    """

    def __init__(
        self, layout: Layout, folders: Folders, key: str, body: bytes | IncomingContent
    ) -> None:
        self.kind: Kind = "contents"
        self.key = key
        self.created = False
        self._layout, self._folders = layout, folders
        self._path = layout.content(key)
        self._body = body
        self._size = len(body) if isinstance(body, bytes) else body.size
        self._file: IncomingContent | None = None
        self._known = False
        self.weight = 1000 + (len(body) if isinstance(body, bytes) else 0)

    def stage(self, sync: SyncSet) -> None:
        """Write the bytes aside, and check that they are what their name says.

        A file that is there already is read too: should it be damaged, it is replaced.

        Raises:
            DigestMismatch: they are not.
            OSError: the system could not.
        """
        self._known = is_sound(self._path, self.key)
        self._file = self._aside()
        found = self._file.finish()
        if found != self.key:
            raise DigestMismatch(f"the body hashes to {found}, not to {self.key}; send it again")
        if self._known:
            self._file.discard()
            return
        sync.add(self._file.path)

    def publish(self, sync: SyncSet) -> None:
        """Give the content its name.

        Raises:
            OSError: the system could not.
        """
        if self._known or self._file is None:
            return
        folder = self._path.parent
        self._folders.ensure(folder, sync)
        self.created = not self._path.exists()
        try:
            self._file.path.rename(self._path)
        except FileNotFoundError:
            self._folders.forget(folder)
            self._folders.ensure(folder, sync)
            self._file.path.rename(self._path)
        sync.add(folder)

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
        elif self._file is not None:
            self._file.discard()

    def _aside(self) -> IncomingContent:
        if isinstance(self._body, IncomingContent):
            return self._body
        file = IncomingContent(self._layout)
        try:
            file.write(self._body)
        except OSError:
            file.discard()
            raise
        return file
