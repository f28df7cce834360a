"""Whether what lies on a disk is what it was when it was written. Blocks: belongs in a worker."""

import os
from collections.abc import Iterator
from hashlib import sha256

from attrs import frozen

from agents.capture import structure_key
from agents.storage.disk import scan
from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.depot import NO_DEPOT, Depot
from agents.storage.disk.layout import Kind, Layout
from agents.storage.disk.lines import SIZE, Line, mark
from agents.storage.disk.structures import StructureReader
from agents.storage.errors import DamagedStructure
from agents.storage.stores.errors import NotHeld

_PIECE = 1024 * 1024  # bytes read at once


@frozen
class Examined:
    """A structure file, as an examination found it.

    Attributes:
        sound: its sound lines, sorted, each once; none when its URL cannot be read.
        whole: whether that is all there is.
        size: bytes read.
    """

    sound: list[bytes]
    whole: bool
    size: int

    @property
    def mark(self) -> int:
        """The mark of the sound lines (see `lines.mark`)."""
        return mark([Line.decode(line).prefix for line in self.sound])


def examine_structure(layout: Layout, key: str) -> Examined:
    """Read a structure file to its end, and all that its lines point at.

    Raises:
        FileNotFoundError: the disk does not have it.
        OSError: it cannot be read.
    """
    sound: dict[bytes, bytes] = {}
    size = 0
    with StructureReader(layout, key) as reader:
        lines = [reader.raw(index) for index in range(len(reader))]
        try:
            named = structure_key(reader.url) == key
        except DamagedStructure:
            named = False
        for index, raw in enumerate(lines if named else []):
            try:
                line = reader.line(index)
            except DamagedStructure:
                continue
            size += SIZE + line.length
            sound.setdefault(line.prefix, raw)
    found = [sound[each] for each in sorted(sound)]
    return Examined(found, named and found == lines, size + SIZE * (len(lines) - len(found)))


@frozen
class Step:
    """A step of an examination.

    Attributes:
        key: where it is.
        size: bytes that were read.
        damaged: whether the key is not what it was; only said when it was read to its end.
    """

    key: str
    size: int
    damaged: bool = False


def examine(layout: Layout, kind: Kind, after: str, depot: Depot = NO_DEPOT) -> Iterator[Step]:
    """Read all of a kind in the order of keys, those after `after`, in pieces of a bounded size.

    Raises:
        OSError: a folder cannot be read.
        StoreUnreachable: the depot does not answer.
    """
    for key in scan.held(layout, kind, after, depot):
        try:
            yield from _hash(layout, key, depot) if kind == "contents" else _read(layout, key)
        except FileNotFoundError:
            continue  # taken away meanwhile
        except OSError:
            yield Step(key, 0, damaged=True)


def missing(
    layout: Layout, additions: AdditionsLog, position: int, depot: Depot = NO_DEPOT
) -> tuple[list[tuple[Kind, str]], int]:
    """Return what the next part of a log says was added, and is not there; and where it ends.

    Raises:
        OSError: the log cannot be read.
    """
    part = additions.read(additions.log, position)
    entries = {(each.kind, each.key): each for each in part.entries}
    lost = [
        place
        for place, entry in entries.items()
        if not entry.gone and not layout.path(*place).exists() and not _is_away(depot, *place)
    ]
    return lost, part.position


def _is_away(depot: Depot, kind: Kind, key: str) -> bool:
    return kind == "contents" and depot.size_of(key) is not None


def _hash(layout: Layout, key: str, depot: Depot) -> Iterator[Step]:
    digest = sha256()
    try:
        for piece in pieces_of(layout, key, depot):
            digest.update(piece)
            yield Step(key, len(piece))
    except NotHeld:
        yield Step(key, 0, damaged=True)
    else:
        yield Step(key, 0, damaged=digest.hexdigest() != key)


def pieces_of(layout: Layout, key: str, depot: Depot = NO_DEPOT) -> Iterator[bytes]:
    """Yield a content from where it is, the disk or its depot. Blocks.

    Raises:
        OSError: the system could not read it.
        NotHeld: the depot has lost it.
        StoreUnreachable: the depot does not answer.
    """
    return _pieces(layout, key) if depot.size_of(key) is None else depot.pieces(key)


def _pieces(layout: Layout, key: str) -> Iterator[bytes]:
    descriptor = os.open(layout.content(key), os.O_RDONLY)
    try:
        # What the system keeps in memory says nothing of what is on the disk.
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        while piece := os.read(descriptor, _PIECE):
            yield piece
    finally:
        os.close(descriptor)


def _read(layout: Layout, key: str) -> Iterator[Step]:
    found = examine_structure(layout, key)
    yield Step(key, found.size, damaged=not found.whole)
