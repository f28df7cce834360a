"""A coroutine run without a Deferred behaves as Twisted's own does."""

import gc
import sys
from contextvars import ContextVar

import pytest
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.python.failure import Failure

from anet.coroutines import run

VARIABLE: ContextVar[str] = ContextVar("variable", default="outside")


def outcome(result: object) -> object:
    """Return what a Deferred gave, or raises its error."""
    assert isinstance(result, Deferred)
    results: list[object] = []
    result.addBoth(results.append)
    assert results, "it has not ended"
    if isinstance(results[0], Failure):
        results[0].raiseException()
    return results[0]


async def give(value: object) -> object:
    """Give a value without waiting."""
    return value


async def wait(*deferreds: Deferred) -> list[object]:
    """Wait for some Deferreds, one after another."""
    return [await deferred for deferred in deferreds]


def test_what_is_no_coroutine_is_returned_as_it_is():
    """Values and Deferreds pass."""
    deferred: Deferred[None] = Deferred()
    for value in (None, 7, deferred, give):
        assert run(value) is value


def test_a_coroutine_that_never_waits_needs_no_deferred():
    """Its value is there at once."""
    assert run(give(7)) == 7


def test_a_coroutine_that_waits_is_a_deferred():
    """It goes on each time that what it waits for is there."""
    first: Deferred[int] = Deferred()
    second: Deferred[int] = Deferred()
    result = run(wait(succeed(0), first, second))
    first.callback(1)
    assert not result.called
    second.callback(2)
    assert outcome(result) == [0, 1, 2]


def test_an_error_before_the_first_wait_is_raised_at_once():
    """Whoever calls run sees it as that of a plain function."""

    async def fail():
        raise ValueError("early")

    with pytest.raises(ValueError, match="early"):
        run(fail())


def test_an_error_after_a_wait_is_the_deferreds():
    """It comes through the Deferred, and so does an error that was waited for."""

    async def fail(deferred):
        await deferred
        raise ValueError("late")

    deferred: Deferred[None] = Deferred()
    late = run(fail(deferred))
    deferred.callback(None)
    with pytest.raises(ValueError, match="late"):
        outcome(late)
    waited: Deferred[None] = Deferred()
    result = run(wait(waited))
    waited.errback(KeyError("there"))
    with pytest.raises(KeyError, match="there"):
        outcome(result)


def test_an_error_may_be_handled():
    """A coroutine that catches what it waited for goes on, and may wait again."""

    async def insist(first, second):
        try:
            return await first
        except KeyError:
            return await second

    first: Deferred[int] = Deferred()
    second: Deferred[int] = Deferred()
    result = run(insist(first, second))
    first.errback(KeyError("no"))
    second.callback(2)
    assert outcome(result) == 2


@pytest.mark.parametrize("turn", [0, 1])
def test_cancelling_reaches_the_coroutine(turn):
    """What it waits for is cancelled, it sees CancelledError, and cleans up after itself."""
    waits: list[Deferred[None]] = [Deferred(), Deferred()]
    ended = []

    async def work():
        try:
            for deferred in waits:
                await deferred
        finally:
            ended.append("cleaned up")

    result = run(work())
    for deferred in waits[:turn]:
        deferred.callback(None)
    result.cancel()
    with pytest.raises(CancelledError):
        outcome(result)
    assert ended == ["cleaned up"]


def test_a_coroutine_may_refuse_to_be_cancelled():
    """One that goes on after CancelledError gives its value, as Twisted's does."""

    async def stubborn():
        try:
            await Deferred()
        except CancelledError:
            return "done all the same"

    result = run(stubborn())
    result.cancel()
    assert outcome(result) == "done all the same"


def test_context_variables_do_not_leak():
    """A coroutine has a context of its own, before and after it waits."""
    seen = []

    async def change(deferred, to):
        VARIABLE.set(to)
        seen.append(VARIABLE.get())
        await deferred
        seen.append(VARIABLE.get())

    deferreds: list[Deferred[None]] = [Deferred(), Deferred()]
    results = [run(change(deferreds[0], "a")), run(change(deferreds[1], "b"))]
    run(change(succeed(None), "c"))
    assert VARIABLE.get() == "outside"
    deferreds[1].callback(None)
    deferreds[0].callback(None)
    assert seen == ["a", "b", "c", "c", "b", "a"]
    assert VARIABLE.get() == "outside"
    assert [outcome(result) for result in results] == [None, None]


def test_what_is_set_before_a_wait_can_be_set_back_after_it():
    """A coroutine has one context from its beginning to its end."""
    waits: list[Deferred[None]] = [Deferred(), Deferred()]

    async def set_and_back() -> list[str]:
        token = VARIABLE.set("inside")
        seen = []
        for each in waits:
            await each
            seen.append(VARIABLE.get())
        VARIABLE.reset(token)
        return [*seen, VARIABLE.get()]

    result = run(set_and_back())
    for each in waits:
        each.callback(None)
    assert outcome(result) == ["inside", "inside", "outside"]


def test_what_is_awaited_may_be_a_coroutine():
    """Coroutines in coroutines are driven through, however deep."""

    async def deep(levels, deferred):
        return await (deep(levels - 1, deferred) if levels else deferred)

    deferred: Deferred[int] = Deferred()
    result = run(deep(50, deferred))
    deferred.callback(7)
    assert outcome(result) == 7


def test_one_that_nobody_will_ever_wake_is_let_go_in_silence(monkeypatch):
    """A coroutine that is thrown away with what it waits for ends, and complains to nobody."""
    ended, complaints = [], []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)

    async def sleep_for_ever():
        try:
            await Deferred()
        finally:
            ended.append(True)

    for _ in range(10):
        result = run(sleep_for_ever())
        del result
    gc.collect()
    assert ended == [True] * 10
    assert complaints == []


def test_thousands_of_waits_do_not_grow_the_stack():
    """A coroutine that waits for what is there already goes on without recursion."""

    async def count(times, first):
        await first
        for _ in range(times):
            await succeed(None)
        return times

    first: Deferred[None] = Deferred()
    result = run(count(50_000, first))
    first.callback(None)
    assert outcome(result) == 50_000
