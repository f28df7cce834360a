"""Tianwang files, read and written: the same records, and what is sound in files that are not."""

import gzip
import os
import zlib
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from old_formats import HEAD, Read, check_spoilt, everything, page, pages, spoilt, urls

from anet.formats import tianwang
from anet.formats.page import Page
from anet.formats.record import Damage, DamagedRecord
from anet.formats.tianwang import TianwangReader, page_in
from anet.formats.tianwang_writing import record
from anet.formats.warc_writing import CannotWrite


def written(one: Page, *, compress: bool = False) -> bytes:
    """Return the record of a page."""
    return b"".join(record(one, compress=compress))


def file_of(some: list[Page], *, compress: bool) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a file, and where the record of each page lies in it."""
    records = [written(one, compress=compress) for one in some]
    return b"".join(records), list(pairwise(accumulate(map(len, records), initial=0)))


def read(path: Path, data: bytes) -> list:
    """Return what is read of a file that holds some bytes."""
    path.write_bytes(data)
    return everything(TianwangReader(path))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the files of examples lie."""
    return tmp_path_factory.mktemp("tianwang") / "a.tianwang"


@given(pages(written), st.booleans())
def test_what_is_written_is_read(path, some, compress):
    """Any pages come back as they were, compressed or not, also from the offset of each."""
    data, places = file_of(some, compress=compress)
    expected = [
        Read(one.url, one.head + one.body, place[0], True)
        for one, place in zip(some, places, strict=True)
    ]
    assert read(path, data) == expected
    assert tianwang.looks_like(data)
    for each, (begin, end) in zip(some, places, strict=True):
        with TianwangReader(path, begin) as reader:
            assert next(iter(reader)).get("Tianwang-url") == each.url
        found = page_in(data[begin:end], 10**6)
        assert (found.url, found.date, found.head, found.body, found.address) == (
            each.url, each.date, each.head, each.body, each.address,
        )  # fmt: skip


@given(st.data(), pages(written), st.booleans())
def test_what_is_sound_in_a_spoilt_file_is_found(path, data, some, compress):
    """Records outside of the spoilt part are found, and no others are made up."""
    whole, places = file_of(some, compress=compress)
    file = data.draw(spoilt(whole, places[0][0]))
    check_spoilt(file, places, some, read(path, file.data))


# As the crawler of Web InfoMall wrote it, and as the paper shows it.
_RECORD = (
    b"version: 1.0\n"
    b"url: http://www.pku.edu.cn/\n"
    b"origin: http://www.somewhere.cn/\n"
    b"date: Tue, 15 Apr 2003 08:13:06 GMT\n"
    b"ip: 162.105.129.12\n"
    b"length: 25\n"
    b"\n"
    b"HTTP/1.1 200 OK\r\n\r\n<html>\n"
)


def test_the_example_of_the_paper(path):
    """A record as the paper has it is read, with all attributes."""
    path.write_bytes(_RECORD)
    with TianwangReader(path) as reader:
        (record,) = reader
        assert record.block.read(100) == b"HTTP/1.1 200 OK\r\n\r\n<html>"
    assert (record.version, record.kind, record.size) == ("Tianwang/1.0", "response", 25)
    assert record.fields == (
        ("WARC-Type", "response"),
        ("Content-Type", "application/http;msgtype=response"),
        ("Content-Length", "25"),
        ("WARC-Target-URI", "http://www.pku.edu.cn/"),
        ("WARC-Date", "2003-04-15T08:13:06Z"),
        ("WARC-IP-Address", "162.105.129.12"),
        ("Tianwang-version", "1.0"),
        ("Tianwang-url", "http://www.pku.edu.cn/"),
        ("Tianwang-origin", "http://www.somewhere.cn/"),
        ("Tianwang-date", "Tue, 15 Apr 2003 08:13:06 GMT"),
        ("Tianwang-ip", "162.105.129.12"),
        ("Tianwang-length", "25"),
    )


def test_what_is_written_is_as_readers_of_the_collections_expect_it():
    """Attributes are in the order of the collections, and data are zlib's, of head and body."""
    data = written(page(7, b"<html>", origin="http://b/"), compress=True)
    head, _, rest = data.partition(b"\n\n")
    size = len(HEAD) + 6
    assert head.decode().splitlines() == [
        "version: 1.0",
        "url: http://example.org/7",
        "origin: http://b/",
        "date: Sat, 01 May 2004 12:00:00 GMT",
        "ip: 162.105.129.12",
        f"unzip-length: {size}",
        f"length: {len(rest) - 1}",
    ]
    assert zlib.decompress(rest[:-1]) == HEAD + b"<html>"
    assert rest[-1:] == b"\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\n", b"\r\n"),  # lines of Windows
        (b"ip: 162.105.129.12\n", b""),
        (b"ip:", b"proxy: a\nip:"),  # an attribute of later versions
        (b"1.0", b"1.1"),
        (b": ", b":"),
    ],
)
def test_headers_that_are_read(path, before, after):
    """What does not disturb the meaning is taken."""
    head, _, data = _RECORD.partition(b"\n\n")
    found = read(path, (head + b"\n\n").replace(before, after) + data)
    assert [each.block for each in found] == [b"HTTP/1.1 200 OK\r\n\r\n<html>"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"version: 1.0\n", b""),
        (b"version: 1.0\n", b"version: 2.0\n"),
        (b"version: 1.0\n", b"version: 1.0\nversion: 1.0\n"),
        (b"url: http://www.pku.edu.cn/\n", b""),
        (b"date: Tue, 15 Apr 2003 08:13:06 GMT\n", b""),
        (b"length: 25\n", b"length: 25\nip: 1\n"),
        (b"length: 25\n", b"length: 25\nlength: x\n"),
        (b"length: 25", b"length: -25"),
        (b"length: 25", b"unzip-length: x\nlength: 25"),
        (b"url:", b"Url:"),
        (b"origin:", b"b" * 17_000 + b":"),
        (b"origin:", b"".join(b"a%d: b\n" % number for number in range(99)) + b"origin:"),
    ],
)
def test_headers_that_are_none(before, after):
    """What the format forbids is no header."""
    assert not tianwang.looks_like(_RECORD.replace(before, after))


