"""What a file holds is told by its bytes, and all its records are read."""

import gzip
import io
import struct
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from backports import zstd
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType
from hypothesis import given, settings
from hypothesis import strategies as st
from warc_files import RECORDS, SAMPLES, WAYS, damage_of, gzipped, made, plain, read, records_of
from warcio.archiveiterator import ArchiveIterator

from anet.formats.digests import verified
from anet.formats.reading import UnknownFormat, inflate, open_records
from anet.formats.record import Damage

GOOD = {
    "example.warc.gz": {"warcinfo": 1, "response": 2, "request": 2, "revisit": 1},
    "example-wget-1-14.warc.gz": {"warcinfo": 1, "request": 1, "response": 1, "resource": 3},
    "example-wpull.warc.gz": {"warcinfo": 1, "request": 1, "response": 1, "resource": 1},
    "dupes.warc.gz": {"warcinfo": 1, "response": 3, "request": 12, "revisit": 9},
    "example-url-agnostic-orig.warc.gz": {"warcinfo": 1, "response": 1},
    "example-url-agnostic-revisit.warc.gz": {"warcinfo": 1, "revisit": 1},
    "example-extra.warc": {"response": 2, "request": 2, "revisit": 2},
    "httpbin-resource.warc.gz": {"resource": 1},
    "post-test.warc.gz": {"response": 3, "request": 3},
    "missing-status-text.warc": {"response": 1},
    "at.warc": {"warcinfo": 1, "request": 2, "response": 2, "resource": 3},
    "at.warc.gz": {"warcinfo": 1, "request": 2, "response": 2, "resource": 3},
    "bad_http_chunked_content.warc": {"response": 1},
    "long_url.warc": {"response": 1},
    "not_utf8_http_header.warc": {"response": 1},
    "wget.warc": {"warcinfo": 1, "request": 5, "response": 5, "metadata": 1, "resource": 2},
    "wget.warc.gz": {"warcinfo": 1, "request": 6, "response": 5, "metadata": 1, "resource": 2},
    "wget-again.warc.gz": {
        "warcinfo": 1,
        "request": 5,
        "revisit": 4,
        "response": 1,
        "metadata": 1,
        "resource": 2,
    },
}
RECORD = made(7, b"of several in a file")


def by_warcio(path: Path) -> list[tuple[str, int, bytes]]:
    """Return kind, offset and block of records, as warcio reads them."""
    with path.open("rb") as file:
        records = ArchiveIterator(file, no_record_parse=True)
        found = []
        for each in records:
            block = each.raw_stream.read()  # before the offset is asked for, which skips it
            found.append((each.rec_type, records.get_record_offset(), block))
        return found


@pytest.mark.parametrize("name", sorted(GOOD))
def test_samples_of_the_field(name):
    """Sound files made by others are read record for record as warcio reads them."""
    found = read(SAMPLES / name)
    assert damage_of(found) == []
    kinds = [dict(each.fields)["WARC-Type"] for _, each in found]
    assert Counter(kinds) == GOOD[name]
    ours = [(kind, offset, each.block) for kind, (offset, each) in zip(kinds, found, strict=True)]
    assert ours == by_warcio(SAMPLES / name)


@pytest.mark.parametrize("name", ["example-wget-1-14.warc.gz", "wget.warc", "wget-again.warc.gz"])
def test_digests_of_samples(name):
    """Digests that wget wrote hold, those of its revisits aside."""
    with open_records(SAMPLES / name) as reader:
        for each in verified(reader):
            assert not isinstance(each, Damage)
            while each.block.read(1000):
                pass


def test_a_length_that_is_too_small(tmp_path):
    """Of a sample with a wrong length, that record alone is damage."""
    found = read(SAMPLES / "example.warc")
    assert [(each.offset, each.end) for each in damage_of(found)] == [(4061, 4771)]
    kinds = [dict(each.fields)["WARC-Type"] for each in records_of(found)]
    assert kinds == ["warcinfo", "response", "request", "revisit", "response"][: len(kinds)]
    assert len(kinds) == 5


def test_arc():
    """An ARC file is read as one, plain and with gzip, whatever it is called."""
    for name in ("example.arc", "example.arc.gz"):
        with open_records(SAMPLES / name) as reader:
            assert [each.kind for each in reader] == ["warcinfo", "response"]


@pytest.mark.parametrize("name", sorted(WAYS))
def test_begins_at_any_record(name, tmp_path):
    """A reader that is started at the offset of a record reads that and all after it."""
    path = tmp_path / "a"
    path.write_bytes(b"".join(WAYS[name]([made(number) for number in range(5)])))
    whole = read(path)
    assert len(whole) == 5
    for number, (offset, _) in enumerate(whole):
        assert read(path, offset) == whole[number:]
    with open_records(path) as reader:
        assert reader.seekable


