"""Languages and keywords of a long text are told by a sample of it."""

from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.analyse import SAMPLE, sample


@given(st.integers(0, 10 * SAMPLE))
def test_a_sample_is_of_the_whole_text(length: int) -> None:
    """A short text is its own; of a long one it has beginning and end, and never more than that."""
    text = "".join(chr(0x4E00 + place % 20_000) for place in range(length))
    found = sample(text)
    assert len(found) <= SAMPLE + 3
    assert (found == text) == (length <= SAMPLE)
    assert found[:10] == text[:10] and found[-10:] == text[-10:]
