"""The files that paths name, and the part of an import that each belongs to.

A file belongs to the part that the first bits of the MD5 of its name say, as in the preload of the
Web Lab (*Cornell 2006 §4.2*): so several machines share files without asking each other, and a file
that is copied elsewhere stays with its part.
"""

import os
from collections.abc import Iterator, Sequence
from hashlib import md5
from pathlib import Path
from stat import S_ISREG

from attrs import frozen

from agents.archive.errors import ArchiveError

PARTS_LIMIT = 65536


class NotThere(ArchiveError):
    """A path names no file."""

    status = 2


class NothingThere(ArchiveError):
    """The paths name no file of a web archive."""

    status = 2


class PartsRefused(ArchiveError):
    """The words for parts make no sense; the message says what would."""

    status = 2


@frozen
class Parts:
    """Into how many parts files are divided, and which of them are imported.

    Attributes:
        number: a power of two.
        first: of those that are imported.
        last: of those, too.
    """

    number: int
    first: int
    last: int

    @classmethod
    def parse(cls, number: str, only: str, processors: int) -> "Parts":
        """Return what a person asked for.

        Args:
            number: how many; empty for as many as processors, or a few more.
            only: "A-B" or "A", counted from 0; empty for all.
            processors: of this machine.

        Raises:
            PartsRefused: it makes no sense.
        """
        many = _number(number) if number else _power(processors)
        if many != _power(many) or not 1 <= many <= PARTS_LIMIT:
            raise PartsRefused(f"--parts {number[:20]}: a power of two, at most {PARTS_LIMIT}")
        first, dash, last = only.partition("-")
        if not only:
            return cls(many, 0, many - 1)
        if not number:
            raise PartsRefused(f"--only {only[:20]}: say with --parts of how many parts")
        parts = cls(many, _number(first), _number(last if dash else first))
        if not parts.first <= parts.last < many:
            raise PartsRefused(f"--only {only[:20]}: parts count from 0 to {many - 1}")
        return parts

    def of(self, name: bytes) -> int:
        """Return the part that a file belongs to, by its name without its folder."""
        bits = self.number.bit_length() - 1
        first = int.from_bytes(md5(name, usedforsecurity=False).digest()[:4], "big")
        return first >> (32 - bits)

    def takes(self, name: bytes) -> bool:
        """Tell whether a file is imported."""
        return self.first <= self.of(name) <= self.last


@frozen
class FoundFile:
    """A file to import.

    Attributes:
        path: where it is.
        size: bytes, as it was found.
        named: whether a person named it, and not only the folder that it is in; or whether it has
            to be told in any case, for it cannot be looked at.
    """

    path: Path
    size: int
    named: bool


def files_of(paths: Sequence[Path]) -> list[FoundFile]:
    """Return the files that are named, and all in folders that are; each once. Blocks.

    Links are followed. Names that begin with a point are passed over in folders; so are devices,
    pipes and sockets. What cannot be looked at (a link to nothing, a folder that is closed to us)
    is among the files, so that it is told with them.

    Raises:
        NotThere: a path names no file and no folder.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        try:
            for each in _files(path):
                found.setdefault(os.path.realpath(each.path), each)
        except OSError as error:
            raise NotThere(f"{path}: {error.strerror or error}") from None
    return list(found.values())


def _files(path: Path) -> Iterator[FoundFile]:
    """Yield the files of a path.

    Raises:
        OSError: it is neither a file nor a folder.
    """
    if path.is_dir():
        yield from _inside(path)
    elif path.is_file():
        yield FoundFile(path, path.stat().st_size, named=True)
    else:
        path.stat()
        raise OSError("it is no file")


def _inside(top: Path) -> Iterator[FoundFile]:
    """Yield the files in a folder, and in those in it."""
    closed: list[FoundFile] = []

    def note(error: OSError) -> None:
        closed.append(FoundFile(Path(os.fsdecode(error.filename)), 0, named=True))

    seen: set[str] = set()  # folders: links may lead in a circle
    for folder, folders, names in os.walk(top, onerror=note, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield from _one(Path(folder, name))
    yield from closed


def _one(path: Path) -> Iterator[FoundFile]:
    """Yield what a folder names, if it is a file, or may be one."""
    try:
        found = path.stat()
    except OSError:
        yield FoundFile(path, 0, named=True)
    else:
        if S_ISREG(found.st_mode):
            yield FoundFile(path, found.st_size, named=False)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise PartsRefused(f"{text[:20]!r} is no number of parts")
    return int(text)


def _power(number: int) -> int:
    """Return the power of two that is not less than a number."""
    return 1 << max(0, number - 1).bit_length()
