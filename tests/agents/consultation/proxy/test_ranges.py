"""A range is the bytes that RFC 9110 says, as far as they are stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.proxy.ranges import NOTHING, Span, Stored, wanted_span


@pytest.mark.parametrize(
    ("text", "span"),
    [
        (b"bytes=0-", Span(0, 100)),
        (b"bytes=0-0", Span(0, 1)),
        (b"bytes=10-19", Span(10, 20)),
        (b"bytes=90-1000", Span(90, 100)),
        (b"bytes=-10", Span(90, 100)),
        (b"bytes=-1000", Span(0, 100)),
        (b" Bytes = 1 - 2 ", Span(1, 3)),
        (b"bytes=,1-2,", Span(1, 3)),
        (b"bytes=100-", NOTHING),
        (b"bytes=-0", NOTHING),
        (b"bytes=5-4", None),
        (b"bytes=0-1,5-6", None),
        (b"bytes=", None),
        (b"bytes=-", None),
        (b"items=0-1", None),
        (b"bytes=a-b", None),
        (b"bytes=99999999999999999999-", None),
    ],
)
def test_a_range_of_a_whole_content(text, span):
    """What makes no sense, and several ranges at once, are the whole."""
    assert wanted_span(text, Stored.whole(100)) == span


@given(
    st.binary(max_size=40) | st.from_regex(rb"bytes=\d{0,3}-\d{0,3}", fullmatch=True),
    st.integers(0, 300),
)
def test_a_range_is_never_outside(text, size):
    """Whatever a client writes, no byte is given that is not there."""
    span = wanted_span(text, Stored.whole(size))
    assert span in (None, NOTHING) or 0 <= span.start < span.stop <= size


@given(
    st.integers(0, 50),
    st.integers(1, 50),
    st.integers(0, 50),
    st.integers(0, 150),
    st.integers(0, 150),
)
def test_a_range_of_a_part_begins_where_it_was_asked_to(start, size, rest, first, last):
    """Of what a capture of status 206 holds, the first byte asked for is given, or none."""
    complete = start + size + rest
    stored = Stored.part(b"bytes %d-%d/%d" % (start, start + size - 1, complete), size)
    assert stored is not None
    span = wanted_span(b"bytes=%d-%d" % (first, last), stored)
    if last < first:
        assert span is None
    elif start <= first < start + size:
        assert span == Span(first, min(last + 1, start + size))
    else:
        assert span == NOTHING


@pytest.mark.parametrize(
    "said", [b"", b"bytes */5", b"bytes 0-4/*", b"bytes 0-3/5", b"bytes 1-5/5", b"items 0-4/5"]
)
def test_a_content_range_that_does_not_fit_is_none(said):
    """What is said of other bytes than are stored is not believed."""
    assert Stored.part(said, 5) is None


def test_what_is_said_of_a_range():
    """The answer names the bytes it holds, or how many there would be."""
    stored = Stored.whole(100)
    assert stored.content_range(Span(10, 20)) == b"bytes 10-19/100"
    assert stored.content_range(NOTHING) == b"bytes */100"


@pytest.mark.parametrize("text", [b"bytes=0-", b"bytes=-5", b"bytes=0-99"])
def test_an_empty_content_is_given_whole(text):
    """As web servers do; a player that asks for all of it from the start meets no fault."""
    assert wanted_span(text, Stored.whole(0)) is None
