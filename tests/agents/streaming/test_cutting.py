"""Where streams are closed into contents."""

from hypothesis import given
from hypothesis import strategies as st

from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT
from agents.streaming.cutting import ANYWHERE, BEHIND_LIMIT, Cut, Lengths

LENGTHS = Lengths(600.0, 2**26)


@given(
    size=st.integers(0, BYTE_LIMIT),
    seconds=st.floats(0, MILLISECONDS_LIMIT / 1000),
    behind=st.integers(0, BYTE_LIMIT),
)
def test_a_cut_is_within_the_piece_and_at_its_boundary(
    size: int, seconds: float, behind: int
) -> None:
    """A piece is cut when it is long or large, where it may be; elsewhere only at the limit."""
    boundary = size - behind
    cut = LENGTHS.cut(size, seconds, boundary)
    if cut is None:
        assert (size < 2**26 and seconds < 600) or boundary <= 0 or behind > BEHIND_LIMIT
    else:
        assert 0 <= cut.byte <= size
        assert cut.byte == boundary or ANYWHERE in cut.why
        assert size >= 2**26 or seconds >= 600


def test_a_piece_without_a_boundary_is_cut_at_the_limit() -> None:
    """What cannot be understood is cut all the same, and that is said."""
    assert LENGTHS.cut(2**26, 700.0, 0) is None
    assert LENGTHS.cut(BYTE_LIMIT, 700.0, 0) == Cut(BYTE_LIMIT, "size: no boundary")
    assert LENGTHS.cut(5, 9990.0, 0) == Cut(5, "time: no boundary")
