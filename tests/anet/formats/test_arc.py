"""ARC files, read and written: the same records, and what is sound in files that are not."""

import gzip
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from old_formats import (
    DATE,
    HEAD,
    Read,
    check_spoilt,
    damage,
    everything,
    page,
    pages,
    spoilt,
    urls,
)

from anet.formats import arc
from anet.formats.arc import ArcReader
from anet.formats.arc_writing import again, record, version_block
from anet.formats.compressing import GZIP, PLAIN
from anet.formats.page import Page
from anet.formats.warc_writing import CannotWrite

ENCODINGS = st.sampled_from([PLAIN, GZIP])
VERSIONS = st.sampled_from([1, 2])


def written(one: Page, encoding=PLAIN, version: int = 1) -> bytes:
    """Return the record of a page."""
    return b"".join(record(one, encoding, version))


def file_of(some: list[Page], encoding=PLAIN, version: int = 1) -> tuple[bytes, list]:
    """Return a file, and where the record of each page lies in it."""
    first = b"".join(version_block("a.arc", DATE, encoding, version))
    records = [written(one, encoding, version) for one in some]
    ends = accumulate((len(each) for each in records), initial=len(first))
    return first + b"".join(records), list(pairwise(ends))


def read(path: Path, data: bytes) -> list:
    """Return what is read of a file that holds some bytes."""
    path.write_bytes(data)
    return everything(ArcReader(path))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the files of examples lie."""
    return tmp_path_factory.mktemp("arc") / "a.arc"


@given(pages(written), ENCODINGS, VERSIONS)
def test_what_is_written_is_read(path, some, encoding, version):
    """Any pages come back as they were, from plain and compressed files of both versions."""
    data, places = file_of(some, encoding, version)
    expected = [
        Read(one.url, one.head + one.body, place[0], True)
        for one, place in zip(some, places, strict=True)
    ]
    assert read(path, data) == expected
    assert arc.looks_like(gzip.decompress(data) if encoding is GZIP else data)


@given(pages(written), ENCODINGS, VERSIONS)
def test_records_are_written_again(path, some, encoding, version):
    """What was read is written again byte for byte, and read from the offset of any record."""
    data, _ = file_of(some, encoding, version)
    path.write_bytes(data)
    with ArcReader(path) as reader:
        assert reader.seekable
        parts = []
        for each in reader:
            block = each.block.read(10**6)
            parts.append(b"".join(again(each.fields, [block], len(block), encoding)))
            with ArcReader(path, each.offset) as other:
                first = next(iter(other))
                assert (first, first.block.read(10**6)) == (each, block)
    assert b"".join(parts) == data


@given(st.data(), pages(written), ENCODINGS, VERSIONS)
def test_what_is_sound_in_a_spoilt_file_is_found(path, data, some, encoding, version):
    """Records outside of the spoilt part are found, and no others are made up."""
    whole, places = file_of(some, encoding, version)
    file = data.draw(spoilt(whole, places[0][0]))
    check_spoilt(file, places, some, read(path, file.data))


# As the format's description has it (Burner and Kahle, 1996), whose lengths count a newline more.
_DESCRIBED = (
    b"filedesc://IA-001102.arc 0 19960923142103 text/plain 76\n"
    b"1 0 Alexa Internet\n"
    b"URL IP-address Archive-date Content-type Archive-length\n"
    b"\n"
    b"http://www.dryswamp.edu:80/index.html 127.10.100.2 19961104142103 text/html 30\n"
    b"HTTP/1.0 200 Document follows\n"
    b"\n"
)
_LINES = b"1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
_PAGE = b"http://a/ 1.2.3.4 20060203105422 text/html 19\nHTTP/1.0 200 OK\r\n\r\n"


@pytest.mark.parametrize("length", [75, 76, 77])
@pytest.mark.parametrize("newlines", [0, 1, 2, 3])
def test_version_blocks_count_their_newlines_differently(path, length, newlines):
    """Whether newlines after the version block are in its length or not, the page is found."""
    about = b"filedesc://a.arc 0.0.0.0 20060203105422 text/plain %d\n" % length
    if length > len(_LINES) + newlines:
        pytest.skip("the length would be wrong")
    assert [each.url for each in read(path, about + _LINES + b"\n" * newlines + _PAGE)] == [
        "http://a/"
    ]


def test_the_first_description_of_the_format(path):
    """The example of 1996 is read, with its version block kept."""
    path.write_bytes(_DESCRIBED)
    with ArcReader(path) as reader:
        first, second = reader
        assert (first.kind, first.get("WARC-Filename")) == ("warcinfo", "IA-001102.arc")
        assert first.block.read(100).startswith(b"1 0 Alexa Internet\nURL")
    assert (second.kind, second.version) == ("response", "ARC/1")
    assert second.get("WARC-Target-URI") == "http://www.dryswamp.edu:80/index.html"
    assert second.get("WARC-Date") == "1996-11-04T14:21:03Z"
    assert second.get("WARC-IP-Address") == "127.10.100.2"
    assert second.get("Arc-Content-Type") == "text/html"


@pytest.mark.parametrize(
    ("line", "url", "media_type"),
    [
        ("http://a/b c?d= e 1.2.3.4 20040925001013 text/html 0", "http://a/b c?d= e", "text/html"),
        ("http://a/ 1.2.3.4 20040925001013 text/html, a/b 0", "http://a/", "text/html, a/b"),
        ("http://a/ 1.2.3.4 20040925001013 a/b; charset=x 0", "http://a/", "a/b; charset=x"),
        ("http://a/ 1.2.3.4 20040925001013 0", "http://a/", "application/octet-stream"),
        ("http://a/  1.2.3.4  20040925001013  text/html  0", "http://a/", "text/html"),
        ("http://a/ - 20040925001013 text/html 0", "http://a/", "text/html"),
        ("http://a/ ::1 20040925001013 text/html 0", "http://a/", "text/html"),
        ("http://a/ 1.2.3.4 20040925001013 a/b 200 abc - 209 a.arc 0", "http://a/", "a/b"),
        ("http://a/ö 1.2.3.4 20040925001013 text/html 0\r", "http://a/ö", "text/html"),
    ],
)  # fmt: skip
def test_lines_as_crawlers_wrote_them(path, line, url, media_type):
    """Spaces in URLs and media types, fields that are missing, and version 2 are understood."""
    path.write_bytes(line.encode() + b"\n\n")
    with ArcReader(path) as reader:
        (record,) = reader
    assert (record.get("WARC-Target-URI"), record.get("Content-Type")) == (url, media_type)
    assert record.get("Arc-Line") == line.encode().decode("latin-1")
    assert record.get("WARC-Date") == "2004-09-25T00:10:13Z"


@pytest.mark.parametrize(
    "line",
    [
        "http://a/ 1.2.3.4 2004092500101 text/html 0",
        "http://a/ 1.2.3.4 20040925001013 text/html",
        "http://a/ 1.2.3.4 20040925001013 text/html -1",
        "http://a/ one 20040925001013 text/html 1",
        "a line of text with 5",
        "http://a/" + " " * 90_000 + "1",
        "http://a/ " + "1.2.3.4 20040925001013 " * 4_000 + "x 1x",
    ],
)
def test_lines_that_are_none(line):
    """What lacks a part is no URL record; and to find that out does not take long."""
    assert not arc.looks_like(line.encode() + b"\n")


def test_kinds_of_records(path):
    """What is no page of HTTP does not pass for one."""
    path.write_bytes(
        b"dns:a.org 1.2.3.4 20060203105422 text/dns 14\n20060203105422\n"
        b"http://a/ 1.2.3.4 19991010131803 text/html 16\nDELETED_TIME=200\n"
        b"http://a/ 1.2.3.4 19991010131803 text/html 6\n<html>\n"
        b"http://a/ 1.2.3.4 20010430000202 alexa/dat 9\nt A title\n"
        b"metadata://n.dk/a?b=1 1.2.3.4 20080602165804 text/plain 1\n8\n"
        b"http://a/ 1.2.3.4 20043030000000 text/html 0\n\n"
    )
    with ArcReader(path) as reader:
        records = list(reader)
    assert [each.kind for each in records] == [
        "response", "metadata", "resource", "metadata", "resource", "resource",
    ]  # fmt: skip
    assert [each.get("Content-Type") for each in records[:4]] == [
        "text/dns", "text/plain", "text/html", "alexa/dat",
    ]  # fmt: skip
    assert records[-1].get("WARC-Date", "none") == "none"


def some_pages(count: int) -> list[Page]:
    """Return pages of different sizes."""
    return [page(number, b"x" * 30 * number) for number in range(count)]


def test_a_file_that_was_cut(path):
    """The record in which a file ends is given as far as it goes, and its end is damage."""
    data, places = file_of(some_pages(3))
    found = read(path, data[:-10])
    assert [each.whole for each in found[:3]] == [True, True, False]
    assert found[2].block == (HEAD + b"x" * 60)[:-9]
    assert damage(found) == [(places[2][0], len(data) - 10)]
    assert found[3].cause == "111 of the 120 bytes of the block are there"


@pytest.mark.parametrize("wrong", [b" 999999\n", b" 93\n", b" 200\n"])
def test_a_length_that_is_too_great(path, wrong):
    """Records that a wrong length covers are found; the record itself is not given as whole."""
    data, places = file_of(some_pages(6))
    data = data.replace(b"text/html 90\n", b"text/html" + wrong)
    found = read(path, data)
    assert urls(found) == list("02345")
    assert len(damage(found)) == 1
    assert damage(found)[0][0] == places[1][0]


def test_a_length_that_is_too_small(path):
    """What follows a record whose length is too small is damage, and the next one is found."""
    data, places = file_of(some_pages(6))
    found = read(path, data.replace(b"text/html 90\n", b"text/html 70\n"))
    assert urls(found) == list("02345")
    assert damage(found) == [(places[1][0], places[2][0])]


def test_fewer_than_three_records_between_damage(path):
    """Two records between two damaged parts are not believed; three are, and two at the end."""
    data, places = file_of(some_pages(9))
    spoil = bytearray(data)
    for number in (1, 4):
        begin = places[number][0]
        spoil[begin : begin + 20] = bytes(20)
    found = read(path, bytes(spoil))
    assert urls(found) == list("05678")
    spoil[places[4][0] : places[4][0] + 20] = data[places[4][0] : places[4][0] + 20]
    begin = places[6][0]
    spoil[begin : begin + 20] = bytes(20)
    found = read(path, bytes(spoil))
    assert urls(found) == list("0234578")


def test_gzip_members_of_nonsense(path):
    """Members that are damaged, or hold something else, are damage; others are read."""
    good, places = file_of(some_pages(4), GZIP)
    cut = [good[begin:end] for begin, end in places]
    broken = bytearray(cut[1])
    broken[-6] ^= 1  # of the checksum
    found = read(path, cut[0] + bytes(broken) + gzip.compress(b"nonsense") + cut[2] + b"junk")
    assert urls(found) == list("02")
    assert [begin for begin, _ in damage(found)] == [len(cut[0]), path.stat().st_size - 4]


@pytest.mark.parametrize("size", [10, 300_000, 262_144 - 200, 5_000_000])
def test_a_wrong_checksum_is_seen_before_a_record_is_whole(path, size):
    """However large a record is, its last bytes are given only if all of them were right."""
    good = written(page(1, bytes(size)), GZIP)
    assert urls(read(path, good)) == ["1"]
    found = read(path, good[:-8] + bytes(4) + good[-4:])
    assert urls(found) == []
    assert damage(found) == [(0, len(good))]


def test_several_records_in_one_member(path):
    """A file that is one gzip member is read, but not from the offset of a record."""
    data, _ = file_of(some_pages(4))
    path.write_bytes(gzip.compress(data))
    assert not ArcReader(path).seekable
    assert [each.url[-1] for each in everything(ArcReader(path))] == list("0123")


def test_a_damaged_record_that_holds_an_arc(path):
    """What was archived within a record is not taken for records when a bit of that is wrong."""
    good, _ = file_of(some_pages(3), GZIP)
    outer = bytearray(gzip.compress(written(page(9, good)), compresslevel=0))
    outer[-20] ^= 1
    found = read(path, good + bytes(outer) + good)
    assert urls(found) == list("012012")
    assert damage(found) == [(len(good), len(good) + len(outer))]


def test_lengths_that_lie_in_a_member(path):
    """A length that is greater or smaller than its gzip member is damage of that record only."""
    good, _ = file_of(some_pages(2), GZIP)
    line = b"http://a/ 1.2.3.4 20060203105422 text/html %d\n0123456789\n"
    found = read(path, gzip.compress(line % 50) + gzip.compress(line % 5) + good)
    assert urls(found) == list("01")
    assert len(damage(found)) == 2


@pytest.mark.parametrize(
    "one",
    [
        Page("http://a/b c", DATE, b"", b""),
        Page("http://a/\n", DATE, b"", b""),
        Page("http://a/", "2004", b"", b""),
        Page("http://a/" + "b" * 200_000, DATE, b"", b""),
        Page("http://a/", DATE, b"", b"", address="1 2"),
    ],
)
def test_pages_that_cannot_be_said(one):
    """What would break out of its line is refused."""
    with pytest.raises(CannotWrite):
        record(one)


def test_what_was_not_read_from_an_arc_is_not_written_again():
    """Records of other formats have no line."""
    with pytest.raises(CannotWrite):
        again((("WARC-Type", "response"),), [b""], 0)
