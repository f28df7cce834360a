"""Candidates of images."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.srcset import candidates


@pytest.mark.parametrize(
    ("value", "urls"),
    [
        ("a", ["a"]),
        ("a 1x, b 2x", ["a", "b"]),
        ("a, b", ["a", "b"]),
        ("a 1x,b 2x", ["a", "b"]),
        (" ,a 100w ,\n b 2.5x", ["a", "b"]),
        ("a,b 1x", ["a,b"]),
        ("data:image/png;base64,AA== 1x, b 2x", ["data:image/png;base64,AA==", "b"]),
        ("a (x, y) 2x, b", ["a", "b"]),
        ("", []),
        (",,,", []),
    ],
)
def test_candidates(value: str, urls: list[str]) -> None:
    """Splits as the HTML standard does."""
    assert list(candidates(value)) == urls


@given(st.text(alphabet="ab, ()1x\n", max_size=60))
def test_any_text(value: str) -> None:
    """URLs have no white space and do not end with commas."""
    for url in candidates(value):
        assert url
        assert not url.endswith(",")
        assert not set(url) & set(" \n")


def test_long_values_are_quick() -> None:
    """Linear in the value."""
    start = time.process_time()
    for value in ("a " * 200_000, "(" * 200_000, "a (" * 100_000, "," * 200_000, "a,( " * 99_999):
        list(candidates(value))
    assert time.process_time() - start < 2
