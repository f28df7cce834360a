"""What a worker process does: reads some records of a file, and says what becomes of them.

Each function here is a task for `anet.processes`: it knows nothing of other tasks, and can be
repeated. A slice ends between two exchanges, at about 16 MiB of blocks or 2,000 records; where it
ends depends on the file alone, so that a slice that is read again is the same.
"""

import errno
import gc
import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import chain, compress
from pathlib import Path
from typing import Any, cast

import msgspec

from agents.archive.importing.blocks import Blocks
from agents.archive.importing.captures import Found, Repeat, date_of, mapped
from agents.archive.importing.members import Member, belongs
from agents.archive.importing.spool import Place, SliceFolder, failure
from agents.archive.kept_records import KeptRecord, Slice, encoded, name_of
from agents.page import human_bytes
from anet.formats.reading import UnknownFormat, inflate, open_records
from anet.formats.record import Damage, DamagedRecord, Record

RECORDS = 2000  # of a slice
_BYTES = 16 << 20  # of the blocks of a slice, and of what is told of them
_TOLD = 4 << 20  # bytes of heads and fields, with which a slice ends in the midst of an exchange
_IDENTITY = 4096  # bytes of a file that tell it from others of its name
_KEPT_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-dlweb-records\r\n"
    b"Content-Encoding: gzip\r\n\r\n"
)
_LEFT_FREE = 1 << 30  # bytes of a disk that unpacking leaves, or a tenth of it if that is less
_NO_DATE = "19700101000000000000"
_PROBLEMS = 1000  # that a slice tells; more are counted as one


class CannotRead(Exception):
    """The system does not give the bytes of a file; the message says why."""


class Look(msgspec.Struct, array_like=True):
    """What a file is.

    Attributes:
        identity: SHA-256 of the first bytes.
        hashed: how many these are.
        size: bytes of the file.
        seekable: whether reading can begin at any record.
        problem: why it cannot be imported; empty if it can.
        unknown: whether that is because it is no file of a web archive.
    """

    identity: str
    hashed: int
    size: int
    seekable: bool = True
    problem: str = ""
    unknown: bool = False


class Source(msgspec.Struct, array_like=True):
    """What a slice is of.

    Attributes:
        path: of the file to read, as the system names it.
        name: of the file that is imported, without its folder.
        identity: of that file.
    """

    path: bytes
    name: str
    identity: str


class Read(msgspec.Struct, array_like=True):
    """What became of the records of a slice.

    Attributes:
        next: the offset at which the next slice begins; of the last one, the offset of its last
            record, at which reading begins again if the file grows.
        ended: whether it is the last.
        captures: with their contents, and the one that keeps the records.
        repeats: those whose contents are elsewhere.
        places: of the contents.
        digests: what is known of contents by other digests: what it is found by, key, size.
        kinds: how many records of each kind there are.
        damage: offset, end and cause of what could not be read.
        problems: offset of records that do not say the truth, and what is wrong.
        blocks: bytes of all blocks.
        only_kept: responses, resources and revisits that make no capture.
    """

    next: int = 0
    ended: bool = False
    captures: list[Found] = []
    repeats: list[Repeat] = []
    places: list[Place] = []
    digests: list[tuple[bytes, str, int]] = []
    kinds: dict[str, int] = {}
    damage: list[tuple[int, int, str]] = []
    problems: list[tuple[int, str]] = []
    blocks: int = 0
    only_kept: int = 0


def look(path: bytes) -> Look:
    """Return what a file is; what is wrong with it is said there."""
    name = Path(os.fsdecode(path))
    try:
        with name.open("rb") as file:
            first = file.read(_IDENTITY)
            size = os.fstat(file.fileno()).st_size
        found = Look(sha256(first).hexdigest(), len(first), size)
        with open_records(name) as reader:
            found.seekable = reader.seekable
    except UnknownFormat as error:
        return Look("", 0, 0, problem=str(error), unknown=True)
    except OSError as error:
        return Look("", 0, 0, problem=f"cannot be read: {error.strerror or error}")
    return found


def is_same(path: bytes, identity: str, hashed: int) -> bool:
    """Tell whether the first bytes of a file are what they were when it was shorter.

    Raises:
        CannotRead: it cannot be read.
    """
    with _reading(path) as name, name.open("rb") as file:
        first = file.read(hashed)
    return len(first) == hashed and sha256(first).hexdigest() == identity


def unpack(path: bytes, target: bytes, most: int | None = None) -> list[tuple[int, int, str]]:
    """Write a file without the compression that is around all of it.

    Args:
        path: of the file.
        target: is made.
        most: bytes of it; without, what `room` says.

    Returns:
        Offset, end and cause of what could not be decompressed, and is left out.

    Raises:
        CannotRead: it cannot be read, or is larger than that.
        SpoolFailed: it cannot be written.
    """
    to = Path(os.fsdecode(target))
    most = room(to.parent) if most is None else most
    with _reading(path) as name, _at_most(most):
        try:
            damage = inflate(name, to)
        except OSError as error:
            if error.errno == errno.EFBIG:
                raise CannotRead(
                    f"unpacked it is larger than the {human_bytes(most)} that may be used in "
                    f"{to.parent}: unpack it elsewhere, and import that"
                ) from None
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise failure(to, error) from None
            raise
    return [(each.offset, each.end, each.cause) for each in damage[:_PROBLEMS]]


