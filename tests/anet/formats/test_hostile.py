"""Tests of files that are made to keep a reader busy: what it reads stays in proportion."""

import gzip
import os
import struct
from io import FileIO
from time import process_time

import pytest
from old_formats import page
from warc_files import made

from anet.formats.arc import ArcReader
from anet.formats.arc_writing import record as arc_record
from anet.formats.compressing import PLAIN
from anet.formats.reading import inflate, open_records, open_warc
from anet.formats.record import Damage, DamagedRecord, Record

FALSE = {
    "every optional part": b"\x1f\x8b\x08",
    "a name without an end": b"\x1f\x8b\x08\x08" + b"\1" * 6,
    "a comment without an end": b"\x1f\x8b\x08\x10" + b"\1" * 6,
    "empty blocks": b"\x1f\x8b\x08" + bytes(6) + b"\3" + b"\0\0\0\xff\xff" * 3,
}
SIZE = 300_000
_pread = os.pread


class Counted(FileIO):
    """A file that counts the bytes that are read of it."""

    total = 0

    def readinto(self, buffer):
        """Read, and count."""
        read = super().readinto(buffer)
        self.total += read
        return read


def nested(first: bytes) -> bytes:
    """Return gzip members without end, of which each but the first lies in the one before.

    Args:
        first: what each of them holds first.
    """
    head = b"\x1f\x8b\x08" + bytes(6) + b"\3"
    unit = head + _stored(first) + _stored(head)[:5]
    return unit * (SIZE // len(unit))


def _stored(data: bytes) -> bytes:
    return struct.pack("<BHH", 0, len(data), len(data) ^ 0xFFFF) + data


def taken(reader) -> int:
    """Return how many bytes of blocks a reader gives."""
    total = 0
    for each in reader:
        try:
            while not isinstance(each, Damage) and (piece := each.block.read(1 << 20)):
                total += len(piece)
        except DamagedRecord:
            pass
    return total


@pytest.mark.parametrize("name", sorted(FALSE))
def test_bytes_that_look_like_members(name, tmp_path, monkeypatch):
    """What looks like a gzip member a hundred thousand times is not read from each to the end."""
    path = tmp_path / "a.warc.gz"
    nonsense = FALSE[name] * (SIZE // len(FALSE[name]))
    path.write_bytes(gzip.compress(made(1).bytes) + nonsense)
    file = Counted(path)
    taken(open_warc(file))
    assert file.total < 12 * SIZE

    read = []
    monkeypatch.setattr(os, "pread", lambda *args: read.append(args[1]) or _pread(*args))
    path.write_bytes(b"".join(arc_record(page(1))) + nonsense)
    taken(ArcReader(path))
    assert sum(read) < 12 * SIZE


def test_members_in_members(tmp_path):
    """Members that lie in one another, none of which ends, are not all read to the end."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(made(1).bytes) + nested(made(2, b"", length=10**9).bytes))
    with open_records(path) as reader:
        assert taken(reader) < 10 * SIZE
    line = b"http://a/ 1.2.3.4 20060203105422 text/html 999999999\n"
    path.write_bytes(b"".join(arc_record(page(1))) + nested(line))
    with open_records(path) as reader:
        assert taken(reader) < 10 * SIZE
    whole = made(1).bytes * 2
    path.write_bytes(gzip.compress(whole) + nested(b"nonsense" * 10))
    assert inflate(path, tmp_path / "a")
    assert (tmp_path / "a").stat().st_size < 10 * SIZE


def test_newlines_in_a_member(tmp_path):
    """Millions of newlines between records of a member cost a few calls for each thousand."""
    path = tmp_path / "a.arc.gz"
    record = b"".join(arc_record(page(1), PLAIN))
    path.write_bytes(gzip.compress(record + b"\n" * 5_000_000 + record))
    began = process_time()
    with open_records(path) as reader:
        assert sum(isinstance(each, Record) for each in reader) == 2
    assert process_time() - began < 1


def test_records_that_end_at_one_place(tmp_path):
    """A thousand records that all end in nonsense are not compared, each with each other."""
    head = b"WARC/1.0\r\nWARC-Type: a\r\nContent-Length: %05d\r\n\r\n"
    size, length = 60_000, len(head % 0)
    heads = b"".join(head % (size - at - length) for at in range(0, size - length, length))
    crossing = head % 900
    nested = (heads[: -2 * length] + crossing).ljust(size, b"z") + b"\r\n\r\n" + b"y" * 99
    path = tmp_path / "a.warc"
    path.write_bytes(made(1).bytes + nested * 2)
    began = process_time()
    with open_records(path) as reader:
        assert [isinstance(each, Record) for each in reader] == [True, False]
    assert process_time() - began < 2