@pytest.mark.parametrize("version", ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"])
@pytest.mark.parametrize("way", sorted(WAYS))
def test_versions(version, way, tmp_path):
    """All versions of WARC are read in all compressions."""
    records = [made(number, version=version) for number in range(3)]
    path = tmp_path / "a"
    path.write_bytes(b"".join(WAYS[way](records)))
    assert records_of(read(path)) == records


@pytest.mark.parametrize("is_compressed", [False, True])
def test_zstd_with_a_dictionary(is_compressed, tmp_path):
    """The dictionary with which a file begins, itself compressed or not, is used for all frames."""
    records = [made(number) for number in range(300)]
    dictionary = zstd.train_dict([each.bytes for each in records], 2000)
    content = dictionary.dict_content
    if is_compressed:
        content = zstd.compress(content)
    frames = [zstd.compress(each.bytes, zstd_dict=dictionary) for each in records]
    skipped = b"\x51\x2a\x4d\x18" + struct.pack("<I", 3) + b"any"
    path = tmp_path / "a"
    head = b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(content)) + content
    path.write_bytes(head + frames[0] + skipped + b"".join(frames[1:]))
    found = read(path)
    assert records_of(found) == records
    assert read(path, found[200][0]) == found[200:]


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_compressed_as_a_whole(compress, tmp_path):
    """A file with one member around everything is not seekable, and is read, inflated or not."""
    records = [made(number) for number in range(9)]
    path, target = tmp_path / "a", tmp_path / "b"
    path.write_bytes(compress(b"".join(plain(records))))
    with open_records(path) as reader:
        assert not reader.seekable
    assert records_of(read(path)) == records
    assert inflate(path, target) == []
    assert target.read_bytes() == b"".join(plain(records))


def test_members_that_are_no_records(tmp_path):
    """Records that lie across gzip members are read, too."""
    text = b"".join(plain([made(number) for number in range(9)]))
    path = tmp_path / "a"
    pieces = [text[at : at + 100] for at in range(0, len(text), 100)]
    path.write_bytes(b"".join(gzip.compress(piece) for piece in pieces))
    assert records_of(read(path)) == [made(number) for number in range(9)]


def test_some_members_with_several_records(tmp_path):
    """Members that hold several records, small or large, do not disturb those that hold one."""
    large = made(3, bytes(range(256)) * 4000)
    several = [RECORD.bytes * 3, RECORD.bytes + large.bytes + RECORD.bytes, large.bytes * 2]
    records = [RECORD] * 5 + [large, RECORD, large, large, RECORD]
    path = tmp_path / "a"
    members = [RECORD.bytes, *several, RECORD.bytes]
    path.write_bytes(b"".join(gzip.compress(each) for each in members))
    assert records_of(read(path)) == records


def test_empty_members_and_newlines_between(tmp_path):
    """Members that hold nothing, and newlines too many or too few, are no damage."""
    path = tmp_path / "a"
    empty = gzip.compress(b"")
    path.write_bytes(empty.join(gzipped([RECORD, RECORD])) + empty)
    assert read(path)[1:] == [(len(gzipped([RECORD])[0]) + len(empty), RECORD)]
    for between in (b"", b"\r\n", b"\n\n", b"\r\n" * 50):
        path.write_bytes(between.join([RECORD.bytes[:-4]] * 3))
        assert records_of(read(path)) == [RECORD] * 3


def test_a_large_record_is_a_stream(tmp_path):
    """A record that does not fit into the readers' buffers is read in pieces of any size."""
    large = made(1, bytes(range(256)) * 8000)
    for way in WAYS.values():
        path = tmp_path / "a"
        path.write_bytes(b"".join(way([RECORD, large, RECORD])))
        assert records_of(read(path, size=777)) == [RECORD, large, RECORD]


def test_blocks_may_be_passed_over(tmp_path):
    """Records are found whether or not those before them are read."""
    large = made(1, bytes(range(256)) * 8000)
    for way in WAYS.values():
        path = tmp_path / "a"
        path.write_bytes(b"".join(way([RECORD, large, RECORD])))
        with open_records(path) as reader:
            assert [each.size for each in reader] == [20, 2_048_000, 20]


@pytest.mark.parametrize("data", [b"", b"hello", b"\x1f\x8b\x08", b"PK\3\4", gzip.compress(b"a")])
def test_unknown_formats(data, tmp_path):
    """What is no file of a web archive is refused, and says so."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    with pytest.raises(UnknownFormat, match="^begins with" if data else "^is empty: no WARC"):
        open_records(path)


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.sampled_from(sorted(WAYS)))
def test_what_is_written_is_read(records, way):
    """Any records are read as they were written, in order, where they lie."""
    parts = WAYS[way](records)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(b"".join(parts))
        found = read(path)
    assert found == [
        (sum(map(len, parts[:number])), record) for number, record in enumerate(records)
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=5))
def test_what_fastwarc_writes_is_read(blocks):
    """Records that another library writes are read as that library has them."""
    file = io.BytesIO()
    expected = []
    for block in blocks:
        record = WarcRecord()
        record.init_headers(WarcRecordType.resource, content_length=len(block))
        record.set_bytes_content(block)
        with GzipWriter(file) as stream:
            record.write(stream)
        expected.append((record.record_id, block))
    with TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(file.getvalue())
        found = records_of(read(path))
    assert [(dict(each.fields)["WARC-Record-ID"], each.block) for each in found] == expected
