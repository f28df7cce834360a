"""Calls beyond what the peer answers at once stand in line; thousands may be under way."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from hip import Agent, CallTimedOut, ConnectionLost, Limits, exposed
from hip.errors import CannotCarry, Overloaded
from hip.testing import connect_in_memory, settle


class Service:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.waiting: dict[str, Deferred[str]] = {}

    @exposed
    async def later(self, name: str, value: object = None) -> str:
        """Wait."""
        self.asked.append([name, value])
        self.waiting[name] = Deferred()
        return await self.waiting[name]


class Pair:
    """A slave that calls a master, which answers few at once."""

    def __init__(self, in_flight: int, line: int = 10_000) -> None:
        self.clock = Clock()
        self.service, self.other = Service(), Service()
        limits = Limits(in_flight=in_flight, line=line)
        master = Agent(self.clock, "scheduler", "scheduler", [self.service], limits=limits)
        slave = Agent(self.clock, "crawler", "crawler-1", [self.other], limits=limits)
        self.at_master, self.peer = connect_in_memory(self.clock, master, slave)
        self.outcomes: dict[str, object] = {}

    def call(self, name: str, timeout: float = 60, value: object = None) -> Deferred:
        """Call, and note what comes of it."""
        call = self.peer.call("later", name=name, value=value, timeout=timeout)
        call.addCallback(lambda answer: self.outcomes.update({name: answer}))
        call.addErrback(lambda failure: self.outcomes.update({name: failure.type}))
        settle(self.clock, 4)
        return call

    def answer(self, name: str) -> None:
        """Let a call be answered."""
        self.service.waiting[name].callback(name.upper())
        settle(self.clock, 4)

    @property
    def names(self) -> list[str]:
        """Who was asked, in order."""
        return [name for name, _ in self.service.asked]


def test_a_line_is_served_in_its_order():
    """The peer is never asked more than it said that it answers at once."""
    pair = Pair(2)
    for name in "abcde":
        pair.call(name)
    assert pair.names == ["a", "b"]
    pair.answer("b")
    assert pair.names == ["a", "b", "c"]
    pair.answer("c")
    pair.answer("a")
    assert pair.names == list("abcde")
    assert pair.outcomes == {"a": "A", "b": "B", "c": "C"}


def test_a_call_in_line_may_be_cancelled():
    """It is never asked, and those behind it keep their places."""
    pair = Pair(1)
    pair.call("a")
    given_up, _ = pair.call("b"), pair.call("c")
    given_up.cancel()
    assert pair.outcomes == {"b": CancelledError}
    pair.answer("a")
    assert pair.names == ["a", "c"]


def test_a_call_in_line_has_its_deadline():
    """Time in line is time that the caller waits."""
    pair = Pair(1)
    pair.call("a")
    pair.call("b", timeout=5)
    pair.clock.advance(5)
    assert pair.outcomes == {"b": CallTimedOut}
    pair.answer("a")
    assert pair.names == ["a"]


def test_values_in_line_are_those_of_the_call():
    """What the caller changes afterwards is not sent changed."""
    pair = Pair(1)
    pair.call("a")
    value = {"list": [1]}
    pair.call("b", value=value)
    value["list"].append(2)
    pair.answer("a")
    assert pair.service.asked[1] == ["b", {"list": [1]}]


def test_a_line_has_an_end_and_ends_with_its_link():
    """A call beyond it fails at once; all in it fail when the link is lost."""
    pair = Pair(1, line=2)
    for name in "abcd":
        pair.call(name)
    assert pair.outcomes == {"d": Overloaded}
    pair.peer.transport.abortConnection()
    settle(pair.clock)
    assert [pair.outcomes[name] for name in "abc"] == [ConnectionLost] * 3
    assert pair.names == ["a"]


def test_what_cannot_be_carried_does_not_stand_in_line():
    """It fails at once, as it would if it were sent."""
    pair = Pair(1)
    pair.call("a")
    pair.call("b", value=object())
    assert pair.outcomes == {"b": CannotCarry}


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_thousands_are_under_way_and_answered_in_any_order(seed):
    """Both ways at once, each answer reaches its caller."""
    pair, random = Pair(1500), Random(seed)
    answers: dict[tuple[str, str], str] = {}
    names = [str(number) for number in range(2000)]
    for name in names:
        for way, peer in (("up", pair.peer), ("down", pair.at_master)):
            call = peer.call("later", name=name)
            call.addCallback(lambda answer, key=(way, name): answers.update({key: answer}))
    settle(pair.clock, 10)
    while pair.service.waiting or pair.other.waiting:
        for service in (pair.service, pair.other):
            waiting = list(service.waiting.items())
            random.shuffle(waiting)
            for name, deferred in waiting[: random.randint(1, 1500)]:
                del service.waiting[name]
                deferred.callback(name)
        settle(pair.clock, 10)
    assert answers == {(way, name): name for name in names for way in ("up", "down")}
    assert pair.peer.in_flight == pair.at_master.in_flight == 0


@pytest.mark.parametrize("what", ["cancel", "call", "raise", "close"])
def test_whoever_is_answered_may_do_anything(what):
    """Others of the same frame have their answers all the same, or learn that the link ended."""
    pair = Pair(10)
    calls = {name: pair.call(name) for name in "abc"}
    done: list[object] = []

    def act(_: object) -> None:
        if what == "cancel":
            calls["b"].cancel()
        elif what == "call":
            pair.call("d")
        elif what == "close":
            pair.peer.close("enough")
        else:
            raise RuntimeError("a mistake")

    calls["a"].addCallback(act).addErrback(done.append)
    for name in "abc":
        pair.service.waiting[name].callback(name.upper())
    settle(pair.clock)
    pair.clock.advance(2)
    assert pair.outcomes["a"] == "A"
    assert pair.outcomes["c"] in ("C", ConnectionLost)
    assert pair.outcomes["b"] in ("B", CancelledError if what == "cancel" else "B", ConnectionLost)
    assert len(done) == (what == "raise")
    assert pair.peer.is_open == (what != "close")
