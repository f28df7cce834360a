"""A stream of bytes is cut into payloads, and into nothing that passes the limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip.errors import ProtocolError
from hip.wire import Framer, frame, write_length

PAYLOADS = st.lists(st.binary(min_size=1, max_size=50))


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    """Return a stream cut at some places."""
    ends = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[start:end] for start, end in zip(ends, ends[1:], strict=False)]


@given(PAYLOADS, st.lists(st.integers(0, 10_000)))
def test_frames_survive_any_cut(payloads, places):
    """However the stream is cut, even into nothing, the payloads come out as they went in."""
    framer = Framer(50)
    found = []
    for piece in cut(b"".join(map(frame, payloads)), places):
        framer.feed(piece)
        while (payload := framer.next()) is not None:
            found.append(bytes(payload))
    assert found == payloads
    assert len(framer) == 0


@given(PAYLOADS, st.lists(st.integers(0, 10_000)), st.integers(0, 3))
def test_a_reader_may_fall_behind(payloads, places, at_once):
    """Frames that are not taken as they come are all there later, and counted meanwhile."""
    framer = Framer(50)
    found = []
    fed = taken = 0
    for piece in cut(b"".join(map(frame, payloads)), places):
        framer.feed(piece)
        fed += len(piece)
        for _ in range(at_once):
            if (payload := framer.next()) is not None:
                found.append(bytes(payload))
                taken += 4 + len(payload)
                del payload  # a payload must be let go before more bytes come
        assert len(framer) == fed - taken
    while (payload := framer.next()) is not None:
        found.append(bytes(payload))
    assert found == payloads


@pytest.mark.parametrize("length", [b"\x00\x00\x00\x00", b"\x00\x00\x00\x33", b"\xff\xff\xff\xff"])
def test_a_length_beyond_the_limit_is_refused_before_its_payload(length):
    """Nothing is kept for a frame that will not be accepted."""
    framer = Framer(50)
    framer.feed(length)
    with pytest.raises(ProtocolError, match="from 1 to 50"):
        framer.next()


def test_the_limit_may_grow_between_frames():
    """A peer that has greeted may say more; what it said too early is measured by the new limit."""
    framer = Framer(4)
    framer.feed(frame(b"abcd") + frame(b"abcdefgh"))
    assert framer.next() == b"abcd"
    framer.limit = 8
    assert framer.next() == b"abcdefgh"


def test_a_length_is_written_where_room_was_kept():
    """The writer needs not know beforehand how long a frame will be."""
    buffer = bytearray(b"before" + bytes(4) + b"payload")
    write_length(buffer, 6)
    assert buffer == b"before" + frame(b"payload")
