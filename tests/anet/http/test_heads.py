"""Heads as received: read, and sent on."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.errors import ConnectionBroken, MalformedMessage
from anet.http.body import decoder_for
from anet.http.message import HOP_BY_HOP, Headers, end_of_head, parse_head
from anet.http.response import kept_lines

TOKENS = st.text("abcXYZ-09", min_size=1, max_size=10).map(str.encode)
FIELD_VALUES = st.binary(max_size=20).filter(lambda it: not set(it) & {10, 13})
FIELDS = st.lists(st.tuples(TOKENS | st.sampled_from(sorted(HOP_BY_HOP)), FIELD_VALUES))


@given(FIELDS)
def test_what_is_sent_on_is_what_came_but_for_the_connection(fields):
    """Every line that speaks of the message stays byte for byte, in its order."""
    lines = [name + b": " + value for name, value in fields]
    raw = b"\r\n".join([b"HTTP/1.0 200 Fine then", *lines]) + b"\r\n\r\n"
    kept, _ = kept_lines(raw, None)
    expected = [
        line
        for line, (name, _) in zip(lines, fields, strict=True)
        if name.lower() not in HOP_BY_HOP and name.lower() != b"content-length"
    ]
    assert kept == [b"HTTP/1.1 200 Fine then", *expected]


@pytest.mark.parametrize(
    ("line", "length", "kept"),
    [
        (b"content-LENGTH:  5", b"5", True),
        (b"Content-Length: 6", b"5", False),
        (b"Content-Length: 5\r\nContent-Length: 5", b"5", True),
        (b"X: a\r\n folded", None, False),
    ],
)
def test_a_length_stays_when_it_is_true(line, length, kept):
    """The server's own writing of a true length is kept, a false one goes."""
    lines, has_length = kept_lines(b"HTTP/1.1 200 OK\r\n" + line + b"\r\n\r\n", length)
    assert has_length is kept
    assert len(lines) == (3 if b"folded" in line else 1 + kept)


@given(st.binary())
def test_any_bytes_are_a_head_or_an_error(data):
    """No bytes of a server raise anything but the documented errors."""
    with contextlib.suppress(ValueError, MalformedMessage):
        head = parse_head(b"HTTP/1.1 200 OK\r\n" + data)
        decoder_for("GET", head)
    with contextlib.suppress(ValueError):
        parse_head(data)


@given(st.text("\r\nx", max_size=12).map(str.encode))
def test_a_head_ends_at_the_first_empty_line(data):
    """Whether its lines end by CR LF or by bare line feeds, and whatever the body holds."""
    ends = [at for at in range(len(data) + 1) if data[:at].endswith((b"\n\r\n", b"\n\n"))]
    assert end_of_head(data) == (ends[0] if ends else None)


@given(st.binary(max_size=200), st.integers(1, 20))
def test_chunks_survive_any_cut(data, size):
    """However a chunked body is cut on its way, the same body comes out."""
    head = parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
    chunks = [data[at : at + 7] for at in range(0, len(data), 7)]
    wire = b"".join(b"%x;a=b\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    decoder = decoder_for("GET", head)
    pieces = [decoder.feed(wire[at : at + size]) for at in range(0, len(wire), size)]
    assert b"".join(map(b"".join, pieces)) == data
    assert decoder.complete
    decoder.end()


@given(st.binary(min_size=1))
def test_chunked_nonsense_is_an_error_or_unfinished(data):
    """No framing makes the decoder hang or fail otherwise."""
    head = parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    decoder = decoder_for("GET", head)
    with contextlib.suppress(MalformedMessage, ConnectionBroken):
        decoder.feed(data)
        decoder.end()


@pytest.mark.parametrize("value", [b"-1", b"1, 2", b"0x10", b"9" * 30, "٣".encode()])
def test_a_length_that_is_no_number_is_refused(value):
    """Content-Length is one number."""
    with pytest.raises(MalformedMessage):
        decoder_for("GET", parse_head(b"HTTP/1.1 200 OK\r\nContent-Length: " + value + b"\r\n\r\n"))


def test_fields_are_found_whatever_their_case():
    """Names have no case, values are joined, order is kept."""
    headers = Headers([(b"Set-Cookie", b"a"), (b"X", b"1"), (b"SET-COOKIE", b"b")])
    assert headers.get(b"set-cookie") == b"a, b"
    assert headers.get(b"y") is None
    assert b"x" in headers
    assert [name for name, _ in headers] == [b"Set-Cookie", b"X", b"SET-COOKIE"]
