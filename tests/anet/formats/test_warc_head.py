"""Headers of WARC records are read as they are written, or not at all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.formats.warc_head import (
    MOST_HEADER,
    BadHeader,
    HeaderCut,
    _any_header,
    _plain_header,
    parse_header,
)

HEADER = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Concurrent-To: <urn:a>\r\n"
    b"warc-concurrent-to: <urn:b>\r\nContent-Length: 12\r\n\r\n"
)
FIELDS = (
    ("WARC-Type", "response"),
    ("WARC-Concurrent-To", "<urn:a>"),
    ("warc-concurrent-to", "<urn:b>"),
    ("Content-Length", "12"),
)


def test_a_header():
    """Version, type, fields in order with their case, its own length and that of the block."""
    header = parse_header(HEADER + b"block")
    assert header == ("WARC/1.0", "response", FIELDS, len(HEADER), 12)


@pytest.mark.parametrize("end", [b"\n", b"\r\r\n"])
def test_other_line_ends(end):
    """Lines that end in a line feed, or in two carriage returns, are lines."""
    data = HEADER.replace(b"\r\n", end)
    header = parse_header(data + b"a\r\n\r\n")
    assert (header.fields, header.length) == (FIELDS, len(data))


def test_folded_lines_and_white_space():
    """A line that begins with white space goes on with the one before."""
    data = b"WARC/0.18\r\nWARC-Type:resource  \r\nX: a\r\n  b\r\n\tc\r\nContent-Length:\t0\r\n\r\n"
    assert parse_header(data).fields == (
        ("WARC-Type", "resource"),
        ("X", "a b c"),
        ("Content-Length", "0"),
    )


def test_other_encodings():
    """UTF-8 is read as such, and a line that is none as ISO 8859-1."""
    data = b"WARC/1.1\r\nWARC-Type: a\r\nX: \xc3\xa9\r\nY: \xe9\r\nContent-Length: 0\r\n\r\n"
    assert parse_header(data).fields[1:3] == (("X", "é"), ("Y", "é"))


def test_a_header_that_goes_on():
    """Each beginning of a header asks for more; only the whole is one."""
    for end in range(len(HEADER)):
        with pytest.raises(HeaderCut):
            parse_header(HEADER[:end])


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", "no record begins here"),
        (b"WARC/2.0\r\nWARC-Type: a\r\n\r\n", "no record begins here"),
        (HEADER.replace(b"WARC-Type", b"WARC Type"), "no field"),
        (HEADER.replace(b"WARC-Type: response\r\n", b""), "no WARC-Type"),
        (HEADER.replace(b"12", b"-1"), "no length"),
        (HEADER.replace(b"12", "١".encode()), "no length"),
        (HEADER.replace(b"12", b"1" * 19), "no length"),
        (HEADER.replace(b"Content-Length: 12\r\n", b""), "no length"),
        (HEADER.replace(b"12", b"12\r\ncontent-length: 13"), "2 values"),
        (b"WARC/1.0\r\n" + b"A: b\r\n" * MOST_HEADER, "does not end within"),
    ],
)
def test_no_header(data, cause):
    """What cannot be trusted is refused with its cause."""
    with pytest.raises(BadHeader, match=re.escape(cause)) as caught:
        parse_header(data)
    assert not isinstance(caught.value, HeaderCut)


@given(
    st.lists(
        st.tuples(
            st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,20}", fullmatch=True),
            st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=30),
        ),
        max_size=8,
    ),
    st.sampled_from([b"\r\n", b"\n"]),
    st.binary(max_size=20),
)
def test_both_ways_to_read_a_header_agree(fields, end, block):
    """What FastWARC reads of a header is what the regular expression reads of it."""
    lines = [b"WARC/1.1", b"WARC-Type: a", b"Content-Length: 3"]
    lines += [f"{name}: {value}".encode() for name, value in fields]
    data = end.join([*lines, b"", b""]) + block
    try:
        quick = _plain_header(data)
    except BadHeader:
        quick = None
    if quick is not None:
        assert quick == _any_header(data)
