"""Nothing that comes from outside raises what is not documented; see harnesses.py."""

import pytest
from harnesses import HARNESSES, SEEDS
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = st.sampled_from(sorted(HARNESSES))  # pytest-twisted cannot mix parametrize and given


@pytest.mark.parametrize("name", sorted(HARNESSES))
def test_examples_and_their_beginnings(name):
    """What a decoder is for passes its harness, and so does each beginning of it."""
    for seed in SEEDS[name]:
        for end in range(len(seed) + 1):
            HARNESSES[name](seed[:end])


@given(NAMES, st.binary())
def test_any_bytes(name, data):
    """Bytes that mean nothing do no harm."""
    HARNESSES[name](data)


@settings(max_examples=500)
@given(NAMES, st.data())
def test_spoilt_examples(name, data):
    """Examples of which a few bytes were changed, doubled or lost do none either."""
    text = bytearray(data.draw(st.sampled_from(SEEDS[name])))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    HARNESSES[name](bytes(text))