def room(folder: Path) -> int:
    """Return how many bytes a file may have unpacked, so that its disk stays usable.

    Of each file that may be read side by side, for none knows what the others unpack.
    """
    disk = os.statvfs(folder)
    left = min(disk.f_blocks * disk.f_frsize // 10, _LEFT_FREE)
    return max(0, disk.f_bavail * disk.f_frsize - left) // len(os.sched_getaffinity(0))


def read(source: Source | list[Any], offset: int, until: int, folder: bytes) -> Read:
    """Read a slice.

    Args:
        source: of what.
        offset: of its first record.
        until: the offset of the record before which it ends in any case; 0 for none.
        folder: where its contents are left; is made.

    Raises:
        SpoolFailed: they cannot be.
        CannotRead: the file cannot be read at all any more.
    """
    given = msgspec.convert(source, Source)
    with closing(SliceFolder(Path(os.fsdecode(folder)))) as spool, _reading(given.path) as path:
        size = path.stat().st_size
        with open_records(path, offset) as reader, _no_collections():
            return _Reading(given, offset, spool).run(reader, until, size)


def after(path: bytes, offset: int) -> int:
    """Return the offset of what follows the record at an offset; -1 at the end of the file.

    Raises:
        CannotRead: the file cannot be read.
    """
    with _reading(path) as name, open_records(name, offset) as reader:
        return next((each.offset for each in reader if each.offset > offset), -1)


@contextmanager
def _reading(path: bytes) -> Iterator[Path]:
    """Give the path of a file, and say in words why it cannot be read."""
    try:
        yield Path(os.fsdecode(path))
    except OSError as error:
        raise CannotRead(f"cannot be read: {error.strerror or error}") from None


@contextmanager
def _at_most(size: int) -> Iterator[None]:
    """Let the system refuse to make a file larger than some bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limits = [each for each in (size, soft, hard) if each != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_FSIZE, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def _no_collections() -> Iterator[None]:
    """Look for no cycles: a slice makes thousands of things, all of which go when it does."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Reading:
    """The reading of one slice."""

    def __init__(self, source: Source, offset: int, spool: SliceFolder) -> None:
        self._source, self._begin, self._spool = source, offset, spool
        self._blocks = Blocks(spool)
        self._read = Read(offset, captures=[], repeats=[], digests=[], kinds={}, damage=[])
        self._read.problems = []
        self._group: list[Member] = []
        self._of_group: list[KeptRecord] = []
        self._kept: list[KeptRecord] = []
        self._date = ""
        self._records = self._told = 0

    def run(self, records: Iterable[Record | Damage], until: int, size: int) -> Read:
        """Read until the slice is full, or until a record, or to the end of the file."""
        read = self._read
        for each in records:
            if until and each.offset >= until:
                read.next = each.offset
                break
            if isinstance(each, Damage):
                read.damage.append((each.offset, each.end, each.cause))
                read.next = each.offset
                continue
            member = Member.of(each)
            mates = belongs(self._group, member)
            if self._told >= _TOLD or (self._is_full() and not mates):
                read.next = each.offset
                break
            if not mates:
                self._close_group()
            read.next = each.offset
            self._spool.reached(each.offset)
            self._take(each, member)
        else:
            read.ended = True
        self._close_group()
        self._keep(size if read.ended else read.next)
        read.places = list(self._spool.places.values())
        return read

    def _is_full(self) -> bool:
        return self._records >= RECORDS or self._read.blocks >= _BYTES

    def _take(self, record: Record, member: Member) -> None:
        """Read the block of a record; one that cannot be read is told as damage, by the reader."""
        read = self._read
        self._records += 1
        self._told += sum(map(len, chain.from_iterable(record.fields))) + 100
        try:
            block = self._blocks.read(record, member)
        except DamagedRecord:
            return
        self._told += len(member.head)
        read.kinds[member.kind] = read.kinds.get(member.kind, 0) + 1
        read.blocks += record.size
        if block.problem:
            self._tell(member.offset, block.problem)
        for known in block.known:
            read.digests.append((known, member.content, member.size))
        if not self._date:
            self._date = date_of(member.get("warc-date"))
        fields = cast(list[tuple[str, str]], record.fields)  # which is written the same
        self._group.append(member)
        self._of_group.append(
            KeptRecord(record.version, record.kind, fields, record.offset, record.size, block.parts)
        )

    def _close_group(self) -> None:
        """Map the exchange that has come to its end."""
        if not self._group:
            return
        group, self._group = self._group, []
        kept, self._of_group = self._of_group, []
        result = mapped(group, self._source.name)
        for words in result.problems:
            self._tell(group[0].offset, words)
        self._read.captures += result.captures
        self._read.repeats += result.repeats
        self._read.only_kept += result.only_kept
        self._kept += compress(kept, result.kept)

    def _keep(self, end: int) -> None:
        """Make a content of the records up to an offset, and a capture that names it."""
        read = self._read
        if not self._kept and not read.damage:
            return
        source = self._source
        part = Slice(source.name, source.identity, self._begin, end, read.damage)
        content = encoded(part, self._kept)
        key = self._spool.add(content)
        url, begin = name_of(source.name, source.identity), f"{self._begin:016x}"
        date = self._date or _NO_DATE
        read.captures.append(Found(url, date, key, len(content), 200, _KEPT_HEAD, metadata=begin))

    def _tell(self, offset: int, words: str) -> None:
        if len(self._read.problems) < _PROBLEMS:
            self._read.problems.append((offset, words))
