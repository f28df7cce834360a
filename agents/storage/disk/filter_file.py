"""The filter of what a disk holds, kept on it, so that a start need not look at every file.

The file `filter` has three parts: a line with the SHA-256 of all that follows, in hexadecimal; a
line of JSON; the bits of the filter. The JSON says how far the disk's log of additions is in it:
what the log says after that is put in when it is read. So it is never behind, however old it is
and wherever the process was killed; one that is damaged, or of another log, counts for nothing.
"""

import os
from contextlib import suppress
from hashlib import sha256

import msgspec
from attrs import frozen
from pybloom_live import BloomFilter

from agents.storage.disk.additions import AdditionsLog
from agents.storage.disk.holdings import ERROR_RATE, Holdings, Survey
from agents.storage.disk.layout import KINDS, Layout
from anet.durable import sync_path

_FORMAT = "dlweb-filter 1"
_HEAD_LIMIT = 16 * 1024 * 1024  # bytes of the line of JSON
_CAPACITY_LIMIT = 1 << 33  # keys; a filter of so many takes 15 GiB
_PIECE = 4 * 1024 * 1024


@frozen
class _Head:
    """The line of JSON.

    Attributes:
        format: of the file.
        log: id of the log of additions.
        position: bytes of it that are in the filter.
        capacity: keys that it has room for.
        count: keys that are in it.
        contents: contents that the disk holds.
        structures: structure files that it holds.
        groups: the first bytes of their keys.
        removed: what is in the filter and not on the disk any more.
    """

    format: str
    log: str
    position: int
    capacity: int
    count: int
    contents: int
    structures: int
    groups: list[int]
    removed: list[str]


def save(layout: Layout, holdings: Holdings, log: str, position: int) -> None:
    """Write the filter down, durably. Blocks.

    What is added meanwhile does no harm: the log says it too.

    Raises:
        OSError: the system could not.
    """
    survey = holdings.snapshot()
    if survey is None:
        return
    head = msgspec.json.encode(
        _Head(
            format=_FORMAT,
            log=log,
            position=position,
            capacity=survey.filter.capacity,
            count=survey.filter.count,
            contents=survey.counts["contents"],
            structures=survey.counts["structures"],
            groups=sorted(survey.groups),
            removed=sorted(survey.removed),
        )
    )
    bits = survey.filter.bitarray.tobytes()
    digest = sha256(head + b"\n")
    digest.update(bits)
    draft = layout.root / "filter.new"
    with draft.open("wb") as file:
        file.write(digest.hexdigest().encode("ascii") + b"\n" + head + b"\n" + bits)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(layout.root / "filter")


def load(layout: Layout, additions: AdditionsLog) -> Holdings | None:
    """Return what was saved, with what the log says after it; None when that is in doubt. Blocks.

    What is in doubt is taken away.

    Raises:
        OSError: the log could not be read, or the filter not taken away.
    """
    with suppress(FileNotFoundError, ValueError, msgspec.MsgspecError):
        head, survey = _read(layout)
        if head.log == additions.log and head.position <= additions.position:
            holdings = Holdings()
            holdings.end_survey(survey)
            _follow(additions, head.position, holdings)
            return holdings
    # Lest it be trusted later, when a log that was cut off has grown past its position again.
    (layout.root / "filter").unlink(missing_ok=True)
    sync_path(layout.root)
    return None


def _read(layout: Layout) -> tuple[_Head, Survey]:
    """Return what the file says.

    Raises:
        ValueError, msgspec.MsgspecError: it is damaged.
        FileNotFoundError: there is none.
    """
    with (layout.root / "filter").open("rb") as file:
        wanted = file.readline(65).strip().decode("ascii", "replace")
        line = file.readline(_HEAD_LIMIT)
        head = msgspec.json.decode(line, type=_Head)
        if head.format != _FORMAT or not 0 < head.capacity < _CAPACITY_LIMIT:
            raise ValueError("the filter is of another format")
        if head.capacity > os.fstat(file.fileno()).st_size:  # a key takes nearly two bytes
            raise ValueError("the filter is shorter than it says")
        filter_ = BloomFilter(head.capacity, ERROR_RATE)
        size = len(filter_.bitarray)
        digest, bits = sha256(line), filter_.bitarray
        bits.clear()
        while piece := file.read(_PIECE):
            digest.update(piece)
            bits.frombytes(piece)
            if len(bits) > size + 7:
                raise ValueError("the filter is longer than it says")
    if digest.hexdigest() != wanted or not size <= len(bits) < size + 8:
        raise ValueError("the filter is damaged")
    del bits[size:]
    filter_.count = head.count
    counts = dict(zip(KINDS, (head.contents, head.structures), strict=True))
    return head, Survey(filter_, counts, set(head.groups), set(head.removed))


def _follow(additions: AdditionsLog, position: int, holdings: Holdings) -> None:
    """Put in what the log says from a position on."""
    while position < additions.position:
        part = additions.read(additions.log, position)
        for entry in part.entries:
            if not entry.gone:
                new = not holdings.may_hold(entry.kind, entry.key)
                holdings.add(entry.kind, entry.key, new=new)
            elif holdings.may_hold(entry.kind, entry.key):
                holdings.remove(entry.kind, entry.key)
        if part.position <= position or part.since != position:
            raise ValueError("the log of additions is damaged")
        position = part.position
