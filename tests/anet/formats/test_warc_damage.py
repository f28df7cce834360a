"""Whatever is wrong with a WARC is told, and everything else in it is read."""

import gzip
import hashlib
import os
import random
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st
from warc_files import (
    RECORDS,
    WAYS,
    damage_of,
    gzipped,
    made,
    plain,
    read,
    records_of,
    spoilt,
)

from anet.formats.reading import UnknownFormat, inflate, open_records
from anet.formats.record import Damage, DamagedRecord

ALL = [made(number) for number in range(6)]
LARGE = made(2, bytes(range(256)) * 8000)
BAD = {
    "length too large": made(2, length=600),
    "length far too large": made(2, length=10**12),
    "length too small": made(2, length=100),
    "length of nonsense": made(2, length="1e3"),
    "negative length": made(2, length=-5),
    "length too long to be one": made(2, length="9" * 40),
    "two lengths": made(2, None, ("Content-Length", "7")),
    "version that is not known": made(2, version="WARC/2.0"),
    "header without end": made(2, None, ("X", "a" * 2_000_000)),
    "header with a line of nonsense": made(2, None, ("nonsense\r\nX", "")),
}


@pytest.fixture
def path(tmp_path):
    """Return the path of a file."""
    return tmp_path / "a.warc"


def parts_with(way, bad: bytes | None = None, record=None):
    """Return the parts of a file whose third is bad."""
    parts = WAYS[way](ALL)
    parts[2] = WAYS[way]([record])[0] if record else bad
    return parts


def check(path, parts):
    """See that of parts all but the third are read, and that is damage; return its cause."""
    path.write_bytes(b"".join(parts))
    found = read(path)
    assert records_of(found) == ALL[:2] + ALL[3:]
    (damage,) = damage_of(found)
    begin = len(parts[0]) + len(parts[1])
    assert (damage.offset, damage.end) == (begin, begin + len(parts[2]))
    return damage.cause


@pytest.mark.parametrize("way", sorted(WAYS))
@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_headers(name, way, path):
    """A record whose header cannot be trusted is damage, and only that."""
    assert check(path, parts_with(way, record=BAD[name]))


@pytest.mark.parametrize("way", ["gzip", "zstd"])
@pytest.mark.parametrize("length", [10**6, 10**7])
def test_large_records_with_wrong_lengths(length, way, path):
    """A large record, given out before its end was seen, is followed by the damage."""
    assert check(path, parts_with(way, record=made(2, LARGE.block, length=length)))


@pytest.mark.parametrize("way", ["gzip", "zstd"])
def test_a_flipped_bit_anywhere_in_a_member(way, path):
    """A bit that is wrong in a member, its head or its checksum, changes nothing or is found."""
    part = WAYS[way](ALL)[2]
    for at in range(len(part)):
        bad = part[:at] + bytes([part[at] ^ 4]) + part[at + 1 :]
        path.write_bytes(b"".join(parts_with(way, bad)))
        if records_of(read(path)) != ALL:  # as it is where a bit means nothing, such as a time
            assert check(path, parts_with(way, bad))


