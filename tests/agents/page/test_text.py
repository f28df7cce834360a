"""Quantities read as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.page import human_bytes, human_number, human_seconds


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (1_500_000, "1.50 MB"),
     (999_999, "1.00 MB"), (88_123_456, "88.1 MB"), (3e21, "3,000 EB"), (float("inf"), "–")],
)  # fmt: skip
def test_bytes(count: float, text: str) -> None:
    """Bytes are in decimal units with three figures."""
    assert human_bytes(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.00001, "10 µs"), (0.0125, "12 ms"), (0.0042, "4.20 ms"), (12.5, "12.5 s"),
     (65, "1 min 05 s"), (3600, "1 h 00 min"), (273_600, "3 d 4 h"), (-65, "-1 min 05 s"),
     (float("nan"), "–")],
)  # fmt: skip
def test_seconds(seconds: float, text: str) -> None:
    """A duration is in its two largest units."""
    assert human_seconds(seconds) == text


@given(st.integers() | st.floats())
def test_any_number_has_a_text(number: float) -> None:
    """No number fails."""
    assert human_number(number)
    if abs(number) < 1e300:
        assert human_bytes(number) and human_seconds(number)
