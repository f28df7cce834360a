"""DAT files: the Internet Archive's own example, and others like it."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.formats import arc
from anet.formats.arc import ArcReader
from anet.formats.arc_writing import again
from anet.formats.compressing import PLAIN
from anet.formats.dat import LINKS, Line, arc_offset, lines

# The example of the description (archive.org/web/researcher/dat_file_format.php), shortened.
_BLOCK = (
    b"m text/html\n"
    b"s 200\n"
    b"c 231c5e9719117bf12573d09f47af35ca\n"
    b"k 780087daf569cd25c39a817c1bb30866\n"
    b"v 296101\n"
    b"V 84348\n"
    b"n 9015\n"
    b"t SCARCNet Daily Bulletin - 11/17/97\n"
    b"l www.kickbutt.org/news/index.html\n"
    b"l www.kickbutt.org/index.html\n"
)
_URL = "http://www.kickbutt.org:80/news/scarchives/9711-nov/111797.html"


@pytest.mark.parametrize("address", ["216.162.192.4 ", ""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_example_of_the_description(tmp_path, address, pack):
    """A record is metadata of the page of its URL and date, and can be written as it was."""
    line = f"{_URL} {address}20010430000202 alexa/dat {len(_BLOCK)}\n".encode()
    data = line + _BLOCK + b"\n"
    assert arc.looks_like(data)
    path = tmp_path / "a.dat"
    path.write_bytes(pack(data) + pack(data))
    with ArcReader(path) as reader:
        blocks = [(each, each.block.read(1000)) for each in reader]
    record, block = blocks[0]
    assert len(blocks) == 2
    assert block == _BLOCK
    assert (record.kind, record.get("Content-Type")) == ("metadata", "alexa/dat")
    assert record.get("WARC-Target-URI") == _URL
    assert record.get("WARC-Date") == "2001-04-30T00:02:02Z"
    assert record.get("WARC-IP-Address") == address.strip()
    assert b"".join(again(record.fields, [block], len(block), PLAIN)) == data


def test_what_a_block_says():
    """Lines are told apart by their letters, links among them, and the place in the ARC file."""
    said = list(lines(_BLOCK + b"Q a letter of later times\n"))
    assert said[0] == Line("m", "text/html")
    assert said[-1] == Line("Q", "a letter of later times")
    links = [each.value for each in said if each.letter in LINKS]
    assert links == ["www.kickbutt.org/news/index.html", "www.kickbutt.org/index.html"]
    assert arc_offset(_BLOCK) == 296101
    assert arc_offset(b"t no offset\n") is None
    assert arc_offset(b"v -1\n") is None


@given(st.lists(st.tuples(st.sampled_from("mlvQ"), st.text("ab =\xff"))))
def test_lines_are_read_as_they_were_written(said):
    """Any letters and values come back."""
    block = "".join(f"{letter} {value}\n" for letter, value in said).encode("latin-1")
    assert [(each.letter, each.value) for each in lines(block)] == said


@given(st.binary())
def test_any_block(block):
    """A block of anything has lines, or none."""
    list(lines(block))
    arc_offset(block)
