"""Reading structure files: a few short reads find the capture of a date (*INA §2.2.2*)."""

import os
from bisect import bisect_left
from collections.abc import Iterator
from types import TracebackType

from attrs import frozen

from agents.capture import METADATA_LIMIT, Capture
from agents.dates import InvalidDate, to_datetime
from agents.storage.disk.layout import CAPTURES, HEADS, Layout
from agents.storage.disk.lines import COVERED, PREFIX, SIZE, Line, checksum_of, decode_text
from agents.storage.errors import DamagedStructure
from agents.stream_offset import is_within

HEADER = b"dlweb-structure 1 "
_HEADER_LIMIT = 1 << 20  # bytes of the first line, and so of a URL
_LAST = "~"  # sorts after every date
ALL = 10**12  # captures of one URL; more than a disk holds


@frozen
class Nearest:
    """The capture nearest to a date, and where it stands among the others.

    Attributes:
        capture: what was found.
        count: captures of the URL.
        first: date of the first.
        last: date of the last.
        previous: date of the capture before, or none.
        next: date of the capture after, or none.
    """

    capture: Capture
    count: int
    first: str
    last: str
    previous: str | None
    next: str | None


class StructureReader:
    """The two files of one URL, open for reading; a context manager.

    A line being appended while we read is not whole yet and does not count.

    Raises:
        FileNotFoundError: the node does not hold the URL.
    """

    def __init__(self, layout: Layout, key: str) -> None:
        self._place = f"{layout.folder('structures', key)}/{key}"
        self._lines = os.open(f"{self._place}{CAPTURES}", os.O_RDONLY)
        self._count = os.fstat(self._lines).st_size // SIZE
        self._heads = -1

    def __enter__(self) -> "StructureReader":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._lines)
        if self._heads >= 0:
            os.close(self._heads)

    def __len__(self) -> int:
        return self._count

    def line(self, index: int) -> Line:
        """Return the line at an index from 0, verified with its origin and head.

        Raises:
            DamagedStructure: there is something else, or they do not match the checksum.
        """
        return self.read(index)[0]

    def raw(self, index: int) -> bytes:
        """Return the line at an index from 0 as it is, unverified."""
        return os.pread(self._lines, SIZE, index * SIZE)

    def prefix(self, index: int) -> bytes:
        """Return what the line at `index` is sorted by, undecoded."""
        return os.pread(self._lines, PREFIX, index * SIZE)

    def lower_bound(self, prefix: bytes) -> int:
        """Return the index of the first line that does not sort before `prefix`."""
        return bisect_left(range(self._count), prefix, key=self.prefix)

    def nearest(self, date: str) -> int:
        """Return the index of the capture nearest to a date; of two equally far, the earlier.

        Raises:
            DamagedStructure: a line's date is none.
            IndexError: there is no capture.
        """
        if not self._count:
            raise IndexError("the structure file is empty")
        after = self.lower_bound(date.encode("ascii"))
        if after == 0:
            return 0
        if after == self._count:
            return after - 1
        try:
            moment = to_datetime(date)
            gap_before = moment - to_datetime(self.line(after - 1).date)
            gap_after = to_datetime(self.line(after).date) - moment
        except InvalidDate as error:
            raise DamagedStructure(str(error)) from None
        return after - 1 if gap_before <= gap_after else after

    @property
    def url(self) -> str:
        """Return the URL that the first line of the heads names.

        Raises:
            DamagedStructure: there is no such line.
        """
        return read_url(self._open_heads())

    def capture(self, index: int, url: str, *, heads: bool = True) -> Capture:
        """Return the capture of the line at an index from 0, with its origin and head or without.

        Raises:
            DamagedStructure: as `line`.
        """
        line, data = self.read(index)
        return whole_capture(line, data, url) if heads else bare_capture(line, url)

    def read(self, index: int) -> tuple[Line, bytes]:
        """Return the line at an index from 0, with its origin and head, verified.

        Raises:
            DamagedStructure: as `line`.
        """
        raw = os.pread(self._lines, SIZE, index * SIZE)
        line = Line.decode(raw)
        data = os.pread(self._open_heads(), line.length, line.offset)
        if len(data) != line.length or line.checksum != checksum_of(raw, data):
            raise DamagedStructure(
                f"line {index} of {self._place}{CAPTURES}, or the head that it "
                "points at, is damaged: another node's copy has it"
            )
        return line, data

    def is_within(self, index: int) -> bool:
        """Tell whether a line only notes a place further on in a content of a stream.

        Nothing else of it is read: a stream has a thousand such lines for each day.
        """
        metadata = os.pread(self._lines, METADATA_LIMIT, index * SIZE + COVERED - METADATA_LIMIT)
        return is_within(metadata.decode("latin-1"))

    def _open_heads(self) -> int:
        if self._heads < 0:
            try:
                self._heads = os.open(f"{self._place}{HEADS}", os.O_RDONLY)
            except FileNotFoundError:
                raise DamagedStructure(f"{self._place}{HEADS} is missing") from None
        return self._heads


