"""Bytes from a peer that is not trusted become messages or clear errors."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip.codecs import MESSAGEPACK, YAML
from hip.errors import ProtocolError
from hip.greeting import Greeting, choose_codec
from hip.limits import Limits
from hip.messages import Goodbye, Heartbeat, Notification, Request, Response, from_wire
from hip.session import Session, State
from hip.wire import Framer, frame

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
)
CODECS = st.sampled_from([MESSAGEPACK, YAML])  # pytest-twisted cannot mix parametrize and given
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("abc-* &!", max_size=5), inner)
)


@given(st.lists(st.binary(min_size=1, max_size=50)), st.integers(1, 7))
def test_frames_survive_any_cut(payloads, size):
    """However the stream is cut, the payloads come out as they went in."""
    stream = b"".join(frame(payload) for payload in payloads)
    framer = Framer(50)
    found = []
    for at in range(0, len(stream), size):
        framer.feed(stream[at : at + size])
        while (payload := framer.next()) is not None:
            found.append(payload)
    assert found == payloads


@pytest.mark.parametrize("length", [b"\x00\x00\x00\x00", b"\x00\x00\x00\x33", b"\xff\xff\xff\xff"])
def test_a_length_beyond_the_limit_is_refused_before_its_payload(length):
    """Nothing is kept for a frame that will not be accepted."""
    framer = Framer(50)
    framer.feed(length)
    with pytest.raises(ProtocolError, match="from 1 to 50"):
        framer.next()


@given(CODECS, VALUES)
def test_values_survive(codec, value):
    """Both serializers give back what they were given."""
    assert codec.decode(codec.encode(value)) == value


@given(CODECS, st.binary())
def test_bytes_of_nonsense_are_a_protocol_error(codec, data):
    """No bytes raise anything but the documented error."""
    with contextlib.suppress(ProtocolError):
        codec.decode(data)


@pytest.mark.parametrize(
    "data",
    [b"a: &x [1]\nb: *x", b"!!python/object:os.system {}", b"[" * 100_000, b"{a: b: c}", b"\xff"],
)
def test_dangerous_yaml_is_refused(data):
    """Aliases, objects and towers of brackets are refused."""
    with pytest.raises(ProtocolError):
        YAML.decode(data)


def test_a_tower_of_messagepack_is_refused():
    """Nesting has an end."""
    with pytest.raises(ProtocolError):
        MESSAGEPACK.decode(b"\x91" * 100_000)


@given(VALUES)
def test_any_value_is_a_message_or_a_protocol_error(value):
    """What decodes but is no message is refused."""
    with contextlib.suppress(ProtocolError):
        from_wire(value)


def sessions() -> tuple[Session, Session]:
    """A master's and a slave's session."""
    limits = Limits()
    master = Session(Greeting.of("scheduler", "scheduler", limits), limits, is_master=True)
    slave = Session(Greeting.of("crawler", "crawler-1", limits), limits, is_master=False)
    return master, slave


def test_a_session_from_greeting_to_goodbye():
    """Greetings, messages, goodbye: the whole life of a link."""
    master, slave = sessions()
    assert isinstance(master.receive(slave.start())[0], Greeting)
    assert isinstance(slave.receive(master.start())[0], Greeting)
    said = [Request(1, "collect", {"order": None}), Notification("note", {}), Heartbeat()]
    assert master.receive(b"".join(map(slave.send, said))) == said
    assert slave.receive(master.send(Response(1, b"\x00")) + master.send(Goodbye("bye"))) == [
        Response(1, b"\x00"),
        Goodbye("bye"),
    ]
    assert (master.state, slave.state) == (State.CLOSED, State.CLOSED)


def test_a_foreign_agent_gets_yaml():
    """Without a shared native serializer YAML is spoken."""
    master, _ = sessions()
    greeting = frame(b"hip: 1\nkind: camel\nname: perl-1\nserializers: [yaml]\nframe: 65536\n")
    master.receive(greeting)
    assert master.codec is YAML


@pytest.mark.parametrize(
    "greeting",
    [
        b"hip: 2\nkind: a\nname: b\n",
        b"kind: a\nname: b\n",
        b"hip: 1\nkind: a\nname: ''\n",
        b"hip: 1\nkind: a\nname: a/b\n",
        b"hip: 1\nkind: a\nname: b\nserializers: [pickle]\n",
        b"GET / HTTP/1.1",
        b"hip: 1\nkind: a\nname: b\nframe: 1\n",
    ],
)
def test_a_bad_greeting_closes_the_session(greeting):
    """Whoever does not greet properly is not talked to."""
    master, _ = sessions()
    with pytest.raises(ProtocolError):
        master.receive(frame(greeting))
    assert master.state is State.CLOSED


@given(st.binary())
def test_a_session_survives_any_bytes(data):
    """Raw bytes give messages or a protocol error, before and after the greeting."""
    for greeted in (False, True):
        master, slave = sessions()
        if greeted:
            master.receive(slave.start())
        with contextlib.suppress(ProtocolError):
            master.receive(frame(data) if data else data)


def test_the_master_chooses_the_serializer():
    """The master's order of preference counts."""
    native = Greeting(hip=1, kind="a", name="a", serializers=["msgpack", "yaml"])
    other = Greeting(hip=1, kind="a", name="b", serializers=["yaml", "msgpack"])
    assert choose_codec(native, other) is MESSAGEPACK
    assert choose_codec(other, native) is YAML
