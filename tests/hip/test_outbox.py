"""Messages are gathered into frames that the peer accepts, in the order in which they were said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip.codecs import CODECS, MESSAGEPACK
from hip.errors import CannotCarry, TooLarge
from hip.messages import Cancellation, Error, Frame, Heartbeat, Notification, Response
from hip.outbox import MESSAGES, Outbox
from hip.wire import Framer

LIMIT = 1024
SIZES = st.integers(0, 50) | st.integers(LIMIT - 60, LIMIT + 60)
SAID = st.one_of(
    st.builds(lambda size: Response(1, "x" * size), SIZES),
    st.builds(lambda size: Notification("note", {"text": "x" * size}), SIZES),
    st.builds(Error, st.just(1), st.just("busy"), st.text("abc", max_size=20)),
    st.builds(Cancellation, st.integers(1, 2**53)),
    st.just(Response(1, object())),
    st.just(Heartbeat()),
)
CODEC = st.sampled_from(sorted(CODECS))


def frames(data: bytes, name: str) -> list[object]:
    """Return what the frames say; none passes the limit."""
    framer = Framer(LIMIT)
    framer.feed(data)
    found = []
    while (payload := framer.next()) is not None:
        found.append(CODECS[name].decode(bytes(payload), Frame))
    assert len(framer) == 0
    return found


def messages(data: bytes, name: str) -> list[object]:
    """Return the messages of some frames, in their order."""
    said: list[object] = []
    for found in frames(data, name):
        said += getattr(found, "messages", [found])
    return said


@given(CODEC, st.lists(SAID | st.none(), max_size=300))
def test_what_can_be_said_arrives_in_order_and_in_frames_that_fit(name, said):
    """Whatever its kind and size; what cannot is an error of its own, and harms no other."""
    outbox = Outbox(CODECS[name], LIMIT)
    sent, data = [], b""
    for message in said:
        if message is None:
            data += outbox.take()
            continue
        try:
            outbox.say(message) if isinstance(message, Heartbeat) else outbox.add(message)
        except CannotCarry:
            continue
        sent.append(message)
    data += outbox.take()
    assert messages(data, name) == sent
    assert len(outbox) == 0
    assert outbox.take() == b""


@pytest.mark.parametrize("name", sorted(CODECS))
def test_the_largest_message_is_as_large_as_the_frame(name):
    """To within the frame's own few bytes; one larger names the limit."""
    outbox = Outbox(CODECS[name], LIMIT)
    with pytest.raises(TooLarge, match=str(LIMIT)):
        outbox.add(Response(1, "x" * LIMIT))
    outbox.add(Response(1, "x" * (LIMIT - 40)))
    assert len(messages(outbox.take(), name)) == 1


@pytest.mark.parametrize("name", sorted(CODECS))
def test_a_frame_holds_so_many_messages(name):
    """The other end begins to work while the next frame is written."""
    outbox = Outbox(CODECS[name], 64 * 1024)
    for _ in range(2 * MESSAGES + 1):
        outbox.add(Cancellation(1))
    framer = Framer(64 * 1024)
    framer.feed(outbox.take())
    counts = []
    while (payload := framer.next()) is not None:
        counts.append(len(CODECS[name].decode(bytes(payload))[1]))
    assert counts == [MESSAGES, MESSAGES, 1]


def test_values_may_change_once_they_are_said():
    """What is sent is what was said."""
    outbox = Outbox(MESSAGEPACK, LIMIT)
    value = ["before"]
    outbox.add(Response(1, value))
    value[0] = "after"
    assert messages(outbox.take(), "msgpack") == [Response(1, ["before"])]
