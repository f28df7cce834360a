"""Reads the structure of a crawl, JSON lines, in batches that fit in memory and in one call."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from attrs import frozen

from agents import dates
from agents.capture import HEAD_LIMIT, ORIGIN_LIMIT, Capture, is_key

LINE_LIMIT = 12 * 2**20  # bytes; a longer line is damaged
_URL_LIMIT = 8192
_STATUS_LIMIT = 999
_SIZE_LIMIT = 10**15
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")


@frozen
class Line:
    """What is read of a line; it holds more, which is for the next crawl.

    Attributes:
        head: the response head as text, one character a byte.
    """

    url: str
    date: str
    content: str
    size: int
    status: int
    head: str
    origin: str = ""
    metadata: str = ""


@frozen
class Batch:
    """Captures read at once.

    Attributes:
        captures: the captures.
        damaged: lines that are none.
        offset: where the next batch begins.
        whole: whether the file ends here.
    """

    captures: list[Capture]
    damaged: int
    offset: int
    whole: bool


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
    damaged = taken = 0
    with path.open("rb") as file:
        file.seek(offset)
        for line, length in _lines(file):
            if taken == most or (taken and length > most_bytes):
                return Batch(captures, damaged, offset, False)
            capture = None if line is None else capture_of(line)
            captures += [] if capture is None else [capture]
            damaged += capture is None
            taken += 1
            offset += length
            most_bytes -= length
    return Batch(captures, damaged, offset, True)


def capture_of(line: bytes) -> Capture | None:
    """Return the capture that a line holds, or None when it holds none that may be recorded."""
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
        and read.metadata == ""
    )
    if not sound:
        return None
    return Capture(
        url=read.url,
        date=read.date,
        content=read.content,
        size=read.size,
        status=read.status,
        head=head,
        origin=read.origin,
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
