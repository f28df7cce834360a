"""Any function may be a remote method; what arrives for it is checked first."""

import functools
from contextvars import ContextVar
from datetime import date, datetime

import pytest
from attrs import frozen
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.task import Clock

from hip import Agent, Limits, Peer, RemoteError, exposed
from hip.deadlines import Deadline
from hip.methods import MethodTable
from hip.testing import connect_in_memory, settle

VARIABLE: ContextVar[str] = ContextVar("variable", default="nothing")


@frozen
class Order:
    """What is asked for."""

    name: str
    due: date
    parts: tuple[int, ...] = ()


class Service:
    """An object with methods."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.waiting: list[Deferred[str]] = []

    @exposed
    def bound(self, a: int, *, b: int = 2) -> list[int]:
        """Answer with both."""
        return [a, b]

    @exposed
    async def coroutine(self, text: str) -> str:
        """Answer after a wait."""
        return await succeed(text)

    @exposed
    def deferred(self) -> Deferred[str]:
        """Answer by a Deferred."""
        return succeed("deferred")

    @exposed
    def typed(self, order: Order, when: datetime | None = None) -> Order:
        """Answer with what came."""
        assert isinstance(order, Order)
        return order

    @exposed
    def given(self, deadline: Deadline, peer: Peer, text: str = "") -> list[object]:
        """Answer with what was given."""
        return [peer.name, deadline.left, text]

    @exposed
    async def careful(self) -> str:
        """Clean up when cancelled."""
        self.waiting.append(Deferred())
        try:
            return await self.waiting[-1]
        finally:
            self.ended.append("careful")

    @exposed
    async def stubborn(self) -> str:
        """Go on when cancelled."""
        try:
            return await Deferred()
        except CancelledError:
            return "done all the same"

    @exposed
    async def leaky(self, text: str) -> str:
        """Set a context variable, and answer with what it was."""
        before = VARIABLE.get()
        VARIABLE.set(text)
        self.waiting.append(Deferred())
        await self.waiting[-1]
        return before + VARIABLE.get()


def closure(offset: int):
    """Return a function that remembers a number."""

    @exposed
    def add(number: int) -> int:
        return number + offset

    return add


@exposed(name="shouted")
def plain(text: str, mark: str = "!") -> str:
    """Answer loudly."""
    return text.upper() + mark


class Pair:
    """A slave that calls the methods of its master."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.service = Service()
        sources = [self.service, closure(100), plain]
        self.master = Agent(
            self.clock, "scheduler", "scheduler", sources, limits=Limits(in_flight=5)
        )
        self.slave = Agent(self.clock, "crawler", "crawler-1")
        _, self.peer = connect_in_memory(self.clock, self.master, self.slave)

    def ask(self, method: str, **arguments: object) -> object:
        """Return the answer."""
        return self.result(self.peer.call(method, **arguments))

    def result(self, deferred: Deferred) -> object:
        """Return what a call gave."""
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


@pytest.mark.parametrize(
    ("method", "arguments", "answer"),
    [
        ("bound", {"a": 1}, [1, 2]),
        ("bound", {"a": 1, "b": 7}, [1, 7]),
        ("coroutine", {"text": "é"}, "é"),
        ("deferred", {}, "deferred"),
        ("add", {"number": 1}, 101),
        ("shouted", {"text": "a"}, "A!"),
    ],
)
def test_any_kind_of_function_may_be_a_method(pair, method, arguments, answer):
    """Bound methods, coroutines, closures, functions, with defaults and with keywords only."""
    assert pair.ask(method, **arguments) == answer


def test_arguments_become_what_their_annotations_say(pair):
    """An attrs value goes as a dictionary and arrives as one of its class; dates go as text."""
    order = Order("a", date(2026, 11, 21), (1, 2))
    assert pair.ask("typed", order=order) == {"name": "a", "due": "2026-11-21", "parts": [1, 2]}


