"""The journal of a disk: small contents made durable together, before each has a file of its own.

It is two files, `journal/1` and `journal/2`, each a bundle (see `agents.bundle`): a line with key
and size, then the bytes, again and again. What is acknowledged is appended to one of them with
one sync for many; the other is meanwhile made into files, and emptied once they are durable. So
nothing is ever changed in place, and every content that is in a journal proves itself, as a file
does. What a crash has torn is the end of a journal, which nobody was told of.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from attrs import Factory, define

from agents.storage.disk.contents import digest_error, write_all
from agents.storage.errors import DigestMismatch
from anet.durable import sync_path

FULL = 64 * 1024 * 1024  # bytes of one of the two files, past which nothing more is appended
COUNT = 20_000  # contents of it
_CHUNK = 4 * 1024 * 1024  # bytes that are made into files at once
_LINE = re.compile(rb"([0-9a-f]{64}) (\d{1,8})\n")
_LINE_LIMIT = 74

Content: TypeAlias = tuple[str, bytes | memoryview]


@define
class Segment:
    """One of the two files.

    Attributes:
        path: the file.
        descriptor: it, open.
        size: its bytes that are durable.
        places: where in it each content is: offset and size.
    """

    path: Path
    descriptor: int
    size: int = 0
    places: dict[str, tuple[int, int]] = Factory(dict)


class Journal:
    """Two segments; `append` and `empty` block, the rest does not.

    Attributes:
        filling: the segment that is appended to.
        emptying: the one that is made into files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.filling = self.emptying = Segment(folder, -1)  # nothing, until `open`

    def open(self) -> None:
        """Make the files where they lack, and read what a killed process left in them. Blocks.

        Raises:
            OSError: the system could not.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self.filling, self.emptying = (open_segment(self._folder / name) for name in "12")
        sync_path(self._folder)
        sync_path(self._folder.parent)

    def close(self) -> None:
        """Close the files."""
        for segment in (self.filling, self.emptying):
            if segment.descriptor >= 0:
                os.close(segment.descriptor)
                segment.descriptor, segment.places = -1, {}

    @property
    def is_full(self) -> bool:
        """Tell whether the one that is filled takes no more."""
        return self.filling.size >= FULL or len(self.filling.places) >= COUNT

    @property
    def size(self) -> int:
        """Bytes of contents that have no file of their own yet."""
        return self.filling.size + self.emptying.size

    def held(self) -> list[str]:
        """Return what is here."""
        return [*self.emptying.places, *self.filling.places]

    def size_of(self, key: str) -> int | None:
        """Return the size of a content, or None when it is not here."""
        place = self.filling.places.get(key) or self.emptying.places.get(key)
        return None if place is None else place[1]

    def read(self, key: str) -> bytes | None:
        """Return a content, or None when it is not here, or the disk does not give it.

        It is in the system's memory, so this is quick.
        """
        for segment in (self.filling, self.emptying):
            place = segment.places.get(key)
            if place is not None:
                with suppress(OSError):
                    return os.pread(segment.descriptor, place[1], place[0])
        return None

    def append(self, contents: Sequence[Content]) -> list[tuple[int, int] | DigestMismatch | None]:
        """Make contents durable; return where each is, None for one that is here already. Blocks.

        Nobody sees them before `note` was called.

        Raises:
            OSError: the system could not, and none is there.
        """
        segment = self.filling
        pieces: list[bytes | memoryview] = []
        outcomes: list[tuple[int, int] | DigestMismatch | None] = []
        end = segment.size
        new: set[str] = set()
        for key, body in contents:
            found = sha256(body).hexdigest()
            if found != key:
                outcomes.append(digest_error(found, key))
            elif key in new or self.size_of(key) is not None:
                outcomes.append(None)
            else:
                new.add(key)
                line = b"%s %d\n" % (key.encode("ascii"), len(body))
                pieces += (line, body)
                outcomes.append((end + len(line), len(body)))
                end += len(line) + len(body)
        if pieces:
            self._write(segment, pieces)
        segment.size = end
        return outcomes

    def _write(self, segment: Segment, pieces: Sequence[bytes | memoryview]) -> None:
        os.ftruncate(segment.descriptor, segment.size)  # what an append that failed has left
        os.lseek(segment.descriptor, segment.size, os.SEEK_SET)
        write_all(segment.descriptor, b"".join(pieces))
        os.fdatasync(segment.descriptor)

    def note(self, key: str, place: tuple[int, int]) -> None:
        """Let a content be seen."""
        self.filling.places[key] = place

    def swap(self) -> None:
        """Fill the segment that is empty, and empty the one that was filled."""
        self.filling, self.emptying = self.emptying, self.filling

    def chunks(self) -> Iterator[list[Content]]:
        """Yield what is to be made into files, some megabytes at a time. Blocks."""
        segment = self.emptying
        chunk: list[Content] = []
        size = 0
        for key, (offset, length) in segment.places.items():
            chunk.append((key, os.pread(segment.descriptor, length, offset)))
            size += length
            if size >= _CHUNK:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk

    def forget(self) -> None:
        """Let go of what now has files; before `empty`, in the thread that reads."""
        self.emptying.places = {}

    def empty(self) -> None:
        """Give back the room of what was forgotten. Blocks.

        A crash may bring it back, which does no harm: it is made into files that are there.

        Raises:
            OSError: the system could not.
        """
        os.ftruncate(self.emptying.descriptor, 0)
        self.emptying.size = 0


def known_outcomes(contents: Sequence[Content]) -> list[DigestMismatch | bool]:
    """Return what to say of contents that a journal has, when they are sent again. Blocks."""
    found = [(sha256(body).hexdigest(), key) for key, body in contents]
    return [digest != key and digest_error(digest, key) for digest, key in found]


def open_segment(path: Path) -> Segment:
    """Open one file of a journal, and find what is in it, up to where it is torn.

    Raises:
        OSError: the system could not.
    """
    segment = Segment(path, os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for key, offset, size in records(segment.descriptor):
        segment.places[key] = (offset, size)
        segment.size = offset + size
    return segment


def records(descriptor: int) -> Iterator[tuple[str, int, int]]:
    """Yield the key, offset and size of each content of a journal that is sound. Blocks.

    Raises:
        OSError: the system could not read.
    """
    at = 0
    while line := _LINE.match(os.pread(descriptor, _LINE_LIMIT, at)):
        offset, size = at + line.end(), int(line[2])
        body = os.pread(descriptor, size, offset)
        key = line[1].decode("ascii")
        if sha256(body).hexdigest() == key:
            yield key, offset, size
        at = offset + size


def find_in_journals(root: Path, key: str) -> bytes | None:
    """Return a content that a disk which nobody serves has in its journal only. Blocks."""
    for path in sorted((root / "journal").glob("[12]")):
        with path.open("rb") as file:
            for found, offset, size in records(file.fileno()):
                if found == key:
                    return os.pread(file.fileno(), size, offset)
    return None
