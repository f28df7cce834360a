"""What comes over a connection of RTSP is told apart."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.errors import MalformedMessage
from anet.media.rtsp.reading import BODY_LIMIT, HEAD_LIMIT, Demand, Found, Frame, Reply, read
from tests.anet.media.rtsp.wire import described, frame, reply

DEMAND = b"GET_PARAMETER rtsp://127.0.0.1/live RTSP/1.0\r\nCSeq: 4\r\n\r\n"

messages = st.one_of(
    st.builds(frame, st.integers(0, 255), st.binary(max_size=300)),
    st.builds(described, st.binary(max_size=100)),
    st.sampled_from([DEMAND, reply(454), reply(200, "CSeq: 1"), b"\r\n" + DEMAND]),
)


def found_in(pieces: list[bytes]) -> list[Found]:
    """Return what is found when it comes in pieces."""
    held, found = b"", []
    for piece in pieces:
        held += piece
        at = 0
        while at < len(held):
            one, end = read(held, at)
            if one is None:
                assert end > len(held) - at, "it asks for what it has"
                break
            found.append(one)
            at = end
        held = held[at:]
    return found


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Return data in pieces."""
    ends = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in itertools.pairwise(ends)]


@given(st.lists(messages, max_size=6), st.lists(st.integers(0, 5000), max_size=8))
def test_it_does_not_matter_how_it_comes(sent: list[bytes], places: list[int]) -> None:
    """Frames, replies and demands are the same, however the connection cuts them."""
    whole = found_in([b"".join(sent)])
    assert len(whole) == len(sent)
    assert found_in(cut(b"".join(sent), places)) == whole


def test_what_is_found() -> None:
    """A reply has head and body, a demand its method, a frame its channel."""
    said, asked, framed = found_in([described(b"v=0\r\n") + DEMAND + frame(3, b"$RTSP/1.0 ")])
    assert isinstance(said, Reply)
    assert said.body == b"v=0\r\n"
    assert said.head.raw == described(b"v=0\r\n")[:-5]
    assert isinstance(asked, Demand)
    assert (asked.method, asked.head.headers.text(b"cseq")) == ("GET_PARAMETER", "4")
    assert framed == Frame(3, b"$RTSP/1.0 ")


@given(st.binary(max_size=200))
def test_hostile_bytes(data: bytes) -> None:
    """Whatever comes is found, waited for, or refused."""
    try:
        found, end = read(data, 0)
    except MalformedMessage:
        return
    assert (0 < end <= len(data)) if found else end > len(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01 of TLS",
        b"RTSP/1.0 200 OK\r\n" + b"A: b\r\n" * (HEAD_LIMIT // 6),
        b"RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"RTSP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % (BODY_LIMIT + 1),
        b"RTSP/1.0 200 OK\r\nContent-Length: " + b"0" * 9 + b"9" * 5000 + b"\r\n\r\n",
        b"RTSP/1.0 hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\r\n" * HEAD_LIMIT,
    ],
)
def test_what_is_refused(data: bytes) -> None:
    """Other protocols, and what is larger than it may be, are refused."""
    with pytest.raises(MalformedMessage):
        read(data, 0)