def test_the_caller_and_its_patience_are_given(pair):
    """Wherever they stand among the parameters; neither can be sent."""
    assert pair.result(pair.peer.call("given", text="x", timeout=7)) == ["crawler-1", 7.0, "x"]
    for forged in ({"peer": "me"}, {"deadline": 1e9}):
        with pytest.raises(RemoteError, match="bad-arguments"):
            pair.ask("given", **forged)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("bound", {}),
        ("bound", {"a": "1"}),
        ("bound", {"a": 1.5}),
        ("bound", {"a": True}),
        ("bound", {"a": 1, "c": 1}),
        ("typed", {"order": {"name": "a", "due": "tomorrow"}}),
        ("typed", {"order": {"name": "a", "due": "2026-11-21", "parts": [1, "2"]}}),
        ("typed", {"order": [1]}),
    ],
)
def test_other_arguments_are_refused_before_anything_runs(pair, method, arguments):
    """Missing, unknown, or of another type: the error names the method as it should be called."""
    with pytest.raises(RemoteError, match=f"bad-arguments: {method}\\("):
        pair.ask(method, **arguments)


def test_cancelling_runs_what_a_method_does_at_its_end(pair):
    """The coroutine is stopped where it waits, by cancellation, deadline or the end of the link."""
    call = pair.peer.call("careful")
    settle(pair.clock)
    call.cancel()
    with pytest.raises(CancelledError):
        pair.result(call)
    assert pair.service.ended == ["careful"]
    pair.peer.call("careful", timeout=5).addErrback(lambda _: None)
    settle(pair.clock)
    pair.clock.advance(5)
    settle(pair.clock)
    assert pair.service.ended == ["careful"] * 2
    pair.peer.call("careful").addErrback(lambda _: None)
    settle(pair.clock)
    pair.peer.transport.abortConnection()
    assert pair.service.ended == ["careful"] * 3


def test_a_method_that_will_not_stop_harms_nobody(pair):
    """Its answer comes too late, and is let go; it counts as done when it is."""
    call = pair.peer.call("stubborn")
    settle(pair.clock)
    call.cancel()
    with pytest.raises(CancelledError):
        pair.result(call)
    settle(pair.clock)
    assert pair.peer.is_open
    assert pair.master.slaves["crawler-1"].in_flight == 0
    assert pair.ask("add", number=1) == 101


def test_methods_do_not_see_each_others_context(pair):
    """Each has its context variables for itself, also after it has waited."""
    calls = [pair.peer.call("leaky", text=text) for text in "abc"]
    settle(pair.clock)
    for waiting in reversed(pair.service.waiting):
        waiting.callback("")
    assert [pair.result(call) for call in calls] == ["nothinga", "nothingb", "nothingc"]
    assert VARIABLE.get() == "nothing"


def test_notifications_are_run_so_many_at_once(pair):
    """Those beyond the limit are let go, and there is room again when some have ended."""
    for _ in range(8):
        pair.peer.notify("careful")
    settle(pair.clock)
    assert len(pair.service.waiting) == 5
    for waiting in pair.service.waiting:
        waiting.callback("")
    pair.peer.notify("careful")
    settle(pair.clock)
    assert len(pair.service.waiting) == 6


def test_only_what_can_be_checked_is_exposed():
    """A parameter without annotation, a variable number of them, or nothing marked is a mistake."""

    @exposed
    def untyped(a):
        """Do nothing."""

    @exposed
    def variable(*a: int, **b: int) -> None:
        """Do nothing."""

    for source in (untyped, variable):
        with pytest.raises(TypeError, match="needs an annotation"):
            MethodTable([source], Clock())


def test_a_partial_is_no_method():
    """Its keywords could be sent by the caller: a closure keeps them to itself."""

    def scale(number: int, factor: int) -> int:
        return number * factor

    with pytest.raises(AttributeError):
        exposed(functools.partial(scale, factor=3))
    with pytest.raises(TypeError):
        MethodTable([exposed(name="triple")(functools.partial(scale, factor=3))], Clock())


def test_an_unmarked_function_is_refused_in_words():
    """The likeliest mistake of all says what to do."""

    def add(a: int, b: int) -> int:
        return a + b

    with pytest.raises(TypeError, match="mark it with @exposed"):
        MethodTable([add], Clock())


def test_two_methods_of_one_name_and_a_parameter_that_callers_own_are_refused():
    """Neither would ever be called as its writer thinks."""

    @exposed(name="add")
    def one() -> None: ...

    @exposed(name="add")
    def another() -> None: ...

    @exposed
    def wait(timeout: float) -> None: ...

    with pytest.raises(TypeError, match="two methods add"):
        MethodTable([one, another], Clock())
    with pytest.raises(TypeError, match="cannot be named timeout"):
        MethodTable([wait], Clock())