def whole_capture(line: Line, data: bytes, url: str) -> Capture:
    """Return a capture from its line, and its origin and head one after the other."""
    head = data[line.origin_length :]
    return bare_capture(line, url, head, decode_text(data[: line.origin_length]))


def bare_capture(line: Line, url: str, head: bytes = b"", origin: str = "") -> Capture:
    """Return a capture from its line, and what is known of its head and origin."""
    return Capture(
        url=url,
        date=line.date,
        content=line.content,
        size=line.size,
        status=line.status,
        head=head,
        origin=origin,
        metadata=line.metadata,
    )


def read_url(heads: int) -> str:
    """Return the URL that an open `.heads` file is of.

    Raises:
        DamagedStructure: its first line does not say.
    """
    length = 1024
    while length <= _HEADER_LIMIT:
        start = os.pread(heads, length, 0)
        first, newline, _ = start.partition(b"\n")
        if newline and first.startswith(HEADER):
            return decode_text(first[len(HEADER) :])
        if newline or len(start) < length:
            break
        length *= 8
    raise DamagedStructure("the first line of the heads does not name a URL")


def url_of(layout: Layout, key: str) -> str:
    """Return the URL of a structure file.

    Raises:
        FileNotFoundError: the node does not hold it.
        DamagedStructure: its first line does not say.
    """
    heads = os.open(layout.heads(key), os.O_RDONLY)
    try:
        return read_url(heads)
    finally:
        os.close(heads)


def find_nearest(layout: Layout, key: str, date: str, *, exact: bool = False) -> Nearest | None:
    """Return the capture of a URL nearest to a date, or None when the node has none.

    Args:
        layout: where to look.
        key: the structure file.
        date: 20 digits.
        exact: whether only a capture of this very date will do.

    Raises:
        DamagedStructure: the files contradict their format.
    """
    try:
        reader = StructureReader(layout, key)
    except FileNotFoundError:
        return None
    with reader:
        if not len(reader):
            return None
        index = reader.nearest(date)
        line, data = reader.read(index)
        if exact and line.date != date:
            return None
        last = len(reader) - 1
        return Nearest(
            capture=whole_capture(line, data, reader.url),
            count=len(reader),
            first=reader.line(0).date if index else line.date,
            last=reader.line(last).date if index < last else line.date,
            previous=reader.line(index - 1).date if index else None,
            next=reader.line(index + 1).date if index < last else None,
        )


def read_captures(
    layout: Layout,
    key: str,
    first: str = "",
    last: str = _LAST,
    *,
    after: bytes = b"",
    limit: int = ALL,
    heads: bool = True,
    versions: bool = False,
    damage: list[DamagedStructure] | None = None,
) -> Iterator[Capture]:
    """Yield captures of a URL in the order of their dates.

    Args:
        layout: where to look.
        key: the structure file; one that the node lacks yields nothing.
        first: the earliest date wanted.
        last: the latest date wanted.
        after: the prefix (see `lines`) of a line to go on after.
        limit: captures at most.
        heads: whether origin and head are given too.
        versions: whether entries of streams within a content are left out.
        damage: takes what is wrong with single lines, which then are passed over.

    Raises:
        DamagedStructure: the files contradict their format.
    """
    try:
        reader = StructureReader(layout, key)
    except FileNotFoundError:
        return
    with reader:
        url = reader.url
        start = reader.lower_bound(max(first.encode("ascii"), after + b"~" if after else b""))
        left = limit
        for index in range(start, len(reader)):
            if not left:
                return
            if versions and reader.is_within(index):
                continue
            left -= 1
            try:
                capture = reader.capture(index, url, heads=heads)
            except DamagedStructure as error:
                if damage is None:
                    raise
                damage.append(error)
                continue
            if capture.date > last:
                return
            yield capture
