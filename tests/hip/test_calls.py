"""Two agents in memory call each other."""

import pytest
from attrs import frozen
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from anet.errors import InvalidAddress
from hip import (
    Agent,
    CallRefused,
    CallTimedOut,
    CannotCarry,
    ConnectionLost,
    Limits,
    Peer,
    ProtocolError,
    RemoteError,
    TooLarge,
    convert,
    exposed,
)
from hip.messages import Response
from hip.testing import connect_in_memory, settle


@frozen
class Point:
    """A value that goes over the wire."""

    x: int
    y: int = 0


class Service:
    """The methods of these tests."""

    def __init__(self) -> None:
        self.noted: list[str] = []
        self.pending: dict[str, Deferred[str]] = {}
        self.cancelled = False

    @exposed
    def move(self, point: Point, by: int = 1) -> Point:
        """Move a point to the right."""
        return Point(point.x + by, point.y)

    @exposed
    async def later(self, name: str) -> str:
        """Answer when the test says so."""
        self.pending[name] = Deferred()
        try:
            return await self.pending[name]
        except CancelledError:
            self.cancelled = True
            raise

    @exposed
    def who(self, peer: Peer) -> str:
        """Say who asks."""
        return peer.name

    @exposed
    def note(self, text: str) -> None:
        """Take a note."""
        self.noted.append(text)

    @exposed
    def refuse(self) -> None:
        """Refuse."""
        raise CallRefused("busy", "come back tomorrow")

    @exposed
    def fail(self) -> None:
        """Make a mistake."""
        raise RuntimeError("secret words")

    @exposed
    def big(self, size: int) -> bytes:
        """Answer with many bytes."""
        return bytes(size)

    def hidden(self) -> None:
        """Not marked, so not remote."""


class Pair:
    """A master and a slave, both with the same methods."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.clock = Clock()
        self.service = Service()
        self.master = Agent(self.clock, "scheduler", "scheduler", [self.service], limits=limits)
        self.slave = Agent(self.clock, "crawler", "crawler-1", [Service()], limits=limits)
        self.at_master, self.at_slave = connect_in_memory(self.clock, self.master, self.slave)

    def result(self, deferred: Deferred) -> object:
        """Return what a call gave, after letting everything due happen."""
        settle(self.clock)
        results: list[object] = []
        deferred.addBoth(results.append)
        assert results, "no answer"
        if hasattr(results[0], "raiseException"):
            results[0].raiseException()
        return results[0]


@pytest.fixture
def pair() -> Pair:
    """A master and a slave that have greeted."""
    return Pair()


def test_both_sides_know_each_other(pair):
    """After the greetings each side knows the other's name, and MessagePack is spoken."""
    assert (pair.at_master.name, pair.at_slave.name) == ("crawler-1", "scheduler")
    assert pair.at_slave.serializer == "msgpack"
    assert list(pair.master.slaves) == ["crawler-1"]


def test_calls_go_both_ways(pair):
    """A slave calls its master and a master its slave on one connection."""
    up = pair.result(pair.at_slave.call("move", point=Point(1, 2), by=5))
    down = pair.result(pair.at_master.call("move", point={"x": 3}))
    assert convert(up, Point) == Point(6, 2)
    assert convert(down, Point) == Point(4, 0)


def test_answers_come_in_any_order(pair):
    """The second call may be answered first."""
    first = pair.at_slave.call("later", name="a")
    second = pair.at_slave.call("later", name="b")
    settle(pair.clock)
    pair.service.pending["b"].callback("B")
    assert pair.result(second) == "B"
    assert not first.called
    pair.service.pending["a"].callback("A")
    assert pair.result(first) == "A"


def test_the_caller_is_given_to_a_method_that_wants_it(pair):
    """A parameter named peer is the caller and cannot be sent."""
    assert pair.result(pair.at_slave.call("who")) == "crawler-1"
    with pytest.raises(RemoteError, match="bad-arguments"):
        pair.result(pair.at_slave.call("who", peer="me"))


@pytest.mark.parametrize(
    ("method", "arguments", "code"),
    [
        ("refuse", {}, "busy"),
        ("hidden", {}, "unknown-method"),
        ("move", {"point": {"x": "one"}}, "bad-arguments"),
        ("move", {}, "bad-arguments"),
        ("note", {"text": "a", "more": 1}, "bad-arguments"),
        ("fail", {}, "failed"),
    ],
)
def test_errors_have_codes(pair, method, arguments, code):
    """Whatever goes wrong at the callee is told by its code, and no secrets with it."""
    with pytest.raises(RemoteError) as caught:
        pair.result(pair.at_slave.call(method, **arguments))
    assert caught.value.code == code
    assert "secret" not in str(caught.value)


def test_notifications_are_not_answered(pair):
    """A notification runs the method and nothing comes back."""
    pair.at_slave.notify("note", text="hello")
    settle(pair.clock)
    assert pair.service.noted == ["hello"]


def test_a_late_answer_is_an_error_and_stops_the_callee(pair):
    """A call that times out is cancelled at the callee, and the link lives on."""
    late = pair.at_slave.call("later", name="a", timeout=5)
    settle(pair.clock)
    pair.clock.advance(5)
    with pytest.raises(CallTimedOut):
        pair.result(late)
    assert pair.service.cancelled
    assert pair.result(pair.at_slave.call("who")) == "crawler-1"


def test_cancelling_a_call_stops_the_callee(pair):
    """A caller that gives up tells the callee."""
    call = pair.at_slave.call("later", name="a")
    settle(pair.clock)
    call.cancel()
    with pytest.raises(CancelledError):
        pair.result(call)
    assert pair.service.cancelled


