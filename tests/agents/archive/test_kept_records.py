"""Kept records come back from their content, and nothing else does."""

import gzip
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.archive import kept_records
from agents.archive.kept_records import BadRecords, Inline, KeptRecord, Slice, decoded, encoded

SLICE = Slice("a.warc.gz", "ab" * 32, 0, 100)
RECORD = KeptRecord("WARC/1.0", "metadata", [("A", "b\r\n\u2028")], 0, 3, [Inline(b"\n\r\x00")])


def test_they_come_back() -> None:
    """As they were, whatever is in them."""
    assert decoded(encoded(SLICE, [RECORD])) == (SLICE, [RECORD])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nothing",
        gzip.compress(b""),
        gzip.compress(b"[]\n"),
        encoded(SLICE, [RECORD])[:-9],
        gzip.compress(b'{"file":"a","identity":"b","begin":0,"end":1}\n' + b"[" * 100_000),
    ],
)
def test_what_is_none_is_told(content: bytes) -> None:
    """With an error that whoever reads them expects."""
    with pytest.raises(BadRecords):
        decoded(content)


@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=20))
def test_damage_is_told(place: int, damage: bytes) -> None:
    """Whatever became of a content, there are records or that error."""
    whole = bytearray(encoded(SLICE, [RECORD]))
    place %= len(whole)
    whole[place : place + len(damage)] = damage
    with suppress(BadRecords):
        decoded(bytes(whole))


def test_a_small_content_takes_no_endless_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What inflates to more than a slice can be is refused."""
    monkeypatch.setattr(kept_records, "_MOST", 1000)
    with pytest.raises(BadRecords, match="more than 1000"):
        decoded(gzip.compress(bytes(2000)))
