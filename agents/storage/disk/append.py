"""Writing structure files: heads first, lines after, late entries put in order (*INA §2.3.1*)."""

# ruff: noqa: PTH104, PTH116 (making a path costs as much as opening its file)
import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from agents.capture import Capture, structure_key
from agents.storage.disk.additions import Entry
from agents.storage.disk.durable import Folders, SyncSet
from agents.storage.disk.layout import CAPTURES, HEADS, Kind, Layout
from agents.storage.disk.lines import PREFIX, SIZE, check, encode_text, line_of, mark, prefix
from agents.storage.disk.structures import HEADER, StructureReader, read_url
from agents.storage.errors import DamagedStructure, InvalidCapture, StorageError
from anet.durable import sync_path

_MARKS_LIMIT = 100_000  # structure files whose mark is remembered


class Marks:
    """The marks of the structure files written last, so that an append need not read them all."""

    def __init__(self, layout: Layout, limit: int = _MARKS_LIMIT) -> None:
        self._layout, self._limit = layout, limit
        self._known: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def of(self, key: str) -> tuple[int, int]:
        """Return the count of captures of a structure file, and their mark."""
        known = self._known.get(key)
        if known is None:
            known = read_mark(self._layout, key)
            self.keep(key, *known)
        return known

    def keep(self, key: str, count: int, value: int) -> None:
        """Remember what an append led to."""
        self._known[key] = (count, value)
        self._known.move_to_end(key)
        if len(self._known) > self._limit:
            self._known.popitem(last=False)

    def forget(self, key: str) -> None:
        """Read the file again next time, because an append went wrong."""
        self._known.pop(key, None)


def read_mark(layout: Layout, key: str) -> tuple[int, int]:
    """Return count and mark of the structure file on the disk; (0, 0) for none."""
    try:
        reader = StructureReader(layout, key)
    except FileNotFoundError:
        return 0, 0
    with reader:
        return len(reader), mark([reader.prefix(index) for index in range(len(reader))])


