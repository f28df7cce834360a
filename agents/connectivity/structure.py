"""Reads the structure of a crawl, JSON lines, in batches that fit in memory and in one call."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from attrs import field, frozen

from agents import dates
from agents.bundle import CONTENT_LIMIT
from agents.capture import HEAD_LIMIT, ORIGIN_LIMIT, Capture, is_key
from agents.stream import LOG_SCHEME
from agents.stream_offset import offset_of
from agents.urls import LENGTH_LIMIT

LINE_LIMIT = 12 * 2**20  # bytes; a longer line is damaged
_LOOKED_AT = 1000  # lines of a batch when contents are looked for
_URL_LIMIT = LENGTH_LIMIT + len(LOG_SCHEME)  # of the log of the longest
_STATUS_LIMIT = 999
_SIZE_LIMIT = 10**15
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")


@frozen
class Line:
    """What is read of a line; it holds more, which is for the next crawl.

    Attributes:
        head: the response head as text, one character a byte.
        place: where the content begins in the crawl's pack, if it lies there.
    """

    url: str
    date: str
    content: str
    size: int
    status: int
    head: str
    origin: str = ""
    metadata: str = ""
    place: int | None = None


@frozen
class Batch:
    """Captures read at once.

    Attributes:
        captures: the captures.
        damaged: lines that are none.
        offset: where the next batch begins.
        whole: whether the file ends here.
        packed: the contents that these lines brought in the pack: where each begins, its size.
    """

    captures: list[Capture]
    damaged: int
    offset: int
    whole: bool
    packed: dict[str, tuple[int, int]] = field(factory=dict)


def read_batch(path: Path, offset: int, most: int, most_bytes: int) -> Batch:
    """Read a batch that begins at `offset`; it blocks.

    Args:
        path: the structure file.
        offset: a byte at which a line begins.
        most: lines of a batch.
        most_bytes: bytes of a batch, unless its first line is longer.

    Raises:
        OSError: the file cannot be read.
    """
    captures: list[Capture] = []
    packed: dict[str, tuple[int, int]] = {}
    damaged = taken = 0
    with path.open("rb") as file:
        file.seek(offset)
        for line, length in _lines(file):
            if taken == most or (taken and length > most_bytes):
                return Batch(captures, damaged, offset, False, packed)
            read = None if line is None else read_line(line)
            if read is None:
                damaged += 1
            else:
                captures.append(_capture_of(read))
                if read.place is not None:
                    packed[read.content] = (read.place, read.size)
            taken += 1
            offset += length
            most_bytes -= length
    return Batch(captures, damaged, offset, True, packed)


def find_packed(path: Path, until: int, keys: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return where contents lie in the pack that lines before a byte brought; it blocks.

    Raises:
        OSError: the file cannot be read.
    """
    found: dict[str, tuple[int, int]] = {}
    offset, whole = 0, False
    while offset < until and not whole:
        batch = read_batch(path, offset, _LOOKED_AT, LINE_LIMIT)
        found |= {key: place for key, place in batch.packed.items() if key in keys}
        offset, whole = batch.offset, batch.whole
    return found


def read_line(line: bytes) -> Line | None:
    """Return what a line holds, or None when it holds no capture that may be recorded."""
    try:
        read = msgspec.json.decode(line, type=Line)
        head = read.head.encode("latin-1")
        dates.to_datetime(read.date)
        origin_length = len(read.origin.encode())
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    sound = (
        0 < len(read.url) <= _URL_LIMIT
        and read.url.isascii()
        and not _UNPRINTABLE.search(read.url)
        and is_key(read.content)
        and 0 <= read.size < _SIZE_LIMIT
        and 0 <= read.status <= _STATUS_LIMIT
        and len(head) <= HEAD_LIMIT
        and origin_length <= ORIGIN_LIMIT
        and (read.metadata == "" or offset_of(read.metadata) is not None)
        and (read.place is None or _fits(read.place, read.size))
    )
    return read if sound else None


def _fits(place: int, size: int) -> bool:
    """Tell whether a content of the pack is small, and within what a file may hold."""
    return 0 <= place < _SIZE_LIMIT and size <= CONTENT_LIMIT


def _capture_of(read: Line) -> Capture:
    return Capture(
        url=read.url,
        date=read.date,
        content=read.content,
        size=read.size,
        status=read.status,
        head=read.head.encode("latin-1"),
        origin=read.origin,
        metadata=read.metadata,
    )


def _lines(file: BinaryIO) -> Iterator[tuple[bytes | None, int]]:
    """Yield lines with their lengths; None for one that is over the limit."""
    while line := file.readline(LINE_LIMIT):
        length = len(line)
        if length < LINE_LIMIT or line.endswith(b"\n"):
            yield line, length
            continue
        while rest := file.readline(LINE_LIMIT):
            length += len(rest)
            if rest.endswith(b"\n"):
                break
        yield None, length
