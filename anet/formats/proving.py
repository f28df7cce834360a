"""What came out of damaged compression, and of it the records that are proven all the same."""

from typing import BinaryIO

from anet.formats.digests import is_proven
from anet.formats.record import Record
from anet.formats.source import Source
from anet.formats.warc_plain import PlainWarc

NOT_PROVEN = "not proven: the compression around the file is damaged"
"""Why records that can be read are not given."""

_BLANK = b"\0" * (64 * 1024)  # that no record begins with, and none is followed by


def blank_unproven(file: BinaryIO, unproven: list[tuple[int, int]]) -> None:
    """Blank what is not proven in a file, besides records of a WARC that a digest proves.

    Places do not move: what is blank is damage to whoever reads the file. A record of which only
    a part is not proven, or that something is missing in, is not proven either.

    Args:
        file: open for reading and writing.
        unproven: begin and end of parts, in order; both the same where something is missing.
    """
    ranges, place, is_kept = list(reversed(unproven)), 0, False
    for each in PlainWarc(Source(file)):
        _blank(file, ranges, place, each.offset, is_kept)
        place = each.offset
        is_kept = isinstance(each, Record) and is_proven(each)
    _blank(file, ranges, place, Source(file).size, is_kept)
    file.seek(0, 2)


def _blank(
    file: BinaryIO, ranges: list[tuple[int, int]], begin: int, end: int, is_kept: bool
) -> None:
    """Blank a record, or what is none, if a part of it is not proven."""
    while ranges and ranges[-1][1] <= begin:
        ranges.pop()
    if is_kept or not ranges or ranges[-1][0] >= end:
        return
    file.seek(begin)
    while begin < end:
        begin += file.write(_BLANK[: end - begin])