class StructureWrite:
    """Captures of one URL on their way into its structure file; one step of a batch each method.

    Captures that the file has already (same date, same content) change nothing, so a write can
    be repeated. Runs in a worker; the writes of one disk run one after another.

    Attributes:
        kind: "structures".
        key: the structure file.
        url: whose.
        weight: about how many bytes of memory it takes.
        created: whether the file is new; true or false after `publish`.

    Raises:
        InvalidCapture: the captures are of several URLs, or one does not fit a line.
    """

    kind: Kind = "structures"

    def __init__(
        self, layout: Layout, folders: Folders, marks: Marks, captures: Sequence[Capture]
    ) -> None:
        for capture in captures:
            check(capture)
        self.url = captures[0].url
        if any(capture.url != self.url for capture in captures):
            raise InvalidCapture("a structure file takes captures of one URL")
        self.key = structure_key(self.url)
        self.weight = 1000 + sum(len(each.head) + len(each.origin) for each in captures)
        self._captures = captures
        self._layout, self._folders, self._marks = layout, folders, marks
        self._folder = layout.folder(self.kind, self.key)
        self._path = f"{self._folder}/{self.key}{CAPTURES}"
        self._heads = f"{self._folder}/{self.key}{HEADS}"
        self._lines: list[bytes] = []
        self.created = False
        self._new = 0
        self._count = 0
        self._mark = 0

    @property
    def publishes(self) -> bool:
        """Whether the file lacks some of the captures."""
        return bool(self._lines)

    def stage(self, sync: SyncSet) -> None:
        """Append origins and heads; no line points at them yet.

        Raises:
            DamagedStructure: the heads are of another URL.
            OSError: the system could not.
        """
        if self._folders.ensure(self._folder, sync) or not _cut_torn_line(self._path):
            self._marks.keep(self.key, 0, 0)  # the file is not there, and need not be read
        wanted = self._unknown()
        if not wanted:
            return
        descriptor = os.open(self._heads, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            data, offset = self._open_heads(descriptor, sync)
            for capture in wanted:
                origin = encode_text(capture.origin)
                self._lines.append(line_of(capture, origin, offset + len(data)))
                data += origin + capture.head
            _write_all(descriptor, data, offset)
        finally:
            os.close(descriptor)
        sync.add(self._heads)

    def publish(self, sync: SyncSet) -> None:
        """Put the lines in, in the order of dates; from now on a reader sees them.

        Raises:
            OSError: the system could not.
        """
        known_before, mark_before = self._marks.of(self.key)
        lines = self._still_unknown()
        self._new = len(lines)
        self._count = known_before + self._new
        self._mark = mark_before ^ mark([line[:PREFIX] for line in lines])
        if not lines:
            return
        self.created = not known_before
        if self.created:
            sync.add(self._folder)
        self._marks.forget(self.key)
        self._put(lines, sync, known=bool(known_before))
        self._marks.keep(self.key, self._count, self._mark)

    def entries(self) -> list[Entry]:
        """Return what the log of additions says of this write."""
        return [Entry("structures", self.key, self._count, f"{self._mark:016x}")]

    def result(self) -> int:
        """Return the number of captures that were new."""
        return self._new

    def discard(self) -> None:
        """Leave what was staged: bytes that no line points at do no harm."""

    def _unknown(self) -> list[Capture]:
        """Return the captures that the file lacks, each once, in order."""
        if len(self._captures) == 1 and not self._marks.of(self.key)[0]:
            return list(self._captures)
        captures = {(each.date, each.content): each for each in self._captures}
        ordered = [captures[each] for each in sorted(captures)]
        if not self._marks.of(self.key)[0]:
            return ordered
        with StructureReader(self._layout, self.key) as reader:
            return [each for each in ordered if not _has(reader, prefix(each.date, each.content))]

    def _still_unknown(self) -> list[bytes]:
        """Return the lines that no write of the same batch has put in since `stage`."""
        if not self._marks.of(self.key)[0]:
            return self._lines
        with StructureReader(self._layout, self.key) as reader:
            return [line for line in self._lines if not _has(reader, line[:PREFIX])]

    def _open_heads(self, descriptor: int, sync: SyncSet) -> tuple[bytearray, int]:
        """Return what goes before the first new head, and where it goes.

        That is the first line in a file that is new, and nothing in one whose first line is ours.
        """
        header = HEADER + encode_text(self.url) + b"\n"
        size = os.fstat(descriptor).st_size
        if size >= len(header) and os.pread(descriptor, len(header), 0) == header:
            return bytearray(), size
        if self._marks.of(self.key)[0]:
            raise DamagedStructure(
                f"{self._heads} is of {_safe_url(descriptor)!r}, not {self.url!r}"
            )
        if size:
            os.ftruncate(descriptor, 0)  # torn by a crash; no capture relies on it
        sync.add(self._folder)
        return bytearray(header), 0

    def _put(self, lines: list[bytes], sync: SyncSet, *, known: bool) -> None:
        """Append lines, or where some are late write the file anew; it is empty unless `known`."""
        data = b"".join(lines)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            size = os.fstat(descriptor).st_size // SIZE * SIZE if known else 0
            last = os.pread(descriptor, SIZE, size - SIZE) if size else b""
            if last < lines[0]:
                _write_all(descriptor, data, size)
                sync.add(self._path)
                return
            late = f"{self._layout.incoming}/{self.key}.late"
            old = os.pread(descriptor, size, 0)
        finally:
            os.close(descriptor)
        whole = sorted([*(old[at : at + SIZE] for at in range(0, size, SIZE)), *lines])
        Path(late).write_bytes(b"".join(whole))
        sync_path(Path(late))
        os.rename(late, self._path)
        sync.add(self._folder)


def _has(reader: StructureReader, prefix: bytes) -> bool:
    index = reader.lower_bound(prefix)
    return index < len(reader) and reader.prefix(index) == prefix


def _cut_torn_line(path: str) -> bool:
    """Cut off what a crash left of a line; return whether the file is there."""
    try:
        size = os.stat(path).st_size
    except FileNotFoundError:
        return False
    if size % SIZE:
        os.truncate(path, size // SIZE * SIZE)
    return True


def _write_all(descriptor: int, data: bytes | bytearray, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def _safe_url(heads: int) -> str:
    try:
        return read_url(heads)[:200]
    except StorageError:
        return "nothing"
