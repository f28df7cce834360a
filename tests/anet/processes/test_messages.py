"""What a pool and its workers say to each other, and what it makes of bytes that say nothing."""

import io
from contextlib import suppress
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.processes.messages import (
    Answer,
    Frames,
    Nonsense,
    NotSent,
    Raised,
    Returned,
    TooLarge,
    decode_answer,
    encode,
    framed,
    read_frame,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.datetimes(timezones=st.just(UTC)),  # in others an hour may come twice, and equal none
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OUTCOMES = (
    st.builds(Returned, VALUES)
    | st.builds(Raised, st.text(), st.text())
    | st.builds(TooLarge)
    | st.builds(NotSent, st.text())
)


@given(st.builds(Answer, st.integers(0, 2**63), st.booleans(), OUTCOMES))
def test_an_answer_comes_back_as_it_was(answer: Answer) -> None:
    """Every outcome and every MessagePack value survives the wire."""
    assert decode_answer(encode(answer)) == answer


@given(st.binary(max_size=200))
def test_any_payload_is_an_answer_or_nonsense(payload: bytes) -> None:
    """Bytes that are no answer raise `Nonsense` and nothing else."""
    with suppress(Nonsense):
        assert isinstance(decode_answer(payload), Answer)


def test_a_payload_nested_without_end_is_nonsense() -> None:
    """Deep nesting does not overflow the stack."""
    with pytest.raises(Nonsense):
        decode_answer(b"\x93\x01\xc2\x92\xa8returned" + b"\x91" * 1_000_000 + b"\xc0")


@given(st.binary(max_size=300), st.lists(st.integers(1, 20), max_size=40))
def test_a_frame_is_given_when_its_last_byte_comes(payload: bytes, cuts: list[int]) -> None:
    """However a frame is cut into pieces, it comes out whole, once."""
    wire = framed(payload)
    assert read_frame(io.BytesIO(wire)) == payload
    assert read_frame(io.BytesIO(wire[:-1])) is None
    frames, given_frames = Frames(limit=300), []
    for cut in [*cuts, len(wire)]:
        piece, wire = wire[:cut], wire[cut:]
        frame = frames.feed(piece) if piece else None
        if frame is not None:
            given_frames.append(frame)
            assert not wire
    assert given_frames == [payload]


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_any_bytes_are_a_frame_or_nonsense(pieces: list[bytes]) -> None:
    """Random bytes raise nothing but `Nonsense`."""
    frames = Frames(limit=64)
    try:
        for piece in pieces:
            frames.feed(piece)
    except Nonsense:
        pass


def test_a_frame_over_the_limit_is_refused_by_its_length() -> None:
    """Nothing of a frame needs to come for its length to be refused."""
    with pytest.raises(Nonsense, match="over the limit"):
        Frames(limit=100).feed(b"\xff\xff\xff\xff")


def test_bytes_behind_a_frame_are_nonsense() -> None:
    """A worker says one thing at a time."""
    with pytest.raises(Nonsense, match="behind"):
        Frames(limit=100).feed(framed(b"one") + framed(b"two"))
