"""One end of a link: greeting, messages both ways, goodbye; nonsense closes it."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip.codecs import CODECS, MESSAGEPACK, YAML
from hip.errors import CannotCarry, ProtocolError, TooLarge
from hip.greeting import Greeting
from hip.limits import Limits
from hip.messages import (
    Goodbye,
    Heartbeat,
    Notification,
    Notifications,
    Request,
    Requests,
    Response,
    Responses,
)
from hip.session import Session, State
from hip.wire import frame

SERIALIZERS = st.sampled_from(sorted(CODECS))


def sessions(serializers: tuple[str, ...] = tuple(CODECS)) -> tuple[Session, Session]:
    """A master's and a slave's session, before they greet."""
    limits = Limits()
    master = Greeting.of("scheduler", "scheduler", limits)
    slave = Greeting.of("crawler", "crawler-1", limits, serializers)
    return Session(master, limits, is_master=True), Session(slave, limits, is_master=False)


def greeted(serializers: tuple[str, ...] = tuple(CODECS)) -> tuple[Session, Session]:
    """A master's and a slave's session that have greeted."""
    master, slave = sessions(serializers)
    hear(master, slave.start())
    hear(slave, master.start())
    return master, slave


def hear(session: Session, data: bytes) -> list[object]:
    """Return all that some bytes say."""
    session.feed(data)
    return list(iter(session.next, None))


@pytest.mark.parametrize("name", sorted(CODECS))
def test_a_session_from_greeting_to_goodbye(name):
    """Greetings, messages, goodbye: the whole life of a link, in either serializer."""
    master, slave = sessions((name,))
    assert [type(said) for said in hear(master, slave.start())] == [Greeting]
    assert [type(said) for said in hear(slave, master.start())] == [Greeting]
    assert (master.state, slave.state) == (State.OPEN, State.OPEN)
    asked = [Request(1, "collect", {"order": None}, 60.0), Request(2, "hip.info", {}, 5.0)]
    for message in (*asked, Notification("note", {})):
        slave.outbox.add(message)
    slave.say(Heartbeat())
    assert hear(master, slave.outbox.take()) == [
        Requests(asked),
        Notifications([Notification("note", {})]),
        Heartbeat(),
    ]
    master.outbox.add(Response(1, b"\x00"))
    master.say(Goodbye("bye"))
    assert hear(slave, master.outbox.take()) == [Responses([Response(1, b"\x00")]), Goodbye("bye")]
    assert (master.state, slave.state) == (State.CLOSED, State.CLOSED)


def test_a_foreign_agent_gets_yaml():
    """An agent that offers no serializer speaks YAML, and small frames."""
    master, _ = sessions()
    hear(master, frame(b"hip: 2\nkind: camel\nname: perl-1\n"))
    assert master.codec is YAML
    with pytest.raises(TooLarge, match="65536"):
        master.outbox.add(Notification("note", {"text": "x" * 65536}))


@pytest.mark.parametrize(
    "greeting",
    [
        b"hip: 1\nkind: a\nname: b\n",
        b"hip: 3\nkind: a\nname: b\n",
        b"hip: '2'\nkind: a\nname: b\n",
        b"kind: a\nname: b\n",
        b"hip: 2\nname: b\n",
        b"hip: 2\nkind: a\nname: ''\n",
        b"hip: 2\nkind: a\nname: a/b\n",
        b"hip: 2\nkind: a\nname: " + b"a" * 201,
        b'hip: 2\nkind: a\nname: "a\\nb"\n',
        b"hip: 2\nkind: 7\nname: b\n",
        b"hip: 2\nkind: a\nname: b\nserializers: [pickle]\n",
        b"hip: 2\nkind: a\nname: b\nserializers: []\n",
        b"hip: 2\nkind: a\nname: b\nserializers: yaml\n",
        b"hip: 2\nkind: a\nname: b\nframe: 1023\n",
        b"hip: 2\nkind: a\nname: b\nframe: 1e9\n",
        b"hip: 2\nkind: a\nname: b\nin_flight: 0\n",
        b"hip: 2\nhip: 2\nkind: a\nname: b\n",
        b"[hip, 2]",
        b"GET / HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01",
        MESSAGEPACK.encode({"hip": 2, "kind": "a", "name": "b"}),
    ],
)
def test_a_bad_greeting_closes_the_session(greeting):
    """Whoever does not greet properly is not talked to."""
    master, _ = sessions()
    master.feed(frame(greeting))
    with pytest.raises(ProtocolError):
        master.next()
    assert master.state is State.CLOSED
    assert master.next() is None


def test_a_later_version_may_say_more():
    """Keys and elements that are not known are ignored."""
    master, _ = sessions()
    hear(master, frame(b"hip: 2\nkind: a\nname: b\nserializers: [yaml]\ncolour: blue\n"))
    assert hear(
        master,
        frame(b'["heartbeat", 7]')
        + frame(b'["goodbye", "bye", {"because": "of time"}]')
        + frame(b'["heartbeat"]'),
    ) == [Heartbeat(), Goodbye("bye")]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        [],
        ["hello"],
        ["request"],
        ["request", None],
        ["request", [1, "x", {}, 60.0]],
        ["request", [[1, "x", {}]]],
        ["request", [[0, "x", {}, 60.0]]],
        ["request", [[2**53 + 1, "x", {}, 60.0]]],
        ["request", [[1.0, "x", {}, 60.0]]],
        ["request", [[True, "x", {}, 60.0]]],
        ["request", [[1, "", {}, 60.0]]],
        ["request", [[1, "x" * 201, {}, 60.0]]],
        ["request", [[1, "x", [], 60.0]]],
        ["request", [[1, "x", {1: 2}, 60.0]]],
        ["request", [[1, "x", {}, 0.0]]],
        ["request", [[1, "x", {}, -1.0]]],
        ["request", [[1, "x", {}, float("nan")]]],
        ["response", [[1]]],
        ["error", [[1, "busy"]]],
        ["error", [[1, "x" * 2001, ""]]],
        ["notification", [["x"]]],
        ["cancellation", [["1"]]],
        ["redirection"],
        ["goodbye", None],
        ["goodbye", "x" * 2001],
        ["greeting", {}],
    ],
)
@pytest.mark.parametrize("name", sorted(CODECS))
def test_what_is_no_message_closes_the_session(name, value):
    """A value that means nothing ends the link, in either serializer."""
    master, _ = greeted((name,))
    master.feed(frame(CODECS[name].encode(value)))
    with pytest.raises(ProtocolError):
        master.next()
    assert master.state is State.CLOSED


@given(SERIALIZERS, st.binary())
def test_a_session_survives_any_bytes(name, data):
    """Raw bytes give messages or a protocol error, before and after the greeting."""
    for session in (sessions()[0], greeted((name,))[0]):
        with contextlib.suppress(ProtocolError):
            hear(session, frame(data) + data)


def test_nothing_is_said_before_the_greeting_nor_after_the_goodbye():
    """A session that is not open says nothing, and takes nothing after the end."""
    master, _ = sessions()
    for _ in range(2):
        with pytest.raises(ProtocolError, match="not open"):
            master.say(Heartbeat())
        master, slave = greeted()
        master.say(Goodbye("bye"))
        hear(slave, master.outbox.take())
        assert hear(slave, frame(MESSAGEPACK.encode(["heartbeat"]))) == []
        assert slave.held == 0


def test_what_cannot_be_carried_leaves_the_session_open():
    """One bad value is its sender's error, and no other message's."""
    master, slave = greeted()
    master.outbox.add(Response(1, "good"))
    with pytest.raises(CannotCarry):
        master.outbox.add(Response(2, object()))
    master.outbox.add(Response(3, "good too"))
    heard = hear(slave, master.outbox.take())
    assert heard == [Responses([Response(1, "good"), Response(3, "good too")])]


@pytest.mark.parametrize("name", sorted(CODECS))
def test_a_frame_of_too_many_messages_ends_the_link(name):
    """One turn of the reactor works through a frame, so there is an end to it."""
    master, _ = greeted((name,))
    data = b'["cancellation", [' + b"[1], " * 65_536 + b"]]"
    if name == "msgpack":
        data = MESSAGEPACK.encode(["cancellation", [[1]] * 65_536])
    with pytest.raises(ProtocolError):
        hear(master, frame(data))