def some_pages(count: int) -> bytes:
    """Return the records of pages of different sizes."""
    return b"".join(written(page(number, b"x" * 30 * number)) for number in range(count))


@pytest.mark.parametrize("left", [1, 2, 3, 4])
def test_fewer_than_three_records_before_the_end_of_the_file(path, left):
    """After damage one record, or two, are believed if the last ends with the file."""
    data = some_pages(left + 2)
    spoilt = data.replace(b"http://example.org/1\n", b"\n")
    found = read(path, spoilt)
    assert urls(found) == ["0", *map(str, range(2, left + 2))]


@pytest.mark.parametrize(("left", "believed"), [(1, 0), (2, 0), (3, 3), (4, 4)])
def test_fewer_than_three_records_before_more_damage(path, left, believed):
    """After damage one record, or two, are not believed if more damage follows."""
    spoilt = some_pages(left + 2).replace(b"http://example.org/1\n", b"\n") + b"remnants"
    assert len(urls(read(path, spoilt))) == 1 + believed


def test_one_newline_at_most_may_be_missing_at_the_end(path):
    """A record whose last newline is cut off is whole; one that is cut before is not."""
    data = some_pages(2)
    assert urls(read(path, data[:-1])) == ["0", "1"]
    assert urls(read(path, data[:-2])) == ["0"]


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda data: data.replace(b"unzip-length: 6", b"unzip-length: 7"), "less"),
        (lambda data: data.replace(b"unzip-length: 6", b"unzip-length: 5"), "more"),
        (lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:], "damaged"),
    ],
)
def test_compressed_data_that_are_not_what_they_should_be(path, spoil, cause):
    """What cannot be inflated, or is of another size, is not given as whole; the next one is."""
    one = Page("http://a/1", "20040501120000", b"", b"abcdef")
    data = spoil(written(one, compress=True)) + some_pages(1)
    found = read(path, data)
    assert urls(found) == ["0"]
    (told,) = [each for each in found if isinstance(each, Damage)]
    assert told.offset == 0
    assert cause in told.cause


def test_data_that_claim_to_be_huge(path):
    """A page is not read into memory when it would be larger than allowed."""
    data = written(page(1), compress=True).replace(b"unzip-length: ", b"unzip-length: 9999999")
    with pytest.raises(DamagedRecord, match="more than are read at once"):
        page_in(data, 1000)


def test_bodies_in_files(path):
    """A body that lies in a file is written as its bytes would be."""
    for compress in (True, False):
        large = b"0123456789" * 300_000
        in_file = page(1, BytesIO(large))
        assert written(in_file, compress=compress) == written(page(1, large), compress=compress)


@pytest.mark.parametrize(
    "one",
    [
        Page("", "20040501120000", b"", b""),
        Page("http://a/\nlength: 0", "20040501120000", b"", b""),
        Page("http://a/", "200405", b"", b""),
        Page("http://a/", "20040532000000", b"", b""),
        Page("http://a/", "20040501120000", b"", b"", origin="\n"),
    ],
)
def test_pages_that_cannot_be_said(one):
    """What would break out of its line, or is no date, is refused."""
    with pytest.raises(CannotWrite):
        written(one)


def test_gzip_around_a_whole_file(path):
    """A file that somebody compressed as a whole is read, but not from the offset of a record."""
    path.write_bytes(gzip.compress(some_pages(3)))
    assert not TianwangReader(path).seekable
    assert urls(everything(TianwangReader(path))) == ["0", "1", "2"]


def test_damage_of_gzip_around_a_file(path):
    """Damaged members around records are told, nothing of them is given, the next is read."""
    members = [gzip.compress(some_pages(3), mtime=0), gzip.compress(written(page(7)), mtime=0)]
    bad = bytearray(members[0])
    bad[-6] ^= 1
    path.write_bytes(bytes(bad) + members[1])
    found = everything(TianwangReader(path))
    assert urls(found) == ["7"]
    first = next(each for each in found if isinstance(each, Damage))
    assert (first.offset, first.end) == (0, len(members[0]))
    assert first.cause.startswith("not proven")
    path.write_bytes(members[1] + bytes(bad)[:-3])
    found = everything(TianwangReader(path))
    assert "7" in urls(found)
    assert any("ends within" in each.cause for each in found if isinstance(each, Damage))


def test_a_file_that_is_cut_while_it_is_read(path):
    """A block of which a part is not there any more is damaged, and not short."""
    path.write_bytes(written(page(1, b"a" * 500_000)))
    with TianwangReader(path) as reader:
        block = next(iter(reader)).block
        os.truncate(path, 200_000)
        with pytest.raises(DamagedRecord, match="cut while it was read"):
            while block.read(65536):
                pass