def test_a_lost_link_fails_the_calls_and_stops_their_work(pair):
    """Both ends learn at once that the link is gone."""
    call = pair.at_slave.call("later", name="a")
    settle(pair.clock)
    left = []
    pair.master.on_leave = lambda peer, reason: left.append(peer.name)
    pair.at_slave.transport.abortConnection()
    with pytest.raises(ConnectionLost):
        pair.result(call)
    assert pair.service.cancelled
    assert left == ["crawler-1"]
    assert pair.master.slaves == {}


def test_a_value_too_large_names_the_limit():
    """Neither a request nor an answer passes the frame that the peer accepts."""
    pair = Pair(Limits(frame=2000))
    with pytest.raises(TooLarge, match="2000"):
        pair.result(pair.at_slave.call("note", text="x" * 3000))
    with pytest.raises(RemoteError, match="too-large"):
        pair.result(pair.at_slave.call("big", size=3000))
    assert pair.result(pair.at_slave.call("big", size=1000)) == bytes(1000)


def test_a_silent_peer_is_given_up(pair):
    """A half-open connection is found by its silence, within silence and one heartbeat."""
    pair.at_slave.transport.write = lambda data: None
    for _ in range(45):
        pair.clock.advance(1)
    assert pair.master.slaves == {}


def test_heartbeats_keep_an_idle_link(pair):
    """A link with nothing to say lives."""
    for _ in range(500):
        pair.clock.advance(1)
        settle(pair.clock, 3)
    assert list(pair.master.slaves) == ["crawler-1"]


def test_a_second_agent_of_one_name_replaces_the_first(pair):
    """A slave that comes back before its old link is known dead takes its place."""
    again = Agent(pair.clock, "crawler", "crawler-1")
    at_master, _ = connect_in_memory(pair.clock, pair.master, again)
    settle(pair.clock)
    assert pair.master.slaves["crawler-1"] is at_master


def test_the_tree_and_what_every_agent_says(pair):
    """The built-in methods tell of the agent, its methods and the tree below it."""
    tree = pair.result(pair.at_slave.call("hip.tree"))
    assert (tree["name"], tree["slaves"][0]["name"]) == ("scheduler", "crawler-1")
    information = pair.result(pair.at_slave.call("hip.info"))
    assert information["kind"] == "scheduler"
    signatures = [it["signature"] for it in pair.result(pair.at_slave.call("hip.methods"))]
    assert any(signature.startswith("move(point: ") for signature in signatures)


def test_a_descendant_is_called_by_its_name(pair):
    """A console reaches a slave through its master."""
    console = Agent(pair.clock, "console", "console-1")
    _, master = connect_in_memory(pair.clock, pair.master, console)
    route = {"path": ["crawler-1"], "method": "who", "arguments": {}}
    assert pair.result(master.call("hip.route", **route)) == "scheduler"
    with pytest.raises(RemoteError, match="unreachable"):
        pair.result(master.call("hip.route", **{**route, "path": ["nobody"]}))


def test_an_answer_to_a_call_that_stands_in_line_ends_the_link():
    """The peer has not been asked yet, so it cannot know."""
    pair = Pair(Limits(in_flight=1))
    asked, waiting = pair.at_slave.call("later", name="a"), pair.at_slave.call("later", name="b")
    settle(pair.clock)
    pair.at_master._send(Response(2, "B"))
    for call in (asked, waiting):
        with pytest.raises(ConnectionLost, match="never asked"):
            pair.result(call)


def test_a_call_in_line_takes_the_place_of_one_that_is_cancelled():
    """The callee hears of the cancellation first, and so has room."""
    pair = Pair(Limits(in_flight=1))
    first, second = pair.at_slave.call("later", name="a"), pair.at_slave.call("who")
    first.addErrback(lambda _: None)
    settle(pair.clock)
    first.cancel()
    assert pair.result(second) == "crawler-1"


@pytest.mark.parametrize("words", ["half a letter: \ud800", "\N{GRINNING FACE}" * 1000])
def test_an_error_is_told_whatever_its_words(words):
    """Words that cannot be sent leave the link, and the caller, with an error all the same."""
    pair = Pair(Limits(frame=1024))

    @exposed(name="moan")
    def moan() -> None:
        raise CallRefused("busy", words)

    pair.master.methods.add(moan)
    with pytest.raises(RemoteError, match="words that cannot be sent"):
        pair.result(pair.at_slave.call("moan"))
    assert pair.at_slave.is_open


def test_a_name_that_no_method_can_have_is_refused_here(pair):
    """The peer would end the link over it."""
    for name in ("", "x" * 201):
        with pytest.raises(CannotCarry, match="1 to 200"):
            pair.at_slave.notify(name)
    with pytest.raises(RemoteError, match="unknown-method"):
        pair.result(pair.at_slave.call("x" * 200, timeout=10**30))


def test_a_dead_peer_holds_nothing(pair):
    """Who keeps one for its name keeps no buffers with it."""
    pair.at_slave._session.feed(b"\x00\x00\xff\xffhalf a frame")
    pair.at_slave.pauseProducing()
    pair.at_slave.notify("note", text="x" * 1000)
    pair.at_slave.transport.abortConnection()
    assert (pair.at_slave._session.held, len(pair.at_slave._session.outbox)) == (0, 0)
    assert pair.at_slave.name == "scheduler"


def test_a_redirection_that_would_cost_the_link_is_not_sent(pair):
    """A slave redirects nobody, and nobody is redirected to what is no address."""
    with pytest.raises(InvalidAddress):
        pair.at_master.redirect("nonsense")
    with pytest.raises(ProtocolError, match="only a master"):
        pair.at_slave.redirect("127.0.0.1:7100")
    settle(pair.clock)
    assert pair.at_master.is_open