@pytest.mark.parametrize("way", ["gzip", "zstd"])
def test_a_flipped_bit_in_a_large_member(way, path):
    """A large record that cannot be decompressed to its end is not taken for whole."""
    part = WAYS[way]([LARGE])[0]
    for at in (len(part) // 2, len(part) - 2):
        bad = part[:at] + bytes([part[at] ^ 4]) + part[at + 1 :]
        assert check(path, parts_with(way, bad))


@pytest.mark.parametrize("way", sorted(WAYS))
def test_nonsense_between_records(way, path):
    """What is no record is damage."""
    assert check(path, parts_with(way, b"nonsense\r\n" * 30))
    assert check(path, parts_with(way, b"\0" * 100_000))


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_members_of_nonsense(compress, path):
    """A sound member that holds no record is damage."""
    way = "gzip" if compress is gzip.compress else "zstd"
    assert "no record" in check(path, parts_with(way, compress(b"nonsense\r\n" * 30)))


@pytest.mark.parametrize("way", sorted(WAYS))
def test_truncated_anywhere(way, path):
    """Of a file that ends too early, all records before its end are read."""
    parts = WAYS[way](ALL[:3])
    whole = b"".join(parts)
    before = len(parts[0]) + len(parts[1])
    for end in range(before + 1, len(whole)):
        path.write_bytes(whole[:end])
        found = read(path)
        if way == "plain" and end >= len(whole) - 4:  # all but newlines are there
            assert records_of(found) == ALL[:3]
            continue
        assert records_of(found) == ALL[:2]
        assert [(each.offset, each.end) for each in damage_of(found)] == [(before, end)]


@pytest.mark.parametrize("first", sorted(WAYS))
def test_parts_of_both_kinds(first, path):
    """Records of a file put together from compressed and plain parts are read, from each on."""
    other = "gzip" if first == "plain" else "plain"
    ways = [first, first, other, other, first, other]
    path.write_bytes(b"".join(WAYS[way](ALL)[at] for at, way in enumerate(ways)))
    found = read(path)
    assert records_of(found) == ALL
    assert damage_of(found) == []
    for number, (offset, _) in enumerate(found):
        assert read(path, offset) == found[number:]


def test_damage_in_parts_of_both_kinds(path):
    """A record that is damaged in a part costs no other record of either part."""
    parts = [*gzipped(ALL[:3]), *plain(ALL[3:])]
    for spoilt_one in (1, 2, 4):
        bad = list(parts)
        at = -6 if spoilt_one < 3 else 10
        bad[spoilt_one] = bad[spoilt_one][:at] + b"#" + bad[spoilt_one][at:][1:]
        path.write_bytes(b"".join(bad))
        found = read(path)
        assert records_of(found) == [each for n, each in enumerate(ALL) if n != spoilt_one]
        assert len(damage_of(found)) == 1


@pytest.mark.parametrize("at", [-6, -40])
def test_a_damaged_record_that_holds_a_warc(at, path):
    """What was archived within a record is not taken for records when a bit of that is wrong."""
    inner = b"".join(gzipped(made(number) for number in (7, 8)))
    bad = bytearray(gzip.compress(made(2, inner).bytes + b"\r\n" * 20, compresslevel=0))
    bad[at] ^= 1
    assert check(path, parts_with("gzip", bytes(bad)))


def test_a_file_that_is_cut_while_it_is_read(path):
    """A block that is not there any more is no block that ends, and the reading comes to an end."""
    path.write_bytes(LARGE.bytes + ALL[3].bytes)
    with open_records(path) as reader:
        each = iter(reader)
        block = next(each).block
        os.truncate(path, 100_000)
        with pytest.raises(DamagedRecord):
            while block.read(65536):
                pass
        assert all(isinstance(one, Damage) for one in each)


def test_a_damaged_beginning(path):
    """A file whose very first bytes are damaged is still known by what follows."""
    for way in (plain, gzipped):
        first, *others = way(ALL)
        for bad in (b"nonsense", b"\x1f\x8b\x08\0 nonsense", b""):
            path.write_bytes(bad + first[3:] + b"".join(others))
            found = read(path)
            assert records_of(found) == ALL[1:]
            assert damage_of(found)[0].offset == 0


def test_damage_among_several_records_of_a_member(path):
    """In a member that holds several records, those that are sound are read."""
    several = gzip.compress(ALL[1].bytes + BAD["length too large"].bytes + ALL[3].bytes)
    path.write_bytes(gzipped(ALL)[0] + several + gzipped(ALL)[4])
    found = read(path)
    assert records_of(found) == [ALL[0], ALL[1], ALL[3], ALL[4]]
    assert [each.offset for each in damage_of(found)] == [len(gzipped(ALL)[0])]


def test_damage_of_what_is_compressed_as_a_whole(path, tmp_path):
    """Of one member around everything, what stands before the damage is read."""
    blocks = [bytes(range(number, 256)) * 5 for number in range(50)]
    text = b"".join(plain([made(number, block) for number, block in enumerate(blocks)]))
    whole = gzip.compress(text)
    path.write_bytes(whole[: len(whole) // 2])
    found = read(path)
    assert 5 < len(records_of(found)) < 50
    assert [each.cause for each in damage_of(found)][0] == "the file ends within a gzip member"
    assert [each.offset for each in inflate(path, tmp_path / "b")] == [0]


def proven(number: int) -> object:
    """Return a record that declares the digest of its block, which does not compress."""
    block = random.Random(number).randbytes(700)
    return made(number, block, ("WARC-Block-Digest", f"sha1:{hashlib.sha1(block).hexdigest()}"))


def unproven(number: int) -> object:
    """Return the same without a digest."""
    return made(number, proven(number).block)


@pytest.mark.parametrize("level", [0, 6])
def test_nothing_spoilt_comes_out_of_damaged_compression_around_a_file(level, path, tmp_path):
    """Wherever a bit is wrong, only records that a digest proves are given, each as it was."""
    records = [proven(number) if number % 2 else unproven(number) for number in range(600)]
    whole = gzip.compress(b"".join(plain(records)), level, mtime=0)
    most = 0
    for at in range(500, len(whole), 39_997):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        damage = inflate(path, tmp_path / "b")
        try:
            found = read(path)
        except UnknownFormat:  # its very first record cannot be reached
            continue
        blocks = [each.block for each in records_of(found)]
        assert set(blocks) <= {each.block for each in records[1::2]}
        most = max(most, len(blocks))
        assert damage == damage_of(found)[:1]
        assert damage[0].cause.startswith("not proven: the compression around the file is damaged")
        if blocks:
            assert records_of(read(tmp_path / "b")) == records_of(found)
    assert most >= 200


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_only_what_is_damaged_of_pieces_is_not_proven(compress, path):
    """Of a file in pieces that are not its records, those that no damage touches are read."""
    texts = plain([unproven(number) for number in range(9)])
    pieces = [compress(b"".join(texts[at : at + 3])) for at in (0, 3, 6)]
    pieces[1] = pieces[1][:500] + bytes([pieces[1][500] ^ 255]) + pieces[1][501:-4] + b"oops"
    path.write_bytes(b"".join(pieces))
    numbers = (0, 1, 2, 6, 7, 8)
    found = read(path)
    assert [each.block for each in records_of(found)] == [unproven(n).block for n in numbers]
    assert damage_of(found)


def test_plain_records_behind_what_is_compressed_as_a_whole(path, tmp_path):
    """Plain records after a member that holds several are read, with it and behind it."""
    path.write_bytes(gzip.compress(b"".join(plain(ALL[:3]))) + b"".join(plain(ALL[3:])))
    assert records_of(read(path)) == ALL
    assert inflate(path, tmp_path / "b") == []
    assert (tmp_path / "b").read_bytes() == b"".join(plain(ALL))


def test_memory_is_bounded(path):
    """Neither a record of any size nor a header without end takes memory."""
    bomb = gzip.compress(made(1, b"\0" * 60_000_000).bytes, compresslevel=1)
    endless = gzip.compress(b"WARC/1.0\r\n" + b"X: a\r\n" * 10_000_000, compresslevel=1)
    path.write_bytes(gzipped(ALL)[0] + bomb + endless + gzipped(ALL)[1])
    tracemalloc.start()
    with open_records(path) as reader:
        kinds = [type(each).__name__ for each in reader]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds == ["Record", "Record", "Damage", "Record"]
    assert most < 20_000_000


def test_a_block_that_was_cut_stays_cut(path):
    """Whoever goes on reading a block that is damaged is told so again."""
    path.write_bytes(gzipped([LARGE])[0][:-200])
    with open_records(path) as reader:
        record = next(iter(reader))
        for _ in range(2):
            with pytest.raises(DamagedRecord, match="ends within"):
                while record.block.read(65536):
                    pass


@settings(max_examples=300, deadline=None)
@given(RECORDS, st.sampled_from(sorted(WAYS)), st.data())
def test_any_single_corruption(records, way, data):
    """What is changed, cut, put in or taken out at one place harms nothing else.

    All records that it does not touch are read, in order. Besides these, a plain file may have one
    that is sound, though it is not as it was; where there are checksums, there is none. It may have
    those after it as its block, if just as much was taken out of it as they are long.
    """
    parts = WAYS[way](records)
    spoilt_file, kept = data.draw(spoilt(parts))
    with TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(spoilt_file)
        try:
            found = read(path)
        except UnknownFormat:
            assert not kept or way == "zstd"
            return
    expected = [records[number] for number in kept]
    others = [each for each in records_of(found) if each not in records]
    covered = b"".join(each.block for each in others)
    expected = [each for each in expected if each.bytes.strip() not in covered]
    assert [each for each in records_of(found) if each in expected] == expected
    for each in damage_of(found):
        assert each.offset < each.end <= len(spoilt_file)
    if way == "plain":
        assert len(others) <= 1
    else:
        assert others == []
        is_shorter = len(spoilt_file) < sum(map(len, parts))
        assert records_of(found) == records or damage_of(found) or is_shorter
