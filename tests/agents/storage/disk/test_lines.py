"""The fixed-size line of a structure file."""

from contextlib import suppress

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.capture import Capture
from agents.storage.disk.lines import (
    SIZE,
    Line,
    check,
    checksum_of,
    encode_text,
    line_of,
    mark,
    prefix,
)
from agents.storage.errors import DamagedStructure, InvalidCapture

keys = st.text("0123456789abcdef", min_size=64, max_size=64)
dates = st.datetimes().map(lambda moment: f"{moment.year:04}{moment:%m%d%H%M%S%f}")
metadata = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=16).map(
    lambda text: text.rstrip(" ")
)
lines = st.builds(
    Line,
    date=dates,
    content=keys,
    size=st.integers(0, 10**15 - 1),
    status=st.integers(0, 999),
    offset=st.integers(0, 10**12 - 1),
    origin_length=st.integers(0, 999_999),
    head_length=st.integers(0, 9_999_999),
    metadata=metadata,
    checksum=st.integers(0, 2**32 - 1),
)


@given(lines)
def test_a_line_comes_back_as_it_was(line: Line) -> None:
    """Encoding gives 160 bytes of ASCII that decode to the same line."""
    encoded = line.encode()
    assert len(encoded) == SIZE
    assert encoded.isascii() and encoded.count(b"\n") == 1
    assert Line.decode(encoded) == line


@given(lines, lines)
def test_lines_sort_as_their_dates(one: Line, other: Line) -> None:
    """Encoded lines sort by date, then by content."""
    by_value = (one.date, one.content) < (other.date, other.content)
    if (one.date, one.content) != (other.date, other.content):
        assert (one.encode() < other.encode()) == by_value


@given(st.binary(max_size=200))
def test_any_bytes_are_a_line_or_damaged(data: bytes) -> None:
    """Bytes that are no line give a typed error, never another."""
    with suppress(DamagedStructure):
        assert Line.decode(data).encode() == data


CAPTURE = Capture("http://a.example/", "20260101000000000000", "0" * 64, 1, 200, b"head")


@pytest.mark.parametrize(
    "change",
    [
        {"url": ""},
        {"url": "http://a/\nb"},
        {"url": "http://a/" + "x" * 70_000},
        {"date": "20261301000000000000"},
        {"date": "2026"},
        {"content": "A" * 64},
        {"content": "../" * 21 + "x"},
        {"size": -1},
        {"size": 10**15},
        {"status": 1000},
        {"head": b"x" * 10_000_000},
        {"origin": "x" * 1_000_000},
        {"metadata": "x" * 17},
        {"metadata": "ends "},
        {"metadata": "é"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    """A value without a place in the line is refused by name before anything is written."""
    with pytest.raises(InvalidCapture):
        check(evolve(CAPTURE, **change))


def test_a_line_says_where_origin_and_head_are() -> None:
    """A line is made of a capture and the place of its head."""
    line = Line.decode(line_of(evolve(CAPTURE, origin="é"), "é".encode(), offset=7))
    assert (line.offset, line.origin_length, line.head_length) == (7, 2, 4)


@given(st.sets(st.tuples(dates, keys), max_size=8), st.randoms())
def test_a_mark_knows_the_set_and_not_the_order(captures: set[tuple[str, str]], random) -> None:
    """The same captures have the same mark in any order, and it grows by XOR."""
    prefixes = [prefix(*each) for each in captures]
    shuffled = list(prefixes)
    random.shuffle(shuffled)
    assert mark(prefixes) == mark(shuffled)
    half = len(prefixes) // 2
    assert mark(prefixes) == mark(prefixes[:half]) ^ mark(prefixes[half:])
    if prefixes:
        assert mark(prefixes) != mark(prefixes[1:])


@given(st.binary(max_size=200), st.integers(0, 10**6), st.data())
def test_a_checksum_finds_every_changed_byte(head: bytes, offset: int, data: st.DataObject) -> None:
    """A byte that changes in the line, the origin or the head is found."""
    capture = evolve(CAPTURE, head=head, origin="crawl: é\n")
    origin = encode_text(capture.origin)
    line = line_of(capture, origin, offset)
    assert Line.decode(line).checksum == checksum_of(line, origin + head)
    whole = bytearray(line + origin + head)
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    with suppress(DamagedStructure):
        found = Line.decode(bytes(whole[:SIZE]))
        assert found.checksum != checksum_of(found.encode(), bytes(whole[SIZE:])[: found.length])
